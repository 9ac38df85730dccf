"""Tells which modules of a scanned tree give a name to those that take all names of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence


class StarImports:
    """The star imports of a tree, and those of the modules that they name, and so on.

    ``stars``: the modules from which each takes all names; ``bound``: names, each with a module that binds it.
    """

    def __init__(self, stars: Mapping[str, Sequence[str]], bound: Iterable[tuple[str, str]]) -> None:
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
        self._binders: dict[str, list[int]] = {}
        for name, module in bound if self._numbers else ():
            if module in self._numbers:
                self._binders.setdefault(name, []).append(self._numbers[module])
        self._masks: dict[str, int] = {}  # by name that was asked for: a bit for each module that binds it

    def givers(self, module: str, name: str) -> Iterator[str]:
        """The modules that bind ``name``, of those to which the star imports of one lead; mostly in the order of these."""
        number = self._numbers.get(module)
        if number is None or name not in self._binders:
            return
        if name not in self._masks:
            self._masks[name] = sum(1 << one for one in set(self._binders[name]))
        found = self._reached[number] & self._masks[name]
        while found:
            first = (found & -found).bit_length() - 1
            yield self._modules[first]
            found ^= 1 << first

    def forget(self, module: str, name: str) -> None:
        """Give ``module`` as one that binds ``name`` no more."""
        self._masks[name] &= ~(1 << self._numbers[module])


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
