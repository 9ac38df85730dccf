"""The byte order mark that some files begin with: clients send it as a part of the text, and it is none of the code."""

from __future__ import annotations

MARK = "\ufeff"


def without_mark(text: str) -> str:
    """What a text holds behind its mark; all of it where it has none."""
    return text.removeprefix(MARK)
