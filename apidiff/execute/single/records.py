"""Makes the records of a run: the samples under each framework, and again in fresh processes those that are in doubt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from apidiff.database import Data
from apidiff.database.devices import Device
from apidiff.execute.single.brief import brief, errors
from apidiff.execute.single.exact import exact_call
from apidiff.execute.single.plan import Plan, Step, make_plan
from apidiff.execute.single.record import make_record
from apidiff.execute.single.run import CallRunner, Key
from apidiff.model.sample_run import SampleRun, SingleRecord
from apidiff.model.trace import SignatureDump

Progress = Callable[[int, int, str], None]
# Told the records made so far; says which of their calls are to be made again before they stand.
Doubtful = Callable[[Sequence[SingleRecord]], Collection[Key]]


def make_records(
    data: Data,
    devices: Sequence[Device],
    doubtful: Doubtful,
    logs: Path,
    mappings: Collection[str] | None = None,
    progress: Progress = lambda _total, _done, _what: None,
    *,
    extracted: bool = False,
) -> list[SingleRecord]:
    """Makes the samples of every mapping with single execution, or of ``mappings``, on each of ``devices``.

    ``extracted``: those extracted for its source, in place of those that it writes; their traces are brief.
    Returns one record per device. Raises ProcessStartError where a framework does not come up.
    """
    sides: list[_Side] = []
    with ExitStack() as stack:
        for device in devices:
            progress(0, 0, f"starting {device.framework}")
            runner = stack.enter_context(CallRunner(device, logs))
            sides.append(_Side(data, runner, mappings, extracted=extracted))
        total, count = sum(len(side.plan.steps) + len(side.plan.graphs) for side in sides), 0

        def step(what: str) -> None:
            nonlocal count
            progress(total, count, what)
            count += 1

        for side in sides:
            side.run(step)
        wanted = set(doubtful([side.record() for side in sides]))
        again = [[one for one in side.plan.steps if one.key in wanted] for side in sides]
        total += sum(map(len, again))
        for side, steps in zip(sides, again, strict=True):
            if steps:
                side.runner.confirm(steps, side.done, step)
        progress(total, total, "done")
        return [side.record() for side in sides]


class _Side:
    """One framework on one device: its plan, and what was made of it."""

    def __init__(self, data: Data, runner: CallRunner, mappings: Collection[str] | None, *, extracted: bool) -> None:
        self.runner = runner
        self.version = runner.version()
        self.plan: Plan = make_plan(data, runner.device.framework, self.version, mappings, extracted=extracted)
        self.done: dict[Key, SampleRun] = {}
        self._extracted = extracted
        self._signatures: list[SignatureDump] = []
        self._empty = make_record(runner.device, self.version, [], [], "extracted" if extracted else "")

    def run(self, step: Callable[[str], None]) -> None:
        self._signatures = [] if self._extracted else self.runner.signatures(self.plan)
        self.done = self.runner.run(self.plan.steps, step)
        if self._extracted and self.runner.device.framework == "torch":
            self._measure_errors()
        # What raises by itself tells nothing of the graph.
        returned = [one for one in self.plan.graphs if (made := self.done[one.key].trace) and made.error is None]
        if returned:
            self.runner.run_graphs(returned, self.done, step)

    def _measure_errors(self) -> None:
        """Makes the calls in float64 too, and notes how far the others are from these."""
        steps = []
        for step in self.plan.steps:
            run, call = self.done[step.key], exact_call(step.call)
            if call is not None and run.trace is not None and run.trace.error is None:
                steps.append(Step(step.mapping, step.sample, call))
        for key, exact in self.runner.run(steps, lambda _: None).items():
            run = self.done[key]
            if run.trace is not None and exact.trace is not None and (own := errors(run.trace, exact.trace)):
                self.done[key] = msgspec.structs.replace(run, trace=msgspec.structs.replace(run.trace, errors=own))

    def record(self) -> SingleRecord:
        made = sorted(self.done.values(), key=lambda run: run.key)
        signatures = sorted(self._signatures, key=lambda one: one.api)
        shown = [brief(run) for run in made] if self._extracted else made
        return msgspec.structs.replace(self._empty, signatures=signatures, samples=shown)
