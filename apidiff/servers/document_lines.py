"""Turns places of an analysis into those of an editor, whose columns count in the units that both have agreed on."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from lsprotocol import types
from pygls.workspace import TextDocument

from apidiff.porting.file_scan import Span
from apidiff.porting.scan_report import Finding
from apidiff.servers.byte_order_mark import MARK, without_mark


class DocumentLines:
    """The lines of a document as an analysis counts them: ended by CR, LF or both, by nothing else, behind a byte order mark."""

    def __init__(self, document: TextDocument) -> None:
        text = without_mark(document.source)
        self._lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._codec = document.position_codec
        self._before = self._codec.client_num_units(MARK) if text != document.source else 0  # units, of the first line
        # Of a line that is not ASCII, the units before each of its characters and behind the last; counted once.
        self._passed: dict[int, list[int]] = {}

    def range(self, place: Span | Finding) -> types.Range:
        """The range of an editor."""
        return types.Range(self._point(place.line, place.column), self._point(place.end_line, place.end_column))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Line and column from 1. A position that lies outside of the text is moved to its nearest end."""
        number = min(max(position.line, 0), len(self._lines) - 1)
        line, units = self._lines[number], max(position.character - (0 if number else self._before), 0)
        if line.isascii():
            return number + 1, min(units, len(line)) + 1
        return number + 1, bisect_right(self._units(number), units)

    def _point(self, line: int, column: int) -> types.Position:
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        passed = min(column - 1, len(text))
        units = passed if text.isascii() else self._units(line - 1)[passed]
        return types.Position(line - 1, units + (self._before if line == 1 else 0))

    def _units(self, number: int) -> list[int]:
        if number not in self._passed:
            self._passed[number] = [*accumulate(map(self._codec.client_num_units, self._lines[number]), initial=0)]
        return self._passed[number]
