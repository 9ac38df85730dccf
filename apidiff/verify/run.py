"""Runs a plan: probes one after another on ranks that are kept and started anew only where a probe spoilt them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec

from apidiff.judge import Context, judge_claim
from apidiff.model import Outcome, ProbeRun, RankTrace, RunRecord, SignatureDump
from apidiff.store.backends import Backend
from apidiff.store.paths import examples_folder
from apidiff.verify.journal import Journal
from apidiff.verify.plan import Plan, Step, step_key
from apidiff.verify.world import Reply, StartError, World

Progress = Callable[[str], None]

_BREAKER = 2  # Step.risk of probes on which ranks disagree


class Runner:
    """Runs the steps of one backend at one world size. ``logs``: the folder for what the ranks print.

    Use as a context manager; leaving it kills the ranks.
    """

    def __init__(self, backend: Backend, world_size: int, logs: Path) -> None:
        self.backend, self.world_size, self._logs = backend, world_size, logs
        self._world: World | None = None
        self._spare: Future[World] | None = None
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="apidiff-spare")
        self.starts = 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()
        if self._spare is not None:
            with contextlib.suppress(StartError):
                self._spare.result().kill()
        self._starter.shutdown()

    def version(self) -> str:
        """The framework's version as the ranks report it."""
        return self._ranks().version

    def signatures(self, plan: Plan) -> list[SignatureDump]:
        """The signature of every API of the plan, as rank 0 sees it."""
        found = []
        for api in plan.apis:
            reply = self._ranks().ask({"do": "signature", "api": api})
            if 0 in reply.answers:
                found.append(msgspec.json.decode(reply.answers[0], type=SignatureDump))
        return found

    def run(self, steps: Iterable[Step], progress: Progress, journal: Journal) -> dict[tuple[str, str], ProbeRun]:
        """Makes every step once, those in the journal excepted; each result goes into the journal at once."""
        done = dict(journal.done)
        for step in steps:
            if step_key(step) not in done:
                progress(f"{step.api.name} {step.probe}")
                done[step_key(step)] = self._make(step)
                journal.add(done[step_key(step)])
        return done

    def confirm(self, steps: Sequence[Step], first: dict[tuple[str, str], ProbeRun], progress: Progress) -> None:
        """Makes ``steps`` again in fresh ranks and notes in ``first`` whether the same came back."""
        self._drop()
        for step in steps:
            progress(f"{step.api.name} {step.probe} (again)")
            again = self._make(step)
            once = first[step_key(step)]
            same = essence(once) == essence(again)
            first[step_key(step)] = msgspec.structs.replace(once, confirmed=same, again=None if same else again)

    def _make(self, step: Step) -> ProbeRun:
        if step.risk == _BREAKER and self._spare is None:
            # The ranks will probably be lost, after waiting for each other to the deadline: others get ready meanwhile.
            self._ranks()
            self._spare = self._starter.submit(self._started)
        request = {"do": "example", "path": str(examples_folder() / step.example)} if step.example else None
        reply = self._ranks().ask(request or {"do": "probe", "api": step.api, "probe": step.probe})
        traces = [msgspec.json.decode(line, type=RankTrace) for _, line in sorted(reply.answers.items())]
        log = self._ranks().log() if reply.end != "completed" else []
        if reply.end != "completed" or not self._healthy():
            self._drop()
        return ProbeRun(api=step.api.name, probe=step.probe, spec=step.spec, end=reply.end, ranks=traces, log=log)

    def _healthy(self) -> bool:
        """Whether a collective that is known to work still does: a failed kernel may show only in the next call."""
        reply: Reply = self._ranks().ask({"do": "canary"})
        return reply.end == "completed" and all(msgspec.json.decode(line) is True for line in reply.answers.values())

    def _ranks(self) -> World:
        if self._world is None:
            if self._spare is not None:
                spare, self._spare = self._spare, None
                self._world = spare.result()
            else:
                self._world = self._started()
            self.starts += 1
        return self._world

    def _started(self) -> World:
        # The port was free when it was looked up; another process may have taken it since, so a start is tried twice.
        with contextlib.suppress(StartError):
            return World(self.backend, self.world_size, self._logs).start()
        return World(self.backend, self.world_size, self._logs).start()

    def _drop(self) -> None:
        if self._world is not None:
            self._world.kill()
            self._world = None


def doubtful(steps: Iterable[Step], record: RunRecord, context: Context) -> list[Step]:
    """The steps whose outcome is confirmed before it is recorded: any claim that does not hold, any odd end."""
    runs = {(run.api, run.probe): run for run in record.probes}
    return [step for step in steps if _is_doubtful(step, runs[step_key(step)], record, context)]


def _is_doubtful(step: Step, run: ProbeRun, record: RunRecord, context: Context) -> bool:
    if run.confirmed or run.again is not None:
        return False
    if run.end != "completed" or any(trace.error for trace in run.ranks):
        return True
    patterns = context.unsupported.get((record.backend, record.framework), ())
    expected = context.examples.get(step.example or "", ("", ()))[1]
    outcomes = {judge_claim(claim, step.api, step.probe, run, patterns, record, expected)[0] for claim in step.claims}
    return bool(outcomes - {Outcome.HOLDS, Outcome.NOT_RUN})


def essence(run: ProbeRun) -> object:
    """What must come back the same for a run to be confirmed: all but times, logs and the text of messages.

    A message may name ports, threads or whichever rank failed first; its type and stage may not change. Of a run that
    timed out or crashed the ranks that answered may differ: which of them got away is a matter of time.
    """
    if run.end != "completed":
        return run.end
    traces = []
    for trace in run.ranks:
        error = (trace.error.stage, trace.error.type) if trace.error else None
        traces.append((trace.rank, trace.after, trace.returned, error, trace.output))
    return run.end, msgspec.json.encode(traces)
