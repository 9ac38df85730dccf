"""Walks through the syntax of a file and finds every place that names an API of PyTorch. Nothing is imported or run.

Types are followed through assignments, annotations, results that are known, attributes kept in ``self`` and parameters of
``forward``. What only another file can tell is left as a path that starts there (`apidiff.porting.tree_links` follows it).
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE
from apidiff.porting.annotations import Annotations
from apidiff.porting.bindings import ClassFacts, Frame, ModuleFacts, worth_telling
from apidiff.porting.torch_names import FOREIGN, IN_TREE, TENSOR, TorchNames, Value, united

Place = tuple[int, int, int, int]  # line, column, end line, end column as ast counts them: bytes from 0
_FIRST = ("__init__", "setup", "build")  # methods that other methods of the class find done
_NUMPY = {
    "numpy",
    "np",
    "scipy",
    "math",
    "os",
    "re",
    "json",
    "sys",
    "collections",
    "itertools",
    "pathlib",
    "random",
    "time",
}
_NO_TENSOR_CALLS = {
    "len",
    "int",
    "float",
    "str",
    "bool",
    "range",
    "repr",
    "open",
    "dict",
    "set",
    "print",
    "id",
    "type",
    "hash",
}
_LONGEST = 240  # characters of a path
_SAME_CALLS = {"list", "tuple", "reversed", "sorted", "iter", "set", "deepcopy"}


class Argument(NamedTuple):
    """An argument as it is written, with what its value is known to be."""

    node: ast.expr
    value: Value


class Passed(NamedTuple):
    """What a call passes. ``open``: more may come from ``*`` or ``**``."""

    args: list[Argument]
    keywords: dict[str, Argument]
    open: bool


class Use(NamedTuple):
    """A place that names an API. ``role``: call, name or import. ``possible``: a method of something unknown."""

    name: str
    place: Place
    role: str
    passed: Passed | None
    possible: bool = False


class Pending(NamedTuple):
    """A place whose meaning another file decides: ``value`` followed by ``names``; ``places``: to the end of each part."""

    value: str
    names: list[str]
    places: list[Place]
    role: str
    passed: Passed | None


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


class Walker:
    """One walk through one file."""

    def __init__(self, module: str, names: TorchNames, tree: Collection[str], *, package: bool, assume: bool) -> None:
        self.names, self.module, self.tree, self.package = names, module, tree, package
        self.customary = names.customary | {"torch": "torch"} if assume else {}
        self.path = f"{IN_TREE}{module}"
        self.frame = self.top = Frame(self.path, None, None)
        self.uses: list[Use] = []
        self.pending: list[Pending] = []
        self.stars: list[str] = []
        self.classes: dict[str, ClassFacts] = {}
        self.returns: dict[str, Value] = {}
        self.rebound: dict[str, Value] = {}
        self.globals: set[str] = set()
        self.later: deque[Callable[[], None]] = deque()
        self.annotations = Annotations(self._silent)
        self.methods = names.tensor_methods
        self.telling = names.methods
        self.local: set[str] = set()  # paths of functions and classes that this file defines
        self._statements: dict[type, Callable[..., None]] = {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Return: self._return,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Delete: self._delete,
            ast.Global: self._global,
            ast.Match: self._match,
        }
        self._expressions: dict[type, Callable[..., Value]] = {
            ast.BinOp: self._operation,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.BoolOp: self._either,
            ast.IfExp: self._conditional,
            ast.Subscript: self._subscript,
            ast.Tuple: self._sequence,
            ast.List: self._sequence,
            ast.ListComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.Lambda: self._lambda,
            ast.NamedExpr: self._named,
            ast.JoinedStr: self._text,
            ast.Dict: self._dict,
            ast.Starred: self._starred,
            ast.Await: self._awaited,
        }

    # Statements ------------------------------------------------------------------------------------------------------

    def body(self, statements: Iterable[ast.stmt]) -> None:
        """Go through statements in order."""
        known, expr = self._statements, self.expr
        for statement in statements:
            kind = type(statement)
            if kind is ast.Expr:
                expr(statement.value)  # type: ignore[attr-defined]
            elif visit := known.get(kind):
                visit(statement)
            else:
                for node in ast.iter_child_nodes(statement):
                    if isinstance(node, ast.expr):
                        expr(node)

    def finish(self) -> None:
        """Go through the bodies of functions, which find names bound as the module has left them."""
        while self.later:
            self.later.popleft()()

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            name = alias.name if alias.asname else root
            self._set(alias.asname or root, self._module_value(name))

    def _module_value(self, name: str) -> Value:
        root = name.partition(".")[0]
        if root == "torch":
            return name
        if name in self.tree or root in self.tree:
            return f"{IN_TREE}{name}"
        return NO_OBJECT if root in _NUMPY else FOREIGN

    def _import_from(self, node: ast.ImportFrom) -> None:
        base = self._base(node)
        if base == "torch" or base.startswith("torch."):
            for alias in node.names:
                if alias.name == "*":
                    for bound, meaning in self.names.star(base).items():
                        self._set(bound, meaning)
                    continue
                name = self.names.attribute(base, alias.name) or f"{base}.{alias.name}"
                self._set(alias.asname or alias.name, name)
                if not self.names.is_module(name):
                    self.uses.append(Use(name, _place(alias), "import", None))
            return
        value = self._module_value(base) if base else FOREIGN
        within = value is not None and value[0] == IN_TREE
        for alias in node.names:
            if alias.name == "*":
                if within:
                    self.stars.append(base)
                    if self.frame is self.top:
                        self.frame.ever.setdefault("*", None)
                continue
            path = f"{value}.{alias.name}"
            self._set(alias.asname or alias.name, path if within else value)
            if within:
                self.pending.append(Pending(path, [], [_place(alias)], "import", None))

    def _base(self, node: ast.ImportFrom) -> str:
        """The full name of the module that names are imported from; empty where it is above the tree."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        keep = len(parts) - node.level + self.package
        if keep < 0 or (keep == 0 and not node.module):
            return ""
        return ".".join([*parts[:keep], *([node.module] if node.module else [])])

    def _assign(self, node: ast.Assign) -> None:
        value = self.expr(node.value)
        for target in node.targets:
            self._bind(target, value, node.value)

    def _bind(self, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
        """Bind a target to a value; ``source``: the expression that gives it."""
        kind = type(target)
        if kind is ast.Name:
            name: str = target.id  # type: ignore[attr-defined]
            self._set(name, value)
        elif kind is ast.Attribute:
            self._keep(target, value)  # type: ignore[arg-type]
        elif kind is ast.Tuple or kind is ast.List:
            parts: list[ast.expr] = target.elts  # type: ignore[attr-defined]
            if isinstance(source, ast.Tuple | ast.List) and len(source.elts) == len(parts):
                for part, given in zip(parts, source.elts, strict=True):
                    self._bind(part, self._silent(given), given)
                return
            item = self.names.item(value) if value is not None else None
            for part in parts:
                if isinstance(part, ast.Starred):
                    self._bind(part.value, f"{item}{SEQUENCE}" if item == TENSOR else None)
                else:
                    self._bind(part, item)
        elif kind is ast.Subscript:
            self.expr(target)
        elif kind is ast.Starred:
            self._bind(target.value, value)  # type: ignore[attr-defined]

    def _set(self, name: str, value: Value) -> None:
        """Bind a name, which a function may have declared global."""
        self.frame.bind(name, value)
        if name in self.globals:
            self.top.ever[name] = united(self.top.ever.get(name), value)
            if worth_telling(value):
                self.rebound[name] = united(self.rebound.get(name), value)

    def _keep(self, target: ast.Attribute, value: Value) -> None:
        """Note what is kept in an attribute of ``self``."""
        owner = target.value
        if isinstance(owner, ast.Name) and self.frame.owner is not None:
            known, bound = self.frame.look(owner.id)
            if known and bound == f"{self.frame.owner}{INSTANCE}":
                kept = self.classes[self.frame.owner].attributes
                kept[target.attr] = united(kept[target.attr], value) if target.attr in kept else value
                return
        self.expr(owner)

    def _annotated(self, node: ast.AnnAssign) -> None:
        self.expr(node.annotation)
        value = self.expr(node.value) if node.value else None
        kind = self.annotations.type_of(node.annotation)
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

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for mark in node.decorator_list:
            self.expr(mark)
        arguments = node.args
        for given in (*arguments.defaults, *arguments.kw_defaults):
            if given is not None:
                self.expr(given)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in (*every, arguments.vararg, arguments.kwarg):
            if argument is not None and argument.annotation is not None:
                self.expr(argument.annotation)
        if node.returns is not None:
            self.expr(node.returns)
        outer = self.frame
        path = f"{outer.path}.{node.name}"
        declared = self.annotations.type_of(node.returns)
        self.returns[path] = declared
        owner = outer.path if outer.path in self.classes else None
        if owner is not None:
            self.classes[owner].methods[node.name] = declared
        outer.bind(node.name, path)
        self.local.add(path)
        parameters = self._parameters(node, owner)
        around = outer.outer if owner is not None else outer
        later = self.later.appendleft if node.name in _FIRST and owner is not None else self.later.append
        later(lambda: self._enter(node.body, path, around, owner or outer.owner, parameters, declared))

    def _parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str | None) -> dict[str, Value]:
        """What the parameters of a function are known to be."""
        arguments = node.args
        found: dict[str, Value] = {}
        places = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(places) - len(arguments.defaults)) + list(arguments.defaults)
        is_static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in node.decorator_list)
        is_forward = owner is not None and node.name == "forward"
        pairs = [*zip(places, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        for number, (argument, default) in enumerate(pairs):
            if owner is not None and number == 0 and not is_static:
                of_class = any(isinstance(mark, ast.Name) and mark.id == "classmethod" for mark in node.decorator_list)
                found[argument.arg] = owner if of_class else f"{owner}{INSTANCE}"
                continue
            value = self.annotations.type_of(argument.annotation)
            if argument.annotation is None:
                given = self._silent(default) if default is not None else None
                if is_forward and argument.arg != "ctx" and _may_be_tensor(default):
                    value = TENSOR
                elif given is not None:
                    value = None if isinstance(default, ast.Constant) and default.value is None else given
            found[argument.arg] = value
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                kind = self.annotations.type_of(extra.annotation)
                found[extra.arg] = f"{TENSOR}{SEQUENCE}" if extra is arguments.vararg and kind == TENSOR else None
        return found

    def _enter(
        self,
        body: list[ast.stmt],
        path: str,
        outer: Frame | None,
        owner: str | None,
        parameters: dict[str, Value],
        declared: Value,
    ) -> None:
        """Go through the body of a function."""
        before, self.frame = self.frame, Frame(path, outer, owner)
        marked, self.globals = self.globals, set()
        for name, value in parameters.items():
            self.frame.bind(name, value)
        self.body(body)
        if declared is None:
            self.returns[path] = self.frame.returned
            if owner is not None and path.rpartition(".")[0] == owner:
                self.classes[owner].methods[path.rpartition(".")[2]] = self.frame.returned
        self.frame, self.globals = before, marked

    def _class(self, node: ast.ClassDef) -> None:
        for mark in node.decorator_list:
            self.expr(mark)
        bases = [value for base in node.bases if (value := self.expr(base)) is not None]
        for keyword in node.keywords:
            self.expr(keyword.value)
        outer = self.frame
        path = f"{outer.path}.{node.name}"
        facts = ClassFacts([one for base in bases for one in base.split("|")], {}, {})
        self.classes[path] = facts
        self.local.add(path)
        self.frame = Frame(path, outer, None)
        held, self.later = self.later, deque()
        self.body(node.body)
        methods, self.later = self.later, held
        self.later.extend(methods)
        for name, value in self.frame.ever.items():
            if value is not None and not value.startswith(f"{path}."):
                facts.attributes.setdefault(name, value)
        self.frame = outer
        outer.bind(node.name, path)

    def _branch(self, statements: Iterable[ast.stmt], narrowed: dict[str, Value] | None = None) -> dict[str, Value]:
        before = self.frame.begin()
        for name, value in (narrowed or {}).items():
            self.frame.bind(name, value)
        self.body(statements)
        return self.frame.end(before)

    def _if(self, node: ast.If) -> None:
        self.expr(node.test)
        first = self._branch(node.body, self._narrowed(node.test))
        other = self._branch(node.orelse) if node.orelse else {}
        self.frame.join(first, other)

    def _narrowed(self, test: ast.expr) -> dict[str, Value]:
        """What ``isinstance(x, torch.Tensor)`` and ``torch.is_tensor(x)`` tell of ``x``."""
        match test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kind]):
                return {name: value} if (value := self.annotations.type_of(kind)) is not None else {}
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

    def _iterate(self, target: ast.expr, source: ast.expr, value: Value) -> None:
        """Bind the target of a loop over ``source``."""
        match source, target:
            case ast.Call(func=ast.Name(id="enumerate"), args=[first, *_]), ast.Tuple(elts=[number, item]):
                self._bind(number, NO_OBJECT)
                self._bind(item, self._item_of(first))
            case ast.Call(func=ast.Name(id="zip"), args=given), ast.Tuple(elts=items) if len(given) == len(items):
                for part, one in zip(items, given, strict=True):
                    self._bind(part, self._item_of(one))
            case _:
                self._bind(target, self.names.item(value) if value is not None else None)

    def _item_of(self, node: ast.expr) -> Value:
        value = self._silent(node)
        return self.names.item(value) if value is not None else None

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

    # Expressions -----------------------------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> Value:
        """Go through an expression; return what its value may be."""
        kind = type(node)
        if kind is ast.Constant:
            return NO_OBJECT
        if kind is ast.Name:
            return self._name(node)  # type: ignore[arg-type]
        if kind is ast.Attribute:
            return self._chain(node, None)  # type: ignore[arg-type]
        if kind is ast.Call:
            return self._call(node)  # type: ignore[arg-type]
        visit = self._expressions.get(kind)
        if visit is not None:
            return visit(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expr(child)
        return None

    def _silent(self, node: ast.expr) -> Value:
        """What an expression that has been gone through, or will be, may be; it is not told again."""
        uses, pending = len(self.uses), len(self.pending)
        value = self.expr(node)
        del self.uses[uses:], self.pending[pending:]
        return value

    def _look(self, name: str) -> Value:
        known, value = self.frame.look(name)
        if known:
            return value
        if self.customary and name in self.customary:
            return self.customary[name]
        if self.stars and "*" in self.top.ever:
            return f"{self.path}.{name}"
        return None

    def _name(self, node: ast.Name) -> Value:
        value = self._look(node.id)
        if value is not None and value[0] not in "!~":
            self._follow(value, node, [], "name", None)
        return value

    def _chain(self, node: ast.Attribute, passed: Passed | None) -> Value:
        """A name or another expression with the attributes that follow it, ``a.b.c``; ``passed`` where it is called."""
        steps = [node]
        base = node.value
        while type(base) is ast.Attribute:
            steps.append(base)
            base = base.value
        value = self._look(base.id) if type(base) is ast.Name else self.expr(base)
        if value is not None and value[0] not in "!~":
            steps.reverse()
            return self._follow(value, base, steps, "name" if passed is None else "call", passed)
        if value is None:
            if passed is not None and node.attr in self.methods:
                self.uses.append(Use(f"torch.Tensor.{node.attr}", _attribute_place(node), "call", passed, True))
            return None
        return value

    def _follow(
        self, value: str, base: ast.expr, steps: list[ast.Attribute], role: str, passed: Passed | None
    ) -> Value:
        """Return what ``value`` with the attributes of ``steps`` is; note the API that it names."""
        if "|" in value:
            return self._follow_each(value, base, steps, role, passed)
        names = self.names
        count, at = len(steps), 0
        now: Value = value
        while now is not None:
            first = now[0]
            if first == IN_TREE:
                found = self._own(now, steps[at].attr) if at < count and now.endswith(INSTANCE) else None
                if found is None:
                    self._leave(now, base, steps[at:], steps[:at], role, passed)
                    return ".".join([now, *(step.attr for step in steps[at:])]) if len(now) < _LONGEST else None
                now = None if found == "" else found
                at += 1
                if now is None or "|" in now:
                    break
                continue
            if first in "!~":
                break
            if now[-1] not in ")]" and not names.is_module(now):
                end, api = at, now
                if at < count and names.is_class(now):
                    now = names.attribute(now, steps[at].attr)
                    at += 1
                    if now is not None:
                        api, end = now, at
                elif at < count and not names.is_known(
                    now
                ):  # a module or an object that nobody knows: all that follows
                    api, at, end = ".".join([now, *(step.attr for step in steps[at:])]), count, count
                    now = None
                self._tell(api, base, steps, end, role if end == count else "name", passed if end == count else None)
                for step in steps[at:]:
                    now = names.attribute(now, step.attr) if now is not None else None
                return now
            if at == count:
                return now
            before = now
            now = names.attribute(now, steps[at].attr)
            at += 1
            if at == count and passed is not None and before[-1] == ")":
                if now is not None and now[0] == "t" and now[-1] not in ")]":
                    self._tell(now, base, steps, at, role, passed)
                    return now
                if now is None and before == TENSOR and steps[-1].attr in self.methods:
                    self._tell(f"torch.Tensor.{steps[-1].attr}", base, steps, at, role, passed)
                return now
        if now is not None and "|" in now and at < count:
            return self._follow_each(now, base, steps[at:], role, passed)
        if now is None and passed is not None and steps and steps[-1].attr in self.methods:
            self.uses.append(Use(f"torch.Tensor.{steps[-1].attr}", _attribute_place(steps[-1]), "call", passed, True))
        return now

    def _follow_each(
        self, value: str, base: ast.expr, steps: list[ast.Attribute], role: str, passed: Passed | None
    ) -> Value:
        """Follow each that ``value`` may be; the first that names an API is told."""
        uses, pending = len(self.uses), len(self.pending)
        result: Value = None
        for part in value.split("|"):
            told, left = len(self.uses) > uses, len(self.pending) > pending
            kept = len(self.uses), len(self.pending)
            if part[0] not in "!~":
                result = united(result, self._follow(part, base, steps, role, passed))
            if told or left:
                del self.uses[kept[0] :], self.pending[kept[1] :]
        certain = [use for use in self.uses[uses:] if not use.possible]
        if certain and len(self.uses) - uses > 1:
            self.uses[uses:] = certain[:1]
        return result

    def _own(self, value: str, name: str) -> str | None:
        """The attribute of an instance of a class of this file: its value, empty where unknown, None where others decide."""
        facts = self.classes.get(value[: -len(INSTANCE)])
        if facts is None:
            return None
        if name in facts.attributes:
            return facts.attributes[name] or ""
        if name in facts.methods:
            return None
        for base in facts.bases:
            if base[0] == IN_TREE:
                return None
            if base[0] == "t" and (found := self.names.attribute(f"{base}{INSTANCE}", name)) is not None:
                return found
        return ""

    def _leave(
        self,
        value: str,
        base: ast.expr,
        steps: list[ast.Attribute],
        before: list[ast.Attribute],
        role: str,
        passed: Passed | None,
    ) -> None:
        """Note a path that another file, or the rest of this one, decides, where it can lead to an API."""
        if not steps and (value[-1] in ")]#" or value in self.local):
            return
        if value in self.local and (passed is None or value not in self.classes):
            return
        if value[-1] in ")]#" and (passed is None or steps[-1].attr not in self.telling):
            return
        start = before[-1] if before else base
        plain = type(base) is ast.Name
        places = [_span(base, start), *(_span(base, step) if plain else _attribute_place(step) for step in steps)]
        self.pending.append(Pending(value, [step.attr for step in steps], places, role, passed))

    def _tell(
        self, api: str, base: ast.expr, steps: list[ast.Attribute], end: int, role: str, passed: Passed | None
    ) -> None:
        last = steps[end - 1] if end else base
        plain = type(base) is ast.Name
        place = _span(base, last) if plain or not end else _attribute_place(steps[end - 1])
        self.uses.append(Use(api, place, role, passed))

    def _call(self, node: ast.Call) -> Value:
        func = node.func
        passed = Passed([], {}, False)
        kind = type(func)
        plain = func.id if kind is ast.Name else None  # type: ignore[attr-defined]
        if kind is ast.Attribute:
            value = self._chain(func, passed)  # type: ignore[arg-type]
        elif plain is not None:
            value = self._look(plain)
            if value is not None and value[0] not in "!~":
                self._follow(value, func, [], "call", passed)
        else:
            value = self.expr(func)
        expr, more = self.expr, False
        for argument in node.args:
            if type(argument) is ast.Starred:
                expr(argument.value)
                more = True
            else:
                passed.args.append(Argument(argument, expr(argument)))
        for keyword in node.keywords:
            given = expr(keyword.value)
            if keyword.arg is None:
                more = True
            else:
                passed.keywords[keyword.arg] = Argument(keyword.value, given)
        if more:
            passed.keywords["**"] = Argument(node, None)
        if value is None:
            return self._builtin(plain, passed, node) if plain is not None else None
        if value in {"torch.nn.ModuleList", "torch.nn.Sequential"} and len(passed.args) == 1:
            held = passed.args[0].value
            return f"{value}{INSTANCE}|{held}" if held is not None and held.endswith(SEQUENCE) else f"{value}{INSTANCE}"
        if value in self.local and self.returns.get(value) is not None:
            return self.returns[value]
        return self.names.call(value)

    def _builtin(self, name: str, passed: Passed, node: ast.Call) -> Value:
        """What a call of a builtin function returns."""
        first = passed.args[0].value if passed.args else None
        if name in _NO_TENSOR_CALLS:
            return NO_OBJECT
        if name in _SAME_CALLS:
            return first
        if name in {"sum", "max", "min", "next", "abs"} and first is not None:
            return first if first == TENSOR else self.names.item(first)
        if name == "getattr" and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
            return self._getattr(node, passed)
        return None

    def _getattr(self, node: ast.Call, passed: Passed) -> Value:
        """``getattr(module, "name")`` with a written name."""
        value, name = passed.args[0].value, node.args[1].value  # type: ignore[attr-defined]
        if value is None or value[0] != "t" or value[-1] in ")]" or not isinstance(name, str):
            return None
        found = self.names.attribute(value, name)
        if found is not None and not self.names.is_module(found):
            self.uses.append(Use(found, _place(node), "name", None))
        return found

    def _operation(self, node: ast.BinOp) -> Value:
        left, right = self.expr(node.left), self.expr(node.right)
        if TENSOR in (left, right):
            return TENSOR
        if left == right == NO_OBJECT:
            return NO_OBJECT
        return next((one for one in (left, right) if one is not None and one.endswith(SEQUENCE)), None)

    def _unary(self, node: ast.UnaryOp) -> Value:
        value = self.expr(node.operand)
        return (
            value if value == TENSOR and not isinstance(node.op, ast.Not) else NO_OBJECT if value == NO_OBJECT else None
        )

    def _compare(self, node: ast.Compare) -> Value:
        values = [self.expr(node.left), *(self.expr(other) for other in node.comparators)]
        plain = any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops)
        return NO_OBJECT if plain else TENSOR if TENSOR in values else None

    def _either(self, node: ast.BoolOp) -> Value:
        value: Value = None
        for part in node.values:
            value = united(value, self.expr(part))
        return value

    def _conditional(self, node: ast.IfExp) -> Value:
        self.expr(node.test)
        return united(self.expr(node.body), self.expr(node.orelse))

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self.expr(node.value)
        inner = node.slice
        self.expr(inner)
        if value is None or value == TENSOR:
            return value
        if isinstance(inner, ast.Slice):
            return value
        return self.names.item(value) if value[-1] in ")]#|" or "|" in value else None

    def _sequence(self, node: ast.Tuple | ast.List) -> Value:
        value: Value = None
        for part in node.elts:
            value = united(value, self.expr(part))
        return _sequence_of(value)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Value:
        before = self.frame.begin()
        for part in node.generators:
            value = self.expr(part.iter)
            self._iterate(part.target, part.iter, value)
            for test in part.ifs:
                self.expr(test)
        if isinstance(node, ast.DictComp):
            self.expr(node.key)
            self.expr(node.value)
            value = None
        else:
            value = self.expr(node.elt)
        self.frame.end(before)
        return _sequence_of(value)

    def _lambda(self, node: ast.Lambda) -> Value:
        arguments = node.args
        for given in (*arguments.defaults, *arguments.kw_defaults):
            if given is not None:
                self.expr(given)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        before = self.frame.begin()
        for argument in every:
            if argument is not None:
                self.frame.bind(argument.arg, None)
        self.expr(node.body)
        self.frame.end(before)
        return None

    def _named(self, node: ast.NamedExpr) -> Value:
        value = self.expr(node.value)
        self._bind(node.target, value)
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
        return self.names.item(value) if value is not None else None

    def _awaited(self, node: ast.Await) -> Value:
        return self.expr(node.value)

    def facts(self) -> ModuleFacts:
        """What other files may ask of this one."""
        return ModuleFacts(
            name=self.module,
            names={name: value for name, value in self.top.ever.items() if value and value not in "!~"},
            stars=self.stars,
            classes=self.classes,
            returns={path: value for path, value in self.returns.items() if value is not None and worth_telling(value)},
        )


def _sequence_of(value: Value) -> Value:
    if value is None or value == NO_OBJECT:
        return NO_OBJECT
    return "|".join(part + SEQUENCE for part in value.split("|") if part[-1] in ")]#") or None


def _may_be_tensor(default: ast.expr | None) -> bool:
    """Whether a parameter of ``forward`` with this default may be given a tensor: it has none, or None."""
    return default is None or (isinstance(default, ast.Constant) and default.value is None)


def _place(node: ast.alias | ast.expr) -> Place:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _span(first: ast.expr, last: ast.expr) -> Place:
    """From the start of a chain to the end of one of its parts."""
    return first.lineno, first.col_offset, last.end_lineno or last.lineno, last.end_col_offset or last.col_offset


def _attribute_place(node: ast.Attribute) -> Place:
    """The name of the attribute alone."""
    line, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return line, column - len(node.attr.encode()), line, column
