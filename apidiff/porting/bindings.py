"""Holds what names are bound to while code is walked through: flow-sensitive within a scope, joined after branches."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from apidiff.model.result_types import NO_OBJECT
from apidiff.porting.torch_names import Value, united

_UNBOUND = "unbound"


class Frame:
    """One scope.

    ``bound``: what names are now; ``ever``: what they may be when a function that is called later looks them up. ``owner``: the
    class whose method this is, as a path. ``returned``: what the function returns.
    """

    __slots__ = ("bound", "ever", "journal", "outer", "owner", "path", "returned")

    def __init__(self, path: str, outer: Frame | None, owner: str | None) -> None:
        self.path, self.outer, self.owner = path, outer, owner
        self.bound: dict[str, Value] = {}
        self.ever: dict[str, Value] = {}
        self.journal: list[tuple[str, Value]] | None = None
        self.returned: Value = None

    def bind(self, name: str, value: Value) -> None:
        """Bind ``name``."""
        if self.journal is not None:
            self.journal.append((name, self.bound.get(name, _UNBOUND)))
        self.bound[name] = value
        ever = self.ever
        if name not in ever:
            ever[name] = value
        elif value is not None and ever[name] != value:
            ever[name] = united(ever[name], value)

    def begin(self) -> list[tuple[str, Value]] | None:
        """Begin a branch: what it binds is noted. Give what is returned to `end`."""
        before = self.journal
        self.journal = []
        return before

    def end(self, before: list[tuple[str, Value]] | None) -> dict[str, Value]:
        """End a branch: undo what it bound and return that."""
        noted, self.journal = self.journal, before
        if not noted:
            return {}
        made = {name: self.bound[name] for name, _ in noted}
        for name, value in reversed(noted):
            if value is _UNBOUND:
                self.bound.pop(name, None)
            else:
                self.bound[name] = value
        return made

    def join(self, *branches: dict[str, Value]) -> None:
        """Bind what is bound after one of several branches."""
        for name in dict.fromkeys(chain.from_iterable(branches)):
            value: Value = None
            for number, branch in enumerate(branches):
                other = branch[name] if name in branch else self.bound.get(name)
                value = united(value, other) if number else other
            self.bind(name, value)


class ClassFacts(NamedTuple):
    """A class of the scanned tree: its bases, what is kept in ``self``, what its methods return; all as values.

    ``twice``: whether its file defines another by that name too. ``head``: the lines that name its bases; ``forward``: those
    that define that method; ``constructs``: whether it defines `construct` too.
    """

    bases: list[str]
    attributes: dict[str, Value]
    methods: dict[str, Value]
    twice: bool = False
    head: tuple[int, ...] = ()
    forward: tuple[int, ...] = ()
    constructs: bool = False


class ModuleFacts(NamedTuple):
    """What other files may ask of a module: top-level names, star imports, classes and what functions return, by path."""

    name: str
    names: dict[str, str]
    stars: list[str]
    classes: dict[str, ClassFacts]
    returns: dict[str, str]


def worth_telling(value: Value) -> bool:
    """Whether another file can learn something from ``value``."""
    return value is not None and value != NO_OBJECT
