"""Goes through definitions of functions and classes: what is known of parameters, what is returned, what is kept in ``self``."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable

from apidiff.model.result_types import INSTANCE, SEQUENCE
from apidiff.porting.annotations import annotated_type
from apidiff.porting.bindings import NUMPY, ClassFacts, ClassFrame, Frame
from apidiff.porting.expressions import Expressions
from apidiff.porting.torch_names import FOREIGN, FORWARD, IN_TREE, TENSOR, Value
from apidiff.porting.uses import refuse_long

_MOST_BASES = 50  # of a class: those of torch and MindSpore have 4 at most
_KEEPING = {  # decorators, of Python itself, that leave what a function returns as it is
    "abstractmethod",
    "cache",
    "cached_property",
    "classmethod",
    "final",
    "lru_cache",
    "overload",
    "override",
    "property",
    "setter",
    "staticmethod",
    "wraps",
}
# Decorators that only list a function, wherever they come from: timm's of what is not traced.
_NOTING = {"register_notrace_function"}
_FIRST = ("__init__", "setup", "build")  # methods that other methods of the class find done


class Definitions(Expressions):
    """Goes through definitions. The bodies of functions come last, when all that they find bound around them is known."""

    def body(self, statements: Iterable[ast.stmt]) -> None:
        """Go through statements in order."""
        raise NotImplementedError

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        keeps = True  # whether a call returns what the body does
        for mark in node.decorator_list:
            self.expr(mark)
            keeps = keeps and self._keeps(mark)
        arguments = node.args
        for given in (*arguments.defaults, *arguments.kw_defaults):
            if given is not None:
                self.expr(given)
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.annotation is not None:
                self.expr(argument.annotation)
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None and extra.annotation is not None:
                self.expr(extra.annotation)
        if node.returns is not None:
            self.expr(node.returns)
        outer = self.frame
        path = self._path(node)
        declared = annotated_type(node.returns, self._meant)
        self.returns[path] = declared
        owner = outer.path if outer.path in self.classes else None
        if owner is not None:
            self.classes[owner].methods[node.name] = declared
        self._define(node.name, path)
        self.local.add(path)
        parameters = self._parameters(node, owner)
        around = outer.outer if owner is not None else outer
        if None in parameters.values():
            self.with_parameters.add(path.rpartition(".")[2])
            self.parameters[path] = [name for name in parameters if owner is None or name != next(iter(parameters))]
        # What the file uses itself is gone through last: calls before tell what is passed for its parameters.
        inner = node.name.startswith("_") and node.name not in _FIRST
        later = self.inner.append if inner else self.later.append
        if node.name in _FIRST and owner is not None:
            later = self.later.appendleft
        later(lambda: self._enter(node.body, path, around, owner or outer.owner, parameters, declared, keeps))

    def _keeps(self, mark: ast.expr) -> bool:
        """Whether a decorator leaves what a function returns as it is, as those of PyTorch do."""
        made = mark.func if isinstance(mark, ast.Call) else mark
        if not isinstance(made, ast.Name | ast.Attribute):
            return False
        value = self.names.source(self._silent(made))
        if value is not None and value[0] == "t":
            return True
        is_own = value is not None and value[0] == IN_TREE
        name = made.id if isinstance(made, ast.Name) else made.attr
        return name in _NOTING or (not is_own and name in _KEEPING)

    def _define(self, name: str, path: str) -> None:
        """Bind what is defined; where every run of the module comes by it, functions find nothing else."""
        if self.frame is self.top and self.top.journal is None and self.top.tried is None:
            self.top.rebind(name, path)
        else:
            self.frame.bind(name, path)

    def _path(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
        """The path of what is defined. Raises NotFollowed."""
        path = f"{self.frame.path}.{node.name}"
        refuse_long(len(path) - len(self.path), node)
        return path

    def _parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str | None) -> dict[str, Value]:
        """What the parameters of a function are known to be."""
        arguments = node.args
        found: dict[str, Value] = {}
        places = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(places) - len(arguments.defaults)) + list(arguments.defaults)
        marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
        is_forward = owner is not None and node.name in {"forward", "construct"}
        pairs = [*zip(places, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        for number, (argument, default) in enumerate(pairs):
            if owner is not None and number == 0 and "staticmethod" not in marks:
                found[argument.arg] = owner if "classmethod" in marks else f"{owner}{INSTANCE}"
            elif argument.annotation is not None:
                found[argument.arg] = annotated_type(argument.annotation, self._meant)
            elif is_forward and argument.arg != "ctx" and _may_be_tensor(default):
                found[argument.arg] = TENSOR
            else:
                found[argument.arg] = self._silent(default) if default is not None and not _is_none(default) else None
        if arguments.vararg is not None:
            kind = annotated_type(arguments.vararg.annotation, self._meant)
            found[arguments.vararg.arg] = f"{TENSOR}{SEQUENCE}" if kind == TENSOR else None
        if arguments.kwarg is not None:
            found[arguments.kwarg.arg] = None
        return found

    def _enter(
        self,
        body: list[ast.stmt],
        path: str,
        outer: Frame | None,
        owner: str | None,
        parameters: dict[str, Value],
        declared: Value,
        keeps: bool,
    ) -> None:
        """Go through the body of a function. ``keeps``: whether its decorators leave what it returns as it is."""
        before, self.frame = self.frame, Frame(path, outer, owner, self.steps)
        marked, self.globals = self.globals, set()
        put_off, self.is_put_off = self.is_put_off, False
        given = self._given(path)
        for name, value in parameters.items():
            if value is None and given.get(name) != NUMPY:  # of an array nothing follows: other files may pass tensors
                value = given.get(name)
            self.frame.bind(name, value)
        self.body(body)
        if declared is None:
            returned = self.frame.returned if keeps and not self.frame.yields else None
            self.returns[path] = returned
            self.ended.add(path)
            if owner is not None and path.rpartition(".")[0] == owner:
                self.classes[owner].methods[path.rpartition(".")[2]] = returned
        self.frame, self.globals, self.is_put_off = before, marked, put_off

    def _given(self, path: str) -> dict[str, Value]:
        """What calls before pass to a function: to a method also what one of a base class passes that calls it on itself."""
        owner, _, name = path.rpartition(".")
        return next((given for one in self._above(owner) if (given := self.given.get(f"{one}.{name}"))), {})

    def _base(self, node: ast.expr) -> Value:
        """What the base of a class is: where code is ported, of ``Base[int]`` the class, for whichever types it stands."""
        value = self.expr(node)
        if value is not None or not isinstance(node, ast.Subscript) or not self.names.follows_ported:
            return value
        kind = self._silent(node.value)
        if kind is None or kind[-1] in ")]#":
            return None
        return kind if kind[0] == IN_TREE or self.names.is_class(kind) else None

    def _class(self, node: ast.ClassDef) -> None:
        for mark in node.decorator_list:
            self.expr(mark)
        bases = [value for base in node.bases if (value := self.names.source(self._base(base))) is not None]
        for keyword in node.keywords:
            self.expr(keyword.value)
        outer = self.frame
        path = self._path(node)
        bases += [FOREIGN] * (len(node.bases) > len(bases))  # of which nobody knows anything
        own = list(dict.fromkeys(one for base in bases for one in base.split("|")))
        former = self.classes.get(path) or ClassFacts([], {}, {})
        every = list(dict.fromkeys([*own, *former.bases]))
        definitions = (tuple(own), *former.definitions)
        self.steps.take(len(definitions) // 64)  # which are copied
        if len(every) > _MOST_BASES:  # each attribute would be looked for in all of them
            every, definitions = [FOREIGN], ((FOREIGN,),) * len(definitions)
        defined = [
            (one.name, one.lineno) for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        facts = ClassFacts(
            every,
            {},
            {},
            definitions,
            (*{base.lineno for base in node.bases}, *former.head),
            (*(line for name, line in defined if name == FORWARD), *former.forward),
            former.constructs or any(name == "construct" for name, _ in defined),
        )
        self.classes[path] = facts
        self.local.add(path)
        is_ported = self.names.follows_ported
        self.frame = ClassFrame(path, outer, self.top) if is_ported else Frame(path, outer, None, self.steps)
        held, self.later = self.later, deque()
        self.body(node.body)
        methods, self.later = self.later, held
        self.later.extend(methods)
        taken = self.frame.taken if isinstance(self.frame, ClassFrame) else ()
        for name, value in self.frame.ever.items():
            last = value if name in taken else self.frame.bound.get(name, value)  # as the body leaves it
            if last is None or not last.startswith(f"{path}."):
                facts.attributes.setdefault(name, last)
        self.frame = outer
        self._define(node.name, path)


def _may_be_tensor(default: ast.expr | None) -> bool:
    """Whether a parameter of ``forward`` with this default may be given a tensor: it has none, or None."""
    return default is None or _is_none(default)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
