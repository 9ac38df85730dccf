"""Reads the type that an annotation says: of a parameter, a variable, a result."""

from __future__ import annotations

import ast
from collections.abc import Callable

from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE
from apidiff.porting.torch_names import FOREIGN, TENSOR, Value, is_typed_tensor, united

_PLAIN = {"int", "float", "bool", "str", "bytes", "dict", "set", "complex", "Dict", "Mapping", "Callable", "Literal"}
_SEQUENCES = {"list", "tuple", "List", "Tuple", "Sequence", "Iterable", "Iterator", "Generator", "deque", "set"}
_EITHER = {"Optional", "Union", "Annotated", "Final", "ClassVar"}


class Annotations:
    """Reads annotations. ``value_of``: what a name or an attribute in the code means where the annotation stands."""

    def __init__(self, value_of: Callable[[ast.expr], Value]) -> None:
        self._value_of = value_of
        self._parsed: dict[str, ast.expr | None] = {}

    def type_of(self, node: ast.expr | None) -> Value:
        """The value that what is annotated has; None where the annotation is none or says nothing known."""
        match node:
            case None:
                return None
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case ast.Constant(value=str(text)):
                return self.type_of(self._parse(text))
            case ast.Constant():
                return NO_OBJECT
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return united(self.type_of(left), self.type_of(right))
            case ast.Subscript(value=head, slice=inner):
                return self._subscripted(head, inner)
        return None

    def _named(self, node: ast.Name | ast.Attribute) -> Value:
        if isinstance(node, ast.Name) and node.id in _PLAIN:
            return NO_OBJECT
        value = self._value_of(node)
        if value is None or value[0] in f"{NO_OBJECT}{FOREIGN}" or value.endswith((INSTANCE, SEQUENCE)):
            return None
        return "|".join(TENSOR if is_typed_tensor(part) else f"{part}{INSTANCE}" for part in value.split("|"))

    def _subscripted(self, head: ast.expr, inner: ast.expr) -> Value:
        name = head.id if isinstance(head, ast.Name) else head.attr if isinstance(head, ast.Attribute) else ""
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if name in _EITHER:
            value: Value = None
            for part in parts if name == "Union" else parts[:1]:
                value = united(value, self.type_of(part))
            return value
        if name in _SEQUENCES:
            item: Value = None
            for part in parts:
                item = united(item, self.type_of(part))
            return item if item in {None, NO_OBJECT} else "|".join(f"{part}{SEQUENCE}" for part in str(item).split("|"))
        return NO_OBJECT if name in _PLAIN else None

    def _parse(self, text: str) -> ast.expr | None:
        if text not in self._parsed:
            try:
                self._parsed[text] = ast.parse(text, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._parsed[text] = None
        return self._parsed[text]
