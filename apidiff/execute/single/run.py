"""Makes the samples of a plan in kept processes, started anew at the call after one that killed it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import msgspec

from apidiff.database.devices import Device
from apidiff.database.process_settings import says_unsupported
from apidiff.ending_signals import held
from apidiff.execute.single.plan import Plan, Step
from apidiff.execute.single.process import Answer, CallProcess, ProcessStartError
from apidiff.model.mapping import Api
from apidiff.model.sample_run import SampleRun, SampleTrace
from apidiff.model.trace import SignatureDump
from apidiff.model.version import release_of

Key = tuple[str, str, str]
_Made = TypeVar("_Made")
Progress = Callable[[str], None]


class CallRunner:
    """Makes calls on one device. Use as a context manager; leaving it kills the processes. ``logs``: the folder for logs.

    On the CPU there are as many processes as cores. What a call leaves behind in its process reaches no other mapping: the
    samples of each are made in a process in which nothing else was called.
    """

    def __init__(self, device: Device, logs: Path) -> None:
        self.device, self._logs = device, logs
        self._count = os.cpu_count() or 1 if device.device == "cpu" else 1
        self._workers = [_Worker(device, logs) for _ in range(self._count)]

    def __enter__(self) -> CallRunner:
        return self

    def __exit__(self, *_: object) -> None:
        with held():
            for worker in self._workers:
                worker.drop()

    @property
    def starts(self) -> int:
        """How many processes were started; those that are forked from one are not counted."""
        return sum(worker.starts for worker in self._workers)

    def version(self) -> str:
        """The release of the framework; of a nightly build the one it leads to."""
        return release_of(self._workers[0].version())

    def signatures(self, plan: Plan) -> list[SignatureDump]:
        """The signature of every API of the plan, as the running framework shows it."""
        worker = self._workers[0]
        answers = [worker.ask({"do": "signature", "api": _named(api)}, SignatureDump) for api in plan.apis]
        return [answer.made for answer in answers if answer.made is not None]

    def run(self, steps: Iterable[Step], progress: Progress) -> dict[Key, SampleRun]:
        """Makes every step once, those of a mapping one after the other in one process."""
        groups = [list(group) for _, group in itertools.groupby(steps, lambda step: step.mapping)]
        return dict(self._made(groups, progress, "", 0))

    def run_graphs(self, steps: Iterable[Step], done: dict[Key, SampleRun], progress: Progress) -> None:
        """Makes the calls of ``steps``, each in a fresh process, compiled to graphs, and notes each with the call in ``done``."""
        for key, graph in self._made([[as_graph(step)] for step in steps], progress, " (graph)", 0):
            done[key] = msgspec.structs.replace(done[key], graph=graph)

    def confirm(self, steps: Sequence[Step], first: dict[Key, SampleRun], progress: Progress) -> None:
        """Makes each of ``steps`` again, alone in a fresh process, and notes in ``first`` whether the same came back.

        What a call leaves behind shows: after a call on an empty tensor MindSpore's `max` refuses a 0-d one. Those of a mapping
        for which there is no kernel share a process.
        """
        groups: dict[object, list[Step]] = {}
        for step in steps:
            groups.setdefault(step.mapping if self._lacks_kernel(first[step.key]) else step.key, []).append(step)
        for key, again in self._made(groups.values(), progress, " (again)", 1):
            first[key] = _confirmed(first[key], again)
        graphs = [[as_graph(step)] for step in steps if first[step.key].graph is not None]
        for key, again in self._made(graphs, progress, " (graph, again)", 1):
            once = first[key].graph
            assert once is not None
            first[key] = msgspec.structs.replace(first[key], graph=_confirmed(once, again))

    def _lacks_kernel(self, run: SampleRun) -> bool:
        error = run.trace.error if run.trace else None
        return error is not None and says_unsupported(error.message, self.device.unsupported_patterns)

    def _made(
        self, groups: Iterable[Sequence[Step]], progress: Progress, what: str, attempt: int
    ) -> Iterator[tuple[Key, SampleRun]]:
        """Makes each of ``groups`` in a fresh process; as many at once as there are workers."""
        waiting: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._workers:
            waiting.put(worker)

        def make(group: Sequence[Step]) -> list[tuple[Key, SampleRun]]:
            worker = waiting.get()
            try:
                worker.begin_anew()
                return [(step.key, worker.make(step, attempt)) for step in group]
            finally:
                waiting.put(worker)

        with ThreadPoolExecutor(self._count) as pool:
            try:
                for group, made in zip(groups, pool.map(make, groups), strict=True):
                    for step in group:
                        progress(f"{step.call.api} {step.sample}{what}")
                    yield from made
            except BaseException:  # Ctrl-C or SIGTERM: no thread is to wait for an answer any more
                pool.shutdown(wait=False, cancel_futures=True)
                for worker in self._workers:
                    worker.interrupt()
                raise


class _Worker:
    """A process that makes calls one after the other, started when it is first asked, and anew after a call that killed it."""

    def __init__(self, device: Device, logs: Path) -> None:
        self._device, self._logs = device, logs
        self._process: CallProcess | None = None
        self._called = self._interrupted = False
        self.starts = 0

    def version(self) -> str:
        return self._ready().version

    def begin_anew(self) -> None:
        """Has what comes made in a process in which nothing was called."""
        if self._process is not None and self._called and not self._process.begin_anew():
            self.drop()
        self._called = False

    def make(self, step: Step, attempt: int) -> SampleRun:
        deadline = self._device.deadlines.graph if step.call.graph else None
        answer = self.ask({"do": "sample", "call": step.call, "attempt": attempt}, SampleTrace, deadline)
        return SampleRun(
            mapping=step.mapping,
            api=step.call.api,
            sample=step.sample,
            spec=step.call.digest,
            end=answer.end,
            trace=answer.made,
            log=answer.log or [],
        )

    def ask(self, request: dict[str, object], kind: type[_Made], deadline: float | None = None) -> Answer[_Made]:
        answer = self._ready().ask(request, kind, deadline)
        self._called = True
        if answer.end != "completed":
            self.drop()
        return answer

    def interrupt(self) -> None:
        """Has a call that another thread waits for end now, and none made after it."""
        self._interrupted = True
        if self._process is not None:
            self._process.interrupt()

    def _ready(self) -> CallProcess:
        self._refuse_interrupted()
        if self._process is None:
            self._called = False
            self.starts += 1
            try:
                with held():
                    process = self._process = CallProcess(self._device, self._logs)
                self._refuse_interrupted()  # what comes after this line is seen by who interrupts
                process.start()
            except BaseException:
                self.drop()
                raise
        return self._process

    def _refuse_interrupted(self) -> None:
        if self._interrupted:
            raise ProcessStartError(f"{self._device.framework} on {self._device.device}: the run was interrupted")

    def drop(self) -> None:
        """Kills the process, if there is one."""
        with held():
            process, self._process = self._process, None
            if process is not None:
                process.kill()


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
