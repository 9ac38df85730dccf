"""Reads ``conf/scope.yaml``: which modules, names and categories the database speaks of."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

from apidiff.database.paths import conf_file
from apidiff.database.yaml import Lines, read_yaml
from apidiff.errors import DataError
from apidiff.model.base import DottedName, Language, NonEmpty, Record, Slug, Text

FILE = "scope.yaml"


class Module(Record, frozen=True, kw_only=True):
    """A module and which of its names are in scope: all that it makes public, or those listed.

    Listed names, and those of ``more``, are written as they follow the module's own. ``more``: names that the module's
    list of public names leaves out. ``defined_in``: only what that module defines is in scope. ``alias``: the short name
    that code customarily gives it. ``copies``: modules that hold the same objects under the same names.
    """

    name: NonEmpty
    names: Literal["all"] | list[NonEmpty]
    more: list[NonEmpty] = []
    defined_in: DottedName | None = None
    alias: NonEmpty | None = None
    copies: list[DottedName] = []

    @property
    def whole(self) -> bool:
        """Whether all public names are in scope."""
        return self.names == "all"

    @property
    def listed(self) -> list[str]:
        """The names that the file spells out."""
        return self.more if isinstance(self.names, str) else self.names


class FrameworkScope(Record, frozen=True, kw_only=True):
    """The modules of a framework, in the order in which pages list them."""

    modules: list[Module]

    def listed(self) -> set[str]:
        """The full names that the file spells out, which a version may lack."""
        return {f"{module.name}.{listed}" for module in self.modules for listed in module.listed}

    def holds_all(self, name: str) -> bool:
        """Whether ``name`` is below a module all of whose names are in scope: one that no version has is not there."""
        return name.startswith(self._prefixes(lambda module: module.whole and module.defined_in is None))

    def needs_counterpart(self, name: str) -> bool:
        """Whether ``name`` is below a module whose names are in scope for themselves, not because answers refer to them."""
        return name.startswith(self._prefixes(lambda module: module.whole))

    def _prefixes(self, fits: Callable[[Module], bool]) -> tuple[str, ...]:
        return tuple(f"{module.name}." for module in self.modules if fits(module))

    def module_of(self, name: str) -> str | None:
        """The longest module that ``name`` is below; None where there is none."""
        names = [module.name for module in self.modules if name.startswith(f"{module.name}.")]
        return max(names, key=len, default=None)

    def aliased(self, name: str) -> list[str]:
        """``name`` with the customary short name of each module it is below: ``dist.reduce``."""
        return [
            f"{module.alias}.{name.removeprefix(module.name + '.')}"
            for module in self.modules
            if module.alias and name.startswith(f"{module.name}.")
        ]


class Undocumented(Record, frozen=True, kw_only=True):
    """Names of the module or class ``of`` that the framework's documentation does not list, by pattern (``*_copy``)."""

    of: NonEmpty
    names: list[NonEmpty]
    why: NonEmpty

    def pattern_for(self, name: str) -> str | None:
        """The first pattern that the full ``name`` fits; None where none does."""
        place, _, short = name.rpartition(".")
        if place != self.of:
            return None
        return next((pattern for pattern in self.names if fnmatchcase(short, pattern)), None)


class SourceScope(FrameworkScope, frozen=True, kw_only=True):
    """The modules of the source framework, whose names have records.

    ``release``: the version whose names these are. ``exceptions``: names without a record, with the reason.
    ``undocumented``: names that need none, by pattern. ``related``: names of the same field that need no record,
    ``module.*`` for all below it.
    """

    release: NonEmpty
    exceptions: dict[DottedName, NonEmpty] = {}
    undocumented: list[Undocumented] = []
    related: list[NonEmpty] = []

    def noticed(self) -> list[str]:
        """Names that code is told to use without a record: an API's full name, or with a dot at its end all below it."""
        whole = self._prefixes(lambda module: module.whole)
        return [*whole, *(name.removesuffix("*") for name in self.related)]

    def undocumented_as(self, name: str) -> tuple[str, str] | None:
        """The module and the pattern by which the full ``name`` needs no record; None where none does."""
        fits = ((group.of, group.pattern_for(name)) for group in self.undocumented)
        return next(((of, pattern) for of, pattern in fits if pattern is not None), None)

    def copies(self) -> dict[str, str]:
        """Modules that hold the same objects as one in scope, with that one."""
        return {copy: module.name for module in self.modules for copy in module.copies}


class Scope(Record, frozen=True, kw_only=True):
    """The whole file. ``categories``: what source APIs are about, in the order of the index, with the words for it."""

    categories: dict[Slug, Text]
    torch: SourceScope
    mindspore: FrameworkScope

    def of(self, framework: str) -> FrameworkScope:
        """The scope of ``torch`` or ``mindspore``."""
        return self.torch if framework == "torch" else self.mindspore

    def category_name(self, category: str, language: Language) -> str:
        """The words for ``category``. Raises KeyError for one that is not in the file."""
        words = self.categories[category]
        return words.said_in(language)


@cache
def load_scope() -> Scope:
    """The scope of this project. Raises DataError where the file is broken."""
    return read_scope(conf_file(FILE))[0]


def read_scope(path: Path) -> tuple[Scope, Lines]:
    """The scope in ``path`` and the line of every value. Raises DataError, which names file and line."""
    scope, lines = read_yaml(path, Scope)
    for framework in ("torch", "mindspore"):
        names: dict[str, int] = {}
        aliases: dict[str, str] = {}
        for number, module in enumerate(scope.of(framework).modules):
            name, place = module.name, (framework, "modules", number)
            if not f"{name}.".startswith(f"{framework}."):
                found = f"{name} is no module of {framework}"
                raise DataError(path, lines[place], found, "Move it to its framework, or write its full name.")
            if names.setdefault(name, number) != number:
                found = f"{name} stands there twice, first in line {lines[framework, 'modules', names[name]]}"
                raise DataError(path, lines[place], found, "Write what is in scope of a module at one place.")
            if not module.whole and (module.more or module.defined_in):
                key = "more" if module.more else "defined_in"
                found = f"{name} lists its names and has {key!r}, which goes with `names: all`"
                raise DataError(path, lines[*place, key], found, "List all names under `names`, or write `names: all`.")
            if module.alias and (other := aliases.setdefault(module.alias, name)) != name:
                found = f"{other} and {name} have the same alias {module.alias!r}"
                raise DataError(path, lines[*place, "alias"], found, "Keep it for one of the two.")
    return scope, lines
