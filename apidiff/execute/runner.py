"""Runs a plan: probes one after another on ranks that are kept and started anew only where a probe spoilt them.

What a run costs (2 cores, MindSpore 2.10.0, 3 ranks): a probe 10 ms, the canary after it 30 ms; a start of ranks 5 to 9 s, of
which they compute for 3 and sleep the rest while they look for each other; a probe whose ranks wait for each other the 30 s
after which mccl raises. So ranks are kept as long as the canary is well, which it is after most
errors, a missing kernel among them, and only probes that lost their ranks cost a start. Starts are made ahead, up to two
at a time while a probe is waiting, wherever the loss can be foreseen: the probe tells ranks apart, an earlier probe of the
same API lost its ranks, or, when a probe is made again, it lost them the first time. Probes of an API that is not there
are made, since they cost nothing, and not made again: its signature says the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from apidiff.database.backends import Backend
from apidiff.database.paths import examples_folder
from apidiff.database.record_gate import MAX_STOPPED
from apidiff.database.regular_files import read_text
from apidiff.ending_signals import held
from apidiff.execute.journal import Journal
from apidiff.execute.plan import SKIPPED, Plan, Step, step_key
from apidiff.execute.remote import HostError, Hosts
from apidiff.execute.world import Reply, StartError, World
from apidiff.model.claim import CANONICAL
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import collective_of, variables
from apidiff.model.trace import ProbeRun, RankTrace, RunRecord, ScalarDump, SignatureDump
from apidiff.model.version import release_of

Progress = Callable[[str], None]
# Whether every claim that is judged from a step holds by what the step gave, in a record that holds its run.
Holds = Callable[[Step, ProbeRun, RunRecord], bool]

_BREAKER = 2  # Step.risk of probes on which ranks disagree
_AT_ONCE = 2  # starts of worlds
_NONE = ScalarDump(value=None)
_CANARY = 4.0  # seconds; it takes milliseconds where all is well, and a false alarm costs only a start


class Runner:
    """Runs the steps of one backend at one world size. ``logs``: the folder for what the ranks print.

    Use as a context manager; leaving it kills the ranks. ``hosts``: the other processes of a launcher, which start all ranks
    but the first. ``stopped``: why the run ended before all steps were made, where ranks could no longer be started.
    """

    def __init__(self, backend: Backend, world_size: int, logs: Path, hosts: Hosts | None = None) -> None:
        self.backend, self.world_size, self._logs, self._hosts = backend, world_size, logs, hosts
        self._world: World | None = None
        self._spares = Spares(lambda: World(backend, world_size, logs, hosts))
        self._lost: set[tuple[str, str]] = set()  # the steps after which the ranks were not to be kept
        self.starts = 0
        self.stopped: str | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        with held():
            self._drop()
            self._spares.close()

    def version(self) -> str:
        """Asks the ranks for the framework's release; of a nightly build it is the release that it leads to."""
        return release_of(self._ranks().version)

    def signatures(self, plan: Plan) -> list[SignatureDump]:
        """Asks rank 0 for the signature of every API of the plan."""
        signatures = []
        for api in plan.apis:
            end, signature = self._look_at(api)
            if end != "completed":  # a rank died, or was slow
                _, signature = self._look_at(api)
            if signature is not None:
                signatures.append(signature)
        return signatures

    def _look_at(self, api: Api) -> tuple[str, SignatureDump | None]:
        """How the ranks came through it, and what rank 0 answered."""
        reply, signature = self._ranks().ask({"do": "signature", "api": api}), None
        try:
            if 0 in reply.answers:
                signature = msgspec.json.decode(reply.answers[0], type=SignatureDump)
        except msgspec.DecodeError:
            reply.end = "crash"
        if reply.end != "completed":
            self._drop()
        return reply.end, signature

    def run(self, steps: Iterable[Step], progress: Progress, journal: Journal) -> dict[tuple[str, str], ProbeRun]:
        """Makes every step once, those in the journal excepted; each result goes into the journal at once."""
        done = dict(journal.done)
        for step in steps:
            if step_key(step) not in done:
                progress(f"{step.api.name} {step.probe}")
                if step.plain and (plain := done.get(step.plain)) and failed(plain):
                    skipped = ProbeRun(api=step.api.name, probe=step.probe, spec=step.spec, end=SKIPPED, ranks=[])
                    done[step_key(step)] = skipped
                    continue
                risky = step.risk == _BREAKER or any(api == step.api.name for api, _ in self._lost)
                made = self._tried(step, spares=(2 if self._lost else 1) if risky else 0)
                if made is None:
                    break
                done[step_key(step)] = made
                journal.add(made)
        return done

    def confirm(
        self, steps: Sequence[Step], first: dict[tuple[str, str], ProbeRun], progress: Progress, journal: Journal
    ) -> None:
        """Makes ``steps`` again in fresh ranks and notes in ``first`` and in the journal whether the same came back.

        Those that lost their ranks the first time come last.
        """
        self._drop()
        lost = {step_key(step) for step in steps if first[step_key(step)].end != "completed"} | self._lost
        ordered = sorted(steps, key=lambda step: step_key(step) in lost)
        for place, step in enumerate(ordered, 1):
            progress(f"{step.api.name} {step.probe} (again)")
            again = self._tried(step, spares=min(2, len(ordered) - place) if step_key(step) in lost else 0)
            if again is None:
                break
            once = first[step_key(step)]
            same = essence(once) == essence(again)
            settled = msgspec.structs.replace(once, confirmed=same, again=None if same else again)
            first[step_key(step)] = settled
            journal.add(settled)

    def _tried(self, step: Step, *, spares: int) -> ProbeRun | None:
        """Makes a step; None where ranks can no longer be started: a machine went away, say. Then the run is stopped.

        Raises StartError where there were none from the beginning.
        """
        try:
            return self._make(step, spares=spares)
        except (StartError, HostError) as error:
            if not self.starts:
                raise
            self.stopped = str(error)[:MAX_STOPPED]
            return None

    def _make(self, step: Step, *, spares: int) -> ProbeRun:
        """Makes a step. ``spares``: how many worlds get ready meanwhile, because the ranks will probably be lost."""
        if _is_apart(step):
            return self._make_apart(step)
        ranks = self._ranks()
        self._spares.keep(spares)
        made = _asked(ranks, step, _request(step))
        if made.end != "completed" or not self._healthy():
            self._lost.add(step_key(step))
            self._drop()
        return made

    def _make_apart(self, step: Step) -> ProbeRun:
        """Makes a step in ranks of its own that start with the variables of its probe."""
        environment = self.backend.environment | variables(step.api, step.probe)
        backend = msgspec.structs.replace(self.backend, environment=environment)
        with World(backend, self.world_size, self._logs, self._hosts) as ranks:
            self.starts += 1
            return _asked(ranks, step, {"do": "probe", "api": step.api, "probe": step.probe})

    def _healthy(self) -> bool:
        """Tells whether collectives that are known to work still do: a failed kernel may show only in the next call."""
        reply: Reply = self._ranks().ask({"do": "canary"}, _CANARY)
        return reply.end == "completed" and all(line == b"true" for line in reply.answers.values())

    def _ranks(self) -> World:
        if self._world is None:
            self._world = self._spares.take()
            self.starts += 1
        return self._world

    def _drop(self) -> None:
        with held():
            if self._world is not None:
                self._world.kill()
                self._world = None


def _request(step: Step) -> dict[str, Any]:
    """What the ranks are asked. Of an example they get the code too: a rank on another machine may have another, or none."""
    if step.example is None:
        return {"do": "probe", "api": step.api, "probe": step.probe}
    path = examples_folder() / step.example
    return {"do": "example", "path": str(path), "code": read_text(path)}


def _is_apart(step: Step) -> bool:
    """Whether a step needs ranks of its own: it sets variables, or its code may leave them with other groups than they had."""
    if step.example is not None:
        return False
    code = collective_of(step.api).probes[step.probe].code
    return bool(variables(step.api, step.probe)) or (code is not None and step.probe != CANONICAL)


def _asked(ranks: World, step: Step, request: dict[str, Any]) -> ProbeRun:
    """Asks the ranks to make a step and takes down what they answer."""
    reply = ranks.ask(request)
    try:
        traces = [msgspec.json.decode(line, type=RankTrace) for _, line in sorted(reply.answers.items())]
    except msgspec.DecodeError:  # a rank answered something else: nothing that they say is believed
        reply.end, traces = "crash", []
    log = ranks.log() if reply.end != "completed" else []
    return ProbeRun(api=step.api.name, probe=step.probe, spec=step.spec, end=reply.end, ranks=traces, log=log)


class Spares:
    """Starts worlds ahead, two at a time at most, and hands them out. ``make`` makes one that is not started yet."""

    def __init__(self, make: Callable[[], World]) -> None:
        self._make = make
        self._starter = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="apidiff-spare")
        self._waiting: list[Future[World]] = []
        self._starting: list[World] = []
        self._taken: Future[World] | None = None
        self._closed = False

    def keep(self, count: int) -> None:
        """Starts worlds until ``count`` are ready or under way; returns at once."""
        while len(self._waiting) < count:
            self._waiting.append(self._starter.submit(self._started))

    def take(self) -> World:
        """Takes a started world that nobody has asked anything: the one begun first, or a new one. Raises StartError."""
        self.keep(1)
        first = self._waiting[0]
        first.exception()  # waits; until it is up it stays among those that `close` ends, if this is interrupted
        self._taken = first
        del self._waiting[0]
        return first.result()

    def close(self) -> None:
        """Ends every world that was not taken, those under way too, and the last one that was."""
        self._closed = True
        for world in list(self._starting):
            world.abort()
        for spare in [*self._waiting, *([self._taken] if self._taken else [])]:
            if not spare.cancel():
                with contextlib.suppress(StartError, HostError):
                    spare.result().kill()
        self._starter.shutdown()

    def _started(self) -> World:
        # The port was free when it was looked up; another process may have taken it since, so a start is tried twice.
        with contextlib.suppress(StartError, HostError):
            return self._start()
        if self._closed:
            raise StartError("closed while ranks were starting")
        return self._start()

    def _start(self) -> World:
        world = self._make()
        self._starting.append(world)
        try:
            if self._closed:
                raise StartError("closed before ranks were started")
            return world.start()
        finally:
            self._starting.remove(world)


def doubtful(steps: Iterable[Step], record: RunRecord, holds: Holds) -> list[Step]:
    """Finds the steps whose outcome is confirmed before it is recorded: any claim that does not hold, any odd end.

    So is a call that shows nothing where the plain call of its API shows something: that it was accepted holds of ranks that
    no longer call anything, too. Not those of an API that is not there, where every rank says so. ``holds``: whether all
    claims on a step hold.
    """
    runs = {(run.api, run.probe): run for run in record.probes}
    missing = {signature.api for signature in record.signatures if signature.missing}
    return [
        step
        for step in steps
        if not (step.api.name in missing and _all_raised(runs[step_key(step)]))
        and (_is_doubtful(step, runs[step_key(step)], record, holds) or _lost_its_effect(step, runs))
    ]


def _all_raised(run: ProbeRun) -> bool:
    return run.end == "completed" and all(trace.error for trace in run.ranks)


def _is_doubtful(step: Step, run: ProbeRun, record: RunRecord, holds: Holds) -> bool:
    if run.confirmed or run.again is not None or run.end == SKIPPED:
        return False
    if failed(run):
        return True
    return not holds(step, run, record)


def _lost_its_effect(step: Step, runs: dict[tuple[str, str], ProbeRun]) -> bool:
    run, plain = runs[step_key(step)], runs.get((step.api.name, collective_of(step.api).plain_probe or ""))
    settled = run.confirmed or run.again is not None
    return not settled and shows_nothing(run) and not (plain and shows_nothing(plain))


def shows_nothing(run: ProbeRun) -> bool:
    """Whether a call was made and left no mark on any rank: nothing raised, nothing written, None returned."""
    called = [trace for trace in run.ranks if trace.before]
    unmarked = (trace.error is None and trace.after == trace.before and trace.returned == _NONE for trace in called)
    return run.end == "completed" and bool(called) and all(unmarked)


def failed(run: ProbeRun) -> bool:
    """Whether a rank raised or never answered."""
    return run.end != "completed" or any(trace.error for trace in run.ranks)


def essence(run: ProbeRun) -> object:
    """Takes from a run what must come back the same for it to be confirmed: all but times, logs and the text of messages.

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
