"""Finds where the indices that a call returns, as ``x.sort()[1]`` does, are passed on as an index."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

from apidiff.porting.uses import Place, place_of

End = tuple[int, int]  # line and column at which the function of a call ends, as ast counts them
PAIRS = frozenset({"sort", "topk", "max", "min", "median", "nanmedian", "mode", "kthvalue", "cummax", "cummin"})
"""Functions that return values and their indices."""
SINGLE = frozenset({"argsort", "argmax", "argmin", "searchsorted", "bucketize"})
"""Functions that return indices alone."""
_TAKE = {
    "gather",
    "scatter",
    "scatter_",
    "scatter_add",
    "scatter_add_",
    "take",
    "take_along_dim",
    "index_select",
    "index_add",
    "index_add_",
    "index_copy",
    "index_copy_",
    "index_fill",
    "index_fill_",
    "embedding",
    "one_hot",
}
_SAME = {"view", "reshape", "flatten", "squeeze", "unsqueeze", "expand", "transpose", "permute", "contiguous", "clone"}
_INDEX, _PAIR = "index", "pair"
_Held = tuple[str, End]  # what an expression is, and the call that it comes from


def index_uses(trees: Sequence[ast.Module], calls: Collection[End]) -> dict[End, Place]:
    """Find the first place at which the indices of each of ``calls`` are an index: in brackets, or an argument of ``gather``.

    Names are followed through the assignments of one function. Calls whose indices go nowhere known are left out.
    """
    found: dict[End, Place] = {}
    for tree in trees:
        for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))):
            for end, place in _Scope(list(_own_nodes(scope)), calls).uses():
                found[end] = min(place, found.get(end, place))
    return found


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions in it."""
    waiting = [*ast.iter_child_nodes(scope)][::-1]  # no recursion: a chain of attributes may be long
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef):
            yield node
            waiting.extend([*ast.iter_child_nodes(node)][::-1])


class _Scope:
    """The nodes of one function, and what its names are bound to where."""

    def __init__(self, nodes: list[ast.AST], calls: Collection[End]) -> None:
        self._nodes, self._calls = nodes, calls
        self._bound: dict[str, dict[End, _Held | None]] = {}
        assigned = [node for node in nodes if isinstance(node, ast.Assign) and len(node.targets) == 1]
        stored = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        for name in stored:
            self._bound.setdefault(name.id, {})[name.lineno, name.col_offset] = None
        self._places = {name: sorted(bound) for name, bound in self._bound.items()}
        for node in sorted(assigned, key=lambda node: node.lineno):
            held = self._held(node.value)
            match node.targets[0]:
                case ast.Name() as name:
                    self._bind(name, held)
                case ast.Tuple(elts=[_, ast.Name() as name]) if held is not None and held[0] == _PAIR:
                    self._bind(name, (_INDEX, held[1]))

    def uses(self) -> Iterator[tuple[End, Place]]:
        """Yield each place where indices are passed on, with the call that they come from."""
        for node in self._nodes:
            passed: list[ast.expr] = []
            if isinstance(node, ast.Subscript):
                passed = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            elif isinstance(node, ast.Call) and _last_name(node.func) in _TAKE:
                passed = [*node.args, *(keyword.value for keyword in node.keywords)]
            for part in passed:
                if (held := self._held(part)) is not None and held[0] == _INDEX:
                    yield held[1], place_of(part)

    def _bind(self, name: ast.Name, held: _Held | None) -> None:
        self._bound[name.id][name.lineno, name.col_offset] = held

    def _held(self, node: ast.expr) -> _Held | None:
        """What an expression holds of what one of the calls returns."""
        match node:
            case ast.Name(id=name):
                places = self._places.get(name, [])
                before = bisect_left(places, (node.lineno, node.col_offset))
                return self._bound[name][places[before - 1]] if before else None
            case ast.Call(func=func):
                end = func.end_lineno or 0, func.end_col_offset or 0
                if end in self._calls:
                    return (_PAIR if _last_name(func) in PAIRS else _INDEX), end
                if isinstance(func, ast.Attribute) and func.attr in _SAME:
                    held = self._held(func.value)
                    return held if held is not None and held[0] == _INDEX else None
            case ast.Attribute(value=value, attr="indices"):
                return self._indices(value)
            case ast.Subscript(value=value, slice=part):
                held = self._held(value)
                if held is None or held[0] == _INDEX:
                    return held
                return self._indices(value) if isinstance(part, ast.Constant) and part.value == 1 else None
        return None

    def _indices(self, node: ast.expr) -> _Held | None:
        held = self._held(node)
        return (_INDEX, held[1]) if held is not None and held[0] == _PAIR else None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
