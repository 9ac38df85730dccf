"""Plans a run: the probes, examples and signatures of one backend at one world size; how long it takes, what a record lacks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from apidiff.database import ApidiffError, Data
from apidiff.database.backends import Backend, Devices
from apidiff.model.claim import EXAMPLE_WORLD_SIZE, Claim
from apidiff.model.claim_probes import Examples, example_of, example_probe, framework_of, spec_of
from apidiff.model.mapping import Api, Mapping
from apidiff.model.probe import LARGEST_WORLD_SIZE
from apidiff.model.probe_resolution import collective_of, is_partial, names_other_ranks, resolve, root_rank
from apidiff.model.ranges import holds, status_at
from apidiff.model.signature import is_absent
from apidiff.model.trace import ProbeRun, RunRecord
from apidiff.model.version import Version
from apidiff.model.vocabulary import Execution, Status

WORLD_SIZES = (2, 3, 4)

SKIPPED = "skipped"  # ProbeRun.end of a sweep whose plain call failed
_START_S = 10.0  # seconds in which ranks came up where the records were made


@dataclass(frozen=True)
class Step:
    """One probe or example to run. ``claims``: those that are judged from it."""

    api: Api
    probe: str
    spec: str
    claims: tuple[Claim, ...]

    @property
    def example(self) -> str | None:
        """The path of the example, or None for a probe."""
        return example_of(self.probe)

    @property
    def plain(self) -> tuple[str, str] | None:
        """The step of a sweep's plain call, without which it is not made; None for other steps."""
        probe = collective_of(self.api).probes.get(self.probe)
        return (self.api.name, probe.like) if probe and probe.sweep and probe.like else None

    @property
    def risk(self) -> int:
        """0 for plain calls, 1 for odd inputs, 2 where ranks disagree and may wait for each other indefinitely, 3 for sweeps."""
        if self.example:
            return 0
        overrides, root = resolve(self.api, self.probe)[1], root_rank(self.api, self.probe) or 0
        if overrides or is_partial(self.api, self.probe) or root > 8:
            return 2
        if self.plain:
            return 3  # after the plain calls, of whatever risk these are
        return 1 if collective_of(self.api).probes[self.probe].world_sizes else 0


@dataclass(frozen=True)
class Plan:
    """The steps of one run in the order they are made, and the APIs whose signatures are recorded: the framework's own."""

    apis: tuple[Api, ...]
    steps: tuple[Step, ...]


def apis_for(data: Data, framework: str, version: str, mappings: Collection[str] | None = None) -> Iterator[Api]:
    """Finds the APIs that a run of a framework's ``version`` judges, each once.

    These are its sources and its targets with a range that holds the version, without those that signatures show to be in
    other releases only, and the other framework's APIs with an example in this one: a recipe stands at the source it
    replaces. ``mappings``: only those of these IDs. An API that is a target in several mappings counts where it is defined,
    or in a chosen mapping if that one is not chosen.
    """
    chosen = [
        mapping
        for key, mapping in data.mappings.items()
        if mapping.execution is Execution.COLLECTIVE and (mappings is None or key in mappings)
    ]
    apis: dict[str, Api] = {}
    for mapping in chosen:
        for api in _present(mapping, framework, Version(version)):
            if is_absent(data.signatures, framework, version, api.name):
                continue
            if api.name not in apis or apis[api.name].defined_in:
                apis[api.name] = api
    yield from apis.values()


def _present(mapping: Mapping, framework: str, version: Version) -> Iterator[Api]:
    if mapping.source.name.startswith(f"{framework}.") or _recipes(mapping, framework, version):
        yield mapping.source
    for target in mapping.targets:
        standing = status_at(target, version)
        if target.api.name.startswith(f"{framework}.") and standing not in {None, Status.REMOVED}:
            yield target.api


def _recipes(mapping: Mapping, framework: str, version: Version) -> list[Claim]:
    """Finds the claims on the source that are examples in another framework and stand at its ``version``.

    A recipe that an ``otherwise`` names stands where that one does; others always.
    """
    bounds = {answer.recipe: answer for answer in mapping.otherwise if answer.recipe}
    recipes = []
    for claim in mapping.source.claims:
        if claim.prints and framework_of(claim, mapping.source) == framework:
            bound = bounds.get(claim.prints.example)
            if bound is None or holds(bound.since, bound.until, version):
                recipes.append(claim)
    return recipes


def make_plan(
    data: Data,
    backend: Backend,
    version: str,
    world_size: int,
    examples: Examples,
    mappings: Collection[str] | None = None,
) -> Plan:
    """Makes the plan of ``backend`` at ``world_size`` for the installed ``version`` of its framework."""
    apis = tuple(apis_for(data, backend.framework, version, mappings))
    steps = [step for api in apis for step in _steps(api, backend.framework, world_size, examples)]
    own = tuple(api for api in apis if api.name.startswith(f"{backend.framework}."))
    return Plan(own, tuple(sorted(steps, key=lambda step: step.risk)))


def _steps(api: Api, framework: str, world_size: int, examples: Examples) -> Iterator[Step]:
    for name, probe in collective_of(api).probes.items() if api.name.startswith(f"{framework}.") else ():
        spec = spec_of(api, name, examples)
        if world_size == 1 and names_other_ranks(api, name):
            continue
        if spec and (not probe.world_sizes or world_size in probe.world_sizes):
            yield Step(api, name, spec, tuple(claim for claim in api.claims if name in claim.probes))
    for claim in api.claims:
        if claim.prints and world_size == EXAMPLE_WORLD_SIZE and framework_of(claim, api) == framework:
            name = example_probe(claim.prints.example)
            if spec := spec_of(api, name, examples):
                yield Step(api, name, spec, (claim,))


@dataclass(frozen=True)
class Sizes:
    """The world sizes to run with, and what is to be said of them: which are left out and why, what one rank shows."""

    chosen: list[int]
    notes: list[str]


def read_world_sizes(text: str) -> list[int]:
    """Read the numbers of ranks that a user typed, such as ``2,3,4``. Raises ValueError for what is none."""
    # A number of more than nine digits is none that int() should be asked for, nor one in other digits than ours.
    sizes = sorted({int(part) if len(part) < 10 and part.isascii() else 0 for part in text.split(",")})
    if sizes[0] < 1 or sizes[-1] > LARGEST_WORLD_SIZE:
        raise ValueError(text)
    return sizes


def world_sizes(backend: Backend, devices: int, asked: Sequence[int] | None) -> Sizes:
    """Chooses the world sizes of a run on a machine with so many ``devices``: what a user asked for or, with None, the usual.

    Where each rank needs a device of its own there are as many as devices at most: one alone where there is but one. Raises
    ApidiffError where a size was asked for that is larger.
    """
    wanted = list(asked or WORLD_SIZES)
    limit = devices if backend.devices is Devices.ONE else max(wanted)
    chosen = [size for size in wanted if size <= limit]
    left_out = [size for size in wanted if size > limit]
    name = f"{backend.full_name} ({backend.framework})"
    bound = f"each rank needs a device of its own, and found were {devices}"
    if asked and left_out:
        raise ApidiffError(
            f"{name}: --world-size {','.join(map(str, left_out))} is too large: {bound}. Ask for {limit} at most."
        )
    chosen = chosen or [1]
    notes = [f"{name}: {_sizes_text(left_out)} left out: {bound}"] if left_out else []
    if 1 in chosen:
        notes.append(
            f"{name}: one rank shows what is returned, shared memory and signatures; no claim on other ranks is judged"
        )
    return Sizes(chosen, notes)


def _sizes_text(sizes: Sequence[int]) -> str:
    return f"world size {sizes[0]}" if len(sizes) == 1 else f"world sizes {', '.join(map(str, sizes))}"


def step_key(step: Step) -> tuple[str, str]:
    """API and probe: what a step is known by in a record."""
    return step.api.name, step.probe


# Finds the runs of a record whose probes would be given other inputs today; what makes inputs is no part of a digest.
GivenOtherwise = Callable[[RunRecord, Iterable[Api]], Iterable[ProbeRun]]


def lacking(record: RunRecord, plan: Plan, given_otherwise: GivenOtherwise = lambda _record, _apis: ()) -> int:
    """Counts the probes, examples and signatures of ``plan`` that the record has not, or has as they were before a change.

    Those that ``given_otherwise`` finds are lacking too.
    """
    stale = {
        (run.api, run.probe)
        for run in given_otherwise(record, {step.api.name: step.api for step in plan.steps}.values())
    }
    made = {(run.api, run.probe): run.spec for run in record.probes if (run.api, run.probe) not in stale}
    seen = {signature.api for signature in record.signatures}
    return sum(made.get(step_key(step)) != step.spec for step in plan.steps) + sum(
        api.name not in seen for api in plan.apis
    )


@dataclass(frozen=True)
class Estimate:
    """Whole minutes, and the record they are told from."""

    minutes: int
    like: RunRecord


def estimate(data: Data, backend: Backend, size: int, plan: Plan) -> Estimate | None:
    """Estimates how long ``plan`` takes if it goes as in the newest record of the framework that decides.

    What did not end is tried twice. None where there is no record of the world size; one rank is taken to be as fast as two.
    """
    as_large = backend.framework, max(size, 2)
    like = [record for _, record in data.runs if (record.framework, record.world_size) == as_large]
    if not like:
        return None
    newest = max(like, key=lambda record: (Version(record.framework_version), record.date))
    steps = {step_key(step) for step in plan.steps}
    probes = [probe for probe in newest.probes if (probe.api, probe.probe) in steps]
    calls = sum(max((trace.seconds for trace in probe.ranks), default=0.0) for probe in probes if _ended(probe))
    lost = sum(2 * backend.deadlines.probe for probe in probes if not _ended(probe))
    return Estimate(max(1, round((2 * _START_S + calls + lost) / 60)), newest)


def _ended(probe: ProbeRun) -> bool:
    return probe.end in {"completed", SKIPPED}
