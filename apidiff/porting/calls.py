"""Goes through calls: what they pass, what they return, and what they tell of the names in them."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator

from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE
from apidiff.porting.bindings import NUMPY, joined
from apidiff.porting.name_chains import NameChains, is_dotted
from apidiff.porting.torch_names import FOREIGN, IN_TREE, MOST_ABOVE, TENSOR, Value, united
from apidiff.porting.uses import Argument, Passed, Use, place_of

_OTHERS = {NUMPY, FOREIGN}  # objects of other libraries
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
_MAKES_ARRAY = f"{TENSOR.removesuffix(INSTANCE)}.numpy"
_MAKE_ARRAYS = {"asnumpy", "numpy"}  # methods that give an array whatever they are called on, in ported code too
_REGISTERS = {"register_buffer", "register_parameter"}
_PAIRS = {"enumerate", "zip"}
_SAME_CALLS = {"list", "tuple", "reversed", "sorted", "iter", "set", "deepcopy"}


class Calls(NameChains):
    """Goes through calls."""

    def _call(self, node: ast.Call) -> Value:
        func = node.func
        args: list[Argument] = []
        passed = Passed(args, {}, False)
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
        expr, source, more = self.expr, self.names.source, False
        if value is not None:
            value = source(value)
        for argument in node.args:
            if type(argument) is ast.Starred:
                expr(argument.value)
                more = True
                continue
            given = expr(argument)
            args.append(Argument(argument, source(given) if given is not None and given != NO_OBJECT else given))
        for keyword in node.keywords:
            given = expr(keyword.value)
            if keyword.arg is None:
                more = True
            else:
                passed.keywords[keyword.arg] = Argument(keyword.value, source(given) if given is not None else None)
        if plain in _PAIRS:
            self.paired = node, plain, passed
        if kind is ast.Attribute and func.attr in _REGISTERS:  # type: ignore[attr-defined]
            self._register(func, passed)  # type: ignore[arg-type]
        if more:
            passed.keywords["**"] = Argument(node, None)
        if value is not None and (args or passed.keywords):
            self._learn(value, passed)
        if value is None:
            if kind is ast.Attribute and func.attr in _MAKE_ARRAYS:  # type: ignore[attr-defined]
                return NUMPY
            return self._builtin(plain, passed, node) if plain is not None else None
        if value in {"torch.nn.ModuleList", "torch.nn.Sequential"} and len(passed.args) == 1:
            held = passed.args[0].value
            made = f"{value}{INSTANCE}"
            return united(made, held) if held is not None and held.endswith(SEQUENCE) else made
        if value in self.local and (value in self.ended or self.returns.get(value) is not None):
            return self.returns[value]
        return self._result(value)

    def _result(self, value: str) -> Value:
        """What a call of ``value`` returns."""
        if value == _MAKES_ARRAY:
            return NUMPY
        if NUMPY not in value:
            return self.names.call(value)
        return joined(*(NUMPY if part == NUMPY else self.names.call(part) for part in value.split("|")))

    def _item(self, value: Value) -> Value:
        """What a subscript, or an iteration, of ``value`` gives."""
        return value if value is None or value == NUMPY else self.names.item(value)

    def _register(self, func: ast.Attribute, passed: Passed) -> None:
        """``self.register_buffer("mask", …)``: from here on ``self.mask`` is a tensor."""
        name = passed.args[0].node if passed.args else None
        if self._is_self(func.value) and isinstance(name, ast.Constant) and isinstance(name.value, str):
            self._keep_own(name.value, TENSOR, self.frame.owner or "")

    def _learn(self, value: str, passed: Passed) -> None:
        """Note what a call tells: of the parameters of a function of this file, and of what a function of PyTorch takes."""
        first = passed.args[0] if passed.args else None
        if value in self.names.take_tensors:
            if first is not None and first.value is None and type(first.node) is ast.Name:
                self.frame.bind(first.node.id, TENSOR)
            return
        path = value.replace(INSTANCE, "") if INSTANCE in value else value
        owner, _, last = path.rpartition(".")
        if last not in self.with_parameters:  # else each call would go through all classes above
            return
        parameters = next(
            (found for one in self._above(owner) if (found := self.parameters.get(f"{one}.{last}"))), None
        )
        if parameters is None:
            return
        given = self.given.setdefault(path, {})
        told = [(name, one.value) for name, one in zip(parameters, passed.args, strict=False)]
        told += [(name, NUMPY) for name, one in passed.keywords.items() if one.value == NUMPY and name in parameters]
        for name, what in told:
            if what is not None and (what[0] == "t" or what == NUMPY):
                given[name] = self._either_of(path, name, given.get(name), what)

    def _above(self, path: str) -> Iterator[str]:
        """A class of this file, then those that it inherits from. Raises NotFollowed."""
        met = dict.fromkeys([path])
        waiting = deque(met)
        while waiting and len(met) <= MOST_ABOVE:
            one = waiting.popleft()
            yield one
            if (facts := self.classes.get(one)) is not None:
                self.steps.take(len(facts.bases))  # each call, and each function, goes through them again
                bases = [base for base in dict.fromkeys(facts.bases) if base not in met]
                met.update(dict.fromkeys(bases))
                waiting += bases

    def _builtin(self, name: str, passed: Passed, node: ast.Call) -> Value:
        """What a call of a builtin function returns."""
        first = passed.args[0].value if passed.args else None
        if (
            name == "type"
            and first is not None
            and first[0] == IN_TREE
            and first.endswith(INSTANCE)
            and "|" not in first
        ):
            return first[: -len(INSTANCE)]
        if name in _NO_TENSOR_CALLS:
            return NO_OBJECT
        if name in _SAME_CALLS:
            return first
        if name in {"sum", "max", "min", "next", "abs"} and first is not None:
            return first if first == TENSOR else self._item(first)
        if name == "getattr" and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
            return self._getattr(node, passed)
        return None

    def _getattr(self, node: ast.Call, passed: Passed) -> Value:
        """``getattr(module, "name")`` with a written name. What is no identifier names no API, and may be no text at all."""
        value, name = passed.args[0].value, node.args[1].value  # type: ignore[attr-defined]
        if value is None or value[0] != "t" or value[-1] in ")]":
            return None
        if not isinstance(name, str) or not name.isidentifier():
            return None
        found = self.names.attribute(value, name)
        if found is not None and not self.names.is_module(found):
            self.uses.append(Use(found, place_of(node), "name", None))
        return found

    def _either_of(self, owner: str, name: str, first: Value, second: Value) -> Value:
        """What a name is that code anywhere in the file may bind; unknown where that is now an object, now NumPy's."""
        if first is not None and second is not None and joined(first, second) is None:
            self.mixed.add((owner, name))
        return None if (owner, name) in self.mixed else united(first, second)

    def _is_self(self, owner: ast.expr) -> bool:
        """Whether an expression names the object whose method is at hand."""
        of = self.frame.owner
        return of is not None and isinstance(owner, ast.Name) and self._look(owner.id) == f"{of}{INSTANCE}"

    def _keep_own(self, name: str, value: Value, of: str) -> None:
        """Note what is kept in the attribute ``name`` of a class of this file, or of an object of it."""
        kept = self.classes[of].attributes
        kept[name] = self._either_of(of, name, kept.get(name), value)

    def keep(self, target: ast.Attribute, value: Value) -> None:
        """Note what is kept in an attribute of ``self``, of a class or an object, or of a module: ``torch.backends…``."""
        owner = target.value
        if self._is_self(owner):
            self._keep_own(target.attr, value, self.frame.owner or "")
            return
        if self._is_forward([target]) or (is_dotted(owner) and self.names.is_module(self._silent(owner) or "")):
            self._chain(target)
            return
        of = self.expr(owner)  # once: a target may stand within another
        if of is not None and (path := of.removesuffix(INSTANCE)) in self.classes:
            known = self.classes[path].attributes.get(target.attr)
            # What is put into one object tells of no other that it is a tensor.
            if known is not None or value in _OTHERS:
                self._keep_own(target.attr, value, path)
        if isinstance(owner, ast.Attribute) and of is not None and self.names.is_module(of):
            self._follow(of, owner, [target], "name", None)
