"""Leaves out what a module defines only where the package is not complete.

``if is_available(): from … import Store`` and, under ``else``, an empty ``class Store`` to stand in: read line by line, the
stand-in would win.
"""

from __future__ import annotations

import ast


def without_fallbacks(code: str) -> str:
    """``code`` with the ``else`` of each top-level ``if is_available():`` blanked; lines keep their numbers.

    Raises SyntaxError for code that cannot be parsed.
    """
    lines = code.splitlines(keepends=True)
    for node in ast.parse(code).body:
        if not isinstance(node, ast.If) or not node.orelse or not _asks_availability(node.test):
            continue
        end = node.orelse[-1].end_lineno or node.orelse[-1].lineno
        # From behind the body: the `else:` itself is no node.
        start = node.body[-1].end_lineno or node.body[-1].lineno
        for number in range(start, end):
            lines[number] = "\n"
    return "".join(lines)


def _asks_availability(test: ast.expr) -> bool:
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "is_available"
