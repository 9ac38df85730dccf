"""Finds names in strings that are read as code: annotations, the names in ``__all__``, doctests."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from textwrap import dedent

from apidiff.model.python_tree import NO_PYTHON, python_tree
from apidiff.porting.source_text import Block, without_prompts

_WORD = re.compile(r"\w+")


def named_in_strings(tree: ast.Module, names: Collection[str]) -> set[str]:
    """Which of ``names`` stand in strings that may be read as code, or that `doctest` runs in docstrings and elsewhere."""
    names = set(names)
    found: set[str] = set()
    docstrings: set[int] = set()
    for node in ast.walk(tree):  # statements come before what is in them
        if isinstance(node, ast.Expr):
            docstrings.add(id(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = names.intersection(_WORD.findall(node.value)) - found
            if named and id(node) not in docstrings and _is_code(node.value):
                found |= named
            elif named:
                found |= _named_in_session(node.value, named)
    return found


def exported_names(trees: Sequence[ast.Module]) -> frozenset[str] | None:
    """The names that ``__all__`` of a module lists; None where there is none, or it is more than lists of strings."""
    found: set[str] | None = None
    handled = 0
    for node in (statement for part in trees for statement in part.body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            continue
        value = getattr(node, "value", None)
        items = value.elts if isinstance(value, ast.List | ast.Tuple) else [None]
        listed = {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}
        if len(listed) < len(items):  # such as `*layers.__all__`
            return None
        if found is None or not isinstance(node, ast.AugAssign):
            found = set()
        found |= listed
        handled += 1
    if found is None:
        return None
    every = (node for part in trees for node in ast.walk(part) if isinstance(node, ast.Name) and node.id == "__all__")
    return frozenset(found) if sum(1 for _ in every) == handled else None


def _is_code(text: str) -> bool:
    """Whether a string is Python, which prose is not."""
    try:
        python_tree(dedent(text).strip())
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):
        pass
    return True


def _named_in_session(text: str, names: set[str]) -> set[str]:
    """Which of ``names`` what is typed at prompts in a string takes from the module around it."""
    session = without_prompts(Block(text, shifts=(0,) * (text.count("\n") + 1)))
    if session is None:
        return set()
    words = names.intersection(_WORD.findall(session.text))
    try:
        nodes = list(ast.walk(python_tree(session.text))) if words else []
    except NO_PYTHON:
        return words
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    own = {alias.asname or alias.name.partition(".")[0] for node in imports for alias in node.names}
    return (words & used) - own
