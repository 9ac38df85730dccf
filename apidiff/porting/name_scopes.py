"""Finds which scope of a file binds a name that stands at a place, and by what."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from apidiff.porting.code_text import CodeText

_TORCH = "torch"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_PLAIN = {ast.Attribute, ast.Call, ast.BinOp, ast.Compare, ast.Subscript, ast.Tuple, ast.Expr, ast.Return, ast.keyword}
_IDLE = {ast.Load, ast.Store, ast.Constant}  # hold nothing that binds a name
_MOST_BINDINGS = 20  # of one name that are told apart: each is looked at for each reference
_OF_TORCH = re.compile(r"torch(?:\.\w+)*")


class By(Enum):
    """What binds a name: an import of PyTorch or of something else, a parameter, a path such as ``torch.nn``, or a value."""

    TORCH = "torch"
    IMPORT = "import"
    PARAMETER = "parameter"
    PATH = "path"
    VALUE = "value"


class Binding(NamedTuple):
    """What binds a name. ``first``: of a path, what it begins with."""

    by: By
    first: str | None = None


_ANY = Binding(By.VALUE)

_MOCKS = {"Mock", "MagicMock"}


class Scope:
    """What a module, a class, a function or a comprehension binds.

    ``bound``: name → what binds it, each with the byte from which it may be in force. ``owner``: names that belong to another
    scope, since they are declared global or nonlocal. ``is_later``: whether it runs when it is called, not where it stands.
    ``sure``: of a class, the names that each run of its body binds; others may still be what the code around it binds.
    """

    def __init__(self, outer: Scope | None, node: ast.AST) -> None:
        self.outer = outer
        self.is_class = isinstance(node, ast.ClassDef)
        self.sure = frozenset(_surely_bound(node.body) if isinstance(node, ast.ClassDef) else ())
        self.is_comprehension = isinstance(node, _COMPREHENSIONS)
        self.is_later = isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.GeneratorExp))
        self.owner: dict[str, Scope] = {}
        self.bound: dict[str, dict[Binding, int]] = {}

    def bind(self, name: str, binding: Binding, since: int) -> None:
        """Note that the code of this scope binds ``name``."""
        scope = self.owner.get(name, self)
        bound = scope.bound.setdefault(name, {})
        if len(bound) >= _MOST_BINDINGS:
            binding = _ANY
        bound[binding] = min(bound.get(binding, since), since if scope is self else 0)

    def find(self, name: str) -> Found | None:
        """What binds a name that this scope looks up, where Python finds it."""
        scope: Scope | None = self
        is_later = False
        while scope is not None:
            at = scope.owner.get(name, scope)
            is_later = is_later or at is not scope
            if name in at.bound and (not at.is_class or at is self):
                return Found(at, is_later)
            is_later = is_later or scope.is_later
            scope = scope.outer
        return None


class Found(NamedTuple):
    """The scope that binds a name. ``is_later``: whether the name is looked up when that may have run to its end."""

    scope: Scope
    is_later: bool


class _Part(NamedTuple):
    """The bytes of a text in which names are looked up in a scope, and in how many others they lie."""

    start: int
    end: int
    depth: int
    scope: Scope


class _Waiting(NamedTuple):
    """A node that is still to be visited. ``loop``: the byte at which the loops around it begin, as far as its scope goes."""

    node: ast.AST
    scope: Scope
    loop: int | None
    depth: int


class NameScopes:
    """The scopes of one file.

    ``has_star``: whether something else than PyTorch may bind names that nothing in it binds; ``is_unsure``: whether that comes
    after PyTorch, all of whose names are imported before.
    """

    def __init__(self, code: CodeText) -> None:
        self._code = code
        self._top = Scope(None, code.tree)
        self.has_star = self.is_unsure = self._has_torch_star = False
        self._parts: list[_Part] = []
        # What a name is that is assigned a value; None for one that says that PyTorch is missing.
        self._values: dict[ast.AST, Binding | None] = {}
        waiting = [_Waiting(code.tree, self._top, None, 0)]
        while waiting:
            one = waiting.pop()
            if type(one.node) in _PLAIN:  # most nodes
                waiting += [one._replace(node=child) for child in _children(one.node)]
            else:
                inner = list(self._visit(*one))
                waiting += reversed(inner)  # in their order: what is declared to be global is bound later
        self._parts.sort(key=lambda part: (part.start, part.depth))
        self._starts = [part.start for part in self._parts]
        self._around = self._parents()

    def find(self, name: str, place: int) -> Found | None:
        """What binds a name that is looked up at a byte; None where this file does not."""
        return self._scope_at(place).find(name)

    def _scope_at(self, place: int) -> Scope:
        at = bisect_right(self._starts, place) - 1
        while at >= 0 and self._parts[at].end <= place:
            at = self._around[at]
        return self._parts[at].scope if at >= 0 else self._top

    def _parents(self) -> list[int]:
        """For each part the one around it, or -1."""
        around: list[int] = []
        open_parts: list[int] = []
        for number, part in enumerate(self._parts):
            while open_parts and self._parts[open_parts[-1]].end <= part.start:
                open_parts.pop()
            around.append(open_parts[-1] if open_parts else -1)
            open_parts.append(number)
        return around

    def _visit(self, node: ast.AST, scope: Scope, loop: int | None, depth: int) -> Iterable[_Waiting]:
        """Note what a node binds; the nodes in it."""
        if isinstance(node, _DEFINITIONS):
            return self._definition(node, scope, loop, depth)
        if isinstance(node, ast.Lambda):
            inner = Scope(scope, node)
            self._note(node.body, node.body, depth, inner)
            return [
                *self._parameters(node.args, scope, inner, loop, depth),
                _Waiting(node.body, inner, None, depth + 1),
            ]
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node, scope, loop, depth)
        self._bind(node, scope, loop)
        if isinstance(node, _LOOPS) and loop is None:
            loop = self._code.start(node)
        children: Iterable[ast.AST] = _children(node)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):  # whose names are bound by now
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            leaves = [leaf for target in targets for leaf in _leaves(target)]
            bound = set(targets)
            others = [child for child in children if child not in bound]
            children = [*(leaf for leaf in leaves if not isinstance(leaf, ast.Name)), *others]
        return [_Waiting(child, scope, loop, depth) for child in children]

    def _definition(self, node: _Definition, scope: Scope, loop: int | None, depth: int) -> Iterator[_Waiting]:
        """A function or a class: decorators and what else stands before its body are looked up around it."""
        scope.bind(node.name, _ANY, self._since(node, loop))
        inner = Scope(scope, node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                yield _Waiting(child, inner, None, depth + 1)
            elif isinstance(child, ast.arguments):
                yield from self._parameters(child, scope, inner, loop, depth)
            else:
                yield _Waiting(child, scope, loop, depth)
        first = [*getattr(node.body[0], "decorator_list", []), node.body[0]][0]
        self._note(first, node, depth, inner)

    def _comprehension(self, node: _Comprehension, scope: Scope, loop: int | None, depth: int) -> Iterator[_Waiting]:
        """A comprehension: what it goes through first is looked up around it."""
        inner = Scope(scope, node)
        first = node.generators[0].iter
        self._note(node, node, depth, inner)
        self._note(first, first, depth + 1, scope)
        yield _Waiting(first, scope, loop, depth + 2)
        for part in node.generators:
            own = [part.target, *([part.iter] if part.iter is not first else []), *part.ifs]
            yield from (_Waiting(one, inner, None, depth + 1) for one in own)
        made = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        yield from (_Waiting(one, inner, None, depth + 1) for one in made)

    def _note(self, first: ast.expr | ast.stmt, last: ast.expr | ast.stmt, depth: int, scope: Scope) -> None:
        self._parts.append(_Part(self._code.start(first), self._code.end(last), depth + 1, scope))

    def _parameters(
        self, node: ast.arguments, scope: Scope, inner: Scope, loop: int | None, depth: int
    ) -> Iterator[_Waiting]:
        """Note parameters in the scope of their function; their defaults and annotations are looked up around it."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.arg):
                inner.bind(child.arg, Binding(By.PARAMETER), 0)
                if child.annotation is not None:
                    yield _Waiting(child.annotation, scope, loop, depth)
            else:
                yield _Waiting(child, scope, loop, depth)

    def _since(self, node: ast.stmt | ast.expr, loop: int | None) -> int:
        """From where on what a statement binds may be in force: behind it, or where the loops around it begin."""
        return self._code.end(node) if loop is None else loop

    def _begin(self, node: ast.pattern | ast.ExceptHandler, loop: int | None) -> int:
        return self._code.offset(node.lineno, node.col_offset) if loop is None else loop

    def _bind(self, node: ast.AST, scope: Scope, loop: int | None) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope, self._since(node, loop))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                scope.owner[name] = self._top if isinstance(node, ast.Global) else _enclosing(scope)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, scope, self._since(node, loop))
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign(node.target, node.value, scope, self._since(node, loop))
        elif isinstance(node, ast.AugAssign):
            self._assign(node.target, node, scope, self._since(node, loop))
        elif isinstance(node, ast.NamedExpr):
            while scope.is_comprehension and scope.outer is not None:
                scope = scope.outer
            self._assign(node.target, node.value, scope, self._code.start(node) if loop is None else loop)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            scope.bind(node.id, _ANY, self._code.start(node) if loop is None else loop)
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name is not None:
            scope.bind(node.name, _ANY, self._begin(node, loop))
        elif isinstance(node, ast.MatchMapping) and node.rest is not None:
            scope.bind(node.rest, _ANY, self._begin(node, loop))

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope, since: int) -> None:
        module = (node.module or "") if isinstance(node, ast.ImportFrom) and not node.level else None
        for alias in node.names:
            origin = alias.name if isinstance(node, ast.Import) else module
            is_torch = origin is not None and origin.partition(".")[0] == _TORCH
            if alias.name == "*":
                self._has_torch_star = self._has_torch_star or is_torch
                self.has_star = self.has_star or not is_torch
                self.is_unsure = self.is_unsure or (self._has_torch_star and not is_torch)
                continue
            name = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0])
            scope.bind(name, Binding(By.TORCH if is_torch else By.IMPORT), since)

    def _assign(self, target: ast.expr, value: ast.AST, scope: Scope, since: int) -> None:
        """Note what names are bound to; a value that stands for PyTorch where that is missing is no other thing."""
        if isinstance(target, ast.Name):
            if value not in self._values:  # of `a = b = c = f(...)` each name has the same
                self._values[value] = None if _is_missing(value) else _bound_to(value)
            if (binding := self._values[value]) is not None:
                scope.bind(target.id, binding, since)
        elif isinstance(target, ast.Tuple | ast.List):
            items = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            is_plain = len(items) == len(target.elts) and not any(
                isinstance(one, ast.Starred) for one in (*items, *target.elts)
            )
            for number, one in enumerate(target.elts):
                self._assign(one, items[number] if is_plain else target, scope, since)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, target, scope, since)


def _children(node: ast.AST) -> list[ast.AST]:
    """The nodes in a node that may bind names."""
    return [
        child
        for child in ast.iter_child_nodes(node)
        if type(child) not in _IDLE and not (type(child) is ast.Name and type(child.ctx) is ast.Load)
    ]


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    """What an assignment binds: names, attributes, subscripts."""
    if isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            yield from _leaves(one)
    else:
        yield target.value if isinstance(target, ast.Starred) else target


def _surely_bound(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that statements bind wherever they are run, no branches or loops among them."""
    for statement in body:
        if isinstance(statement, _DEFINITIONS):
            yield statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            leaves = (leaf for target in targets for leaf in _leaves(target))
            yield from (leaf.id for leaf in leaves if isinstance(leaf, ast.Name))


def _enclosing(scope: Scope) -> Scope:
    """The function around a scope, to which its nonlocal names belong."""
    outer = scope.outer
    while outer is not None and not outer.is_later:
        outer = outer.outer
    return outer or scope


def first_name(node: ast.AST) -> str | None:
    """The name that ``a.b.c`` begins with; None for what is no path."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _bound_to(value: ast.AST) -> Binding:
    first = first_name(value)
    return Binding(By.PATH, first) if first is not None else _ANY


def _is_missing(node: ast.AST) -> bool:
    """Whether a value says that PyTorch is missing, as None and mocks do, or loads it, as ``importorskip("torch")`` does."""
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        if called in _MOCKS:
            return True
    return isinstance(node, ast.Call) and any(
        isinstance(one, ast.Constant) and isinstance(one.value, str) and _OF_TORCH.fullmatch(one.value)
        for one in node.args
    )
