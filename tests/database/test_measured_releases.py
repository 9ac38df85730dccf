"""A release that was run and has no signatures is told: without types, verdicts on upstream's tables go."""

from __future__ import annotations

import dataclasses

import pytest

from apidiff.database import Data
from apidiff.database.checks import run_checks, without_unusable
from apidiff.database.checks.measured_releases import releases_have_signatures
from apidiff.errors import Damage, DataError

# framework, version, whether this project ran it
RELEASES = [
    ("mindspore", "2.9.0", True),
    ("mindspore", "2.7.1", True),
    ("torch", "2.11.0", True),
    ("mindspore", "2.7.2", False),
    ("torch", "2.1.0", False),
]


@pytest.mark.parametrize(("framework", "version", "was_run"), RELEASES)
def test_a_release_without_signatures(database: Data, framework: str, version: str, was_run: bool) -> None:
    known = {key: file for key, file in database.signatures.items() if key != (framework, version)}
    less = dataclasses.replace(database, signatures=known)
    path = database.root / "signatures" / f"{framework}-{version}.json"
    found = list(releases_have_signatures(less))
    assert [error.path for error in found] == ([path] if was_run else [])
    assert all(f"is not there, and there are records of {framework} {version} such as " in str(one) for one in found)
    assert [error.path for error in without_unusable(less).broken] == [error.path for error in found]
    # Those for which nobody vouches may be of any release.
    others = dataclasses.replace(less, runs=[], unsigned_runs=less.runs)
    assert list(releases_have_signatures(others)) == []


def test_check_tells_it_and_not_twice(database: Data) -> None:
    known = {key: file for key, file in database.signatures.items() if key != ("mindspore", "2.9.0")}
    less = dataclasses.replace(database, signatures=known)
    assert [error.path.name for error in run_checks(less)] == ["mindspore-2.9.0.json"]
    broken = DataError(less.root / "signatures/mindspore-2.9.0.json", None, "holds none", "Mend it.", Damage.FORM)
    assert list(releases_have_signatures(dataclasses.replace(less, broken=[broken]))) == []
