"""Finds run records that repeat what another says: whoever signed one ran nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from apidiff.model.signed import Signed
from apidiff.model.trace import RunRecord
from apidiff.model.trust import OWN, Trust

# Of three runs of gloo on one machine, any two had at most 3 in 100 of these times in common; a copy has all, or most.
_SHARE = 0.5
_Times = dict[tuple[str, str], tuple[float, ...]]  # by API and probe: the seconds that each rank took


def copied_runs(runs: Iterable[tuple[str, RunRecord]], signed: Mapping[str, Signed]) -> set[str]:
    """The signed records of which most probes took each rank exactly as long as in another's record, by ID.

    Honest runs give the same results, and no two take the same time; nor does one take none, as a copy without its times does.
    This project's records are nobody's copies; of two signed ones that are alike the second is.
    """
    by_place: dict[tuple[object, ...], list[tuple[str, RunRecord]]] = {}
    for key, record in runs:
        place = record.framework, record.backend, record.device, record.world_size  # whichever release it names
        by_place.setdefault(place, []).append((key, record))
    copies: set[str] = set()
    trust = {key: found.trust for key, found in signed.items()}
    for found in by_place.values():
        if all(trust.get(key) is not Trust.SIGNED for key, _ in found):
            continue
        earlier: list[_Times] = []
        for key, record in sorted(found, key=lambda pair: (trust.get(pair[0]) not in OWN, pair[0])):
            times = _times(record)
            if trust.get(key) is Trust.SIGNED and (not times or any(_alike(times, other) for other in earlier)):
                copies.add(key)
            earlier.append(times)
    return copies


def _times(record: RunRecord) -> _Times:
    timed = {(run.api, run.probe): tuple(trace.seconds for trace in run.ranks) for run in record.probes}
    return {key: seconds for key, seconds in timed.items() if any(seconds)}


def _alike(times: _Times, other: _Times) -> bool:
    same = sum(other.get(key) == seconds for key, seconds in times.items())
    return same > _SHARE * min(len(times), len(other))  # a copy may hold more, and a part of what another holds
