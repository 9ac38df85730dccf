"""Parses other people's code as it is, without a word on what Python warns of, such as invalid escapes of strings."""

from __future__ import annotations

import ast
import warnings


def python_tree(text: str) -> ast.Module:
    """Parses a module. Raises SyntaxError, ValueError, RecursionError or MemoryError for what is no Python."""
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text)


def expression_tree(text: str) -> ast.expr:
    """Parses one expression likewise."""
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text, mode="eval").body
