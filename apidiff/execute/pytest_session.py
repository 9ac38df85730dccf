"""The runs of a session of claims: each backend once for each world size, and what every claim is judged by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from apidiff.database import Data
from apidiff.database.backends import Backend, called
from apidiff.execute.claim_sample import Sample, unrecorded
from apidiff.execute.compare import Change
from apidiff.execute.comparison import Comparison
from apidiff.execute.devices import look_for
from apidiff.execute.plan import world_sizes
from apidiff.execute.verify import verify
from apidiff.judge import Context, framework_of
from apidiff.model import Api, Claim

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
        self._asked = {name: called(known, name) for name in names}
        asked = [backend for found in self._asked.values() for backend in found]
        self._backends = [backend for backend in known if backend in asked]
        self._data, self._context, self._sizes, self._say = data, context, sizes, say
        self._places: list[_Place] = []
        self._reasons: Counter[str] = Counter()
        self.compared = 0

    def mappings_of(self, sample: Sample) -> set[str]:
        """Chooses the mappings in ``sample`` and those of which a run would ask what is not recorded."""
        return set(filter(sample.holds, self._data.mappings)) | unrecorded(
            self._data, self._backends, self._sizes, self._context
        )

    def run(self, claims: Sequence[Chosen]) -> None:
        """Makes the runs. Raises ApidiffError where ranks do not start or a world size is too large for the devices."""
        for backend in self._backends:
            if mine := [one for one in claims if one.framework == backend.framework]:
                found = look_for(backend)
                place = _Place(backend, None if found.available else found.text)
                self._places.append(place)
                if place.absent:
                    self._say(place.absent)
                else:
                    sizes = world_sizes(backend, len(found.device.names) if found.device else 0, self._sizes)
                    for note in sizes.notes:
                        self._say(note)
                    for size in sizes.chosen:
                        place.comparisons.append(self._compare(backend, size, mine))

    def _compare(self, backend: Backend, size: int, claims: Sequence[Chosen]) -> Comparison:
        record = verify(self._data, backend, size, self._context, {one.mapping for one in claims})
        comparison = Comparison(self._data, record, self._context, {one.name for one in claims})
        self._say(comparison.text)
        if unsteady := comparison.unsteady():
            again = {one.mapping for one in claims if one.name in unsteady}
            for claim in comparison.settle(verify(self._data, backend, size, self._context, again)):
                self._say(f"{claim}: came out otherwise in one of three runs, as recorded in the others")
        return comparison

    def judge(self, one: Chosen) -> list[Change] | str:
        """The changed verdicts on a claim, or why there is nothing to compare."""
        places = [place for place in self._places if place.backend.framework == one.framework]
        found = [comparison.outcome(one.api.name, one.name) for place in places for comparison in place.comparisons]
        if compared := [changes for changes in found if not isinstance(changes, str)]:
            self.compared += 1
            return [change for changes in compared for change in changes]
        reasons = [place.absent for place in places if place.absent] + [text for text in found if isinstance(text, str)]
        self._reasons.update(set(reasons))
        if not places:
            reasons.append(
                f"{one.framework} APIs do not run on {', '.join(backend.name for backend in self._backends)}"
            )
        if one.claim.reason is not None:
            reasons.insert(0, one.claim.reason.en)
        return "; ".join(dict.fromkeys(reasons))

    @property
    def changes(self) -> list[Change]:
        """The verdicts that are not what is recorded."""
        return [change for place in self._places for one in place.comparisons for change in one.changes]

    def lines(self) -> list[str]:
        """What was compared with what, and what was looked for of a backend that is not here."""
        runs = [one.text for place in self._places for one in place.comparisons]
        return [*runs, *(place.absent for place in self._places if place.absent)]

    def lacking(self) -> list[str]:
        """What was asked for and is missing: a name of whose backends none is here, the rest of a run that stopped."""
        found = []
        for name, backends in self._asked.items():
            mine = [place for place in self._places if place.backend in backends]
            if mine and all(place.absent for place in mine):
                found.append(f"{name} was asked for and is not here")
        return found + [one.stopped for place in self._places for one in place.comparisons if one.stopped]

    def why_nothing(self) -> str | None:
        """What was in the way of most claims where runs have something to do with it."""
        return "; ".join(reason for reason, _ in self._reasons.most_common(_REASONS)) or None
