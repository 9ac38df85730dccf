"""Holds source text as bytes with its syntax, tells where nodes and arguments stand, and applies edits to it."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import msgspec

_LINE_END = re.compile(rb"\r\n|\r|\n")
_LINE, _LONE_CR = re.compile(r"[^\n]*\n|[^\n]+"), re.compile(r"\r(?!\n)")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_SILENT = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Edit(msgspec.Struct, frozen=True, array_like=True, order=True):
    """Bytes of the UTF-8 text, from ``start`` up to ``end``, and what takes their place."""

    start: int
    end: int
    text: str


class Slot(NamedTuple):
    """An argument as it is written, with parentheses around it: its bytes, and the end of the comma after it, if there is one.

    ``name_end``, ``value``: of one with a keyword, the end of that and the first byte after its ``=`` that is no space.
    """

    start: int
    end: int
    comma: int | None
    name_end: int | None = None
    value: int | None = None


class CodeText:
    """The text of a Python file. Raises SyntaxError, ValueError or RecursionError for what is no Python."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self.tree = ast.parse(text)
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(self.data))]
        # Line → the byte of each character of it, where these are not the same.
        self._widths: dict[int, Sequence[int] | None] = {}

    def offset(self, line: int, column: int) -> int:
        """The byte at which a column of a line stands, both as `ast` counts them."""
        return self._starts[line - 1] + column

    def offset_of_character(self, line: int, column: int) -> int:
        """The byte of a column in characters from 1."""
        if line not in self._widths:
            text = self.data[self._starts[line - 1] : self.line_end(line)]
            sizes = None if text.isascii() else [0, *accumulate(len(one.encode()) for one in text.decode())]
            self._widths[line] = sizes
        widths = self._widths[line]
        return self._starts[line - 1] + (column - 1 if widths is None else widths[min(column, len(widths)) - 1])

    def line_start(self, line: int) -> int:
        """The first byte of a line."""
        return self._starts[line - 1]

    def line_end(self, line: int) -> int:
        """The first byte of the next line."""
        return self._starts[line] if line < len(self._starts) else len(self.data)

    def start(self, node: ast.expr | ast.stmt | ast.alias | ast.keyword | ast.arg) -> int:
        """The first byte of a node."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.alias | ast.keyword | ast.arg) -> int:
        """The byte after a node."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def text(self, start: int, end: int) -> str:
        """The text between two bytes."""
        return self.data[start:end].decode()

    def newline(self) -> str:
        """How the lines of the text end."""
        found = _LINE_END.search(self.data)
        return found[0].decode() if found else "\n"

    def slots(self, start: int, end: int) -> tuple[int, list[Slot]]:
        """The items between the first bracket at or after ``start`` and its end: the byte after the bracket, and each item.

        ``end``: a byte after that bracket's end, at which an expression ends.
        """
        inner, depth, after, opened = None, 0, 0, start
        count, name_end, value = 0, None, None  # tokens of the item; what is known of its keyword
        slots: list[Slot] = []
        for kind, text, first, last in self._tokens(start, end):
            if kind == tokenize.OP and text in _OPENING:
                depth += 1
                if depth == 1:
                    opened = last
                    continue
            if kind == tokenize.OP and text in _CLOSING:
                if depth == 0:  # of parentheses around what stands before
                    continue
                depth -= 1
                if depth == 0:
                    break
            if depth == 0:
                continue
            if depth == 1 and text == "," and kind == tokenize.OP and inner is not None:
                slots.append(Slot(inner, after, last, name_end, value))
                inner, count, name_end, value = None, 0, None, None
                continue
            if count == 1 and text == "=" and kind == tokenize.OP:
                name_end = after
            elif count == 2 and name_end is not None:
                value = first
            inner, after, count = first if inner is None else inner, last, count + 1
        if inner is not None:
            slots.append(Slot(inner, after, None, name_end, value))
        return opened, slots

    def _tokens(self, start: int, end: int) -> Iterable[tuple[int, str, int, int]]:
        """The tokens of an expression with their bytes; comments and line ends are left out."""
        segment = self.text(start, end)
        # In parentheses lines may end anywhere. A lone CR is no line end to `tokenize`, and as long as the one that it knows.
        lines = _LINE.findall(_LONE_CR.sub("\n", f"({segment})"))
        rows = [-1, *accumulate(map(len, lines), initial=-1)]  # where each begins in the segment, counted from 1
        size = len(segment)
        places = (
            range(size + 1) if segment.isascii() else [*accumulate((len(one.encode()) for one in segment), initial=0)]
        )
        for found in tokenize.generate_tokens(iter(lines).__next__):
            first, last = (rows[row] + column for row, column in (found.start, found.end))
            if found.type in _SILENT or last <= 0:
                continue
            if first >= size:
                break
            kind = found.exact_type if found.exact_type == tokenize.OP else found.type
            yield kind, found.string, start + places[first], start + places[min(last, size)]

    def without(self, slots: Sequence[Slot], dropped: Iterable[int]) -> list[Edit]:
        """The edits that take items out of a list with its commas; a line that holds nothing else goes too."""
        gone = sorted(set(dropped))
        tail = len(slots)
        while tail - 1 in gone:
            tail -= 1
        edits = [self._without(slots[number]) for number in gone if number < tail]
        if tail < len(slots):
            last = slots[-1]
            if last.comma is not None or tail == 0:
                edits += [self._without(slots[number]) for number in range(tail, len(slots))]
            else:
                comma = slots[tail - 1].comma or slots[tail].start
                between = self.data[comma : slots[tail].start]
                start = slots[tail].start if b"#" in between else comma - 1
                edits.append(Edit(start, last.end, ""))
        return edits

    def _without(self, slot: Slot) -> Edit:
        end = slot.comma if slot.comma is not None else slot.end
        line_start = self.data.rfind(b"\n", 0, slot.start) + 1
        after = re.compile(rb"[ \t]*(\r?\n)?").match(self.data, end)
        assert after is not None
        if after[1] and not self.data[line_start : slot.start].strip() and line_start:
            return Edit(line_start, after.end(), "")
        return Edit(slot.start, end if after[1] else after.end(), "")


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes with all edits made; those at one place in the order in which they are given.

    Raises ValueError where two of them overlap.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for first, second in pairwise(ordered):
        if second.start < first.end:
            raise ValueError(f"edits overlap: {first} and {second}")
    parts, at = [], 0
    for edit in ordered:
        parts += [data[at : edit.start], edit.text.encode()]
        at = edit.end
    return b"".join([*parts, data[at:]])
