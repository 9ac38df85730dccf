"""Types of parameters as signatures and docstrings write them, brought to one notation so that two can be compared."""

from __future__ import annotations

import ast
from enum import Enum

from apidiff.model.python_tree import NO_PYTHON, expression_tree

# What a type is called, in either framework's documentation → the one name it has here.
_NAMES = {
    "tensor": "Tensor",
    "int": "int",
    "integer": "int",
    "float": "float",
    "bool": "bool",
    "boolean": "bool",
    "str": "str",
    "string": "str",
    "any": "Any",
    "object": "Any",
    "callable": "function",
    "function": "function",
    "timedelta": "timedelta",
    "list": "list",
    "sequence": "list",
    "iterable": "list",
    "tuple": "tuple",
    "dict": "dict",
    "processgroup": "ProcessGroup",
    "reduceop": "ReduceOp",
    "p2pop": "P2POp",
    "store": "Store",
    "device": "device",
    "dtype": "dtype",
    "work": "Work",
    "devicemesh": "DeviceMesh",
    "commhandle": "CommHandle",
    "processgroupoptions": "ProcessGroupOptions",
    "groupoptions": "GroupOptions",
    "backend": "Backend",
}
_NOTHING = {"None", "NoneType", "optional"}
# Values of the first are values of the second: torch's Backend is a class of strings, numbers as Python takes them.
_KIND_OF = {("Backend", "str"), ("bool", "int"), ("bool", "float"), ("int", "float")}
_HOLDERS = {"list", "tuple", "dict"}
_LONGEST = 2_000  # characters of an annotation that is looked into


class Relation(Enum):
    """How the types that two sides take relate."""

    EQUAL = "equal"  # the second takes all that the first takes
    DISJOINT = "disjoint"  # nothing that the first takes is taken by the second
    UNKNOWN = "unknown"  # one is not known, or they overlap


def type_names(text: str | None) -> frozenset[str] | None:
    """The types that a parameter takes: ``Optional[List[Tensor]]`` is ``{"list[Tensor]"}``; None where it is not known.

    ``text`` is an annotation or what a docstring gives: 'Union[tuple(int), list(int)]', 'str or Backend', '[int]'. That
    None is taken too is left out: the default says it. MindSpore's mark 'invalid' (accepted, without effect) is no type.
    """
    if not text or len(text) > _LONGEST:
        return None
    plain = (
        text.replace("(", "[")
        .replace(")", "]")
        .replace(" or ", " | ")
        .removesuffix(", optional")
        .removesuffix(", invalid")
    )
    try:
        names = _names(expression_tree(plain.strip()))
    except NO_PYTHON:
        return None
    return frozenset(names - _NOTHING) or None


def relation(source: str | None, target: str | None) -> Relation:
    """How the types that ``source`` and ``target`` write relate."""
    left, right = type_names(source), type_names(target)
    if left is None or right is None:
        return Relation.UNKNOWN
    if "Any" in right or all(any(_within(name, other) for other in right) for name in left):
        return Relation.EQUAL
    if "Any" in left or any(_touches(name, other) for name in left for other in right):
        return Relation.UNKNOWN
    return Relation.DISJOINT


class _Unknown(ValueError):
    """A type that is not in the table: it decides nothing."""


def _names(node: ast.expr) -> set[str]:
    match node:
        case ast.Constant(value=None):
            return {"None"}
        case ast.Constant(value=str(text)):
            return _names(expression_tree(text))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _names(left) | _names(right)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return {_name(name)}
        case ast.List(elts=[inner]):
            return {f"list[{_one(inner)}]"}
        case ast.Subscript(value=value, slice=inner):
            return _subscript(value, inner)
    raise _Unknown(ast.dump(node))


def _subscript(value: ast.expr, inner: ast.expr) -> set[str]:
    holder = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if holder in {"Union", "Optional"}:
        return {name for part in parts for name in _names(part)}
    name = _name(holder)
    if name not in _HOLDERS:
        raise _Unknown(holder)
    known = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is ...)]
    return {f"{name}[{', '.join(_one(part) for part in known)}]"}


def _one(node: ast.expr) -> str:
    return " | ".join(sorted(_names(node)))


def _name(written: str) -> str:
    if written in _NOTHING:
        return written
    known = _NAMES.get(written.lower())
    if known is None:
        raise _Unknown(written)
    return known


def _within(first: str, second: str) -> bool:
    """Whether every value of type ``one`` is of type ``other``."""
    if first == second or second == "Any" or (first, second) in _KIND_OF:
        return True
    left, right = _split(first), _split(second)
    return left[0] == right[0] and (not right[1] or (bool(left[1]) and _within(left[1], right[1])))


def _touches(first: str, second: str) -> bool:
    """Whether some value is of both types, or may be."""
    if "Any" in {first, second} or " | " in first + second or _within(first, second) or _within(second, first):
        return True
    left, right = _split(first), _split(second)
    return left[0] == right[0] and left[0] in _HOLDERS and (not left[1] or not right[1] or _touches(left[1], right[1]))


def _split(name: str) -> tuple[str, str]:
    head, _, rest = name.partition("[")
    return head, rest.removesuffix("]")
