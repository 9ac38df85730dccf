"""Parses other people's code as it is, without a word on what Python warns of, such as invalid escapes of strings."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import suppress

# Of one f-string: Python 3.11 looks for each from the string's beginning, 18 s for 125,000 of them.
_MOST_EXPRESSIONS = 2000
_QUOTES = {"'", '"'}
_F_STRING = re.compile(r"""[rR]?[fF][rR]?["']""")


def python_tree(text: str) -> ast.Module:
    """Parses a module. Raises SyntaxError, ValueError, RecursionError or MemoryError for what is no Python.

    SyntaxError also for an f-string with more than 2,000 expressions.
    """
    _refuse_long_f_strings(text)
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text)


def expression_tree(text: str) -> ast.expr:
    """Parses one expression likewise."""
    _refuse_long_f_strings(text)
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text, mode="eval").body


def _refuse_long_f_strings(text: str) -> None:
    """Raises SyntaxError for an f-string with more expressions than anybody writes."""
    if text.count("{") <= _MOST_EXPRESSIONS or not _F_STRING.search(text):
        return
    for token in _tokens(text):
        if token.string.count("{") > _MOST_EXPRESSIONS and _F_STRING.match(token.string):
            why = f"an f-string with more than {_MOST_EXPRESSIONS:,} expressions"
            raise SyntaxError(why, (None, token.start[0], None, None))


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Those before the first that is no Python: why, its parser will say. From 3.12 on no f-string is a token.

    A string that its line does not end is the last: behind each of its quotes another is looked for, 20 s for 40 kB of them.
    """
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.ERRORTOKEN and token.string[:1] in _QUOTES:
                return
            yield token
