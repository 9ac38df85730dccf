"""Holds source text as bytes with its syntax, tells where nodes and arguments stand, and applies edits to it."""

from __future__ import annotations

import ast
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import msgspec

from apidiff.model.python_tree import python_tree
from apidiff.porting.code_tokens import CodeTokens, NoTokens

_BLANKS = re.compile(rb"[ \t\x0b\f]*")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_COMMA, _EQUALS, _DOT = b",=."
WIDEST = 200
"""Characters of an indent that comments repeat: one of 60,000, before a thousand comments, would be written a thousand times."""
_MOST_PIECES = 8  # with tokens: strings within strings hold calls of their own


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
    """The text of a Python file. Raises SyntaxError, ValueError or RecursionError for what is no Python.

    ``tree``: what ``text`` parses to, where that is there.
    """

    def __init__(self, text: str, tree: ast.Module | None = None) -> None:
        self.data = text.encode()
        self.tree = python_tree(text) if tree is None else tree
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(self.data))]
        # Line → the byte of each character of it, where these are not the same.
        self._widths: dict[int, Sequence[int] | None] = {}
        self._firsts: dict[int, int] = {}  # line → its first byte that is no blank
        self._pieces: list[CodeTokens] = []
        self._unread = (0, 0)  # the bytes of a piece whose tokens were not told: those within are not looked for again

    def offset(self, line: int, column: int) -> int:
        """The byte at which a column of a line stands, both as `ast` counts them."""
        return self._starts[line - 1] + column

    def offset_of_character(self, line: int, column: int) -> int:
        """The byte of a column in characters from 1."""
        widths = self._widths_of(line)
        return self._starts[line - 1] + (column - 1 if widths is None else widths[min(column, len(widths)) - 1])

    def point(self, place: int) -> tuple[int, int]:
        """The line and the column in characters, from 1, of a byte at which a character begins."""
        line = bisect_right(self._starts, place)
        column, widths = place - self._starts[line - 1], self._widths_of(line)
        return line, (column if widths is None else bisect_left(widths, column)) + 1

    def _widths_of(self, line: int) -> Sequence[int] | None:
        if line not in self._widths:
            text = self.data[self._starts[line - 1] : self.line_end(line)]
            sizes = (
                None
                if text.isascii()
                else array("I", accumulate((len(one.encode()) for one in text.decode()), initial=0))
            )
            self._widths[line] = sizes
        return self._widths[line]

    def is_first(self, statement: ast.stmt | ast.ExceptHandler) -> bool:
        """Whether nothing but white space stands before a statement on its line, which may have thousands of them."""
        line = statement.lineno
        if line not in self._firsts:
            blanks = _BLANKS.match(self.data, self._starts[line - 1])
            self._firsts[line] = blanks.end() if blanks else 0
        return self.offset(line, statement.col_offset) <= self._firsts[line]

    @property
    def line_count(self) -> int:
        """The number of lines; the last may be empty."""
        return len(self._starts)

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

    def binds(self, start: int, end: int) -> bool:
        """Whether an expression between two bytes binds a name, waits, or hands a value out."""
        return bisect_left(self._binding, start) < bisect_left(self._binding, end)

    @cached_property
    def _binding(self) -> list[int]:
        kinds = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom
        return sorted(self.start(node) for node in ast.walk(self.tree) if isinstance(node, kinds))

    def newline(self) -> str:
        """How the lines of the text end."""
        found = _LINE_END.search(self.data)
        return found[0].decode() if found else "\n"

    def slots(self, start: int, end: int) -> tuple[int, list[Slot]]:
        """The items between the first bracket at or after ``start`` and its end: the byte after the bracket, and each item.

        ``end``: a byte after that bracket's end, at which an expression ends. Raises NoTokens.
        """
        tokens = self._tokens(start, end)
        bracket = tokens.opening(start)
        if bracket is None:
            return start, []
        slots: list[Slot] = []
        inner, after, count = None, 0, 0  # the start of the item, its end, how many parts it has
        name_end, value = None, None
        number, last = bracket + 1, tokens.closing.get(bracket, len(tokens.marks))
        while number < last:
            mark, first = tokens.marks[number], tokens.starts[number]
            # What stands in brackets within is passed over, else nested calls would be gone through again and again.
            number = min(tokens.closing.get(number, number), last - 1)
            if mark == _COMMA and inner is not None:
                slots.append(Slot(inner, after, tokens.ends[number], name_end, value))
                inner, count, name_end, value = None, 0, None, None
            else:
                if count == 1 and mark == _EQUALS:
                    name_end = after
                elif count == 2 and name_end is not None:
                    value = first
                inner, after, count = first if inner is None else inner, tokens.ends[number], count + 1
            number += 1
        if inner is not None:
            slots.append(Slot(inner, after, None, name_end, value))
        return tokens.ends[bracket], slots

    def dot(self, node: ast.Attribute) -> int:
        """The byte of the dot before the name of an attribute. Raises NoTokens."""
        start, end = self.end(node.value), self.end(node)
        place = self._tokens(start, end).last(_DOT, start, end)
        if place is None:
            raise NoTokens
        return place

    def comments(self, start: int, end: int) -> list[str]:
        """The comments between two bytes at which tokens begin or end; none where that is not known."""
        if b"#" not in self.data[start:end]:
            return []
        try:
            places = self._tokens(start, end).comments
        except NoTokens:
            return []
        within = places[bisect_left(places, (start, start)) : bisect_left(places, (end, end))]
        return [self.text(first, last).rstrip() for first, last in within if last <= end]

    def _tokens(self, start: int, end: int) -> CodeTokens:
        """Tokens with those between two bytes, of a piece around them if there is one: a call is asked for before those in it."""
        pieces = self._pieces
        while pieces and pieces[-1].end <= start:
            pieces.pop()
        for piece in reversed(pieces):
            if piece.covers(start, end):
                return piece
        if self._unread[0] <= start and end <= self._unread[1]:
            raise NoTokens
        try:
            pieces.append(CodeTokens(self.text(start, end), start))
        except NoTokens:
            self._unread = start, end
            raise
        del pieces[:-_MOST_PIECES]
        return pieces[-1]

    def without(self, slots: Sequence[Slot], dropped: Iterable[int]) -> list[Edit]:
        """The edits that take items out of a list with its commas; a line that holds nothing else goes too."""
        dropped = frozenset(dropped)
        gone = sorted(dropped)
        tail = len(slots)
        while tail - 1 in dropped:
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
