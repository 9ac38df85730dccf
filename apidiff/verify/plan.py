"""What a run does: the probes, examples and signatures of one backend at one world size, likely breakers last."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from apidiff.judge import Context, example_probe, spec_of
from apidiff.model import Api, Claim, Status, Version
from apidiff.model.claim import EXAMPLE_WORLD_SIZE
from apidiff.model.ranges import status_at
from apidiff.model.spec import resolve
from apidiff.store import Data
from apidiff.store.backends import Backend


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
        return self.probe.removeprefix("example:") if self.probe.startswith("example:") else None

    @property
    def risk(self) -> int:
        """0 for plain calls, 1 for odd inputs, 2 where ranks disagree and may wait for each other for ever."""
        if self.example:
            return 0
        arguments, overrides = resolve(self.api, self.probe)
        root = arguments.get(self.api.root) if self.api.root else None
        if overrides or (isinstance(root, int) and root > 8):
            return 2
        return 1 if self.api.probes[self.probe].world_sizes else 0


@dataclass(frozen=True)
class Plan:
    """The steps of one run in the order they are made, and the APIs whose signatures are recorded."""

    apis: tuple[Api, ...]
    steps: tuple[Step, ...]


def apis_for(data: Data, framework: str, version: str, mappings: Collection[str] | None = None) -> Iterator[Api]:
    """The APIs of a framework that are there in its ``version``: all sources, and targets with a range that holds it.

    ``mappings``: only those of these IDs.
    """
    for key, mapping in data.mappings.items():
        if mappings is not None and key not in mappings:
            continue
        if mapping.source.name.startswith(f"{framework}."):
            yield mapping.source
        for target in mapping.targets:
            standing = status_at(target, Version(version))
            if target.api.name.startswith(f"{framework}.") and standing not in {None, Status.REMOVED}:
                yield target.api


def make_plan(
    data: Data,
    backend: Backend,
    version: str,
    world_size: int,
    context: Context,
    mappings: Collection[str] | None = None,
) -> Plan:
    """The plan of ``backend`` at ``world_size`` for the installed ``version`` of its framework."""
    apis = tuple(apis_for(data, backend.framework, version, mappings))
    steps = [step for api in apis for step in _steps(api, world_size, context)]
    return Plan(apis, tuple(sorted(steps, key=lambda step: step.risk)))


def _steps(api: Api, world_size: int, context: Context) -> Iterator[Step]:
    for name, probe in api.probes.items():
        spec = spec_of(api, name, context)
        if spec and (not probe.world_sizes or world_size in probe.world_sizes):
            yield Step(api, name, spec, tuple(claim for claim in api.claims if name in claim.probes))
    for claim in api.claims:
        if claim.prints and world_size == EXAMPLE_WORLD_SIZE:
            name = example_probe(claim.prints.example)
            if spec := spec_of(api, name, context):
                yield Step(api, name, spec, (claim,))


def step_key(step: Step) -> tuple[str, str]:
    """API and probe: what a step is known by in a record."""
    return step.api.name, step.probe
