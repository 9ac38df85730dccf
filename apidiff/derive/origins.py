"""Where a number came from: probes fill each rank's inputs so that a result shows which of them went into it.

Element ``i`` of rank ``r`` holds ``(i + 1) * 10**r``, so 110 can only be the first elements of ranks 1 and 2 added. What
is found here is read from the recorded values alone; nothing about the API is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from apidiff.model.picture import Origin, Plain


@dataclass
class Origins:
    """Finds origins among the values that all ranks held before the call.

    Output buffers are filled with -1 beforehand; that, zero, None and an empty text mark no rank and are no origin.
    """

    _before: dict[tuple[int, str, int], Plain] = field(default_factory=dict)
    _by_element: dict[tuple[str, int], dict[int, Plain]] = field(default_factory=dict)
    _sums: dict[Plain, list[Origin]] | None = None

    def add(self, rank: int, buffer: str, values: Iterable[Plain], *, twin: bool = False) -> None:
        """Note what ``buffer`` held. ``twin``: it shares its memory with one noted before, so its values count once."""
        for element, value in enumerate(values):
            self._before[rank, buffer, element] = value
            if _marks(value) and not twin:
                self._by_element.setdefault((buffer, element), {})[rank] = value
        self._sums = None

    def of(self, rank: int, buffer: str, element: int, value: Plain) -> Origin | None:
        """The origin of ``value`` found at a place after the call, None where there is none or more than one.

        A value that stood there already is its own origin.
        """
        if not _marks(value):
            return None
        if _same(self._before.get((rank, buffer, element)), value):
            return Origin(ranks=[rank], buffer=buffer, element=element)
        if self._sums is None:
            self._sums = self._every_sum()
        found = self._sums.get(value, [])
        return found[0] if len(found) == 1 else None

    def _every_sum(self) -> dict[Plain, list[Origin]]:
        """Every value that is an input, or the sum of one element over several ranks, with its origins."""
        found: dict[Plain, list[Origin]] = {}
        for (buffer, element), by_rank in self._by_element.items():
            for ranks in _subsets(sorted(by_rank)):
                values = [by_rank[rank] for rank in ranks]
                numbers = [value for value in values if isinstance(value, int | float)]
                if len(numbers) == len(values):
                    total: Plain = sum(numbers)
                elif len(values) == 1:
                    total = values[0]
                else:
                    continue
                found.setdefault(total, []).append(Origin(ranks=ranks, buffer=buffer, element=element))
        return found


def _marks(value: Plain) -> bool:
    """Whether a value says which rank it is from."""
    if isinstance(value, str):
        return value not in {"", "nan", "inf", "-inf"}
    return value is not None and not isinstance(value, bool) and value > 0


def _same(one: Plain, other: Plain) -> bool:
    return isinstance(one, str) == isinstance(other, str) and one == other


def _subsets(ranks: list[int]) -> list[list[int]]:
    found: list[list[int]] = [[]]
    for rank in ranks:
        found += [[*chosen, rank] for chosen in found]
    return found[1:]
