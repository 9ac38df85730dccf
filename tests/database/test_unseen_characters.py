"""A character that cannot be seen, in whatever file of the data, is told with its line."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.database.checks import run_checks
from apidiff.database.checks.unseen_characters import no_unseen_characters
from apidiff.database.paths import DATA, examples_folder
from apidiff.model.rule import WritingRules

# the file, its text, the line and the code point that are told
TEXTS: list[tuple[str, str, list[tuple[int, str]]]] = [
    ("upstream/difference_pages.csv", "a,b\nc,d\n", []),
    ("upstream/difference_pages.csv", "a,b\r\nc,d\r\n", []),
    ("upstream/difference_pages.csv", "a,b\nc,\u202ed\ne,\u200bf\n", [(2, "202E"), (3, "200B")]),
    ("upstream/mapping_2025-07.csv", "a,b\n\x1b[31mc,d\n", [(2, "001B")]),
    ("upstream/mapping_2025-07.csv", "a,b\nc\rd,e\n", [(2, "000D")]),
    (
        "upstream/mapping_2025-07.csv",
        "a,b\nc\U000e0079,d\ne,f\xad\ng,\ufe0f\n",
        [(2, "E0079"), (3, "00AD"), (4, "FE0F")],
    ),
    ("undecided.txt", "# most: 1\ntorch.\u2066abs\n", [(2, "2066")]),
    ("signatures/torch-2.1.0.json", '{\n"tool": "a\u202eb"\n}', [(2, "202E")]),
    ("signatures/torch-2.1.0.json", '{\n"tool": "a\\u202Eb"\n}', [(2, "202E")]),
    ("signatures/torch-2.1.0.json", '{\n"tool": "a\\rb"\n}', [(2, "000D")]),
    ("signatures/torch-2.1.0.json", '{\n"tool": "a\\\\u202eb\\n\\t\\"\\\\r"\n}', []),
    ("result_types.json", '{"a": "\ufeff"}', [(1, "FEFF")]),
    ("examples/torch.f/torch_example.py", "# a\nx = '\u202e'\n", [(2, "202E")]),
    ("examples/torch.f/torch_example.py", "x = '\\u202e'\n", []),
]


@pytest.mark.parametrize(("name", "text", "told"), TEXTS)
def test_a_character_that_cannot_be_seen(tmp_path: Path, name: str, text: str, told: list[tuple[int, str]]) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    found = list(no_unseen_characters(tmp_path, tmp_path / "examples"))
    assert [(error.path, error.line) for error in found] == [(path, line) for line, _ in told]
    assert [error.found for error in found] == [
        f"holds the character U+{code}, which cannot be seen" for _, code in told
    ]


def test_ours_hold_none_and_check_tells_it(database: Data, tmp_path: Path) -> None:
    assert list(no_unseen_characters(DATA, examples_folder())) == []
    path = tmp_path / "upstream" / "difference_pages.csv"
    path.parent.mkdir()
    path.write_text("a,\u202eb\n", "utf-8")
    data = dataclasses.replace(database, root=tmp_path, rules=WritingRules())
    assert (path, 1) in {(error.path, error.line) for error in run_checks(data)}
