"""Tells where a place of a text stood in an earlier one, where an edit between the two cannot have changed what is said there.

What an editor asks right after a keystroke is answered from the analysis of the text before it; that of the new text follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

# Fences of Markdown and texts, which may hold `#` and digits and are kept; then comments and numbers.
_PARTS = re.compile(
    r"^[ \t>]*+(?:```|~~~)[^\n]*+|"
    r'"""(?:\\[\s\S]|[^\\])*?(?:"""|\\?\Z)|'  # to the end at the latest: what fails there is tried from each quote
    r"'''(?:\\[\s\S]|[^\\])*?(?:'''|\\?\Z)|"
    r'"(?:\\[\s\S]|[^"\\\n])*+"?|'
    r"'(?:\\[\s\S]|[^'\\\n])*+'?|"
    r"(?P<comment>#[^\n]*+)|(?P<number>\b\d\w*+)",
    re.MULTILINE,
)


class Edited(NamedTuple):
    """The lines that differ, numbered from 0, the end exclusive: ``start`` is the same in both texts."""

    start: int
    old_end: int
    new_end: int


def place_before(old: str, new: str, line: int) -> int | None:
    """The number in ``old`` of a line of ``new``, both from 1; None where the edit may have changed what its names mean.

    What a name means depends on code anywhere, and on texts: an annotation may be quoted. So only comments, blank lines and
    numbers may differ, and of the edited lines themselves nothing is said.
    """
    before, after = _lines(old), _lines(new)
    edited = _edited(before, after)
    number = line - 1
    if edited.start <= number < edited.new_end or number >= len(after):
        return None
    if _code(before) != _code(after):
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


def _code(lines: Sequence[str]) -> list[str]:
    """The lines that hold code, without comments and with all numbers alike, as far as is seen without parsing them."""
    kept = map(str.rstrip, _PARTS.sub(_alike, "\n".join(lines)).split("\n"))
    return [line for line in kept if line]


def _alike(part: re.Match[str]) -> str:
    if part["number"]:
        return "0"
    # Behind a quotation mark code may stand: what is above in a page need not be code, so it may have ended a text.
    return "" if part["comment"] and not {"'", '"'} & {*part["comment"]} else part[0]
