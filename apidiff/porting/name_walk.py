"""Walks through the syntax of a file and finds every place that names an API of PyTorch. Nothing is imported or run.

Types are followed through assignments, annotations, results that are known, attributes kept in ``self`` and parameters of
``forward``. What only another file can tell is left as a path that starts there (`apidiff.porting.tree_links` follows it).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from apidiff.model.result_types import NO_OBJECT
from apidiff.porting.annotations import annotated_type
from apidiff.porting.bindings import ModuleFacts, worth_telling
from apidiff.porting.imports import Imports
from apidiff.porting.torch_names import IN_TREE, TENSOR, TorchNames, Value, united
from apidiff.porting.uses import Pending, Use


class Found(NamedTuple):
    """What a file holds."""

    uses: list[Use]
    pending: list[Pending]
    facts: ModuleFacts


def walk(
    trees: Sequence[ast.Module], module: str, names: TorchNames, tree: Collection[str], *, package: bool, assume: bool
) -> Found:
    """Walk through the parts of a file, one after another in the same scope.

    Args:
        trees: the parts; of a Python file there is one.
        module: the dotted name of the file in the scanned tree.
        names: what names of PyTorch mean.
        tree: the modules of the scanned tree.
        package: whether the file is an ``__init__.py``.
        assume: whether names that nothing binds are taken for what everyone calls modules: ``nn``, ``F``.
    """
    walker = Walker(module, names, tree, package=package, assume=assume)
    for part in trees:
        walker.body(part.body)
    walker.finish()
    if walker.rebound:  # a function has bound a global name that an earlier place may have looked up
        again = Walker(module, names, tree, package=package, assume=assume)
        again.frame.ever.update(walker.rebound)
        for part in trees:
            again.body(part.body)
        again.finish()
        walker = again
    return Found(walker.uses, walker.pending, walker.facts())


class Walker(Imports):
    """One walk through one file: its statements, in order."""

    def body(self, statements: Iterable[ast.stmt]) -> None:
        """Go through statements in order."""
        known, expr = _STATEMENTS, self.expr
        for statement in statements:
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
        value = self.expr(node.value)
        for target in node.targets:
            self._bind(target, value, node.value)

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
            self.frame.returned = united(self.frame.returned, self.expr(node.value))

    def _branch(self, statements: Iterable[ast.stmt], narrowed: dict[str, Value] | None = None) -> dict[str, Value]:
        before = self.frame.begin()
        if narrowed:
            for name, value in narrowed.items():
                self.frame.bind(name, value)
        self.body(statements)
        return self.frame.end(before)

    def _if(self, node: ast.If) -> None:
        self.expr(node.test)
        narrowed = self._narrowed(node.test) if type(node.test) in _NARROWING else None
        first = self._branch(node.body, narrowed)
        other = self._branch(node.orelse) if node.orelse else {}
        if first or other:
            self.frame.join(first, other)

    def _narrowed(self, test: ast.expr) -> dict[str, Value]:
        """What ``isinstance(x, torch.Tensor)`` and ``torch.is_tensor(x)`` tell of ``x``."""
        match test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kind]):
                return {name: value} if (value := annotated_type(kind, self._meant)) is not None else {}
            case ast.Call(func=ast.Attribute(attr="is_tensor") as func, args=[ast.Name(id=name)]):
                return {name: TENSOR} if self._silent(func) == "torch.is_tensor" else {}
            case ast.BoolOp(op=ast.And(), values=values):
                return {name: value for one in values for name, value in self._narrowed(one).items()}
        return {}

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        value = self.expr(node.iter)
        before = self.frame.begin()
        self._iterate(node.target, node.iter, value)
        self.body(node.body)
        self.frame.join(self.frame.end(before), {})
        self.body(node.orelse)

    def _while(self, node: ast.While) -> None:
        self.expr(node.test)
        self.frame.join(self._branch(node.body), {})
        self.body(node.orelse)

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        self.body(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                self.expr(handler.type)
            before = self.frame.begin()
            if handler.name:
                self.frame.bind(handler.name, NO_OBJECT)
            self.body(handler.body)
            self.frame.join(self.frame.end(before), {})
        self.body(node.orelse)
        self.body(node.finalbody)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.expr(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, value if value is not None and value[0] != IN_TREE else None)
        self.body(node.body)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.frame.bind(target.id, NO_OBJECT)
            else:
                self.expr(target)

    def _global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def _match(self, node: ast.Match) -> None:
        self.expr(node.subject)
        branches = []
        for case in node.cases:
            before = self.frame.begin()
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
            branches.append(self.frame.end(before))
        self.frame.join(*branches, {})

    def facts(self) -> ModuleFacts:
        """What other files may ask of this one."""
        return ModuleFacts(
            name=self.module,
            names={name: value for name, value in self.top.ever.items() if value and value not in "!~"},
            stars=self.stars,
            classes=self.classes,
            returns={path: value for path, value in self.returns.items() if value is not None and worth_telling(value)},
        )


_NARROWING = {ast.Call, ast.BoolOp}
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
    ast.For: Walker._for,
    ast.AsyncFor: Walker._for,
    ast.While: Walker._while,
    ast.Try: Walker._try,
    ast.TryStar: Walker._try,
    ast.With: Walker._with,
    ast.AsyncWith: Walker._with,
    ast.Delete: Walker._delete,
    ast.Global: Walker._global,
    ast.Match: Walker._match,
}
