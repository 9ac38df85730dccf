"""Reads the buffers of recorded calls: what they hold, where their numbers came from, which were to stay as they are.

Probes fill each rank's inputs so that a result shows which of them went into it: element ``i`` of rank ``r`` holds
``(i + 1) * 10**r``, so 110 can only be the first elements of ranks 1 and 2 added. Where a number came from is read from
the recorded values alone; nothing about the API is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from apidiff.judge import judge_claim, ranks_of
from apidiff.model.claim import RankSet, Result, Writes
from apidiff.model.mapping import Api
from apidiff.model.picture import Origin, Plain
from apidiff.model.trace import ObjectDump, ProbeRun, RankTrace, RunRecord, ScalarDump, SequenceDump, TensorDump, Value
from apidiff.model.verdict import Outcome

RETURNED = "return"
_MOST_SUMS = 2**16  # that ranks can make of all elements: two hundred times what they do in any record of this project
_MOST_BITS = 2**32  # as many as the largest sum, for each value that went in: a second and 250 MB


@dataclass(frozen=True)
class Held:
    """What a buffer holds. ``storage``: the trace's labels of its memory, empty for texts, which have none."""

    values: list[Plain]
    shape: list[int] = field(default_factory=list)
    dtype: str = ""
    storage: int | None = None


def buffers_of(arguments: dict[str, Value], texts: frozenset[str]) -> dict[str, Held]:
    """The buffers among ``arguments`` by name: ``tensor``, ``output[0]``, ``ops[1].tensor``.

    A number, None or a text that is the same everywhere steers the call and is no buffer; ``texts`` names the arguments
    that are (see `text_arguments`).
    """
    found: dict[str, Held] = {}
    for name, value in arguments.items():
        found.update(_walk(name, value, name in texts))
    return found


def returned_buffers(value: Value | None) -> dict[str, Held]:
    """The buffers among what came back."""
    return dict(_walk(RETURNED, value, False)) if value is not None else {}


def text_arguments(traces: Sequence[RankTrace]) -> frozenset[str]:
    """The arguments through which texts travel: those that differ between ranks, and lists that hold a text at any time."""
    found: set[str] = set()
    seen: dict[str, set[str]] = {}
    for trace in traces:
        for arguments in (trace.before, trace.after):
            for name, value in arguments.items():
                if isinstance(value, ScalarDump) and isinstance(value.value, str):
                    seen.setdefault(name, set()).add(value.value)
                if isinstance(value, SequenceDump) and any(_is_text(item) for item in value.items):
                    found.add(name)
    return frozenset(found | {name for name, values in seen.items() if len(values) > 1})


def _is_text(value: Value) -> bool:
    return isinstance(value, ScalarDump) and isinstance(value.value, str)


def _walk(name: str, value: Value, text: bool) -> Iterator[tuple[str, Held]]:
    match value:
        case TensorDump():
            yield name, Held(list(value.values), value.shape, value.dtype, value.storage)
        case SequenceDump(items=items) if text and all(isinstance(item, ScalarDump) for item in items):
            values: list[Plain] = [item.value for item in items if isinstance(item, ScalarDump)]
            yield name, Held(values, [len(values)], value.type)
        case SequenceDump(items=items):
            for index, item in enumerate(items):
                yield from _walk(f"{name}[{index}]", item, text)
        case ScalarDump(value=plain) if text:
            yield name, Held([plain], [], type(plain).__name__)
        case ObjectDump(tensors=tensors):
            for attribute, tensor in tensors.items():
                yield from _walk(f"{name}.{attribute}", tensor, text)


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
        """Every value that is an input, or the sum of one element over several ranks, with its origins.

        The sums of many ranks are too many to list. Of those only what a call mostly shows is: one rank, and all of them,
        as far as no other ranks or element make the same.
        """
        every = sum(2 ** len(by_rank) for by_rank in self._by_element.values()) <= _MOST_SUMS
        found: dict[Plain, list[Origin]] = {}
        for (buffer, element), by_rank in self._by_element.items():
            for ranks in _subsets(sorted(by_rank)) if every else _one_and_all(sorted(by_rank)):
                values = [by_rank[rank] for rank in ranks]
                numbers = _numbers(values)
                if len(numbers) == len(values):
                    total: Plain = sum(numbers)
                elif len(values) == 1:
                    total = values[0]
                else:
                    continue
                found.setdefault(total, []).append(Origin(ranks=ranks, buffer=buffer, element=element))
        if every:
            return found
        made_once = _made_once([_numbers(by_rank.values()) for by_rank in self._by_element.values()])
        return {value: origins for value, origins in found.items() if isinstance(value, str) or made_once(value)}


def _marks(value: Plain) -> bool:
    """Whether a value says which rank it is from."""
    if isinstance(value, str):
        return value not in {"", "nan", "inf", "-inf"}
    return value is not None and not isinstance(value, bool) and value > 0


def _same(value: Plain, other: Plain) -> bool:
    return isinstance(value, str) == isinstance(other, str) and value == other


def _subsets(ranks: list[int]) -> list[list[int]]:
    found: list[list[int]] = [[]]
    for rank in ranks:
        found += [[*chosen, rank] for chosen in found]
    return found[1:]


def _one_and_all(ranks: list[int]) -> list[list[int]]:
    return [*([rank] for rank in ranks), *([ranks] if len(ranks) > 1 else [])]


def _numbers(values: Iterable[Plain]) -> list[int | float]:
    return [value for value in values if isinstance(value, int | float)]


def _made_once(elements: Sequence[Sequence[int | float]]) -> Callable[[Plain], bool]:
    """Tells of a value whether exactly one choice among the numbers of exactly one element adds up to it.

    Sums are kept as the bits of a number, so that adding one more rank's shifts them all. Where numbers are no whole ones, or
    too large for that, no value is known to be.
    """
    largest = max(map(sum, elements), default=0)
    whole = all(float(number).is_integer() for numbers in elements for number in numbers)
    if not whole or largest * sum(map(len, elements)) > _MOST_BITS:
        return lambda _value: False
    once = often = 0
    for numbers in elements:
        made, again = 1, 0
        for number in map(int, numbers):
            again |= again << number | made & made << number
            made |= made << number
        made ^= 1  # the sum of no rank
        often |= again | once & made
        once |= made
    bits = (once & ~often).to_bytes(int(largest) // 8 + 1, "little")
    return lambda value: isinstance(value, int | float) and bool(bits[int(value) // 8] >> int(value) % 8 & 1)


class UnmodifiedBuffers:
    """What the claims on ``api`` say of who may write what in the recorded ``run`` of one of its probes."""

    def __init__(self, api: Api, run: ProbeRun, record: RunRecord, unsupported: Sequence[re.Pattern[str]]) -> None:
        self._kept: list[tuple[str, list[int]]] = []
        self._written: list[tuple[str, list[int]]] = []
        for claim in api.claims:
            if run.probe not in claim.probes:
                continue
            outcome, _ = judge_claim(claim, api, run.probe, run, unsupported, record)
            if claim.keeps is not None and outcome is Outcome.REFUTED:
                ranks, _ = ranks_of(claim.keeps.ranks, api, run.probe, record.world_size)
                self._kept.append((claim.keeps.argument, ranks))
            if outcome is Outcome.HOLDS and (place := _written_at(claim.writes, claim.result)) is not None:
                slot, selected = place
                ranks, _ = ranks_of(selected, api, run.probe, record.world_size)
                self._written.append((slot, ranks))

    def covers(self, buffer: str, rank: int) -> bool:
        """Whether ``rank`` was to leave ``buffer`` alone.

        That is so where a claim that it keeps its values is refuted, and where the ranks that write it are known and ``rank`` is
        none of them. A claim that holds and has the rank write it excuses it: some documents say both.
        """
        writers = [ranks for slot, ranks in self._written if _within(buffer, slot)]
        if any(rank in ranks for ranks in writers):
            return False
        return bool(writers) or any(rank in ranks for slot, ranks in self._kept if _within(buffer, slot))


def _written_at(writes: Writes | None, result: Result | None) -> tuple[str, RankSet] | None:
    """The slot that a claim has written and the ranks that write it; a claim that only some rank does names none."""
    if writes is not None:
        return None if writes.some else (writes.argument, writes.ranks)
    return None if result is None else (result.at, result.ranks)


def _within(buffer: str, slot: str) -> bool:
    return buffer == slot or buffer.startswith((f"{slot}[", f"{slot}."))
