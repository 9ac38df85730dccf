"""Finds names in code that are longer than any that frameworks have; each name under one would be kept with it in front."""

from __future__ import annotations

import ast

LONGEST_NAME = 250  # characters of a dotted name; the longest in torch and MindSpore has 87


def long_name_line(tree: ast.Module) -> int | None:
    """The line of a statement or an expression that holds a name which is too long, in ``tree``; None where none does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            continue
        for value in vars(node).values():  # of the fields of other nodes, those that are text are names
            if isinstance(value, str) and len(value) > LONGEST_NAME:
                return getattr(node, "lineno", 1)
    return None
