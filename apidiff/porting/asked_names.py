"""Tells which names of PyTorch the files of a scanned tree take from each other: the imports that bind them stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from apidiff.porting.star_imports import StarImports
from apidiff.porting.torch_names import IN_TREE
from apidiff.porting.tree_links import TreeLinks
from apidiff.porting.tree_modules import UNSURE, Candidates

ALL = "*"  # in the place of a name: every name of a module
_ANY = UNSURE  # in the place of a module: any, for an import that may mean one of very many
_WORD = re.compile(r"\w+")


def asked_names(links: TreeLinks, places: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, set[str]]:
    """The names of PyTorch that modules take from each other, by the module that binds them, or may bind them.

    ``places``: the module in which each stands, and a path with the names behind it.
    """
    return _Asked(links).of(places)


class _Asked:
    def __init__(self, links: TreeLinks) -> None:
        self._links, self._modules = links, links.modules
        self._candidates = Candidates(self._modules)
        # The names that modules bind, or may bind.
        self._bound = {name: facts.names.keys() | facts.imported for name, facts in self._modules.items()}
        self._stars = self._star_imports()
        values = (item for facts in self._modules.values() for item in facts.names.items())
        self._of_torch = {name for name, value in values if _is_torch(value)}
        self._found: dict[str, set[str]] = {}

    def _star_imports(self) -> StarImports:
        """Star imports with all modules that they may mean."""
        stars: dict[str, list[str]] = {}
        for name, facts in self._modules.items():
            for star in facts.stars:
                meant = self._candidates.meant(star)
                found = [_ANY] if meant is None else [one for one in meant if one in self._modules]
                stars.setdefault(name, []).extend(found)
        bound = [(name, module) for module, names in self._bound.items() for name in (ALL, *names)]
        bound += ((name, _ANY) for name in set[str]().union(*self._bound.values()))
        return StarImports(stars, bound)

    def of(self, places: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, set[str]]:
        for by, value, names in {(by, value, tuple(names)) for by, value, names in places}:
            for path in value.split("|"):
                self._ask_along([*path[1:].split("."), *names] if path[:1] == IN_TREE else [], by)
        for name in self._modules:
            if name.startswith("<"):  # of a page: what a star import gives it may be taken for customary names
                self._ask(name, ALL, name)
        of_any = self._found.pop(_ANY, set())
        for name, bound in self._bound.items():
            self._note(name, of_any & bound)
        return self._found

    def _ask_along(self, steps: Sequence[str], by: str) -> None:
        """Note what is asked of the modules that a path goes through, from each that its first step may mean."""
        taken = self._of_torch.intersection(map(_plain, steps[1:]))
        meant = self._candidates.meant(steps[0]) if taken else ()
        if meant is None:
            self._note(_ANY, taken)
        for module in meant or ():
            path = f"{IN_TREE}{module}"
            for step in steps[1:]:
                owner = self._links.resolve(path)
                if owner is None:
                    break
                name = _plain(step)
                for part in owner.split("|") if name in taken else ():
                    if part[0] == IN_TREE:
                        self._ask(part[1:], name, by)
                path = f"{path}.{step}"

    def _ask(self, module: str, name: str, by: str) -> None:
        """Note that ``by`` asks ``name`` of a module, and of those that give it that by star imports."""
        facts = self._modules.get(module)
        if facts is None:
            return
        if module != by:  # it is no need of others what a file asks of itself
            self._note(module, {name})
        for giver in self._stars.possible_givers(module, name) if name not in facts.names else ():
            self._note(giver, {name})
            self._stars.forget(giver, name)

    def _note(self, module: str, names: set[str]) -> None:
        if names:
            self._found.setdefault(module, set()).update(names)


def _plain(step: str) -> str:
    """A name of a path without what says that it is called, or holds more."""
    found = _WORD.match(step)
    return found[0] if found else ""


def _is_torch(value: str) -> bool:
    """Whether a value may be an API of PyTorch itself, as what is imported from it is."""
    return any(part[:1] == "t" and part[-1] not in ")]" for part in value.split("|"))
