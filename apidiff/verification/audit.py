"""Repeats a part of a run that somebody sent: probes chosen at random, made here, with the verdicts of both beside each other."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata

import msgspec

from apidiff.database import ApidiffError, Data
from apidiff.database.backends import Backend
from apidiff.errors import typed
from apidiff.execute.devices import look_for
from apidiff.execute.plan import WORLD_SIZES, apis_for, make_plan, step_key
from apidiff.judge import Context
from apidiff.model.trace import RunRecord
from apidiff.verification.confirmed_run import verify
from apidiff.verification.verdict_changes import Difference, difference

# An API and one of its probes.
Chosen = tuple[str, str]
# The same behind the place of its record among those that were sent.
Drawn = tuple[int, str, str]


@dataclass(frozen=True)
class Audit:
    """What an audit showed. ``chosen``: the probes that were made again. ``of``: how many of the record could have been.

    ``verdicts``: how many the two records give together; one that only one of them gives agrees with nothing.
    ``stopped``: why no more were made, where ranks could no longer be started.
    """

    chosen: list[Chosen]
    of: int
    verdicts: int
    differing: Difference = field(default_factory=lambda: Difference({}, ([], [])))
    stopped: str | None = None

    def lines(self, said: Callable[[str], str] = str) -> list[str]:
        """Writes it for a person. ``said`` writes each fact: in quotes where a stranger may have made it."""
        if not self.chosen and not self.stopped:
            return [f"none of the {self.of} probes that this machine can make was chosen"]
        lines = list(self.differing.lines(said)) if self.differing else []
        return [
            *(["first: the record that was sent; second: what was run here", *lines] if lines else []),
            *([f"stopped half-way: {self.stopped}"] if self.stopped else []),
            f"{len(self.chosen)} of {self.of} probes that this machine can make were made again: "
            f"{self.differing.same} of {self.verdicts} verdicts agree",
        ]


def repeatable(data: Data, backend: Backend, record: RunRecord, context: Context) -> list[Chosen]:
    """Lists the probes of a record that are still asked alike, so that they can be made again; in their order.

    Raises ApidiffError where there are none, or where the record is of too many ranks.
    """
    if record.world_size > (most := max(*WORLD_SIZES, os.cpu_count() or 1)):
        raise ApidiffError(
            f"runs audit: the record is of {record.world_size} ranks; this machine, with {os.cpu_count()} cores, "
            f"starts {most} at most. Audit it on a larger one."
        )
    plan = make_plan(data, backend, record.framework_version, record.world_size, context.examples)
    asked = {step_key(step): step.spec for step in plan.steps if not step.example}
    # Of those that were skipped, since the plain call failed, there is no verdict; made alone they would give one.
    made = [run for run in record.probes if run.end != "skipped"]
    probes = sorted((run.api, run.probe) for run in made if asked.get((run.api, run.probe)) == run.spec)
    if not probes:
        raise ApidiffError(
            f"runs audit: none of the {len(made)} probes that were made for the record is asked alike by this version, "
            f"so nothing was made again. It is of apidiff {typed(record.suite_version)}: "
            "audit it with that, or record it anew with this one."
        )
    return probes


def choose_probes(probes: Sequence[Drawn], count: int, seed: int | None) -> list[Drawn]:
    """Chooses ``count`` probes. Without a seed nobody knows before which they will be, who sends the record least of all."""
    draw = random.Random(seed) if seed is not None else random.SystemRandom()  # noqa: S311 - seeded only to repeat
    return sorted(draw.sample(list(probes), min(count, len(probes))))


def backend_of(record: RunRecord, backends: Sequence[Backend]) -> Backend:
    """Finds the backend of a record, where this machine can run it. Raises ApidiffError with the reason where it cannot."""
    place = record.backend, record.framework, record.device
    for backend in backends:
        if (backend.name, backend.framework, backend.device) == place:
            here = look_for(backend)
            if not here.available:
                raise ApidiffError(f"runs audit: this machine cannot run it. {here.text}")
            installed = metadata.version(backend.framework).partition("+")[0]
            if installed != record.framework_version:
                raise ApidiffError(
                    f"runs audit: the record is of {record.framework} {record.framework_version}, installed is {installed}. "
                    "Install that release, or audit it where it is."
                )
            return backend
    raise ApidiffError(f"runs audit: no backend is called {record.backend} ({record.framework}, {record.device}).")


def audit(
    data: Data,
    backends: Sequence[Backend],
    records: Sequence[RunRecord],
    context: Context,
    count: int,
    seed: int | None = None,
) -> Iterator[Audit]:
    """Makes ``count`` probes of ``records``, all together, again and compares the verdicts; one audit for each record.

    Raises what a run raises, and ApidiffError, before any is made, where those of a record cannot be made, which must not look
    like agreement, or where a stranger's record asks for more ranks than this machine should start.
    """
    here: dict[tuple[str, ...], Backend] = {}
    could: list[tuple[Backend, list[Chosen]]] = []
    for record in records:
        place = record.backend, record.framework, record.device, record.framework_version
        if place not in here:  # looking for a device takes a second
            here[place] = backend_of(record, backends)
        could.append((here[place], repeatable(data, here[place], record, context)))
    drawn = choose_probes([(at, *probe) for at, (_, probes) in enumerate(could) for probe in probes], count, seed)
    for at, (record, (backend, probes)) in enumerate(zip(records, could, strict=True)):
        yield _again(
            data, backend, record, context, [(api, probe) for of, api, probe in drawn if of == at], len(probes)
        )


def _again(data: Data, backend: Backend, record: RunRecord, context: Context, chosen: list[Chosen], of: int) -> Audit:
    """Makes the ``chosen`` probes of a record again; starts no rank where there are none."""
    if not chosen:
        return Audit([], of, 0)
    again = verify(data, backend, record.world_size, context, only=frozenset(chosen))
    if again.stopped:
        made = {(run.api, run.probe) for run in again.probes}
        chosen = [probe for probe in chosen if probe in made]
    part = msgspec.structs.replace(
        record, signatures=[], probes=[run for run in record.probes if (run.api, run.probe) in set(chosen)]
    )
    mine = msgspec.structs.replace(again, signatures=[])
    apis = {api.name: api for api in apis_for(data, record.framework, record.framework_version)}
    names = {api for api, _ in chosen}
    compared = difference([api for name, api in apis.items() if name in names], ("sent", part), ("here", mine), context)
    verdicts = len(compared.differ) + sum(map(len, compared.only)) + compared.same
    return Audit(chosen, of, verdicts, compared, again.stopped)
