"""Runs what a session of claims needs, each backend once for each world size, and compares every claim with its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from apidiff.database import Data
from apidiff.database.backends import Backend, find_backends
from apidiff.execute.devices import look_for
from apidiff.execute.plan import apis_for, world_sizes
from apidiff.judge import Context
from apidiff.model.claim import Claim
from apidiff.model.claim_probes import framework_of
from apidiff.model.mapping import Api
from apidiff.model.trace import RunRecord, backend_name
from apidiff.model.verdict import Outcome
from apidiff.model.vocabulary import Execution
from apidiff.verification.claim_sample import Sample, recorded
from apidiff.verification.confirmed_run import verify
from apidiff.verification.verdict_changes import Change, base_record, compare, observations, recorded_by_others

_REASONS = 3  # that are told of why nothing was compared


@dataclass(frozen=True)
class Chosen:
    """A claim that is to be judged, its API, and the ID of the mapping that holds them."""

    api: Api
    claim: Claim
    mapping: str

    @property
    def name(self) -> str:
        """The claim's ID."""
        return f"{self.api.name}#{self.claim.id}"

    @property
    def framework(self) -> str:
        """The framework whose runs judge the claim."""
        return framework_of(self.claim, self.api)


class Comparison:
    """A run and its record. ``claims``: the IDs of those that count; a run makes all probes of a mapping.

    ``text``: one line that says what was compared with what. ``changes``: the verdicts that are not what is recorded.
    ``stopped``: why the run ended before its last probe, or None.
    """

    def __init__(self, data: Data, run: RunRecord, context: Context, claims: Collection[str]) -> None:
        apis = list(apis_for(data, run.framework, run.framework_version))
        base = base_record(data, run)
        backend = backend_name(run.backend, run.device)
        self._where = f"{run.framework} {run.framework_version} on {backend} with {run.world_size} ranks"
        self._apis, self._base, self._context, self._claims = apis, base, context, claims
        self._names = {api.name for api in apis}
        self._judged = {f"{api.name}#{claim.id}" for api, claim, _ in observations(apis, "this run", run, context)}
        self._recorded = (
            {f"{api.name}#{claim.id}" for api, claim, _ in observations(apis, *base, context)} if base else set()
        )
        self.changes = self._compare(run)
        self._version = base[1].framework_version if base else None
        self._same_version = self._version == run.framework_version
        self.stopped = f"{self._where} stopped early: {run.stopped}" if run.stopped else None
        self.text = f"{self._where}: {len(run.probes)} probes, compared with {base[0] if base else 'nothing'}"
        if others := recorded_by_others(data, run):
            self.text += f" (recorded by others, which decides nothing: {'; '.join(others)})"
        if base and not self._same_version:
            self.text += f" (nothing is recorded by this project for {run.framework} {run.framework_version})"

    def _compare(self, run: RunRecord) -> list[Change]:
        changes = compare(self._apis, self._base, run, self._context)
        return [change for change in changes if change.claim in self._claims]

    def unsteady(self) -> set[str]:
        """Finds the claims whose verdict was recorded and came out flaky now: the machine may have been too busy."""
        return {change.claim for change in self.changes if _is_unsteady(change)}

    def settle(self, again: RunRecord) -> list[str]:
        """Takes back the flaky verdicts that are as recorded in ``again``, and returns their claims."""
        still = {(change.claim, change.now.probe) for change in self._compare(again)}
        settled = [
            change for change in self.changes if _is_unsteady(change) and (change.claim, change.now.probe) not in still
        ]
        self.changes = [change for change in self.changes if change not in settled]
        return list(dict.fromkeys(change.claim for change in settled))

    def outcome(self, api: str, claim: str) -> list[Change] | str:
        """Finds the changed verdicts on the claim ``claim``, an ID, of ``api``; or says why there is nothing to compare."""
        if api not in self._names:
            return f"the mapping has no {api} for {self._where.partition(' on ')[0]}"
        if claim not in self._judged:
            return f"no probe of it gives a verdict for {self._where}"
        if self._base is None:
            return f"nothing is recorded by this project for {self._where}; record it with: apidiff verify --record"
        if not self._same_version and claim not in self._recorded:
            return f"{self._version}, which {self._where} is compared with, has no verdict on it"
        return [change for change in self.changes if change.claim == claim]


def _is_unsteady(change: Change) -> bool:
    return change.now.outcome is Outcome.FLAKY and change.before is not None


@dataclass
class _Place:
    """A backend that was looked for: what was looked for where it is not here, else its runs beside their records."""

    backend: Backend
    absent: str | None
    comparisons: list[Comparison] = field(default_factory=list)


class ClaimRuns:
    """Runs what claims need on the backends that users call ``names``, and judges them.

    ``say`` is told line by line what was run. ``compared``: how many claims were judged beside a record.
    """

    def __init__(
        self,
        data: Data,
        context: Context,
        known: Sequence[Backend],
        names: Sequence[str],
        sizes: list[int] | None,
        say: Callable[[str], None],
    ) -> None:
        self._asked = {name: find_backends(known, name) for name in names}
        asked = [backend for backends in self._asked.values() for backend in backends]
        self._backends = [backend for backend in known if backend in asked]
        self._data, self._context, self._sizes, self._say = data, context, sizes, say
        self._places: list[_Place] = []
        self._reasons: Counter[str] = Counter()
        self.compared = 0

    def mappings_of(self, sample: Sample) -> set[str]:
        """Chooses, of the mappings whose runs here are recorded, those in ``sample``; and those of which a run is not.

        Where no framework is installed, of all whose calls ranks make: their claims say what is missing.
        """
        asked = recorded(self._data, self._backends, self._sizes, self._context)
        if not asked:
            ranks = (key for key, one in self._data.mappings.items() if one.execution is Execution.COLLECTIVE)
            asked = dict.fromkeys(ranks, True)
        return sample.of([key for key, whole in asked.items() if whole]) | {key for key in asked if not asked[key]}

    def run(self, claims: Sequence[Chosen]) -> None:
        """Makes the runs. Raises ApidiffError where ranks do not start or a world size is too large for the devices."""
        for backend in self._backends:
            if mine := [chosen for chosen in claims if chosen.framework == backend.framework]:
                here = look_for(backend)
                place = _Place(backend, None if here.available else here.text)
                self._places.append(place)
                if place.absent:
                    self._say(place.absent)
                else:
                    sizes = world_sizes(backend, len(here.device.names) if here.device else 0, self._sizes)
                    for note in sizes.notes:
                        self._say(note)
                    for size in sizes.chosen:
                        place.comparisons.append(self._compare(backend, size, mine))

    def _compare(self, backend: Backend, size: int, claims: Sequence[Chosen]) -> Comparison:
        record = verify(self._data, backend, size, self._context, {chosen.mapping for chosen in claims})
        comparison = Comparison(self._data, record, self._context, {chosen.name for chosen in claims})
        self._say(comparison.text)
        if unsteady := comparison.unsteady():
            again = {chosen.mapping for chosen in claims if chosen.name in unsteady}
            for claim in comparison.settle(verify(self._data, backend, size, self._context, again)):
                self._say(f"{claim}: came out otherwise in one of three runs, as recorded in the others")
        return comparison

    def judge(self, chosen: Chosen) -> list[Change] | str:
        """Finds the changed verdicts on a claim; or says why there is nothing to compare."""
        places = [place for place in self._places if place.backend.framework == chosen.framework]
        outcomes = [
            comparison.outcome(chosen.api.name, chosen.name) for place in places for comparison in place.comparisons
        ]
        if compared := [changes for changes in outcomes if not isinstance(changes, str)]:
            self.compared += 1
            return [change for changes in compared for change in changes]
        reasons = [place.absent for place in places if place.absent]
        reasons += [reason for reason in outcomes if isinstance(reason, str)]
        self._reasons.update(set(reasons))
        if not places:
            reasons.append(
                f"{chosen.framework} APIs do not run on {', '.join(backend.name for backend in self._backends)}"
            )
        if chosen.claim.reason is not None:
            reasons.insert(0, chosen.claim.reason.en)
        return "; ".join(dict.fromkeys(reasons))

    @property
    def _comparisons(self) -> list[Comparison]:
        return [comparison for place in self._places for comparison in place.comparisons]

    @property
    def changes(self) -> list[Change]:
        """The verdicts that are not what is recorded."""
        return [change for comparison in self._comparisons for change in comparison.changes]

    def lines(self) -> list[str]:
        """Says what was compared with what, and what was looked for of a backend that is not here."""
        runs = [comparison.text for comparison in self._comparisons]
        return [*runs, *(place.absent for place in self._places if place.absent)]

    def lacking(self) -> list[str]:
        """Says what was asked for and is missing: a name of whose backends none is here, the rest of a run that stopped."""
        missing = []
        for name, backends in self._asked.items():
            mine = [place for place in self._places if place.backend in backends]
            if mine and all(place.absent for place in mine):
                missing.append(f"{name} was asked for and is not here")
        return missing + [comparison.stopped for comparison in self._comparisons if comparison.stopped]

    def why_nothing(self) -> str | None:
        """Says what was in the way of most claims, where runs have something to do with it."""
        return "; ".join(reason for reason, _ in self._reasons.most_common(_REASONS)) or None
