"""Runs lines of code that a sample is written as."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from typing import Any

from apidiff.model.python_tree import python_tree

_RESULT = "__result__"


def result_of(code: str, given: Mapping[str, Any]) -> Any:
    """Return what the last line of ``code`` computes or assigns. ``given``: its variables, beside the framework's module.

    Raises what the code raises, and SyntaxError where its last line does neither.
    """
    tree = python_tree(code)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Assign([ast.Name(_RESULT, ast.Store())], last.value), last)
    elif isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        last.targets.append(ast.Name(_RESULT, ast.Store()))
    else:
        raise SyntaxError("the last line computes and assigns nothing")
    ast.fix_missing_locations(tree)
    names: dict[str, Any] = {name: sys.modules[name] for name in ("torch", "mindspore") if name in sys.modules}
    names |= {**given, "__name__": "sample"}
    exec(compile(tree, "<sample>", "exec"), names)  # noqa: S102 - code of our own records
    return names[_RESULT]
