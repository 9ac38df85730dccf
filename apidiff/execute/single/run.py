"""Makes the samples of a plan in one kept process, started anew at the call after one that killed it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from apidiff.database.devices import Device
from apidiff.execute.single.plan import Plan, Step
from apidiff.execute.single.process import Answer, CallProcess
from apidiff.model.mapping import Api
from apidiff.model.sample_run import SampleRun, SampleTrace
from apidiff.model.trace import SignatureDump
from apidiff.model.version import release_of

Key = tuple[str, str, str]
_Made = TypeVar("_Made")
Progress = Callable[[str], None]


class CallRunner:
    """Makes calls on one device. Use as a context manager; leaving it kills the process. ``logs``: the folder for logs."""

    def __init__(self, device: Device, logs: Path) -> None:
        self.device, self._logs = device, logs
        self._process: CallProcess | None = None
        self.starts = 0

    def __enter__(self) -> CallRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()

    def version(self) -> str:
        """The release of the framework; of a nightly build the one it leads to."""
        return release_of(self._ready().version)

    def signatures(self, plan: Plan) -> list[SignatureDump]:
        """The signature of every API of the plan, as the running framework shows it."""
        answers = [self._ask({"do": "signature", "api": _named(api)}, SignatureDump) for api in plan.apis]
        return [answer.made for answer in answers if answer.made is not None]

    def run(self, steps: Iterable[Step], progress: Progress) -> dict[Key, SampleRun]:
        """Makes every step once."""
        done = {}
        for step in steps:
            progress(f"{step.call.api} {step.sample}")
            done[step.key] = self._make(step)
        return done

    def run_graphs(self, steps: Iterable[Step], done: dict[Key, SampleRun], progress: Progress) -> None:
        """Makes the calls of ``steps`` in a fresh process, compiled to graphs, and notes each with the call in ``done``."""
        self._drop()
        for step in steps:
            progress(f"{step.call.api} {step.sample} (graph)")
            done[step.key] = msgspec.structs.replace(done[step.key], graph=self._make(as_graph(step)))

    def confirm(self, steps: Sequence[Step], first: dict[Key, SampleRun], progress: Progress) -> None:
        """Makes ``steps`` again in a fresh process, the last one first, and notes in ``first`` whether the same came back.

        What a call leaves behind shows: after the gradient of an empty tensor MindSpore's `logit` gives zeros for all others.
        """
        self._drop()
        for step in reversed(steps):
            progress(f"{step.call.api} {step.sample} (again)")
            once = first[step.key]
            whole = _confirmed(once, self._make(step, 1))
            if once.graph is not None:
                whole = msgspec.structs.replace(whole, graph=_confirmed(once.graph, self._make(as_graph(step), 1)))
            first[step.key] = whole

    def _make(self, step: Step, attempt: int = 0) -> SampleRun:
        deadline = self.device.deadlines.graph if step.call.graph else None
        answer = self._ask({"do": "sample", "call": step.call, "attempt": attempt}, SampleTrace, deadline)
        return SampleRun(
            mapping=step.mapping,
            api=step.call.api,
            sample=step.sample,
            spec=step.call.digest,
            end=answer.end,
            trace=answer.made,
            log=answer.log or [],
        )

    def _ask(self, request: dict[str, object], kind: type[_Made], deadline: float | None = None) -> Answer[_Made]:
        answer = self._ready().ask(request, kind, deadline)
        if answer.end != "completed":
            self._drop()
        return answer

    def _ready(self) -> CallProcess:
        if self._process is not None and self._process.spoke_unasked():
            self._drop()
        if self._process is None:
            self._process = CallProcess(self.device, self._logs)
            self.starts += 1
        return self._process

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None


def _named(api: Api) -> Api:
    """What of an API is needed to look at its signature."""
    return Api(name=api.name, kind=api.kind)


def as_graph(step: Step) -> Step:
    """``step`` with its call compiled to a graph; neither gradients nor moments are asked for."""
    return Step(step.mapping, step.sample, msgspec.structs.replace(step.call, graph=True, gradient=False, draws=False))


def _confirmed(once: SampleRun, again: SampleRun) -> SampleRun:
    """``once`` with what a second try showed; the moments of both stand together."""
    same = essence(once) == essence(again)
    tries = [run.trace.draws for run in (once, again) if run.trace is not None and run.trace.draws is not None]
    if len(tries) > 1 and once.trace is not None:
        together = msgspec.structs.replace(tries[0], tries=[moments for drawn in tries for moments in drawn.tries])
        once = msgspec.structs.replace(once, trace=msgspec.structs.replace(once.trace, draws=together))
    return msgspec.structs.replace(once, confirmed=same, again=None if same else again)


def essence(run: SampleRun) -> object:
    """What must come back the same for a run to be confirmed: all but times, logs, the texts of messages and moments."""
    trace = run.trace
    if trace is None:
        return run.end
    errors = [(one.stage, one.type) if one else None for one in (trace.error, trace.gradient_error)]
    shown: list[object] = [trace.before, trace.after, trace.returned, trace.gradients, errors]
    if trace.draws is not None:
        shown.append([trace.draws.repeats, trace.draws.advances])
    return msgspec.json.encode(shown)
