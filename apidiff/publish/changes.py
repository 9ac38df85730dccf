"""What run records tell of time: when each was made, and which verdicts differ between versions of a framework."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from apidiff.model import Outcome, Version, worst_outcome
from apidiff.model.entry import ClaimEntry, Entry
from apidiff.sphinxext.content import RunLine


class Step(NamedTuple):
    """The same outcome before, and the same after, at these world sizes."""

    before: str
    after: str
    world_sizes: tuple[int, ...]


class Change(NamedTuple):
    """A claim whose verdict is another in ``after`` than in ``before``, the version recorded last before it.

    ``mapping``: whose page shows the claim. ``date``: that of the newest run of ``after`` that shows it.
    """

    mapping: str
    claim: ClaimEntry
    framework: str
    backend: str
    device: str
    before: str
    after: str
    steps: tuple[Step, ...]
    date: str
    evidence: tuple[str, ...]


class Recorded(NamedTuple):
    """A run record, with how many claims it says what of."""

    run: RunLine
    outcomes: dict[str, int]


def changed_verdicts(entries: Mapping[str, Entry], runs: Iterable[RunLine]) -> list[Change]:
    """Every change, newest first, then by claim. World sizes are compared each with itself."""
    dates = {run.id: run.date for run in runs}
    found = [change for mapping, claim in leading_claims(entries) for change in _changes(mapping, claim, dates)]
    found.sort(key=lambda one: (one.claim.id, one.framework, one.backend, one.device, Version(one.after)))
    return sorted(found, key=lambda one: one.date, reverse=True)


def recorded_runs(entries: Mapping[str, Entry], runs: Iterable[RunLine]) -> list[Recorded]:
    """Every run record, newest first, then by ID."""
    said: dict[str, dict[str, int]] = {}
    for _, claim in leading_claims(entries):
        by_run: dict[str, list[Outcome]] = {}
        for one in claim.observed:
            by_run.setdefault(one.run, []).append(one.outcome)
        for run, outcomes in by_run.items():
            counts = said.setdefault(run, {})
            word = worst_outcome(outcomes).value
            counts[word] = counts.get(word, 0) + 1
    order = [outcome.value for outcome in Outcome]
    found = [
        Recorded(run, dict(sorted(said.get(run.id, {}).items(), key=lambda item: order.index(item[0]))))
        for run in sorted(runs, key=lambda run: run.id)
    ]
    return sorted(found, key=lambda one: one.run.date, reverse=True)


def leading_claims(entries: Mapping[str, Entry]) -> list[tuple[str, ClaimEntry]]:
    """Every claim once, with the mapping that leads where several show it: the one that defines its API."""
    found: dict[str, tuple[str, ClaimEntry]] = {}
    borrowed: dict[str, tuple[str, ClaimEntry]] = {}
    for entry in entries.values():
        elsewhere = {target.name for target in entry.targets if target.defined_in}
        for claim in entry.claims:
            place = borrowed if claim.subject in elsewhere and claim.side == "target" else found
            place.setdefault(claim.id, (entry.id, claim))
    return list({**borrowed, **found}.values())


def _changes(mapping: str, claim: ClaimEntry, dates: Mapping[str, str]) -> Iterator[Change]:
    """The changes of one claim, one a backend, device and pair of neighbouring versions."""
    cells: dict[tuple[str, str, str], dict[str, dict[int, str]]] = {}
    for row in claim.summary:
        versions = cells.setdefault((row.framework, row.backend, row.device), {})
        versions.setdefault(row.framework_version, {}).update(dict.fromkeys(row.world_sizes, row.outcome))
    for where, versions in cells.items():
        for before, after in pairwise(sorted(versions, key=Version)):
            if steps := _steps(versions[before], versions[after]):
                shown = [
                    one
                    for one in claim.observed
                    if (one.framework, one.backend, one.device, one.framework_version) == (*where, after)
                ]
                yield Change(
                    mapping,
                    claim,
                    *where,
                    before,
                    after,
                    steps,
                    date=max((dates.get(one.run, "") for one in shown), default=""),
                    evidence=next((tuple(one.evidence) for one in shown if one.evidence), ()),
                )


def _steps(before: Mapping[int, str], after: Mapping[int, str]) -> tuple[Step, ...]:
    sizes: dict[tuple[str, str], list[int]] = {}
    for size in sorted(before.keys() & after.keys()):
        if before[size] != after[size]:
            sizes.setdefault((before[size], after[size]), []).append(size)
    return tuple(Step(*pair, tuple(found)) for pair, found in sizes.items())
