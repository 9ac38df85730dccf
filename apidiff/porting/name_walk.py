"""Walks through the syntax of a file and finds every place that names an API of PyTorch. Nothing is imported or run.

Types are followed through assignments, annotations, results that are known, attributes kept in ``self`` and parameters of
``forward``. What only another file can tell is left as a path that starts there (`apidiff.porting.tree_links` follows it).
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from apidiff.model.result_types import INSTANCE, NO_OBJECT
from apidiff.porting.annotations import annotated_type
from apidiff.porting.bindings import ModuleFacts, Steps, joined, worth_telling
from apidiff.porting.imports import Imports
from apidiff.porting.source_files import SourceFile
from apidiff.porting.string_names import exported_names
from apidiff.porting.torch_names import IN_TREE, TENSOR, TorchNames, Value
from apidiff.porting.tree_modules import TreeModules
from apidiff.porting.type_tests import Told
from apidiff.porting.uses import Pending, Use


class Found(NamedTuple):
    """What a file holds."""

    uses: list[Use]
    pending: list[Pending]
    facts: ModuleFacts


def walk(
    trees: Sequence[ast.Module],
    file: SourceFile,
    names: TorchNames,
    tree: TreeModules,
    *,
    assume: bool,
    starred: Mapping[str, Mapping[str, str]],
    size: int,
) -> Found:
    """Walk through the parts of a file, one after another in the same scope.

    Args:
        trees: the parts; of a Python file there is one.
        file: of which they are parts.
        names: what names of PyTorch mean.
        tree: the modules of the scanned tree.
        assume: whether names that nothing binds are taken for what everyone calls modules: ``nn``, ``F``.
        starred: what names that are bound before are from the star import of a module on, by that.
        size: the characters that the parts have, for each of which so many steps may be taken, however often they are gone
            through.

    Raises NotFollowed where it would take longer than code does.
    """
    steps = Steps(size)
    walker = Walker(file, names, tree, assume=assume, starred=starred, steps=steps)
    walker.module(trees)
    walker.finish()
    if walker.rebound or walker.mixed or walker.put_off:  # what an earlier place may have looked up is bound later
        again = Walker(file, names, tree, assume=assume, starred=starred, steps=steps)
        again.frame.ever.update(walker.rebound)
        again.elsewhere, again.elsewhere_inside = walker.rebound, walker.put_off
        again.mixed |= walker.mixed
        again.module(trees)
        again.finish()
        walker = again
    return Found(walker.uses, walker.pending, walker.facts(exported_names(trees)))


class Walker(Imports):
    """One walk through one file: its statements, in order."""

    def module(self, trees: Iterable[ast.Module]) -> None:
        """Go through the parts of a module."""
        for part in trees:
            self.certain.update(id(statement) for statement in part.body if isinstance(statement, ast.ImportFrom))
            self.body(part.body)

    def body(self, statements: Iterable[ast.stmt]) -> None:
        """Go through statements in order."""
        known, expr = _STATEMENTS, self.expr
        for statement in statements:
            self.steps.at = statement
            kind = type(statement)
            if kind is ast.Expr:
                expr(statement.value)  # type: ignore[attr-defined]
            elif visit := known.get(kind):
                visit(self, statement)
            else:
                for node in ast.iter_child_nodes(statement):
                    if isinstance(node, ast.expr):
                        expr(node)

    def finish(self) -> None:
        """Go through the bodies of functions, which find names bound as the module has left them."""
        while self.later or self.inner:
            (self.later or self.inner).popleft()()

    def _assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
            self.parts = {}
        value = self.expr(node.value)
        parts, self.parts = self.parts, None
        for target in node.targets:
            self._bind(target, value, node.value, parts)

    def _annotated(self, node: ast.AnnAssign) -> None:
        self.expr(node.annotation)
        value = self.expr(node.value) if node.value else None
        kind = annotated_type(node.annotation, self._meant)
        self._bind(node.target, kind if kind is not None and value in {None, NO_OBJECT} else value)
        if isinstance(node.target, ast.Name) and self.frame.path in self.classes:
            self.classes[self.frame.path].attributes[node.target.id] = kind

    def _augmented(self, node: ast.AugAssign) -> None:
        value, before = self.expr(node.value), self.expr(node.target)
        if isinstance(node.target, ast.Name):
            self.frame.bind(node.target.id, TENSOR if TENSOR in {value, before} else before)

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            value = self.expr(node.value)
            self.frame.returned = joined(self.frame.returned, value) if self.frame.returns else value
            self.frame.returns = True

    def _branch(self, statements: Iterable[ast.stmt], told: Told) -> dict[str, Value]:
        before = self.frame.begin()
        self.frame.narrow(told)
        self.body(statements)
        return self.frame.end(before)

    def _if(self, node: ast.If) -> None:
        self.expr(node.test)
        first = self._branch(node.body, self.told(node.test, holds=True))
        told = self.told(node.test, holds=False)
        other = self._branch(node.orelse, told) if node.orelse or told else {}
        if first or other:  # code goes on behind a branch that does not end with a `return` or the like
            going = [made for made, body in ((first, node.body), (other, node.orelse)) if not _leaves(body)]
            self.frame.join(*going)

    def _assert(self, node: ast.Assert) -> None:
        self.expr(node.test)
        if node.msg is not None:
            self.expr(node.msg)
        self.frame.narrow(self.told(node.test, holds=True))

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        item, items = self._gone_over(node.iter)
        self._loop(node, lambda: None, lambda: self._iterate(node.target, item, items))

    def _while(self, node: ast.While) -> None:
        self._loop(node, lambda: self.expr(node.test), lambda: self.frame.narrow(self.told(node.test, holds=True)))

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, test: Callable[[], object], begin: Callable[[], object]
    ) -> None:
        """Go through a loop: the second round finds what the first has bound."""
        told = self.otherwise.get(id(node), {})
        former = self.frame.narrow(told)
        uses, pending = len(self.uses), len(self.pending)
        later, inner = len(self.later), len(self.inner)
        test()
        ways, rounds = self._round(node, begin)
        bound = self.frame.bound
        otherwise: Told = {
            name: self._one_of(bound.get(name), value)
            for way in rounds
            for name, value in way.items()
            if self._is_other(bound.get(name), value)
        }
        if otherwise and id(node) not in self.otherwise and self._deep < _DEEPEST_AGAIN:
            self.otherwise[id(node)] = otherwise
            del self.uses[uses:], self.pending[pending:]
            for queue, length in ((self.later, later), (self.inner, inner)):
                while len(queue) > length:
                    queue.pop()
            told = otherwise
            former = self.frame.narrow(told)
            test()
            ways, _ = self._round(node, begin)
        self.frame.widen(told, former)
        self.frame.join(*ways, {})
        self.body(node.orelse)

    def _round(
        self, node: ast.For | ast.AsyncFor | ast.While, begin: Callable[[], object]
    ) -> tuple[list[dict[str, Value]], list[dict[str, Value]]]:
        """Go through the body of a loop, which is left at its end, at a `break` or a `continue`.

        Returns what names are on each way out of it, and on each that leads to its beginning.
        """
        outside = self.left, self.resumed
        self.left, self.resumed = [], []
        changed, self.frame.changed = self.frame.changed, {}
        before = self.frame.begin()
        self._deep += 1
        begin()
        self.body(node.body)
        self._deep -= 1
        self.frame.changed = changed
        made = self.frame.end(before)
        ends = [made] if not _leaves(node.body) else []
        ways = [*ends, *map(self.frame.since, self.left)]
        rounds = [*ends, *map(self.frame.since, self.resumed)]
        self.left, self.resumed = outside
        return ways, rounds

    def _is_other(self, first: Value, second: Value) -> bool:
        """Whether of two things that a name may be one is an object, and the other NumPy's or of a class of this file.

        Where code is ported, also whether both are paths of PyTorch.
        """
        if first is None or second is None or first == second:
            return False
        if self._one_of(first, second) is not None:
            return True
        is_own = any(value.removesuffix(INSTANCE) in self.classes for value in (first, second))
        return is_own or joined(first, second) is None

    def _jump(self, node: ast.Break | ast.Continue) -> None:
        changes = self.frame.changes()
        self.left.append(changes)
        if isinstance(node, ast.Continue):
            self.resumed.append(changes)

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        every = self.frame.begin_try()
        before_body = self.frame.begin_try()
        self.body(node.body)
        raised = self.frame.end_try(before_body)
        before = self.frame.begin()
        self.frame.narrow(raised)
        ways = [made for handler in node.handlers if (made := self._handler(handler)) is not None][::-1]
        self.frame.end(before)
        for name, value in raised.items():  # told by one handler that leaves it as it finds it: not by each of them
            if (way := next((made for made in ways if name not in made), None)) is not None:
                way[name] = value
        self.frame.join(*ways, {})
        self.body(node.orelse)
        raised = self.frame.end_try(every)
        former = self.frame.narrow(raised)
        self.body(node.finalbody)
        self.frame.widen(raised, former)

    def _handler(self, node: ast.ExceptHandler) -> dict[str, Value] | None:
        """Go through a handler: what it binds, None where code does not go on behind it."""
        if node.type is not None:
            self.expr(node.type)
        before = self.frame.begin()
        if node.name:
            self.frame.bind(node.name, NO_OBJECT)
        self.body(node.body)
        made = self.frame.end(before)
        return None if _leaves(node.body) else made

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.expr(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, value if value is not None and value[0] != IN_TREE else None)
        if not any(map(_suppresses, node.items)):
            self.body(node.body)
            return
        before = self.frame.begin_try()
        self.body(node.body)
        for name, value in self.frame.end_try(before).items():
            self.frame.bind(name, value)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.frame.bind(target.id, NO_OBJECT)
                if self.frame is self.top and self.top.journal is None:
                    self.top.delete(target.id)
            else:
                self.expr(target)

    def _global(self, node: ast.Global) -> None:
        self.globals.update(node.names)
        if self.frame is not self.top and self.names.follows_ported:
            for name in node.names:
                self.frame.take_from(self.top, name)

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            frame = self.frame.outer
            while frame is not None and name not in frame.ever:
                frame = frame.outer
            if frame is not None:
                self.enclosing[self.frame.path, name] = frame
                if self.names.follows_ported:
                    self.frame.take_from(frame, name)

    def _match(self, node: ast.Match) -> None:
        self.expr(node.subject)
        subject = node.subject.id if isinstance(node.subject, ast.Name) else None
        branches = []
        for case in node.cases:
            before = self.frame.begin()
            if subject is not None and not _takes_all(case.pattern):
                self.frame.narrow({subject: self.type_of_pattern(case.pattern)})
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchValue):
                    self.expr(part.value)
                elif isinstance(part, ast.MatchClass):
                    self.expr(part.cls)
                elif (name := getattr(part, "name", None) or getattr(part, "rest", None)) is not None:
                    self.frame.bind(name, None)
            if case.guard is not None:
                self.expr(case.guard)
            self.body(case.body)
            made = self.frame.end(before)
            if not _leaves(case.body):
                branches.append(made)
        self.frame.join(*branches, {})

    def facts(self, exported: frozenset[str] | None) -> ModuleFacts:
        """What other files may ask of this one. ``exported``: the names that ``__all__`` lists."""
        names = {name: value for name, value in self.top.ever.items() if value and value[0] not in "!~"}
        stars = sorted(self.stars, key=self.stars.__getitem__)
        places = [self.stars[star] for star in stars]
        last = max(places, default=0)
        return ModuleFacts(
            name=self.file.module,
            names=names,
            stars=stars,
            classes=self.classes,
            returns={path: value for path, value in self.returns.items() if value is not None and worth_telling(value)},
            imported=frozenset(name for name, alone in self.imported.items() if alone),
            others=frozenset(self.top.before.keys() - names.keys()),
            early={name: bisect_right(places, before) for name, before in self.top.before.items() if before < last},
            exported=exported,
            starred=sum(self.torch_stars.values()),
        )


_DEEPEST_AGAIN = 4  # loops within each other that are gone through twice
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether code does not go on behind the statements of a branch."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, _LEAVING) or (isinstance(last, ast.With | ast.AsyncWith) and _leaves(last.body))


def _suppresses(item: ast.withitem) -> bool:
    """Whether code goes on behind a `with` where its body raises."""
    made = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
    name = made.attr if isinstance(made, ast.Attribute) else made.id if isinstance(made, ast.Name) else ""
    return name in {"suppress", "raises", "assertRaises"}


def _takes_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


_STATEMENTS: dict[type, Callable[..., None]] = {
    ast.Import: Walker._import,
    ast.ImportFrom: Walker._import_from,
    ast.Assign: Walker._assign,
    ast.AnnAssign: Walker._annotated,
    ast.AugAssign: Walker._augmented,
    ast.Return: Walker._return,
    ast.FunctionDef: Walker._function,
    ast.AsyncFunctionDef: Walker._function,
    ast.ClassDef: Walker._class,
    ast.If: Walker._if,
    ast.Assert: Walker._assert,
    ast.Break: Walker._jump,
    ast.Continue: Walker._jump,
    ast.For: Walker._for,
    ast.AsyncFor: Walker._for,
    ast.While: Walker._while,
    ast.Try: Walker._try,
    ast.TryStar: Walker._try,
    ast.With: Walker._with,
    ast.AsyncWith: Walker._with,
    ast.Delete: Walker._delete,
    ast.Global: Walker._global,
    ast.Nonlocal: Walker._nonlocal,
    ast.Match: Walker._match,
}
