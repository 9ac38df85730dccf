"""Statements that runs do not bear out: refuted by a version that a document speaks of, else no longer or not yet true."""

from __future__ import annotations

import pytest

from apidiff.database import Data
from apidiff.derive.statements import contradicted
from apidiff.model.version import Version, release_of
from apidiff.model.views import Entry, ObservedSummary

# versions of the documents, (version run, its outcome), what comes of it and in which versions
CASES = [
    (["2.10.0"], [("2.10.0", "refuted")], ("refuted", ["2.10.0"])),
    (["2.10"], [("2.10.0", "refuted")], ("refuted", ["2.10.0"])),
    (["2.10.0"], [("2.10.0+cpu", "refuted")], ("refuted", ["2.10.0+cpu"])),
    (["2.7.1"], [("2.10.0", "refuted")], ("outdated", ["2.10.0"])),
    (["2.7.1"], [("2.10.0", "refuted"), ("2.9.0", "refuted"), ("2.7.1", "holds")], ("outdated", ["2.10.0", "2.9.0"])),
    (["2.10.0"], [("2.10.0", "holds"), ("2.9.0", "refuted")], ("not_yet", ["2.9.0"])),
    (["2.4.0", "2.10.0"], [("2.10.0", "refuted"), ("2.9.0", "refuted")], ("refuted", ["2.10.0"])),
    (["2.10.0"], [("2.10.0", "holds")], None),
    (["2.10.0"], [("2.10.0", "unsupported")], None),
    ([], [("2.10.0", "refuted")], None),
]


def row(version: str, outcome: str, framework: str = "mindspore") -> ObservedSummary:
    return ObservedSummary(
        outcome=outcome,
        framework=framework,
        framework_version=version,
        backend="mccl",
        device="cpu",
        world_sizes=[2],
        runs=["run"],
    )


@pytest.mark.parametrize(("documents", "runs", "expected"), CASES)
def test_a_statement_is_refuted_only_by_versions_that_its_document_speaks_of(
    documents: list[str], runs: list[tuple[str, str]], expected: tuple[str, list[str]] | None
) -> None:
    found = contradicted([row(*run) for run in runs], [("mindspore", version) for version in documents])
    assert (found and (found.standing, found.versions)) == expected


def test_what_documents_of_the_other_framework_say_is_outdated() -> None:
    found = contradicted([row("2.13.0", "refuted", "torch")], [("mindspore", "2.4.0")])
    assert found is not None
    assert (found.standing, found.framework, found.versions) == ("outdated", "torch", ["2.13.0"])


def test_no_statement_of_the_database_is_refuted_by_another_version(
    database: Data, all_entries: dict[str, Entry]
) -> None:
    claims = [claim for entry in all_entries.values() for claim in entry.claims if claim.contradicted]
    standings = {claim.contradicted.standing for claim in claims if claim.contradicted}
    assert standings >= {"refuted", "outdated"}
    for claim in claims:
        told = {
            (database.documents[place.document].framework.value, database.documents[place.document].version)
            for place in claim.stated
        }
        assert claim.contradicted is not None
        spoken = [
            version
            for version in claim.contradicted.versions
            for framework, stated in told
            if framework == claim.contradicted.framework and Version(stated).covers(Version(release_of(version)))
        ]
        assert bool(spoken) == (claim.contradicted.standing == "refuted"), claim.id
