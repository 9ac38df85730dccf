"""Parses other people's code as it is, without a word on what Python warns of, such as invalid escapes of strings."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import unicodedata
import warnings
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from apidiff.model.bounded_tokens import TooManyUnknown, bounded_tokens

# Of one f-string: Python 3.11 looks for each from the string's beginning, 18 s for 125,000 of them.
_MOST_EXPRESSIONS = 2000
_F_STRING = re.compile(r"""[rR]?[fF][rR]?["']""")
# Marks on a letter, as accents: Python sorts those of a name in time with their square, and again wherever it tries to read it
# otherwise: 100 kB of letters with 1,000 each took 16 s. More than a few are counted: the squares of all in a text.
_FEW_MARKS, _MOST_SORTED = 20, 1_000_000
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing raises for what is no Python: of a zero byte and of deep nesting the last three."""
_NOT_ASCII = re.compile(rf"[^\x00-\x7f]{{{_FEW_MARKS},}}")


def python_tree(text: str) -> ast.Module:
    """Parses a module. Raises one of NO_PYTHON for what is none.

    SyntaxError also for what would take minutes: an f-string with more than 2,000 expressions, letters with hundreds of
    accents.
    """
    _refuse_slow(text)
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text)


def expression_tree(text: str) -> ast.expr:
    """Parses one expression likewise."""
    _refuse_slow(text)
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text, mode="eval").body


def _refuse_slow(text: str) -> None:
    """Raises SyntaxError for what nobody writes and a parser would take minutes to read."""
    if not text.isascii():
        _refuse_marks(text)
    if text.count("{") <= _MOST_EXPRESSIONS or not _F_STRING.search(text):
        return
    try:
        for token in _tokens(text):
            if token.string.count("{") > _MOST_EXPRESSIONS and _F_STRING.match(token.string):
                why = f"an f-string with more than {_MOST_EXPRESSIONS:,} expressions"
                raise SyntaxError(why, (None, token.start[0], None, None))
    except TooManyUnknown as error:
        why, (line, _) = error.args
        raise SyntaxError(why, (None, line, None, None)) from error


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Those before the first that is no Python: why, its parser will say. From 3.12 on no f-string is a token."""
    try:
        yield from bounded_tokens(io.StringIO(text, newline=None).readline)
    except TooManyUnknown:
        raise
    except (tokenize.TokenError, SyntaxError):
        return


def _refuse_marks(text: str) -> None:
    """Raises SyntaxError for letters with more accents than anybody writes."""
    steps = 0
    for run in _NOT_ASCII.finditer(text):
        for is_mark, marks in groupby(run[0], _is_mark):
            many = sum(1 for _ in marks) if is_mark else 0
            steps += many**2 if many > _FEW_MARKS else 0
        if steps > _MOST_SORTED:
            line = 1 + text.count("\n", 0, run.start())
            raise SyntaxError("letters with more accents than anybody writes", (None, line, None, None))


@lru_cache(4096)
def _is_mark(sign: str) -> bool:
    """Whether a character is one, or made of such, that stands on the letter before it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) != 0
