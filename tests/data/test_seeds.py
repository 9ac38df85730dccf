"""Every row and sentence of the five seeds is stated by a claim in the database, none dropped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from apidiff.database import Data

SEEDS = Path(__file__).parent.parent / "seeds"
sys.path.insert(0, str(SEEDS))
from statements import statements  # noqa: E402

FILES = sorted(SEEDS.glob("*.txt"))
PARTS = [(path.name, part) for path in FILES for part in statements(path.read_text(encoding="utf-8"))]


@pytest.fixture(scope="session")
def documents(database: Data) -> dict[str, str]:
    """The ID of the document that each seed is."""
    return {document.seed: key for key, document in database.documents.items() if document.seed}


@pytest.fixture(scope="session")
def stated_parts(database: Data) -> set[tuple[str, str]]:
    """Every part of a document that a claim cites."""
    apis = [api for m in database.mappings.values() for api in (m.source, *(target.api for target in m.targets))]
    return {(stated.document, stated.part) for api in apis for claim in api.claims for stated in claim.stated}


def test_the_splitter_sees_all_rows_and_sentences() -> None:
    counts = {}
    for path in FILES:
        for part in statements(path.read_text(encoding="utf-8")):
            counts.setdefault(path.name[:3], {}).setdefault(part.split("/")[0], []).append(part)
    assert {seed: {kind: len(parts) for kind, parts in kinds.items()} for seed, kinds in counts.items()} == {
        "000": {"pytorch": 3, "mindspore": 2, "parameters": 4, "returns": 1},
        "001": {"pytorch": 4, "mindspore": 4, "parameters": 5, "returns": 1},
        "002": {"pytorch": 3, "mindspore": 3, "parameters": 4, "returns": 1},
        "003": {"pytorch": 4, "mindspore": 3, "parameters": 5, "returns": 1},
        "004": {"pytorch": 3, "mindspore": 3, "parameters": 4},
    }


def test_every_seed_is_a_document(documents: dict[str, str]) -> None:
    assert set(documents) == {path.name for path in FILES}


def test_every_statement_has_a_claim(documents: dict[str, str], stated_parts: set[tuple[str, str]]) -> None:
    assert len(PARTS) > 50
    assert [(seed, part) for seed, part in PARTS if (documents[seed], part) not in stated_parts] == []


def test_claims_cite_only_parts_that_a_seed_has(documents: dict[str, str], stated_parts: set[tuple[str, str]]) -> None:
    known = {(documents[seed], part) for seed, part in PARTS}
    seeds = set(documents.values())
    assert {cited for cited in stated_parts if cited[0] in seeds} <= known


def test_a_dropped_statement_is_noticed(documents: dict[str, str], stated_parts: set[tuple[str, str]]) -> None:
    assert (documents[FILES[0].name], "parameters/99") not in stated_parts
