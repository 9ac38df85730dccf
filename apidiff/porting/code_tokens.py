"""Splits a piece of source text into tokens once: where each stands, and which brackets belong together."""

from __future__ import annotations

import re
import tokenize
from array import array
from bisect import bisect_left
from itertools import accumulate

from apidiff.model.bounded_tokens import MOST_IN_PIECE, bounded_tokens

_LINE, _LONE_CR = re.compile(r"[^\n]*\n|[^\n]+"), re.compile(r"\r(?!\n)")
_OPENING, _CLOSING = frozenset(b"([{"), frozenset(b")]}")
_SILENT = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class NoTokens(Exception):
    """A piece of text that `tokenize` does not read."""


class CodeTokens:
    """The tokens of an expression, without line ends. Raises NoTokens.

    ``starts``, ``ends``: the bytes of each token. ``marks``: its character, for an operator of one; else 0. ``closing``: the
    numbers of the brackets that open, with those that close them. ``comments``: the bytes of each, which is no token here.

    Args:
        text: a piece of a file. Brackets may close in it that were opened before.
        start: its first byte in the file.
    """

    def __init__(self, text: str, start: int) -> None:
        self.start, self.end = start, start + len(text.encode())
        self.starts, self.ends = array("I"), array("I")
        self.marks = bytearray()
        self.closing: dict[int, int] = {}
        self.comments: list[tuple[int, int]] = []
        try:
            self._read(text)
        except (tokenize.TokenError, SyntaxError) as error:
            raise NoTokens(str(error)) from error

    def _read(self, text: str) -> None:
        # In parentheses lines may end anywhere. A lone CR is no line end to `tokenize`, and as long as the one that it knows.
        lines = _LINE.findall(_LONE_CR.sub("\n", f"({text})"))
        rows = [-1, *accumulate(map(len, lines), initial=-1)]  # where each begins in the text, counted from 1
        size = len(text)
        places = range(size + 1) if text.isascii() else [*accumulate((len(one.encode()) for one in text), initial=0)]
        opened: list[int] = []
        for found in bounded_tokens(iter(lines).__next__, MOST_IN_PIECE):
            first, last = (rows[row] + column for row, column in (found.start, found.end))
            if found.type == tokenize.COMMENT and first < size:
                self.comments.append((self.start + places[first], self.start + places[min(last, size)]))
            if found.type in _SILENT or last <= 0:
                continue
            if first >= size:
                break
            mark = ord(found.string) if found.type == tokenize.OP and len(found.string) == 1 else 0
            if mark in _OPENING:
                opened.append(len(self.marks))
            elif mark in _CLOSING and opened:
                self.closing[opened.pop()] = len(self.marks)
            self.starts.append(self.start + places[first])
            self.ends.append(self.start + places[min(last, size)])
            self.marks.append(mark)

    def covers(self, start: int, end: int) -> bool:
        """Whether the tokens between two bytes are told: not those within a string."""
        number = bisect_left(self.starts, start)
        return self.start <= start and end <= self.end and (number == 0 or self.ends[number - 1] <= start)

    def opening(self, start: int) -> int | None:
        """The number of the first bracket that opens at or after a byte."""
        for number in range(bisect_left(self.starts, start), len(self.marks)):
            if self.marks[number] in _OPENING:
                return number
        return None

    def last(self, mark: int, start: int, end: int) -> int | None:
        """The byte of the last operator ``mark`` between two bytes."""
        for number in range(bisect_left(self.starts, end) - 1, bisect_left(self.starts, start) - 1, -1):
            if self.marks[number] == mark:
                return self.starts[number]
        return None
