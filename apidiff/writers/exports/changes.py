"""What run records tell of time: when each was made, and which verdicts differ between versions of a framework."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from apidiff.derive.version_changes import Changed, changed
from apidiff.model import Evidence, Outcome, Version, worst_outcome
from apidiff.model.views import ClaimEntry, Entry
from apidiff.sphinxext.build_cache import RunLine


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
    facts: tuple[Evidence, ...]


class Recorded(NamedTuple):
    """A run record, with how many claims it says what of."""

    run: RunLine
    outcomes: dict[str, int]


def changed_verdicts(entries: Mapping[str, Entry], runs: Iterable[RunLine]) -> list[Change]:
    """Every change, newest first, then by claim. World sizes are compared each with itself."""
    dates = {run.id: run.date for run in runs}
    leading = {claim.id: (mapping, claim) for mapping, claim in leading_claims(entries)}
    steps: dict[tuple[str, ...], list[Changed]] = {}
    for one in changed(entries):
        place = (one.change.framework, one.change.backend, one.change.device)
        steps.setdefault((one.claim, *place, *one.versions), []).append(one)
    found = [_change(*leading[key[0]], alike, dates) for key, alike in steps.items()]
    found.sort(key=lambda one: (one.claim.id, one.framework, one.backend, one.device, Version(one.after)))
    return sorted(found, key=lambda one: one.date, reverse=True)


def _change(mapping: str, claim: ClaimEntry, alike: list[Changed], dates: Mapping[str, str]) -> Change:
    """What several world sizes show of the same claim between the same versions."""
    change, (before, after) = alike[0].change, alike[0].versions
    where = (change.framework, change.backend, change.device)
    shown = [
        one
        for one in claim.observed
        if (one.framework, one.backend, one.device, one.framework_version) == (*where, after)
    ]
    return Change(
        mapping,
        claim,
        *where,
        before,
        after,
        tuple(Step(one.before.outcome, one.after.outcome, tuple(one.change.world_sizes)) for one in alike),
        date=max((dates.get(one.run, "") for one in shown), default=""),
        facts=next((tuple(one.facts) for one in shown if one.facts), ()),
    )


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
