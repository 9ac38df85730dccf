"""Which probe makes the plain call of an API."""

from __future__ import annotations

import pytest

from apidiff.database import Data
from apidiff.model.collective import Collective
from apidiff.model.probe import Probe

# probes with what each is like, the one that makes the plain call
CALLS: list[tuple[dict[str, str | None], str | None]] = [
    ({}, None),
    ({"to-1": None, "tagged": "to-1"}, "to-1"),
    ({"tagged": "to-1", "to-1": None}, "to-1"),
    ({"group-none": None, "default": None}, "default"),
    ({"async": None, "sync": None}, "sync"),
]


@pytest.mark.parametrize(("probes", "plain"), CALLS)
def test_the_plain_call(probes: dict[str, str | None], plain: str | None) -> None:
    collective = Collective(probes={name: Probe(like=like) for name, like in probes.items()})
    assert collective.plain_probe == plain


@pytest.fixture(scope="module")
def data(database: Data) -> Data:
    return database


@pytest.mark.parametrize(
    ("mapping", "plain"),
    [
        ("torch.distributed.reduce", "sync"),
        ("torch.distributed.recv", "from-1"),
        ("torch.distributed.get_world_size", "default"),
        ("torch.distributed.get_global_rank", "tail"),
    ],
)
def test_a_profile_does_not_lead_what_a_record_writes(data: Data, mapping: str, plain: str) -> None:
    assert data.mappings[mapping].source.collective.plain_probe == plain
