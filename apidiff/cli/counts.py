"""Reads a count from the command line."""

from __future__ import annotations

import argparse

_DIGITS = 9


def positive(text: str) -> int:
    """The number, of ASCII digits, that ``text`` writes. Raises ArgumentTypeError where that is none of 1 or more."""
    if not text.isascii() or not text.isdigit() or len(text) > _DIGITS or int(text) == 0:
        shown = text if len(text) <= 2 * _DIGITS else f"{text[: 2 * _DIGITS]}…"
        raise argparse.ArgumentTypeError(
            f"expected a number of 1 or more, of at most {_DIGITS} digits, but got {shown!r}"
        )
    return int(text)
