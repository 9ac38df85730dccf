"""Knows what names of PyTorch mean, and what type attributes, calls and items of a value have.

A value is written as a path: ``torch.nn`` (a module), ``torch.relu`` (an API), ``torch.Tensor()`` (an instance),
``torch.Tensor()[]`` (a sequence of them), ``!`` (a number, a string, None). ``|`` stands between several that it may be; None is
what nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec

from apidiff.database.regular_files import read_regular
from apidiff.errors import reinstall
from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE, ResultTypes
from apidiff.model.source_names import SourceNames

# Not by way of `apidiff.database`, which would cost each scan the import of a YAML parser.
_FILE = Path(__file__).resolve().parents[1] / "data" / "result_types.json"
_LARGEST = 8 * 2**20  # bytes
FOREIGN = "~"  # an object of another library
IN_TREE = "@"  # before a path that starts at a module of the scanned tree
TENSOR = f"torch.Tensor{INSTANCE}"
ITEMS = f"{TENSOR}{SEQUENCE}"
ITEM = "#"  # in a path that starts in the tree: an item of what stands before it
MODULE, FORWARD = "torch.nn.Module", "forward"  # of which a port renames the method
_COPIES = {"torch._VF": "torch"}  # a module that hands on the compiled functions of another
MOST_ABOVE = 200  # classes from which one inherits: those of torch and MindSpore have 11 at most
_MOST_PARTS = 64  # things that a value may be: what other files tell may multiply them
LONGEST_PATH = 240  # characters of a path: what is longer leads nowhere
_KEPT = 2**15  # answers to questions that code asks again and again

Value = str | None


class Followed(msgspec.Struct, frozen=True, gc=False):
    """Where names behind a value lead.

    ``value``: what all of them give. ``api``: that is named on the way, None where none is; ``end``: after how many names that
    is, or where the way ends. ``is_lost``: whether nobody knows what one of them gives. ``of_class``: whether
    the API is a member that is looked up on its class.
    """

    value: Value
    api: str | None
    end: int
    is_lost: bool = False
    of_class: bool = False


def read_result_types() -> ResultTypes:
    """Read what the package ships with. Raises DataError where that is damaged."""
    try:
        return msgspec.json.decode(read_regular(_FILE, _LARGEST), type=ResultTypes)
    except (OSError, ValueError, RecursionError) as error:
        raise reinstall(_FILE) from error


class TorchNames:
    """Answers about paths that start with ``torch``.

    ``ported``: whether names of MindSpore are followed too, as if they were those of the APIs that they replace, so that code
    that is ported in part is still understood.
    """

    def __init__(self, names: SourceNames, types: ResultTypes, *, ported: bool = False) -> None:
        self.apis, self.customary = names.apis, names.customary
        self._copies, self._aliases = {**names.copies, **_COPIES}, types.aliases
        self.take_tensors = frozenset(types.take_tensors)
        self._results, self._attributes, self._classes = types.results, types.attributes, types.classes
        self._starred = frozenset(types.starred)
        parents = [name.rpartition(".")[0] for name in names.apis]
        above = {".".join(parent.split(".")[:size]) for parent in parents for size in range(1, parent.count(".") + 2)}
        known = {name for name in above if name not in names.apis and name not in types.classes}
        self._modules = {"torch", *types.modules, *self._copies, *known}
        self._ported, self._alike = names.ported if ported else {}, names.alike
        for name in self._ported:
            parts = name.split(".")[:-1]
            self._modules.update(
                ".".join(parts[:size]) for size in range(1, len(parts) + 1) if parts[size - 1].islower()
            )
        self._modules -= names.apis.keys() & {"torch.Tensor"}
        self.follow = lru_cache(_KEPT)(self._follow)
        self._line = lru_cache(_KEPT)(self._line_of)

    @cached_property
    def tensor_methods(self) -> frozenset[str]:
        """The methods of tensors that code calls, by name."""
        start = "torch.Tensor."
        return frozenset(name.removeprefix(start) for name in self._results if name.startswith(start))

    @cached_property
    def methods(self) -> frozenset[str]:
        """The last parts of all methods of classes that are known."""
        of_types = {name.rpartition(".")[2] for name in self._results if name.rpartition(".")[0] in self._classes}
        of_apis = {name.rpartition(".")[2] for name in self.apis}
        return frozenset(of_types | of_apis)

    def source(self, value: Value) -> Value:
        """The API of PyTorch in whose place a name of MindSpore stands, dtypes by their size; other values as they are."""
        if value is None:
            return None
        return self._ported.get(value, value) if value[0] == "m" else self._alike.get(value, value)

    @property
    def follows_ported(self) -> bool:
        """Whether names of MindSpore are followed too."""
        return bool(self._ported)

    def is_module(self, value: str) -> bool:
        """Whether ``value`` is a module of PyTorch."""
        return value in self._modules

    def is_known(self, value: str) -> bool:
        """Whether it is known what ``value`` is."""
        return value in self.apis or value in self._results or value in self._classes

    def is_class(self, value: str) -> bool:
        """Whether ``value`` is a class: known as one, or written as one."""
        known = self.apis.get(value)
        if known is not None and known.is_class:
            return True
        return value in self._classes or (value not in self._modules and value.rpartition(".")[2][:1].isupper())

    def public(self, name: str) -> str:
        """The shortest public name of what ``name`` means."""
        # What a module that is known to be a copy holds is named by the database as the copied one names it.
        for known in (name, self._copied(name)):
            if known in self.apis:
                return known
        return self._copied(self._aliases.get(name, name))

    def _copied(self, name: str) -> str:
        """The name in the module whose objects that of ``name`` holds, if it is a copy."""
        module, dot, last = name.rpartition(".")
        return f"{self._copies[module]}{dot}{last}" if module in self._copies else name

    def _follow(self, value: str, names: tuple[str, ...], is_called: bool, /) -> Followed:
        """Follow ``names`` behind ``value``, which is of PyTorch. ``is_called``: whether a call ends them."""
        now: Value = value
        for at in range(len(names) + 1):
            if now is None:
                return Followed(None, None, at, True)
            if now[0] in "!~":
                return Followed(now, None, at)
            if now[-1] not in ")]" and now not in self._modules:
                return self._follow_api(now, names, at)
            if at == len(names):
                break
            before, now = now, self.attribute(now, names[at])
            if is_called and at + 1 == len(names) and before[-1] == ")":
                is_api = now is not None and now[0] == "t" and now[-1] not in ")]"
                if now is not None and is_api and self.returns_self(now):
                    return Followed(f"{before[: -len(INSTANCE)]}.{names[-1]}", now, at + 1)
                if now is None and before == TENSOR and names[-1] in self.tensor_methods:
                    return Followed(None, f"torch.Tensor.{names[-1]}", at + 1)
                return Followed(now, now if is_api else None, at + 1)
        return Followed(now, None, len(names))

    def _follow_api(self, api: str, names: tuple[str, ...], at: int) -> Followed:
        """Follow names behind an API, which is itself named by those before ``at``, or with the next as its member."""
        if at == len(names):
            return Followed(api, api, at)
        if not self.is_class(api) and not self.is_known(
            api
        ):  # a module or an object that nobody knows: all that follows
            return Followed(None, ".".join([api, *names[at:]]), len(names))
        if not self.is_class(api):
            return Followed(self._last(api, names[at:]), api, at)
        member = self.attribute(api, names[at])
        if member is None:
            return Followed(None, api, at)
        return Followed(self._last(member, names[at + 1 :]), member, at + 1, of_class=True)

    def _last(self, value: Value, names: tuple[str, ...]) -> Value:
        for name in names:
            value = self.attribute(value, name) if value is not None else None
        return value

    def meant(self, path: str, names: tuple[str, ...], *, is_called: bool) -> tuple[str, str | None] | None:
        """What tells the API from others that ``names`` behind a module or an API lead to; None for none, or an object.

        It is the same for all names by which the database knows the API.
        """
        if path[0] != "t" or path[-1] in ")]":
            return None
        api = self.follow(path, names, is_called).api
        return (self.mapping(api) or (api, None)) if api is not None else None

    def star(self, module: str) -> dict[str, str]:
        """What a star import from ``module`` binds."""
        return self._members.get(self._copies.get(module, module), {})

    @cached_property
    def _members(self) -> dict[str, dict[str, str]]:
        """The full names of what a star import from each module binds, by its name there: of the modules below it but some."""
        members: dict[str, dict[str, str]] = {}
        for name in (*self.apis, *self._results, *self._starred):
            module, _, last = name.rpartition(".")
            if not last.startswith("_") and (name in self._starred or name not in self._modules):
                members.setdefault(module, {})[last] = name
        return members

    def attribute(self, value: str, name: str) -> Value:
        """The value of an attribute."""
        if "|" in value:
            return either(value, lambda part: self.attribute(part, name))
        if value[0] in "!~":
            return value
        if len(value) > LONGEST_PATH:
            return None
        if value[0] == IN_TREE:
            return f"{value}.{name}"
        if value in self._modules:
            return self.public(f"{value}.{name}")
        if value.endswith(INSTANCE):
            return self._of_instance(value[:-2], name)
        if value.endswith(SEQUENCE):
            return NO_OBJECT if name in _OF_LISTS else self.item(value)  # .values, .indices of a named tuple
        return f"{value}.{name}" if self.is_class(value) else None

    def _of_instance(self, owner: str, name: str) -> Value:
        for ancestor in self._line(owner):
            member = f"{ancestor}.{name}"
            if member in self._attributes:
                return self._attributes[member] or None
            if member in self._results:
                return member
        if owner == "torch.Tensor":
            return None
        known = self.apis.get(owner)
        return f"{owner}.{name}" if known and known.is_class else None

    def returns_self(self, method: str) -> bool:
        """Whether a method of layers returns the layer, of whichever class that is."""
        return method.startswith(f"{MODULE}.") and self._results.get(method) == f"{MODULE}{INSTANCE}"

    def is_layer(self, value: str) -> bool:
        """Whether ``value`` is ``torch.nn.Module`` or a class that inherits from it."""
        return MODULE in self._line(value)

    def _line_of(self, owner: str) -> list[str]:
        """A class, then those that it inherits from; alone where those are more than any has."""
        line = [owner]
        for ancestor in line:
            line += [base for base in self._classes.get(ancestor, ()) if base not in line]
            if len(line) > MOST_ABOVE:
                return [owner]
        return line

    def call(self, value: str) -> Value:
        """What a call of ``value`` returns."""
        if "|" in value:
            return either(value, self.call)
        if value == NO_OBJECT:
            return NO_OBJECT
        if value == FOREIGN or len(value) > LONGEST_PATH:
            return None
        if value[0] == IN_TREE:
            return f"{value}{INSTANCE}"
        if is_tensor_class(value):
            return TENSOR
        if result := self._results.get(value):
            return result
        if value.endswith(INSTANCE):
            return self._of_module(value[:-2])
        if self.is_class(value):
            return f"{value}{INSTANCE}"
        owner, _, name = value.rpartition(".")
        if self.returns_self(f"{MODULE}.{name}") and self.is_layer(owner):
            return f"{owner}{INSTANCE}"
        return TENSOR if owner == "torch.Tensor" and name.endswith("_") else None

    def _of_module(self, owner: str) -> Value:
        line = self._line(owner)
        if MODULE not in line:
            return None
        found = next((result for one in line if (result := self._results.get(f"{one}.forward"))), None)
        return found or (TENSOR if owner != MODULE else None)

    def item(self, value: str) -> Value:
        """What a subscript, or an iteration, of ``value`` gives."""
        if "|" in value:
            return either(value, self.item)
        if value.endswith(SEQUENCE):
            return value[: -len(SEQUENCE)]
        if value == TENSOR:
            return TENSOR
        if value[0] == IN_TREE and len(value) < LONGEST_PATH:
            return f"{value}.{ITEM}"
        return NO_OBJECT if value in {NO_OBJECT, "torch.Size()"} else None

    def mapping(self, name: str) -> tuple[str, str | None] | None:
        """The mapping that ``name`` means, and the member of its class that it names, or None."""
        known = self.apis.get(name)
        if known is not None:
            return known.mapping, None
        owner, _, member = name.rpartition(".")
        known = self.apis.get(owner)
        return (known.mapping, member) if known is not None and known.is_class else None


_OF_LISTS = {"append", "extend", "insert", "pop", "remove", "clear", "copy", "count", "index", "sort", "reverse"}


_KEPT_TENSORS = {"torch.nn.Parameter", "torch.nn.Buffer"}


def is_tensor_class(value: str) -> bool:
    """Whether ``value`` is a class of tensors: of one dtype, such as ``torch.LongTensor``, or of those that a layer keeps."""
    if value in _KEPT_TENSORS:
        return True
    return value.endswith("Tensor") and value != "torch.Tensor" and value.startswith("torch.") and value.count(".") == 1


def either(value: str, of: Callable[[str], Value]) -> Value:
    """What ``of`` makes of each that ``value`` may be; None where those are more than is followed."""
    found = dict.fromkeys(part for one in value.split("|") if (made := of(one)) is not None for part in made.split("|"))
    return "|".join(found) if 0 < len(found) <= _MOST_PARTS else None


def sequence_of(value: str) -> Value:
    """A sequence of what ``value`` may be; None where its path is too long to lead anywhere."""
    return "|".join(f"{part}{SEQUENCE}" for part in value.split("|") if len(part) < LONGEST_PATH) or None


def united(first: Value, second: Value) -> Value:
    """What is one or the other; of one that is unknown or no object the other is told."""
    if first == second or second is None or second == NO_OBJECT:
        return first if first is not None else second
    if first is None or first == NO_OBJECT:
        return second
    parts = dict.fromkeys([*first.split("|"), *second.split("|")])
    return "|".join(list(parts)[:4])
