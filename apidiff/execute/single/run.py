"""Makes the samples of a plan in one kept process, started anew at the call after one that killed it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from apidiff.database.devices import Device
from apidiff.execute.single.plan import Plan, Step
from apidiff.execute.single.process import Answer, CallProcess
from apidiff.model.mapping import Api
from apidiff.model.sample_run import SampleRun, SampleTrace
from apidiff.model.trace import SignatureDump
from apidiff.model.version import release_of

Key = tuple[str, str, str]
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
        answers = [self._ask({"do": "signature", "api": _named(api)}) for api in plan.apis]
        return [msgspec.json.decode(one.line, type=SignatureDump) for one in answers if one.end == "completed"]

    def run(self, steps: Iterable[Step], progress: Progress) -> dict[Key, SampleRun]:
        """Makes every step once."""
        done = {}
        for step in steps:
            progress(f"{step.call.api} {step.sample}")
            done[step.key] = self._make(step)
        return done

    def confirm(self, steps: Iterable[Step], first: dict[Key, SampleRun], progress: Progress) -> None:
        """Makes ``steps`` again in a fresh process, and notes in ``first`` whether the same came back."""
        self._drop()
        for step in steps:
            progress(f"{step.call.api} {step.sample} (again)")
            once, again = first[step.key], self._make(step)
            same = essence(once) == essence(again)
            first[step.key] = msgspec.structs.replace(once, confirmed=same, again=None if same else again)

    def _make(self, step: Step) -> SampleRun:
        answer = self._ask({"do": "sample", "call": step.call})
        trace = msgspec.json.decode(answer.line, type=SampleTrace) if answer.end == "completed" else None
        return SampleRun(
            mapping=step.mapping,
            api=step.call.api,
            sample=step.sample,
            spec=step.call.digest,
            end=answer.end,
            trace=trace,
            log=answer.log or [],
        )

    def _ask(self, request: dict[str, object]) -> Answer:
        answer = self._ready().ask(request)
        if answer.end != "completed":
            self._drop()
        return answer

    def _ready(self) -> CallProcess:
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


def essence(run: SampleRun) -> object:
    """What must come back the same for a run to be confirmed: all but times, logs and the texts of messages."""
    trace = run.trace
    if trace is None:
        return run.end
    errors = [(one.stage, one.type) if one else None for one in (trace.error, trace.gradient_error)]
    return msgspec.json.encode([trace.before, trace.after, trace.returned, trace.gradients, errors])
