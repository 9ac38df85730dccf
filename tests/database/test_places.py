"""Records whose backend or device conf/ does not describe are told, and give no verdict."""

from __future__ import annotations

import dataclasses

import pytest

from apidiff.database import Data
from apidiff.database.checks import without_unusable
from apidiff.database.checks.places import places_are_described
from apidiff.database.paths import conf_file

PLACES = [
    (
        "devices",
        "device",
        "mindspore cpu",
        "single.toml",
        "describes no device cpu of mindspore, of which there are records",
    ),
    ("devices", "device", "torch cuda", "single.toml", None),  # of which there are none
    (
        "backends",
        "backend",
        "mindspore cpu",
        "backends.toml",
        "describes no backend mccl (mindspore, cpu), of which there are ",
    ),
]


@pytest.mark.parametrize(("field", "kind", "lost", "file", "said"), PLACES)
def test_records_of_a_place_that_is_not_described(
    database: Data, field: str, kind: str, lost: str, file: str, said: str | None
) -> None:
    """Without what is said there of missing kernels, verdicts would be refuted that are not."""
    described = [one for one in getattr(database, field) if f"{one.framework} {one.device}" != lost]
    less = dataclasses.replace(database, **{field: described})
    errors = list(places_are_described(less))
    assert [(error.path, said in error.found) for error in errors] == ([(conf_file(file), True)] if said else [])
    usable = without_unusable(less)
    assert [error.found for error in usable.damaged] == [error.found for error in errors]
    of = {
        f"{record.framework} {record.device}" for _, record in (usable.single_runs if kind == "device" else usable.runs)
    }
    assert (lost in of) is False
    assert "torch cpu" in of
    assert len(usable.single_runs) + len(usable.runs) < len(database.single_runs) + len(database.runs) or not said


@pytest.mark.parametrize("field", ["devices", "backends"])
def test_of_a_file_that_cannot_be_read_it_is_not_said_again(database: Data, field: str) -> None:
    """None of those records gives a verdict, though."""
    less = dataclasses.replace(database, **{field: []})
    assert list(places_are_described(less)) == []
    usable = without_unusable(less)
    assert (usable.single_runs if field == "devices" else usable.runs) == []
