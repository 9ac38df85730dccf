"""Reads the type that an annotation says: of a parameter, a variable, a result."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from apidiff.model.python_tree import NO_PYTHON, expression_tree
from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE
from apidiff.porting.torch_names import FOREIGN, TENSOR, Value, is_tensor_class, sequence_of, united
from apidiff.porting.uses import LONGEST_NAME

_PLAIN = {"int", "float", "bool", "str", "bytes", "dict", "set", "complex", "Dict", "Mapping", "Callable", "Literal"}
_SEQUENCES = {"list", "tuple", "List", "Tuple", "Sequence", "Iterable", "Iterator", "Generator", "deque", "set"}
_EITHER = {"Optional", "Union", "Annotated", "Final", "ClassVar"}

ValueOf = Callable[[ast.expr], Value]


def annotated_type(node: ast.expr | None, value_of: ValueOf) -> Value:
    """Return the value that what is annotated has; None where the annotation is none or says nothing known.

    Args:
        node: the annotation.
        value_of: what a name or an attribute in the code means where the annotation stands.
    """
    if node is None:
        return None
    kind = type(node)
    if kind is ast.Name or kind is ast.Attribute:
        return _named(node, value_of)
    match node:
        case ast.Constant(value=str(text)):
            return annotated_type(_parse(text), value_of)
        case ast.Constant():
            return NO_OBJECT
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return united(annotated_type(left, value_of), annotated_type(right, value_of))
        case ast.Subscript(value=head, slice=inner):
            return _subscripted(head, inner, value_of)
    return None


def _named(node: ast.expr, value_of: ValueOf) -> Value:
    if isinstance(node, ast.Name) and node.id in _PLAIN:
        return NO_OBJECT
    value = value_of(node)
    if value is None or value[0] in f"{NO_OBJECT}{FOREIGN}" or value.endswith((INSTANCE, SEQUENCE)):
        return None
    return "|".join(TENSOR if is_tensor_class(part) else f"{part}{INSTANCE}" for part in value.split("|"))


def _subscripted(head: ast.expr, inner: ast.expr, value_of: ValueOf) -> Value:
    name = head.id if isinstance(head, ast.Name) else head.attr if isinstance(head, ast.Attribute) else ""
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in _EITHER:
        value: Value = None
        for part in parts if name == "Union" else parts[:1]:
            value = united(value, annotated_type(part, value_of))
        return value
    if name in _SEQUENCES:
        item: Value = None
        for part in parts:
            item = united(item, annotated_type(part, value_of))
        return item if item in {None, NO_OBJECT} else sequence_of(str(item))
    return NO_OBJECT if name in _PLAIN else None


@lru_cache(maxsize=4096)
def _parse(text: str) -> ast.expr | None:
    if len(text) > LONGEST_NAME:
        return None
    try:
        return expression_tree(text)
    except NO_PYTHON:
        return None
