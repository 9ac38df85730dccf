"""Tells which modules of a scanned tree give a name to those that take all names of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

_MOST_IMPORTS = 1_000  # that are looked through for one name
_MOST_LOOKED = 2_000_000  # for all names of a tree together
_FEWEST_IMPORTS = 8  # for each name where those are used up


class StarImports:
    """The star imports of a tree, and those of the modules that they name, and so on.

    Args:
        stars: the modules from which each takes all names, in order.
        bound: names, each with a module that binds it.
        early: of modules that bind names before a star import: how many star imports stand before each name.
        exported: of modules with ``__all__``: the names that it lists.
    """

    def __init__(
        self,
        stars: Mapping[str, Sequence[str]],
        bound: Iterable[tuple[str, str]],
        early: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
        exported: Mapping[str, Set[str]] = MappingProxyType({}),
    ) -> None:
        self._stars, self._early, self._exported = stars, early, exported
        self._numbers: dict[str, int] = {}
        self._reached: list[int] = []  # by number: a bit for each module that star imports lead to
        for group in _groups(stars, self._numbers):
            self._reached += [0] * (len(self._numbers) - len(self._reached))
            others = {self._numbers[star] for one in group for star in stars.get(one, ())}
            reached = 0
            for other in others:
                reached |= self._reached[other] | 1 << other
            for one in group:
                self._reached[self._numbers[one]] = reached
        self._modules = list(self._numbers)
        self._binders: dict[str, set[int]] = {}
        for name, module in bound if self._numbers else ():
            if module in self._numbers:
                self._binders.setdefault(name, set()).add(self._numbers[module])
        self._closed = sum(1 << self._numbers[one] for one in exported if one in self._numbers)  # with `__all__`
        self._looked = 0  # star imports, for all names that were asked for
        self._masks: dict[str, int] = {}  # by name that was asked for: a bit for each module that binds it

    def giver(self, module: str, name: str) -> tuple[str | None, str] | None:
        """The module that binds what ``name`` is in another, be it that one, and before it the star import that leads there.

        As Python has it: what binds a name last, and of a star import what it is in that module. None where nobody knows, or
        there are very many star imports; the star import is told where the module binds the name itself, too.
        """
        binders, mask = self._binders.get(name, set()), self._mask(name)
        number = self._numbers.get(module)
        if number is None or not self._reached[number] & mask:
            return (None, module) if number in binders else None
        leading = self._reached[number] & mask
        is_open = not name.startswith("_") and not self._reached[number] & self._closed
        if is_open and number not in binders and leading.bit_count() == 1:  # all ways lead to that
            return None, self._modules[leading.bit_length() - 1]
        met, path, looked = {module}, [(module, self._later_stars(module, name))], 0
        most = _MOST_IMPORTS if self._looked < _MOST_LOOKED else _FEWEST_IMPORTS
        while path:
            at, stars = path[-1]
            for star in stars:
                number, looked = self._numbers[star], looked + 1
                self._looked += 1
                if looked > most:
                    return None
                leads = number in binders or self._reached[number] & mask
                if leads and star not in met and self._exports(star, name):
                    met.add(star)
                    path.append((star, self._later_stars(star, name)))
                    break
            else:
                if self._numbers[at] in binders:
                    return path[1][0] if len(path) > 1 else None, at
                path.pop()  # star imports in a circle
        return None

    def _exports(self, module: str, name: str) -> bool:
        """Whether star imports of a module take a name, if it has that."""
        exported = self._exported.get(module)
        return not name.startswith("_") if exported is None else name in exported

    def _later_stars(self, module: str, name: str) -> Iterator[str]:
        """The modules from which one takes all names after it has bound ``name``, the last first."""
        stars = self._stars.get(module, ())
        first = 0
        if self._numbers[module] in self._binders.get(name, ()):
            first = self._early.get(module, {}).get(name, len(stars))
        return (stars[number] for number in range(len(stars) - 1, first - 1, -1))

    def possible_givers(self, module: str, name: str) -> Iterator[str]:
        """All modules that bind ``name``, of those to which the star imports of one lead."""
        number = self._numbers.get(module)
        found = self._reached[number] & self._mask(name) if number is not None else 0
        while found:
            first = (found & -found).bit_length() - 1
            yield self._modules[first]
            found ^= 1 << first

    def forget(self, module: str, name: str) -> None:
        """Give ``module`` as one that binds ``name`` no more."""
        self._masks[name] &= ~(1 << self._numbers[module])

    def _mask(self, name: str) -> int:
        if name not in self._binders:
            return 0
        if name not in self._masks:
            self._masks[name] = sum(1 << one for one in self._binders[name])
        return self._masks[name]


def _groups(stars: Mapping[str, Sequence[str]], numbers: dict[str, int]) -> Iterator[list[str]]:
    """Modules in groups that lead to each other (Tarjan's strongly connected components), each after those that it leads to.

    ``numbers`` is filled in the order in which modules are met.
    """
    lowest: dict[str, int] = {}  # of those whose group is not complete: the first that they lead to
    waiting: list[str] = []
    for start in stars:
        path = [start] if start not in numbers else []
        rests: list[Iterator[str]] = []
        while path:
            module = path[-1]
            if len(rests) < len(path):
                numbers[module] = lowest[module] = len(numbers)
                waiting.append(module)
                rests.append(iter(stars.get(module, ())))
            for other in rests[-1]:
                if other not in numbers:
                    path.append(other)
                    break
                if other in lowest:
                    lowest[module] = min(lowest[module], numbers[other])
            else:
                path.pop()
                rests.pop()
                if path:
                    lowest[path[-1]] = min(lowest[path[-1]], lowest[module])
                if lowest[module] == numbers[module]:
                    group = [waiting.pop()]
                    while group[-1] != module:
                        group.append(waiting.pop())
                    for one in group:
                        del lowest[one]
                    yield group
