"""Finds names in strings that are read as code: annotations, the names in ``__all__``, doctests."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection
from textwrap import dedent

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


def _is_code(text: str) -> bool:
    """Whether a string is Python, which prose is not."""
    try:
        _parse(dedent(text).strip())
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
        nodes = list(ast.walk(_parse(session.text))) if words else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return words
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    own = {alias.asname or alias.name.partition(".")[0] for node in imports for alias in node.names}
    return (words & used) - own


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes of other people's strings
        return ast.parse(text)
