"""Tells of an expression what evaluating it may do: whether a port may have it evaluated twice, elsewhere or not at all."""

from __future__ import annotations

import ast

_PLAIN = (
    ast.Attribute
    | ast.BinOp
    | ast.BoolOp
    | ast.Compare
    | ast.Constant
    | ast.IfExp
    | ast.List
    | ast.Name
    | ast.Slice
    | ast.Subscript
    | ast.Tuple
    | ast.UnaryOp
)
_READING = {"abs", "bool", "float", "int", "len", "round"}
_READING_SEVERAL = {"max", "min"}  # of one argument they go through what that is, and an iterator has ended then
_OF_MATH = {"ceil", "floor", "sqrt"}
_SIZES = {"dim", "numel", "size"}


def literal_of(value: ast.expr) -> object:
    """The value of a literal; ``...`` for what is none."""
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
        return ...


def is_path(value: ast.expr) -> bool:
    """Whether it is a name with attributes and plain indexes, which can be read as often as one likes."""
    while isinstance(value, ast.Attribute | ast.Subscript):
        if isinstance(value, ast.Subscript) and literal_of(value.slice) is ... and not is_path(value.slice):
            return False
        value = value.value
    return isinstance(value, ast.Name)


def indexed_name(path: ast.expr) -> str | None:
    """The name that a path with indexes begins with; None for one without, which no call of a method can empty."""
    is_indexed = False
    while isinstance(path, ast.Attribute | ast.Subscript):
        is_indexed = is_indexed or isinstance(path, ast.Subscript)
        path = path.value
    return path.id if is_indexed and isinstance(path, ast.Name) else None


def is_harmless(value: ast.expr, *, sizes: bool) -> bool:
    """Whether evaluating it only reads: paths, literals, arithmetic with these, and functions of numbers.

    ``sizes``: whether the methods that tell the size of a tensor count as such functions too.
    """
    waiting: list[ast.AST] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Call):
            # It ends at the first other call, so that calls within calls are not gone through again for each around them.
            if not _only_reads(part, sizes=sizes):
                return False
            waiting += [part.func, *part.args]
        elif isinstance(part, _PLAIN):
            waiting += [child for child in ast.iter_child_nodes(part) if isinstance(child, ast.expr)]
        else:
            return False
    return True


def _only_reads(call: ast.Call, *, sizes: bool) -> bool:
    function = call.func
    if call.keywords:
        return False
    if isinstance(function, ast.Name):
        return function.id in _READING or (function.id in _READING_SEVERAL and len(call.args) > 1)
    if not isinstance(function, ast.Attribute):
        return False
    of_math = isinstance(function.value, ast.Name) and function.value.id == "math" and function.attr in _OF_MATH
    return of_math or (sizes and function.attr in _SIZES)
