"""Tells where a place of a text stood in an earlier one, where an edit between the two cannot have changed what is said there.

What an editor asks right after a keystroke is answered from the analysis of the text before it; that of the new text follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_STRUCTURE = re.compile(r"\b(?:import|def|class|global|nonlocal)\b|\"\"\"|'''|\\$|^```")
_BINDS = re.compile(r"=|\b(?:for|with|as|del|case|return)\b")
_WORD = re.compile(r"\w+")
_OUTER = re.compile(r"\b(?:global|nonlocal)\b")
_TEXTS = re.compile(
    r'"""[\s\S]*?"""|' r"'''[\s\S]*?'''|" r'"(?:\\.|[^"\\\n])*+"?|' r"'(?:\\.|[^'\\\n])*+'?|" r"#[^\n]*"
)


class Edited(NamedTuple):
    """The lines that differ, numbered from 0, the end exclusive: ``start`` is the same in both texts."""

    start: int
    old_end: int
    new_end: int


def place_before(old: str, new: str, line: int) -> int | None:
    """The number in ``old`` of a line of ``new``, both from 1; None where the edit may have changed what its names mean.

    That is so for the edited lines; for all lines where an import, a definition, a string over lines or what stands in brackets
    that are opened above is edited, or something is assigned at the top of the file or in one with global names; and, where it
    is assigned elsewhere, for lines of the same class or function at the top of the file and those that name it.
    """
    before, after = _lines(old), _lines(new)
    edited = _edited(before, after)
    number = line - 1
    if edited.start <= number < edited.new_end or number >= len(after):
        return None
    changed = [*before[edited.start : edited.old_end], *after[edited.start : edited.new_end]]
    if any(_STRUCTURE.search(text) for text in changed) or _in_brackets(after[: edited.start]):
        return None
    if any(_BINDS.search(text) for text in changed):
        if any(text[:1].strip() for text in changed) or _OUTER.search(new):
            return None  # what is named by it may have other names
        words = {word for text in changed for word in _WORD.findall(text) if not word.isdigit()}
        if words & {*_WORD.findall(after[number])} or _head(after, number) == _head(after, edited.start):
            return None
    return line if number < edited.start else line + edited.old_end - edited.new_end


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _edited(before: Sequence[str], after: Sequence[str]) -> Edited:
    shorter = min(len(before), len(after))
    start = next((number for number in range(shorter) if before[number] != after[number]), shorter)
    left = shorter - start
    same = next((count for count in range(left) if before[-1 - count] != after[-1 - count]), left)
    return Edited(start, len(before) - same, len(after) - same)


def _in_brackets(above: Sequence[str]) -> bool:
    """Whether brackets that the lines ``above`` open are not all closed, as far as is seen without parsing them."""
    code = _TEXTS.sub("", "\n".join(above))
    return any(code.count(opening) != code.count(closing) for opening, closing in ("()", "[]", "{}"))


def _head(lines: Sequence[str], number: int) -> int:
    """The line without indentation that a line stands below."""
    for above in range(min(number, len(lines) - 1), -1, -1):
        if lines[above][:1] not in {"", " ", "\t", "#", ")", "]", "}"}:
            return above
    return -1
