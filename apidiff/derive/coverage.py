"""Counts what has been run and what has not: claims by outcome, by framework version and backend, and by world size."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary

from apidiff.database import ApidiffError, Data
from apidiff.database.backends import Backend
from apidiff.derive.evidence import distinct_claims, head_of, holding_mappings
from apidiff.derive.statements import Standing
from apidiff.model.agreement import Agreement, worst_agreement
from apidiff.model.coverage import (
    ApiCount,
    Coverage,
    NeverRun,
    NotRun,
    PairCoverage,
    PlaceCoverage,
    RefutedStatement,
    RunAge,
    SizeCoverage,
    Unsupported,
    VersionChange,
    WithoutRun,
)
from apidiff.model.ranges import holds
from apidiff.model.signature import SignatureFile, is_absent
from apidiff.model.trace import RunRecord, backend_name
from apidiff.model.verdict import Outcome, worst_outcome
from apidiff.model.version import read_version
from apidiff.model.views import ClaimEntry, Entry
from apidiff.model.vocabulary import Execution

OUTCOMES = [outcome.value for outcome in Outcome if outcome is not Outcome.NOT_RUN]


class CoverageError(ApidiffError):
    """A verdict without a run record behind it."""


def coverage_of(data: Data, entries: Dictionary[str, Entry]) -> Coverage:
    """The coverage of the whole database."""
    releases = {name: [release.version for release in found] for name, found in data.frameworks.items()}
    return coverage(entries, dict(data.runs), data.backends, releases, data.signatures)


def coverage(
    entries: Dictionary[str, Entry],
    runs: Dictionary[str, RunRecord],
    backends: Sequence[Backend],
    releases: Dictionary[str, Sequence[str]],
    signatures: Dictionary[tuple[str, str], SignatureFile],
) -> Coverage:
    """The coverage of ``entries`` by ``runs`` (by ID). ``releases``: the known versions of each framework.

    ``signatures``: of framework and version, which tell the APIs that a release lacks.

    Raises CoverageError for a verdict that names a run record that is not there.
    """
    return _Count(entries, runs, backends, signatures).coverage(releases)


_Place = tuple[str, str, str, str]  # framework, its version, backend, device


class _Count:
    """Counts over claims, each once, with what is known of each by place."""

    def __init__(
        self,
        entries: Dictionary[str, Entry],
        runs: Dictionary[str, RunRecord],
        backends: Sequence[Backend],
        signatures: Dictionary[tuple[str, str], SignatureFile],
    ) -> None:
        self.entries, self.runs, self.backends, self.signatures = entries, runs, backends, signatures
        self.claims = distinct_claims(entries)
        self.holders = holding_mappings(entries)
        self.ranges = _ranges(entries)
        scripts = _scripts(entries)
        self.frameworks = {key: _framework(claim, scripts) for key, claim in self.claims.items()}
        self.by_place: dict[_Place, list[str]] = {}
        for run_id, run in runs.items():
            place = (run.framework, run.framework_version, run.backend, run.device)
            self.by_place.setdefault(place, []).append(run_id)
        self.places = sorted(
            self.by_place, key=lambda place: (place[0] != "torch", place[0], place[2], _newest(place[1]))
        )
        self.outcomes = {key: self._outcomes(claim) for key, claim in self.claims.items()}

    def _outcomes(self, claim: ClaimEntry) -> dict[_Place, dict[int, str]]:
        """The outcome at each place by world size, the worst over all probes. Refuses a verdict without a record."""
        found: dict[_Place, dict[int, str]] = {}
        for row in claim.summary:
            missing = [run for run in row.runs if run not in self.runs]
            if missing or not row.runs:
                named = f"run record {missing[0]}, which is not there" if missing else "no run record"
                raise CoverageError(f"{claim.id}: the outcome {row.outcome!r} names {named}. Derive the entries anew.")
            place = (row.framework, row.framework_version, row.backend, row.device)
            sizes = found.setdefault(place, {})
            for size in row.world_sizes:  # of records that disagree the worst counts
                sizes[size] = worst_outcome(map(Outcome, {row.outcome, sizes.get(size, row.outcome)})).value
        return found

    def coverage(self, releases: Dictionary[str, Sequence[str]]) -> Coverage:
        stated = [claim for claim in self.claims.values() if claim.stated]
        return Coverage(
            mappings=len(self.entries),
            claims=len(self.claims),
            judged=sum(1 for found in self.outcomes.values() if found),
            stated=len(stated),
            places=[self._place(place) for place in self.places],
            never_run=list(self._never_run()),
            refuted=[refuted for refuted in map(self._refuted, stated) if refuted.places],
            without_run=list(self._without_run()),
            unsupported=[missing for missing in map(self._unsupported, self.places) if missing.claims],
            pairs=_pairs(self.entries),
            changes=list(self._changes()),
            runs=[self._age(run_id, releases) for place in self.places for run_id in self.by_place[place]],
        )

    def _of(self, framework: str) -> list[ClaimEntry]:
        return [claim for key, claim in self.claims.items() if self.frameworks[key] == framework]

    def _holder(self, claim: ClaimEntry) -> str:
        return self.holders[claim.subject]

    def _place(self, place: _Place) -> PlaceCoverage:
        claims = self._of(place[0])
        outcomes: Counter[str] = Counter()
        not_run: Counter[str] = Counter()
        sizes: dict[int, Counter[str]] = {self.runs[run].world_size: Counter() for run in self.by_place[place]}
        judged = 0
        for claim in claims:
            found = self.outcomes[claim.id].get(place)
            if found is None:
                not_run[self._why(claim, place).value] += 1
                continue
            judged += 1
            outcomes[worst_outcome(map(Outcome, found.values())).value] += 1
            for size, outcome in found.items():
                sizes[size][outcome] += 1
        runs = self.by_place[place]
        return PlaceCoverage(
            framework=place[0],
            framework_version=place[1],
            backend=place[2],
            device=place[3],
            claims=len(claims),
            outcomes=_in_order(outcomes),
            not_run=dict(sorted(not_run.items())),
            sizes=[
                SizeCoverage(
                    world_size=size,
                    runs=[run for run in runs if self.runs[run].world_size == size],
                    outcomes=_in_order(counts),
                    not_run=judged - counts.total(),
                )
                for size, counts in sorted(sizes.items())
            ],
        )

    def _why(self, claim: ClaimEntry, place: _Place) -> NotRun:
        if claim.reason is not None:
            return NotRun.NO_PROBE
        spans = self.ranges.get(claim.subject)
        if spans and not any(holds(since, until, read_version(place[1])) for since, until in spans):
            return NotRun.NOT_THERE
        if is_absent(self.signatures, place[0], place[1], claim.subject):
            return NotRun.NOT_THERE
        if all(self.runs[run].world_size == 1 for run in self.by_place[place]):
            return NotRun.ONE_RANK
        return NotRun.NOT_RECORDED

    def _never_run(self) -> Iterator[NeverRun]:
        seen = {(place[0], place[2], place[3]) for place in self.by_place}
        for backend in self.backends:
            if (backend.framework, backend.name, backend.device) not in seen:
                claims = self._of(backend.framework)
                yield NeverRun(
                    framework=backend.framework,
                    backend=backend.name,
                    device=backend.device,
                    looks_for=backend.check.looks_for,
                    claims=len(claims),
                    apis=self._by_api(claims),
                )

    def _by_api(self, claims: Iterable[ClaimEntry]) -> list[ApiCount]:
        found: dict[str, list[str]] = {}
        for claim in claims:
            found.setdefault(claim.subject, []).append(claim.id)
        return [ApiCount(api=api, mapping=self.holders[api], ids=ids) for api, ids in sorted(found.items())]

    def _refuted(self, claim: ClaimEntry) -> RefutedStatement:
        places = [
            f"{backend_name(place[2], place[3])}, {place[1]}"
            for place, found in self.outcomes[claim.id].items()
            if Outcome.REFUTED.value in found.values()
        ]
        standing = claim.contradicted.standing if claim.contradicted else Standing.REFUTED.value
        return RefutedStatement(claim=claim.id, mapping=self._holder(claim), standing=standing, places=places)

    def _without_run(self) -> Iterator[WithoutRun]:
        for key, claim in self.claims.items():
            if not self.outcomes[key]:
                places = [place for place in self.places if place[0] == self.frameworks[key]]
                whys = {self._why(claim, place) for place in places} or {NotRun.NO_DEVICE}
                # Of several versions the one that should have given a verdict tells the most.
                why = next(why_not for why_not in reversed(NotRun) if why_not in whys)
                yield WithoutRun(claim=key, mapping=self._holder(claim), why=why.value, reason=claim.reason)

    def _unsupported(self, place: _Place) -> Unsupported:
        wanted = Outcome.UNSUPPORTED.value
        claims = [claim for claim in self._of(place[0]) if wanted in self.outcomes[claim.id].get(place, {}).values()]
        return Unsupported(
            framework=place[0],
            framework_version=place[1],
            backend=place[2],
            device=place[3],
            claims=len(claims),
            apis=self._by_api(claims),
        )

    def _changes(self) -> Iterator[VersionChange]:
        groups: dict[tuple[str, str, str], list[_Place]] = {}
        for place in self.places:
            groups.setdefault((place[0], place[2], place[3]), []).append(place)
        for (framework, backend, device), places in groups.items():
            ordered = sorted(places, key=lambda place: read_version(place[1]))
            for before, after in itertools.pairwise(ordered):
                compared, changed = self._compared(before, after)
                yield VersionChange(
                    framework=framework,
                    backend=backend,
                    device=device,
                    before=before[1],
                    after=after[1],
                    compared=compared,
                    changed=changed,
                )

    def _compared(self, before: _Place, after: _Place) -> tuple[int, int]:
        """How many claims have verdicts at both places, and how many of them another at some world size."""
        both = [
            (outcomes[before], outcomes[after])
            for outcomes in self.outcomes.values()
            if before in outcomes and after in outcomes
        ]
        return len(both), sum(any(old[size] != new[size] for size in old.keys() & new.keys()) for old, new in both)

    def _age(self, run_id: str, releases: Dictionary[str, Sequence[str]]) -> RunAge:
        head = head_of(run_id, self.runs[run_id])
        mine = head.framework, head.backend, head.device
        here = {place[1] for place in self.by_place if (place[0], place[2], place[3]) == mine}
        newer = [
            version
            for version in releases.get(head.framework, [])
            if read_version(version) > read_version(head.framework_version) and version not in here
        ]
        return RunAge(
            id=run_id,
            framework=head.framework,
            framework_version=head.framework_version,
            backend=head.backend,
            device=head.device,
            world_size=head.world_size,
            date=head.date,
            newer=newer,
        )


def _pairs(entries: Dictionary[str, Entry]) -> list[PairCoverage]:
    """Counts the targets whose samples were run, by the version and the device that ran them, newest version first."""
    facets: dict[tuple[str, str], dict[str, list[Agreement]]] = {}
    targets = set()
    for entry in entries.values():
        if entry.execution != Execution.SINGLE.value:
            continue
        for target in entry.targets:
            pair = f"{entry.id} {target.name}"
            targets.add(pair)
            for row in target.agreements:
                place = facets.setdefault((row.framework_version, row.device), {})
                place.setdefault(pair, []).append(Agreement(row.agreement))
    counted = []
    for (version, device), pairs in sorted(facets.items(), key=lambda item: (_newest(item[0][0]), item[0][1])):
        worst = Counter(worst_agreement(found) for found in pairs.values())
        counted.append(
            PairCoverage(
                framework_version=version,
                device=device,
                targets=len(pairs),
                agreements={value.value: worst[value] for value in Agreement if worst[value]},
                not_run=len(targets) - len(pairs),
            )
        )
    return counted


def _newest(version: str) -> list[int]:
    return [-part for part in read_version(version).parts]


def _in_order(counts: Counter[str]) -> dict[str, int]:
    return {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}


def _ranges(entries: Dictionary[str, Entry]) -> dict[str, list[tuple[str | None, str | None]]]:
    """The version ranges that have a target, over all mappings."""
    found: dict[str, list[tuple[str | None, str | None]]] = {}
    for entry in entries.values():
        for target in entry.targets:
            spans = [(span.since, span.until) for span in target.ranges if span.status != "removed"]
            found.setdefault(target.name, []).extend(spans)
    return found


def _scripts(entries: Dictionary[str, Entry]) -> dict[str, str]:
    """Claim → the framework of the example that it says prints something."""
    found: dict[str, str] = {}
    for entry in entries.values():
        recipes = [answer.recipe for answer in entry.otherwise if answer.recipe]
        found |= {example.claim: example.framework for example in [*entry.examples, *recipes] if example.claim}
    return found


def _framework(claim: ClaimEntry, scripts: Dictionary[str, str]) -> str:
    """The framework whose runs judge the claim."""
    return scripts.get(claim.id) or claim.subject.partition(".")[0]
