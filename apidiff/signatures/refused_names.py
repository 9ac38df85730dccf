"""Finds names in code that no framework has: each name under a long one would be kept with it in front; one may be a sentence."""

from __future__ import annotations

import ast

LONGEST_NAME = 250  # characters of a dotted name; the longest in torch and MindSpore has 87


def refused_name(tree: ast.Module) -> tuple[int, str] | None:
    """The line of a statement or an expression of ``tree`` with a name that is refused, and what it is; None for no such."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            continue
        for value in vars(node).values():  # of the fields of other nodes, those that are text are names
            if isinstance(value, str) and (len(value) > LONGEST_NAME or not value.isascii()):
                long = len(value) > LONGEST_NAME
                found = f"of more than {LONGEST_NAME} characters" if long else "in other letters than those of ASCII"
                return getattr(node, "lineno", 1), f"holds a name {found}"
    return None
