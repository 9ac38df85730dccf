"""Every row and sentence of the five seeds is stated by a claim in the database, none dropped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from apidiff.database import load

SEEDS = Path(__file__).parent.parent / "seeds"
sys.path.insert(0, str(SEEDS))
from statements import statements  # noqa: E402

DATA = load()
DOCUMENTS = {document.seed: key for key, document in DATA.documents.items() if document.seed}
FILES = sorted(SEEDS.glob("*.txt"))
PARTS = [(path.name, part) for path in FILES for part in statements(path.read_text(encoding="utf-8"))]


def stated_parts() -> set[tuple[str, str]]:
    apis = [api for m in DATA.mappings.values() for api in (m.source, *(target.api for target in m.targets))]
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


def test_every_seed_is_a_document() -> None:
    assert set(DOCUMENTS) == {path.name for path in FILES}


@pytest.mark.parametrize(("seed", "part"), PARTS)
def test_statement_has_a_claim(seed: str, part: str) -> None:
    assert (DOCUMENTS[seed], part) in stated_parts()


def test_claims_cite_only_parts_that_a_seed_has() -> None:
    known = {(DOCUMENTS[seed], part) for seed, part in PARTS}
    seeds = set(DOCUMENTS.values())
    assert {cited for cited in stated_parts() if cited[0] in seeds} <= known


def test_a_dropped_statement_is_noticed() -> None:
    assert (DOCUMENTS[FILES[0].name], "parameters/99") not in stated_parts()
