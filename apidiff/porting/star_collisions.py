"""Tells which names that a port adds would be, or make, another thing through the star imports of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from apidiff.porting.bindings import ModuleFacts
from apidiff.porting.import_edits import ADDED
from apidiff.porting.star_imports import StarImports
from apidiff.porting.tree_modules import Candidates


def star_collisions(modules: Mapping[str, ModuleFacts], keeps: Callable[[str, str], bool]) -> dict[str, frozenset[str]]:
    """Of the names that a port may add, by module: those that star imports bind to another thing there, or in its takers.

    A taker is a module that takes all names of it, or of one that does. What it calls by a name of PyTorch goes with the port,
    but for what stays.

    Args:
        modules: what each file tells, by dotted name.
        keeps: whether a module still uses something of PyTorch in ported code, given by the path that its name stands for.
    """
    candidates = Candidates(modules)
    stars = {
        name: [one for star in facts.stars for one in candidates.meant(star) or () if one in modules]
        for name, facts in modules.items()
        if facts.stars
    }
    found: dict[str, set[str]] = {}
    for added, means in ADDED.items() if any(stars.values()) else ():
        bound = {name: parts for name, facts in modules.items() if (parts := _other(facts, added, means))}
        if bound:
            for module in _colliding(added, bound, _handing_on(modules, stars, added), keeps):
                found.setdefault(module, set()).add(added)
    return {module: frozenset(names) for module, names in found.items()}


def _other(facts: ModuleFacts, name: str, means: str) -> list[str]:
    """What a module binds a name to, if that is not what a port would bind it to; nothing where it does not bind it."""
    if name in facts.others:
        return [""]
    parts = facts.names.get(name, means).split("|")
    return parts if parts != [means] else []


def _handing_on(
    modules: Mapping[str, ModuleFacts], stars: Mapping[str, Sequence[str]], name: str
) -> dict[str, list[str]]:
    """The star imports that hand on a name: those of modules whose ``__all__``, if they have one, lists it."""
    exported = {one: facts.exported for one, facts in modules.items() if facts.exported is not None}
    return {by: [star for star in named if name in exported.get(star, {name})] for by, named in stars.items()}


def _colliding(
    name: str, bound: Mapping[str, Sequence[str]], stars: Mapping[str, Sequence[str]], keeps: Callable[[str, str], bool]
) -> set[str]:
    """The modules in which a port may not bind ``name``. ``bound``: those that bind it to another thing, with what that is."""
    given = StarImports(stars, ((name, module) for module in bound))
    own = {module for module, parts in bound.items() if not all(part.startswith("torch") for part in parts)}
    given_own = StarImports(stars, ((name, module) for module in own))
    takers: dict[str, list[str]] = {}
    for by, named in stars.items():
        for star in named:
            takers.setdefault(star, []).append(by)
    spoilt = [
        by
        for by in stars
        if by in own or _gives(given_own, by, name) or (by in bound and any(keeps(by, part) for part in bound[by]))
    ]
    spoiling = StarImports(takers, ((name, by) for by in spoilt))
    return {module for module in stars.keys() | takers if _gives(given, module, name) or _gives(spoiling, module, name)}


def _gives(stars: StarImports, module: str, name: str) -> bool:
    """Whether another module binds a name, of those to which the star imports of one lead."""
    return any(one != module for one in stars.possible_givers(module, name))
