"""Splits text into Python's tokens in time that grows with its length, whatever it holds."""

from __future__ import annotations

import tokenize
from collections.abc import Callable, Iterator

# Characters behind pieces that are no tokens. Python 3.11 looks for a token again in all of a line that follows such a one:
# behind each quote of a string that is not ended, and each blank before a sign that begins none, as `$`.
_MOST_AGAIN = 30_000
MOST_IN_PIECE = 2_000  # of one of thousands of pieces of a file, each read for itself


def bounded_tokens(readline: Callable[[], str], most: int = _MOST_AGAIN) -> Iterator[tokenize.TokenInfo]:
    """As `tokenize.generate_tokens`. Raises TokenError also for text whose tokens are looked for in vain too often.

    ``most``: how many characters may be gone through again.
    """
    again = 0
    for token in tokenize.generate_tokens(readline):
        if token.type == tokenize.ERRORTOKEN:
            again += len(token.line) - token.start[1]
            if again > most:
                raise TooManyUnknown("too many signs that begin no token", token.start)
        yield token


class TooManyUnknown(tokenize.TokenError):
    """Text that was not gone through to its end, though it may be Python: `tokenize` does not know all letters of names."""
