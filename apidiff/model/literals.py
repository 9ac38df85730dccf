"""Reads Python literals that stand in signatures, which a record may hold as anybody wrote them."""

from __future__ import annotations

import ast

from apidiff.model.python_tree import expression_tree

LONGEST = 2000  # characters of a literal: a default of more is no value that somebody passes


def literal(text: str) -> object:
    """The value that ``text`` is a literal of. Raises ValueError for what is none, or is longer than any default."""
    if len(text) > LONGEST:
        raise ValueError(f"a literal has at most {LONGEST} characters")
    try:
        return ast.literal_eval(expression_tree(text.lstrip(" \t")))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError) as error:
        raise ValueError(f"{text[:40]!r} is no literal") from error
