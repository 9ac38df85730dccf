"""Finds the API that a name stands for as people write it: ``F.relu``, ``nn.Linear(3, 4)``, ``x.view``, a private path."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from apidiff.lookup.index import Index
from apidiff.model.python_tree import NO_PYTHON, expression_tree
from apidiff.porting.text_scan import SNIPPET, scan_text
from apidiff.porting.torch_names import TorchNames

_LONGEST = 300  # characters of a name


def api_meant(index: Index, names: TorchNames, typed: str) -> str:
    """Return the name to look up for what was typed; ``typed`` itself, without what is called, where nothing is known."""
    name = _dotted(typed)
    return next((candidate for candidate in _candidates(names, name) if candidate in index.names), name)


def _dotted(typed: str) -> str:
    """What is named, without quotes, decorator, index and call: ``@torch.no_grad()`` is ``torch.no_grad``."""
    text = typed.strip()[:_LONGEST].strip("`'\" ").lstrip("@").removesuffix(":")
    text = text.removeprefix("import ").strip()
    try:
        node: ast.AST = expression_tree(text)
    except NO_PYTHON:
        return text.partition("(")[0].strip()
    while isinstance(node, ast.Call | ast.Subscript | ast.Await):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Attribute) and _is_call_inside(node):
        return f"x.{node.attr}"  # a method of what a call returns
    return ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else text


def _is_call_inside(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call | ast.Subscript) for part in ast.walk(node))


def _candidates(names: TorchNames, name: str) -> Iterator[str]:
    """What ``name`` may stand for, the likeliest first."""
    yield name
    if not name.isascii() or not all(part.isidentifier() for part in name.split(".")):
        return
    owner, _, last = name.rpartition(".")
    first = name.partition(".")[0]
    for code in (f"import torch\n{name}", f"import torch\n{name}()"):
        yield from (
            reference.name for reference in scan_text(code, SNIPPET, names).references if not reference.possible
        )
    yield f"torch.{name}"
    if not owner:
        return
    if names.is_class(f"torch.{owner}"):
        yield f"torch.{owner}"
    full = f"{names.customary.get(first, first)}{owner[len(first) :]}"
    if names.is_class(full):
        yield full  # a member of a class that has no record of its own
    elif first not in names.customary and first not in {"torch", "mindspore", "np", "numpy"}:
        yield f"torch.Tensor.{last}"  # of a variable
