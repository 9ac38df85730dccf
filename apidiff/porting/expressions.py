"""Goes through expressions, notes the APIs that they name, and finds what their values may be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from apidiff.model.result_types import NO_OBJECT, SEQUENCE
from apidiff.porting.bindings import NUMPY, joined, worth_telling
from apidiff.porting.torch_names import TENSOR, Value, sequence_of, united
from apidiff.porting.type_tests import Told, TypeTests

_Around = tuple[dict[str, Value], dict[str, Value] | None]  # what `:=` has bound, and what `Frame.begin` has returned


class Expressions(TypeTests):
    """Goes through expressions. Arguments are those of `apidiff.porting.name_walk.walk`."""

    def expr(self, node: ast.expr) -> Value:
        """Go through an expression; return what its value may be."""
        self.steps.take(1)
        kind = type(node)
        if kind is ast.Name:
            name: str = node.id  # type: ignore[attr-defined]
            bound = self.frame.bound
            value = bound[name] if name in bound else self._look(name)
            # Of another library, nothing, or an object: there is no API to tell of.
            if value is not None and value[0] not in "!~" and (value[-1] not in ")]" or "|" in value):
                self._follow(value, node, [], "name", None)
            return value
        if kind is ast.Constant:
            return NO_OBJECT
        if kind in _EXPRESSIONS:
            return _EXPRESSIONS[kind](self, node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expr(child)
        return None

    def _operation(self, node: ast.BinOp) -> Value:
        left, right = self.expr(node.left), self.expr(node.right)
        if left == TENSOR or right == TENSOR:
            return TENSOR
        if left in _PLAIN and right in _PLAIN:
            return united(left, right)
        if left is not None and left.endswith(SEQUENCE):
            return left
        return right if right is not None and right.endswith(SEQUENCE) else None

    def _unary(self, node: ast.UnaryOp) -> Value:
        value = self.expr(node.operand)
        if value == TENSOR:
            return None if type(node.op) is ast.Not else TENSOR
        return value if value in _PLAIN else None

    def _compare(self, node: ast.Compare) -> Value:
        is_tensor = self.expr(node.left) == TENSOR
        for other in node.comparators:
            if self.expr(other) == TENSOR:
                is_tensor = True
        for op in node.ops:
            if type(op) in _TELL_BOOLS:
                return NO_OBJECT
        return TENSOR if is_tensor else None

    def _either(self, node: ast.BoolOp) -> Value:
        values, narrowed = [], []
        for number, part in enumerate(node.values):
            values.append(self.expr(part))
            if not number:  # the others may not be run
                before = self._begin_unsure()
            if told := self.told(part, holds=type(node.op) is ast.And):
                narrowed.append((told, self.frame.narrow(told)))
        for told, former in reversed(narrowed):
            self.frame.widen(told, former)
        self._end_unsure(before)
        return joined(*values)

    def _conditional(self, node: ast.IfExp) -> Value:
        self.expr(node.test)
        first = self._where(node.body, self.told(node.test, holds=True))
        return joined(first, self._where(node.orelse, self.told(node.test, holds=False)))

    def _where(self, node: ast.expr, told: Told) -> Value:
        """What an expression is that a test guards."""
        before = self._begin_unsure()
        former = self.frame.narrow(told)
        value = self.expr(node)
        self.frame.widen(told, former)
        self._end_unsure(before)
        return value

    def _begin_unsure(self) -> _Around | None:
        """Begin what may not be run of an expression, where code is ported. Give what is returned to `_end_unsure`."""
        if not self.names.follows_ported:
            return None
        around, self.named = self.named, {}
        return around, self.frame.begin()

    def _end_unsure(self, before: _Around | None) -> None:
        """End what may not be run: a name that `:=` binds there may be what it was before, too."""
        if before is not None:
            around, journal = before
            self.frame.end(journal)
            self._settle(around)

    def _settle(self, around: dict[str, Value]) -> None:
        """Bind what `:=` has bound in what may not be run. ``around``: what it has bound in the code around."""
        named, self.named = self.named, around
        for name, value in named.items():
            either = self._one_of(self.frame.bound.get(name), value)
            self._set(name, value if either is None else either)
        around.update(named)

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self.expr(node.value)
        inner = node.slice
        self.expr(inner)
        if value is None or value == TENSOR:
            return value
        if isinstance(inner, ast.Slice):
            return value
        return self._item(value) if value[-1] in ")]#|" or "|" in value else None

    def _sequence(self, node: ast.Tuple | ast.List) -> Value:
        values = [self.expr(part) for part in node.elts]
        if self.parts is not None:
            self.parts.update(zip(node.elts, values, strict=True))
        value = joined(*values)
        return _objects_in(value) if value is not None or not any(values) else None

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Value:
        before = self.frame.begin()
        tried, self.frame.tried = self.frame.tried, None  # its own names are nobody else's
        self.is_put_off = self.is_put_off or isinstance(node, ast.GeneratorExp)
        around, self.named = self.named, {}
        for part in node.generators:
            self._iterate(part.target, *self._gone_over(part.iter))
            for test in part.ifs:
                self.expr(test)
                self.frame.narrow(self.told(test, holds=True))
        if isinstance(node, ast.DictComp):
            self.expr(node.key)
            self.expr(node.value)
            value = None
        else:
            value = self.expr(node.elt)
        self.frame.tried = tried
        self.frame.end(before)
        self._settle(around)  # its names belong to the scope around
        return _objects_in(value)

    def _lambda(self, node: ast.Lambda) -> Value:
        self.is_put_off = True
        arguments = node.args
        for given in (*arguments.defaults, *arguments.kw_defaults):
            if given is not None:
                self.expr(given)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        before, around = self.frame.begin(), self.named
        tried, self.frame.tried = self.frame.tried, None
        self.named = {}  # which belong to it
        for argument in every:
            if argument is not None:
                self.frame.bind(argument.arg, None)
        self.expr(node.body)
        self.named = around
        self.frame.tried = tried
        self.frame.end(before)
        return None

    def _named(self, node: ast.NamedExpr) -> Value:
        value = self.expr(node.value)
        self._bind(node.target, value)
        self.named[node.target.id] = value
        return value

    def _text(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.expr(part.value)
                if part.format_spec is not None:
                    self.expr(part.format_spec)
        return NO_OBJECT

    def _dict(self, node: ast.Dict) -> Value:
        for key in node.keys:
            if key is not None:
                self.expr(key)
        for value in node.values:
            self.expr(value)
        return NO_OBJECT

    def _starred(self, node: ast.Starred) -> Value:
        value = self.expr(node.value)
        return self._item(value)

    def _yielded(self, node: ast.Yield | ast.YieldFrom) -> Value:
        self.frame.yields = True
        if node.value is not None:
            self.expr(node.value)
        return None

    def _awaited(self, node: ast.Await) -> Value:
        return self.expr(node.value)

    def _bind(
        self,
        target: ast.expr,
        value: Value,
        source: ast.expr | None = None,
        known: Mapping[ast.expr, Value] | None = None,
    ) -> None:
        """Bind a target to a value; ``source``: the expression that gives it; ``known``: what parts of that are."""
        kind = type(target)
        if kind is ast.Name:
            name: str = target.id  # type: ignore[attr-defined]
            if name in self.imported and (self.frame is self.top or name in self.globals):
                self.imported[name] = False
            self._set(name, value)
        elif kind is ast.Attribute:
            self.keep(target, value)  # type: ignore[arg-type]
        elif kind is ast.Tuple or kind is ast.List:
            parts: list[ast.expr] = target.elts  # type: ignore[attr-defined]
            if known is not None and isinstance(source, ast.Tuple | ast.List) and _is_one_by_one(parts, source.elts):
                for part, given in zip(parts, source.elts, strict=True):
                    self._bind(part, known[given], given, known)
                return
            item = self._item(value)
            for part in parts:
                self._bind(part, item)
        elif kind is ast.Subscript:
            self.expr(target)
        elif kind is ast.Starred:  # a list of what is given
            self._bind(target.value, f"{value}{SEQUENCE}" if value == TENSOR else None)  # type: ignore[attr-defined]

    def _gone_over(self, node: ast.expr) -> tuple[Value, list[Value]]:
        """Go through what a loop goes over: what that gives, and each of several that `enumerate` or `zip` gives together."""
        item = self._item(self.expr(node))
        if not isinstance(node, ast.Call) or self.paired is None or self.paired[0] is not node:
            return item, []
        _, name, passed = self.paired
        given = iter(passed.args)
        items = [None if isinstance(one, ast.Starred) else self._item(next(given).value) for one in node.args]
        return item, [NO_OBJECT, *items[:1]] if name == "enumerate" else items

    def _iterate(self, target: ast.expr, item: Value, items: Sequence[Value]) -> None:
        """Bind the target of a loop that goes over what gives ``item``, or ``items`` together."""
        if isinstance(target, ast.Tuple) and len(target.elts) == len(items):
            for part, one in zip(target.elts, items, strict=True):
                self._bind(part, one)
        else:
            self._bind(target, item)

    def _set(self, name: str, value: Value) -> None:
        """Bind a name, which a function may have declared global or nonlocal."""
        if (self.frame.path, name) in self.mixed:
            value = None
        self.frame.bind(name, value)
        owner = self.top if name in self.globals else self.enclosing.get((self.frame.path, name))
        if owner is not None:
            owner.ever[name] = self._either_of(owner.path, name, owner.ever.get(name), value)
        if name in self.globals and worth_telling(value):
            self.rebound[name] = united(self.rebound.get(name), value)

    def _one_of(self, first: Value, second: Value) -> Value:
        """Where code is ported: what is one of two paths of PyTorch; None for other things."""
        if first is None or second is None or not self.names.follows_ported:
            return None
        is_path = all(one[0] == "t" and one[-1] not in ")]" for one in (first, second))
        return united(first, second) if is_path else None


_PLAIN = {NO_OBJECT, NUMPY}
_TELL_BOOLS = {ast.Is, ast.IsNot, ast.In, ast.NotIn}
_EXPRESSIONS: dict[type, Callable[..., Value]] = {
    ast.Call: Expressions._call,
    ast.Attribute: Expressions._chain,
    ast.BinOp: Expressions._operation,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._either,
    ast.IfExp: Expressions._conditional,
    ast.Subscript: Expressions._subscript,
    ast.Tuple: Expressions._sequence,
    ast.List: Expressions._sequence,
    ast.ListComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.Lambda: Expressions._lambda,
    ast.NamedExpr: Expressions._named,
    ast.JoinedStr: Expressions._text,
    ast.Dict: Expressions._dict,
    ast.Starred: Expressions._starred,
    ast.Await: Expressions._awaited,
    ast.Yield: Expressions._yielded,
    ast.YieldFrom: Expressions._yielded,
}


def _is_one_by_one(targets: Sequence[ast.expr], given: Sequence[ast.expr]) -> bool:
    """Whether each target takes what is given in its place: a starred one may take more, and a starred value may be more."""
    starred = [any(isinstance(one, ast.Starred) for one in side) for side in (targets, given)]
    return len(targets) == len(given) and not all(starred)


def _objects_in(value: Value) -> Value:
    if value is None or value in _PLAIN:
        return value or NO_OBJECT
    objects = "|".join(part for part in value.split("|") if part[-1] in ")]#")
    return sequence_of(objects) if objects else None
