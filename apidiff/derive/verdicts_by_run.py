"""Derives what run records say of a claim: each record's verdict, where records disagree, which version changed it.

A version whose records disagree decides nothing; it and versions that were not run are named where they lie between two
that do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from apidiff.derive.evidence import distinct_claims, holding_mappings
from apidiff.model.base import Text
from apidiff.model.trust import MOST_TRUSTED, Trust
from apidiff.model.verdict import Observation, Outcome, worst_outcome
from apidiff.model.version import Version
from apidiff.model.views import (
    ChangeEntry,
    ClaimEntry,
    Confirmation,
    Dispute,
    Entry,
    ObservedEntry,
    ObservedSummary,
    VerdictChange,
    VersionSpan,
)

Place = tuple[str, str, str, str]  # framework, its version, backend, device
ByRun = dict[Place, dict[int, dict[str, Outcome]]]  # by place, world size and run record
Known = Mapping[str, Sequence[str]]  # framework → its known versions
_Runs = dict[str, Outcome]
# What is shown of an observation's facts.
EVIDENCE_LINES = 3
_TELLING_WORLD_SIZE = 3


def telling_observation(claim: ClaimEntry, row: ObservedSummary) -> Observation | None:
    """Finds the observation that speaks for a summary row: on three ranks, the fewest that show a partial result, if any.

    It is one of those that are trusted most: the row says that these were made by whoever is.
    """
    same = [seen for seen in claim.observed if seen.outcome.value == row.outcome and seen.run in row.runs]
    return min(same, key=_how_telling, default=None)


def _how_telling(seen: Observation) -> tuple[int, bool]:
    return MOST_TRUSTED.index(seen.trust), seen.world_size != _TELLING_WORLD_SIZE


def by_run(observed: Iterable[Observation]) -> ByRun:
    """Collects what each run record says, the worst over its probes; world sizes in order."""
    seen: dict[Place, dict[int, dict[str, list[Outcome]]]] = {}
    for observation in observed:
        place = (observation.framework, observation.framework_version, observation.backend, observation.device)
        seen.setdefault(place, {}).setdefault(observation.world_size, {}).setdefault(observation.run, []).append(
            observation.outcome
        )
    return {
        place: {
            size: {run: worst_outcome(outcomes) for run, outcomes in sorted(runs.items())}
            for size, runs in sorted(by_size.items())
        }
        for place, by_size in seen.items()
    }


def deciding(claim: ClaimEntry) -> list[ObservedEntry]:
    """The observations of a claim that decide: what known signers' records say is told beside them."""
    return [seen for seen in claim.observed if seen.trust is not Trust.SIGNED]


def disputes(observed: Iterable[Observation]) -> list[Dispute]:
    """Finds where records of one version, backend, device and world size disagree, newest version first."""
    observed = list(observed)
    unsigned = {seen.run for seen in observed if seen.trust is Trust.UNSIGNED}
    disputes = [
        Dispute(
            framework=framework,
            framework_version=version,
            backend=backend,
            device=device,
            world_size=size,
            outcomes={run: outcome.value for run, outcome in runs.items()},
            vouched_for=len({outcome for run, outcome in runs.items() if run not in unsigned}) > 1,
        )
        for (framework, version, backend, device), by_size in by_run(observed).items()
        for size, runs in by_size.items()
        if len(set(runs.values())) > 1
    ]
    return sorted(disputes, key=lambda dispute: Version(dispute.framework_version), reverse=True)


def confirmations(observed: Iterable[Observation]) -> list[Confirmation]:
    """Finds where records of different makers agree and none disagrees, newest version first; world sizes share one.

    Makers are this project and each known signer, whatever name was typed. Unsigned records neither agree nor disagree:
    anybody can write one.
    """
    observed = [seen for seen in observed if seen.trust is not Trust.UNSIGNED]
    maker = {seen.run: seen.signer for seen in observed}  # of this project's records nobody's
    alike: dict[tuple[Place, str, tuple[str, ...]], tuple[list[int], list[str]]] = {}
    for place, by_size in by_run(observed).items():
        for size, runs in by_size.items():
            makers = {maker[run]: run for run in runs}
            if len(makers) > 1 and len(set(runs.values())) == 1:
                key = place, next(iter(runs.values())).value, tuple(sorted(makers))
                alike.setdefault(key, ([], [makers[name] for name in sorted(makers)]))[0].append(size)
    found = [
        Confirmation(
            framework=framework,
            framework_version=version,
            backend=backend,
            device=device,
            world_sizes=sizes,
            outcome=outcome,
            runs=runs,
        )
        for ((framework, version, backend, device), outcome, _), (sizes, runs) in alike.items()
    ]
    return sorted(found, key=lambda confirmed: Version(confirmed.framework_version), reverse=True)


def changes(observed: Iterable[Observation], known: Known) -> list[VerdictChange]:
    """Finds the changes of one claim's verdict, by framework, backend and device; world sizes that go the same way share one."""
    lanes: dict[tuple[str, str, str], dict[int, dict[str, _Runs]]] = {}
    for (framework, version, backend, device), by_size in by_run(observed).items():
        for size, runs in by_size.items():
            lanes.setdefault((framework, backend, device), {}).setdefault(size, {})[version] = runs
    changes = []
    for (framework, backend, device), sizes in sorted(lanes.items()):
        alike: dict[object, list[tuple[int, list[VersionSpan]]]] = {}
        for size, by_version in sorted(sizes.items()):
            spans = _spans(by_version, known.get(framework, ()))
            if len(spans) > 1:
                way = tuple((span.outcome, *span.runs, "", *span.unjudged, "", *span.disputed) for span in spans)
                alike.setdefault(way, []).append((size, spans))
        for shared in alike.values():
            change = VerdictChange(
                framework=framework,
                backend=backend,
                device=device,
                world_sizes=[size for size, _ in shared],
                spans=_joined([spans for _, spans in shared]),
            )
            changes.append(change)
    return changes


def _spans(by_version: Mapping[str, _Runs], known: Sequence[str]) -> list[VersionSpan]:
    """The versions in order, neighbours of one outcome together."""
    versions = sorted(by_version, key=Version)
    settled = {version: set(by_version[version].values()) for version in versions}
    spans: list[VersionSpan] = []
    last = ""
    for version in versions:
        if len(settled[version]) > 1:
            continue
        outcome = next(iter(settled[version])).value
        if not spans or spans[-1].outcome != outcome:
            passed = [between for between in known if last and Version(last) < Version(between) < Version(version)]
            spans.append(
                VersionSpan(
                    outcome=outcome,
                    runs={},
                    unjudged=sorted((between for between in passed if between not in by_version), key=Version),
                    disputed=[
                        between for between in versions if last and Version(last) < Version(between) < Version(version)
                    ],
                )
            )
        spans[-1].runs[version] = list(by_version[version])
        last = version
    return spans


def _joined(ways: Sequence[list[VersionSpan]]) -> list[VersionSpan]:
    """The spans of several world sizes that go the same way, with the runs of all of them."""
    first, *others = ways
    for spans in others:
        for mine, span in zip(first, spans, strict=True):
            for version, runs in span.runs.items():
                mine.runs[version].extend(runs)
    return first


class Changed(NamedTuple):
    """One step of a change: the verdict in ``before``, and another in ``after``, the next version that decides it."""

    mapping: str
    claim: str
    text: Text
    change: ChangeEntry
    before: VersionSpan
    after: VersionSpan

    @property
    def versions(self) -> tuple[str, str]:
        """The last version before the change, and the first after it."""
        return list(self.before.runs)[-1], next(iter(self.after.runs))


def changed(entries: Mapping[str, Entry]) -> Iterator[Changed]:
    """Yields every step of every claim's changes, each claim once, by claim."""
    holders = holding_mappings(entries)
    for key, claim in sorted(distinct_claims(entries).items()):
        for change in claim.changes:
            for before, after in pairwise(change.spans):
                yield Changed(holders[claim.subject], key, claim.text, change, before, after)
