"""Edits the structure of layers: ``forward``, which a call runs, is ``construct`` in MindSpore."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from apidiff.porting.code_text import CodeText, Edit
from apidiff.porting.torch_names import FORWARD
from apidiff.porting.tree_scan import ScannedFile

_CONSTRUCT = "construct"
_DEFINITION = re.compile(rb"(?:async[\s\\]+)?def[\s\\]+")  # lines may go on behind a backslash
_FIRST, _LAST = re.compile(r"\w+"), re.compile(r"\w+\Z")
_WIDEST = 4 * len(FORWARD)  # bytes: `unicodedata.normalize` makes plain letters of wider ones
_LAYERS = "torch.nn."


class LayerEdit(NamedTuple):
    """An edit with its line. ``certain``: whether the class is a layer for sure; ``defined``: the line of its ``forward``."""

    edit: Edit
    line: int
    certain: bool
    defined: int | None = None


def layer_edits(code: CodeText, scanned: ScannedFile) -> list[LayerEdit]:
    """Rename the method ``forward`` of layers, and what calls it on ``self``, on ``super()`` and on layers that are known."""
    found: dict[Edit, LayerEdit] = {}
    for node, path in _classes(code.tree, ""):
        certain = scanned.layers.get(path)
        if certain is None or (not certain and not _may_be_layer(node)):
            continue
        for one in _of_class(code, node, certain=certain):
            found.setdefault(one.edit, one)
    for reference in scanned.references:
        if reference.name.startswith(_LAYERS) and reference.name.endswith(f".{FORWARD}"):
            end = code.offset_of_character(reference.span.end_line, reference.span.end_column)
            if (edit := _of_name_before(code, end)) is not None:
                found.setdefault(edit, LayerEdit(edit, reference.span.end_line, not reference.possible))
    return list(found.values())


def _classes(node: ast.AST, path: str) -> Iterator[tuple[ast.ClassDef, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield child, f"{path}{child.name}"
            yield from _classes(child, f"{path}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(child, f"{path}{child.name}.")
        elif isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from _classes(child, path)


def _may_be_layer(node: ast.ClassDef) -> bool:
    """Whether a class whose base nobody knows looks like a layer: it has ``forward``, and a constructor that others call."""
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    forward = methods.get(FORWARD)
    if forward is None or not forward.args.args or (forward.decorator_list and _is_static(forward)):
        return False
    return bool(forward.args.args[0].arg == "self")


def _is_static(node: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in node.decorator_list)


def _of_class(code: CodeText, node: ast.ClassDef, *, certain: bool) -> Iterator[LayerEdit]:
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    defined = next((one.lineno for one in methods if one.name == FORWARD), None)
    for method in methods:
        if method.name == FORWARD:
            begun = _DEFINITION.match(code.data, code.start(method))
            if begun is not None and (edit := _of_name_at(code, begun.end())) is not None:
                yield LayerEdit(edit, method.lineno, certain, defined)
        for part in ast.walk(method):
            if not isinstance(part, ast.Attribute) or part.attr != FORWARD or not _is_own(part.value):
                continue
            if (edit := _of_name_before(code, code.end(part))) is not None:
                yield LayerEdit(edit, part.end_lineno or part.lineno, certain, defined)


def _of_name_at(code: CodeText, start: int) -> Edit | None:
    """The edit of the name that begins at a byte, where it is ``forward``, in whichever letters."""
    found = _FIRST.match(code.data[start : start + _WIDEST + 1].decode(errors="ignore"))
    if found is None or unicodedata.normalize("NFKC", found[0]) != FORWARD:
        return None
    return Edit(start, start + len(found[0].encode()), _CONSTRUCT)


def _of_name_before(code: CodeText, end: int) -> Edit | None:
    """The edit of the name that ends before a byte, where it is ``forward``, in whichever letters."""
    found = _LAST.search(code.data[max(0, end - _WIDEST - 1) : end].decode(errors="ignore"))
    if found is None or unicodedata.normalize("NFKC", found[0]) != FORWARD:
        return None
    return Edit(end - len(found[0].encode()), end, _CONSTRUCT)


def _is_own(node: ast.expr) -> bool:
    """Whether a method is looked up on ``self`` or ``super()``."""
    if isinstance(node, ast.Name):
        return node.id == "self"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
