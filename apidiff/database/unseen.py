"""Finds characters that change what is seen of a text, unseen themselves: controls, ends of lines, what turns its direction.

So are fillers, marks that choose how a character is drawn, and tags, which may hold whole sentences.
"""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]"
)


def unseen_in(text: str) -> str | None:
    """What is said of the first such character in ``text``; None where it has none."""
    found = _UNSEEN.search(text)
    return f"holds the character U+{ord(found[0]):04X}, which cannot be seen" if found else None
