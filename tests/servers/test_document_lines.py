"""Places in a text, as editors count them: in units of UTF-16."""

from __future__ import annotations

import pytest
from lsprotocol.types import Position, Range
from pygls.workspace import TextDocument

from apidiff.porting.file_scan import Span
from apidiff.servers.document_lines import DocumentLines

# line, character of the editor, line and column from 1
PLACES = [
    ("abc", 0, (1, 1)),
    ("abc", 9, (1, 4)),
    ("中文字", 2, (1, 3)),
    ("😀b", 0, (1, 1)),
    ("😀b", 1, (1, 1)),
    ("😀b", 2, (1, 2)),
    ("😀b", 3, (1, 3)),
    ("\ufeffabc", 0, (1, 1)),  # before the byte order mark, which is none of the code
    ("\ufeffabc", 1, (1, 1)),
    ("\ufeffabc", 3, (1, 3)),
    ("\ufeff😀b", 3, (1, 2)),
    ("中" * 200_000, 200_000, (1, 200_001)),  # to count all before each letter would take an hour
]


@pytest.mark.parametrize(("text", "character", "place"), PLACES, ids=[row[0][:3] + str(row[1]) for row in PLACES])
def test_place(text: str, character: int, place: tuple[int, int]) -> None:
    assert DocumentLines(TextDocument("file:///a.py", text)).place(Position(0, character)) == place


@pytest.mark.parametrize(("text", "before"), [("\ufeffabc\nabc", 1), ("abc\nabc", 0)])
def test_a_byte_order_mark_stands_before_the_first_line_alone(text: str, before: int) -> None:
    lines = DocumentLines(TextDocument("file:///a.py", text))
    assert lines.range(Span(1, 1, 1, 3)) == Range(Position(0, before), Position(0, before + 2))
    assert lines.range(Span(2, 1, 2, 3)) == Range(Position(1, 0), Position(1, 2))


def test_each_letter_of_a_long_line_has_its_place() -> None:
    lines = DocumentLines(TextDocument("file:///a.py", "😀" * 60_000))
    for column in range(1, 60_001):  # to count all before each of them would take half an hour
        place = Span(1, column, 1, column + 1)
        assert lines.range(place) == Range(Position(0, 2 * column - 2), Position(0, 2 * column))
