"""Splits text into Python's tokens in time that grows with its length, whatever it holds."""

from __future__ import annotations

import tokenize
from collections.abc import Callable, Iterator

# Characters behind pieces that are no tokens. Python 3.11 looks for a token again in all of a line that follows such a one:
# behind each quote of a string that is not ended, and each blank before a sign that begins none, as `$`. A file may have
# thousands of pieces that are read one by one.
_MOST_AGAIN = 30_000


def bounded_tokens(readline: Callable[[], str]) -> Iterator[tokenize.TokenInfo]:
    """As `tokenize.generate_tokens`. Raises TokenError also for text whose tokens are looked for in vain too often."""
    again = 0
    for token in tokenize.generate_tokens(readline):
        if token.type == tokenize.ERRORTOKEN:
            again += len(token.line) - token.start[1]
            if again > _MOST_AGAIN:
                raise TooManyUnknown("too many signs that begin no token", token.start)
        yield token


class TooManyUnknown(tokenize.TokenError):
    """Text that was not gone through to its end, though it may be Python: `tokenize` does not know all letters of names."""
