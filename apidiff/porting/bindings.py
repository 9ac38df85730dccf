"""Holds what names are bound to while code is walked through: flow-sensitive within a scope, joined after branches."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE
from apidiff.porting.torch_names import FOREIGN, ITEM, Value, united
from apidiff.porting.uses import NotFollowed, place_of

NUMPY = f"{NO_OBJECT}numpy"  # NumPy, and what it gives: arrays have methods by the names of tensors' own
_UNBOUND = "unbound"
_OTHERS = {None, FOREIGN, NUMPY}
_OBJECTS = {INSTANCE[-1], SEQUENCE[-1], ITEM}  # what the path of an object ends with


# Steps of the walk through a file: what code has may multiply them, by loops and branches within each other and star imports. The
# files of torch and MindSpore take 0.2 at most for each character.
_STEPS = 5  # for each character
_FEWEST_STEPS = 10_000  # of the shortest file: a star import from torch binds 763 names


class Steps:
    """How many steps the walk through a file takes: expressions, names that branches and star imports bind, bases of classes.

    ``most``: that it may take, as ``size`` characters are walked through. ``at``: the statement that it has come to.
    """

    __slots__ = ("at", "most", "taken")

    def __init__(self, size: int) -> None:
        self.taken, self.most = 0, _FEWEST_STEPS + _STEPS * size
        self.at: ast.stmt | None = None

    def take(self, steps: int) -> None:
        """Count steps. Raises NotFollowed where those are more than code of that size takes."""
        self.taken += steps
        if self.taken > self.most:
            raise NotFollowed("many_steps", self.most, place_of(self.at) if self.at is not None else (1, 0, 1, 0))


class Frame:
    """One scope.

    ``bound``: what names are now; ``ever``: what they may be when a function that is called later looks them up. ``owner``: the
    class whose method this is, as a path. ``returned``: what the function returns; ``returns``: whether it does yet;
    ``yields``: whether it is a generator. ``changed``: the names that branches have bound or undone since `changes` was last
    asked. ``tried``: the names that a `try` at hand has bound, and to what; for each what it was before. ``steps``: those of the
    whole file.
    """

    __slots__ = (
        "bound",
        "changed",
        "ever",
        "journal",
        "outer",
        "owner",
        "path",
        "returned",
        "returns",
        "steps",
        "tried",
        "yields",
    )

    def __init__(self, path: str, outer: Frame | None, owner: str | None, steps: Steps) -> None:
        self.path, self.outer, self.owner, self.steps = path, outer, owner, steps
        self.bound: dict[str, Value] = {}
        self.ever: dict[str, Value] = {}
        self.changed: dict[str, None] = {}
        self.journal: dict[str, Value] | None = None
        self.tried: dict[tuple[str, Value], Value] | None = None
        self.returned: Value = None
        self.returns = self.yields = False

    def bind(self, name: str, value: Value) -> None:
        """Bind ``name``."""
        if self.journal is not None:
            self.journal.setdefault(name, self.bound.get(name, _UNBOUND))
            self.changed[name] = None
        if self.tried is not None:
            self.tried.setdefault((name, value), self.bound.get(name, value))
        self.bound[name] = value
        ever = self.ever
        if name not in ever:
            ever[name] = value
        elif ever[name] != value:  # of something unknown that a function finds bound, it is what it is bound to next
            ever[name] = value if ever[name] is None else joined(ever[name], value)

    def take_from(self, other: Frame, name: str) -> None:
        """Take ``name`` for what another scope has bound, where that may be of PyTorch, before this scope binds it."""
        found = other.ever.get(name)
        if found is not None and found[0] not in "!~":
            self.bound[name] = found

    def narrow(self, told: dict[str, Value]) -> list[tuple[str, Value]]:
        """Take names for what a test tells of them, in the code that it guards. Give what is returned to `widen`."""
        former = [(name, self.bound.get(name, _UNBOUND)) for name in told]
        if self.journal is not None:
            for name, value in former:
                self.journal.setdefault(name, value)
            self.changed.update(dict.fromkeys(told))
        self.bound.update(told)
        return former

    def widen(self, told: dict[str, Value], former: list[tuple[str, Value]]) -> None:
        """Take names that are bound as `narrow` left them for what they were before."""
        for name, value in former:
            if self.bound.get(name, _UNBOUND) != told[name]:
                continue
            if value is _UNBOUND:
                self.bound.pop(name, None)
            else:
                self.bound[name] = value

    def begin_try(self) -> dict[tuple[str, Value], Value] | None:
        """Begin code that may be left anywhere. Give what is returned to `end_try`."""
        before, self.tried = self.tried, {}
        return before

    def end_try(self, before: dict[tuple[str, Value], Value] | None) -> dict[str, Value]:
        """What the names that it bound may be wherever it was left, of those that may be something else than they are now."""
        made, self.tried = self.tried or {}, before
        self.steps.take(len(made))
        if before:
            for bound, first in made.items():
                before.setdefault(bound, first)
        elif before is not None:
            self.tried = made
        found: dict[str, Value] = {}
        for (name, value), first in made.items():
            former = found.get(name, first)
            found[name] = former if former is None or former == value else joined(former, value)
        return self.since(found)

    def begin(self) -> dict[str, Value] | None:
        """Begin a branch: what names were that it binds is noted. Give what is returned to `end`."""
        before = self.journal
        self.journal = {}
        return before

    def end(self, before: dict[str, Value] | None) -> dict[str, Value]:
        """End a branch: undo what it bound and return that."""
        noted, self.journal = self.journal, before
        if not noted:
            return {}
        self.steps.take(len(noted))
        made = {name: self.bound[name] for name in noted if name in self.bound}
        for name, value in reversed(noted.items()):
            self.changed[name] = None
            if value is _UNBOUND:
                self.bound.pop(name, None)
            else:
                self.bound[name] = value
        return made

    def join(self, *branches: dict[str, Value]) -> None:
        """Bind what is bound after one of several branches. What one of them leaves without a value, none goes on with."""
        bound: dict[str, list[tuple[int, Value]]] = {}  # which branches bind a name, and to what
        for number, branch in enumerate(branches):
            for name, value in branch.items():
                bound.setdefault(name, []).append((number, value))
        self.steps.take(len(bound))
        for name, found in bound.items():
            values = [value for _, value in found]
            before = self.bound.get(name, _UNBOUND)
            if (
                len(found) < len(branches) and before is not _UNBOUND
            ):  # the first branch that leaves the name alone tells it
                first = next((place for place, (number, _) in enumerate(found) if place != number), len(found))
                values.insert(first, before)
            self.bind(name, joined(*values))

    def changes(self) -> dict[str, Value]:
        """What the names are that branches have bound or undone since this was last asked."""
        changed, self.changed = self.changed, {}
        return {name: self.bound[name] for name in changed if name in self.bound}

    def since(self, other: dict[str, Value]) -> dict[str, Value]:
        """What names are in ``other``, of those that are something else now."""
        bound = self.bound
        self.steps.take(len(other))
        return {name: value for name, value in other.items() if name not in bound or bound[name] != value}


class ModuleFrame(Frame):
    """The scope of a module.

    ``stars``: how many star imports there have been that every run comes by; ``before``: how many when each name was last
    bound.
    """

    __slots__ = ("before", "stars")

    def __init__(self, path: str, steps: Steps) -> None:
        super().__init__(path, None, None, steps)
        self.stars = 0
        self.before: dict[str, int] = {}

    def bind(self, name: str, value: Value) -> None:
        """Bind ``name``."""
        self.before[name] = self.stars
        super().bind(name, value)

    def delete(self, name: str) -> None:
        """Note that nothing binds ``name`` any more, to functions either."""
        if self.before.pop(name, None) is not None:
            self.ever.pop(name, None)

    def rebind(self, name: str, value: Value) -> None:
        """Bind ``name`` to another value, which functions find too that stand before."""
        self.bind(name, value)
        self.ever[name] = value


class ClassFrame(Frame):
    """The scope of a class body, in which a name that it has not bound is what the module has bound: ``module``.

    ``taken``: the names that are taken for that, since what binds them may not be run.
    """

    __slots__ = ("module", "taken")

    def __init__(self, path: str, outer: Frame, module: ModuleFrame) -> None:
        super().__init__(path, outer, None, outer.steps)
        self.module = module
        self.taken: set[str] = set()

    def bind(self, name: str, value: Value) -> None:
        """Bind ``name``. Where that may not be run, it stays what it is in the module."""
        if (self.journal is not None or self.tried is not None) and name not in self.bound:
            self.take_from(self.module, name)
            self.taken.add(name)
        former = self.ever.get(name)
        super().bind(name, value)
        if former is not None and name in self.taken and value is not None and "|" in value:
            self.ever[name] = former  # what the module has bound is no attribute of the class


class ClassFacts(NamedTuple):
    """A class of the scanned tree: its bases, what is kept in ``self``, what its methods return; all as values.

    A file may define several by one name. ``bases`` are those of all then; ``definitions``: those of each. ``head``: the lines
    that name them; ``forward``: those that define that method; ``constructs``: whether one defines `construct` too.
    """

    bases: list[str]
    attributes: dict[str, Value]
    methods: dict[str, Value]
    definitions: tuple[tuple[str, ...], ...] = ()
    head: tuple[int, ...] = ()
    forward: tuple[int, ...] = ()
    constructs: bool = False


class ModuleFacts(NamedTuple):
    """What other files may ask of a module: top-level names, star imports, classes and what functions return, by path.

    ``stars``: in the order in which they bind. ``imported``: the top-level names that nothing but imports binds. ``others``:
    those that are nothing of PyTorch or the tree. ``early``: those of all that are bound before a star import, with the number
    of star imports before them. ``exported``: those that ``__all__`` lists, None where nothing tells. ``starred``: how many names
    star imports from PyTorch bind.
    """

    name: str
    names: dict[str, str]
    stars: list[str]
    classes: dict[str, ClassFacts]
    returns: dict[str, str]
    imported: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    early: Mapping[str, int] = MappingProxyType({})
    exported: frozenset[str] | None = None
    starred: int = 0


def joined(*values: Value) -> Value:
    """What is one of several values after branches: unknown where one is, and another an object."""
    found: Value = None
    for number, value in enumerate(values):
        found = united(found, value) if number else value
    if found is not None and any(value in _OTHERS for value in values) and _has_object(found):
        return None
    # What a path begins with says whether it leads anywhere.
    if found is not None and found[0] in "!~" and "|" in found:
        return "|".join(sorted(found.split("|"), key=_OTHERS.__contains__))
    return found


def _has_object(value: str) -> bool:
    return any(part[-1:] in _OBJECTS for part in value.split("|"))


def worth_telling(value: Value) -> bool:
    """Whether another file can learn something from ``value``."""
    return value is not None and value[0] != NO_OBJECT
