"""Probes one after another: one that spoils its ranks leaves the others their verdict; what is odd is made again."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import psutil
import pytest

from apidiff.database.backends import Backend, load_backends
from apidiff.execute.journal import Journal
from apidiff.execute.plan import Plan, Step, step_key
from apidiff.execute.record import make_record
from apidiff.execute.runner import Runner, Spares, doubtful, essence, shows_nothing
from apidiff.execute.world import StartError, World
from apidiff.model.probe_resolution import digest
from apidiff.model.trace import CallError, ProbeRun, RankTrace, ScalarDump, SignatureDump, TensorDump
from tests.factories import collective_api

SUM = {"set": {"tensor": {"shape": [1]}}}


def quiet(_: str) -> None:
    return None


def step(name: str, probe: dict[str, object]) -> Step:
    api = collective_api({"name": name, "probes": {"it": probe}})
    return Step(api, "it", digest(api, "it"), ())


@pytest.fixture
def made(gloo: Backend, tmp_path: Path) -> Callable[..., tuple[list[ProbeRun], int]]:
    """Makes steps on two gloo ranks, and again those named; returns their runs and how often ranks were started."""

    def make(steps: list[Step], again: list[Step] | None = None) -> tuple[list[ProbeRun], int]:
        with Runner(gloo, 2, tmp_path) as runner:
            runs = runner.run(steps, quiet, Journal(None, Plan((), ())))
            if again is not None:
                runner.confirm(again, runs, quiet, Journal(None, Plan((), ())))
            return [runs[step_key(one)] for one in steps], runner.starts

    return make


def test_ranks_are_kept_from_probe_to_probe(made: Callable[..., tuple[list[ProbeRun], int]]) -> None:
    steps = [step("torch.distributed.all_reduce", SUM), step("torch.distributed.barrier", {}), step("torch.clone", {})]
    runs, starts = made(steps)
    assert ([run.end for run in runs], starts) == (["completed"] * 3, 1)


def test_why_a_run_stopped_is_as_long_as_a_record_may_say(
    gloo: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> ProbeRun:
        raise StartError("x" * 5000)

    monkeypatch.setattr(Runner, "_make", away)
    with Runner(gloo, 2, tmp_path) as runner:
        runner.starts = 1
        assert runner.run([step("torch.clone", {})], quiet, Journal(None, Plan((), ()))) == {}
        assert runner.stopped == "x" * 2000


@pytest.mark.turning(days=4, group="own ranks")
def test_code_is_executed_in_ranks_of_its_own(made: Callable[..., tuple[list[ProbeRun], int]]) -> None:
    """It may leave them with other groups than they had."""
    code = "import torch.distributed as dist\n\ndist.all_reduce(tensor)\ndist.destroy_process_group()"
    destroyed = step("torch.distributed.all_reduce", {**SUM, "code": code})
    runs, starts = made([destroyed, step("torch.distributed.barrier", {})])
    assert ([run.end for run in runs], starts) == (["completed"] * 2, 2)
    assert [getattr(trace.after["tensor"], "values", None) for trace in runs[0].ranks] == [[11.0]] * 2
    assert [trace.error for trace in runs[1].ranks] == [None, None]


# (what spoils its ranks, how it ends, a line of the log kept with it, the plain call made after it)
SPOILING = [
    (step("faulty_calls.hang", {"set": {"on": 0, "tensor": 1}}), "timeout", ["rank-0: about to hang"]),
    (step("faulty_calls.die", {"set": {"on": 1}}), "crash", ["rank-1: about to die"]),
    (step("faulty_calls.spoil", {}), "completed", []),
    (step("faulty_calls.mute", {}), "completed", []),
    (step("faulty_calls.stop_copying", {}), "completed", []),
]
SHAPES = range(1, len(SPOILING) + 1)  # so that each of the plain calls is one of its own
FAULTS = [
    (*spoiling, step("torch.distributed.all_reduce", {"set": {"tensor": {"shape": [size]}}}))
    for spoiling, size in zip(SPOILING, SHAPES, strict=True)
]


@pytest.fixture(scope="module")
def spoilt(
    impatient_gloo: Backend, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[tuple[str, str], ProbeRun], int]:
    """The runs of all faults, each followed by its plain call, and how often ranks were started for them."""
    steps = [made for fault, _, _, plain in FAULTS for made in (fault, plain)]
    runs = {}
    with Runner(impatient_gloo, 2, tmp_path_factory.mktemp("spoilt")) as runner:
        for made in steps:
            runs |= {(made.api.name, made.spec): runner.run([made], quiet, Journal(None, Plan((), ())))[step_key(made)]}
        return runs, runner.starts


def test_ranks_are_started_anew_only_where_they_were_spoilt(
    spoilt: tuple[dict[tuple[str, str], ProbeRun], int],
) -> None:
    assert spoilt[1] == 1 + len(FAULTS)


@pytest.mark.parametrize(("fault", "end", "logged", "plain"), FAULTS, ids=[fault.api.name for fault, *_ in FAULTS])
def test_a_probe_that_spoils_its_ranks_is_isolated(
    spoilt: tuple[dict[tuple[str, str], ProbeRun], int], fault: Step, end: str, logged: list[str], plain: Step
) -> None:
    lost, kept = (spoilt[0][made.api.name, made.spec] for made in (fault, plain))
    assert [run.end for run in (lost, kept)] == [end, "completed"]
    assert set(logged) <= set(lost.log)
    assert [getattr(trace.after["tensor"], "values", [])[0] for trace in kept.ranks] == [11.0] * 2


@pytest.mark.turning(days=4, group="own ranks")
def test_what_comes_back_the_same_is_confirmed_and_what_does_not_keeps_both(
    made: Callable[..., tuple[list[ProbeRun], int]],
) -> None:
    same = step("torch.distributed.reduce", {"set": {"tensor": {"shape": [3]}, "dst": 0}})
    differs = step("faulty_calls.another", {"set": {"tensor": {"shape": [1]}}})
    runs, starts = made([same, differs], [same, differs])
    assert [run.confirmed for run in runs] == [True, False]
    assert runs[0].again is None
    assert runs[1].again is not None
    assert runs[1].again.ranks[0].returned != runs[1].ranks[0].returned
    assert starts == 2, "the second try is made in fresh ranks"


@pytest.mark.turning(days=4, group="own ranks")
def test_what_lost_its_ranks_is_made_again_last_with_ranks_that_are_ready(
    gloo: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    keep = Spares.keep

    def counted(spares: Spares, count: int) -> None:
        kept.append(count)
        keep(spares, count)

    bad = [step("faulty_calls.die", {"set": {"on": on}}) for on in (1,)]
    bad.append(step("faulty_calls.spoil", {}))
    good = step("faulty_calls.another", {"set": {"tensor": 1}})
    path, plan = tmp_path / "run.jsonl", Plan((), (*bad, good))
    with Runner(gloo, 2, tmp_path) as runner, closing(Journal(path, plan)) as journal:
        runs = runner.run([*bad, good], quiet, journal)
        monkeypatch.setattr(Spares, "keep", counted)
        order: list[str] = []
        runner.confirm([*bad, good], runs, order.append, journal)
    assert [one.split()[0] for one in order] == ["faulty_calls.another", "faulty_calls.die", "faulty_calls.spoil"]
    # Before each step how many are to be ready; in between, one that is taken.
    assert kept == [1, 0, 1, 1, 0]
    # An interrupted run takes up what was confirmed, too.
    with closing(Journal(path, plan)) as taken_up:
        assert taken_up.done == runs
    assert all(run.confirmed or run.again for run in runs.values())


@pytest.mark.turning(days=4, group="own ranks")
def test_a_spare_that_is_not_needed_is_ended_while_it_starts(gloo: Backend, tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    spares = Spares(lambda: World(gloo, 2, tmp_path))
    spares.keep(2)
    until = time.monotonic() + 60
    while len(list(tmp_path.glob("*/rank-1.log"))) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    spares.close()
    assert set(psutil.Process().children(recursive=True)) <= before
    assert not list(tmp_path.iterdir()), "nobody reads the logs of ranks that were ended on purpose"


@pytest.mark.turning(days=4, group="own ranks")
def test_who_is_interrupted_waiting_for_ranks_ends_them_at_once(gloo: Backend, tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    spares = Spares(lambda: World(gloo, 2, tmp_path))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGUSR1, interrupt)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            spares.take()
    finally:
        signal.signal(signal.SIGUSR1, former)
    spares.close()
    assert set(psutil.Process().children(recursive=True)) <= before
    assert not list(tmp_path.iterdir())


def test_a_world_that_is_ended_before_its_first_rank_starts_none(
    gloo: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()
    make = World._make_folders

    def slowly(world: World) -> None:
        make(world)
        begun.set()
        ended.wait(60)

    monkeypatch.setattr(World, "_make_folders", slowly)
    monkeypatch.setattr("apidiff.execute.world.WorkerProcess", lambda *_: pytest.fail("a process was started"))
    worlds: list[World] = []

    def made() -> World:
        worlds.append(World(gloo, 2, tmp_path))
        return worlds[-1]

    spares = Spares(made)
    spares.keep(1)
    assert begun.wait(60)
    worlds[0].abort()
    spares._closed = True  # what `close` does first, which then waits
    ended.set()
    spares.close()
    assert len(worlds) == 1
    assert not list(tmp_path.iterdir())


# (API, is it there, does every rank raise, is it made again)
DOUBTS = [("torch.distributed.there_is_no_such", True, False), ("torch.distributed.reduce", False, True)]


@pytest.mark.parametrize(("name", "missing", "again"), DOUBTS)
def test_what_is_not_there_is_made_once(name: str, missing: bool, again: bool) -> None:
    made = step(name, SUM)
    raised = [RankTrace(rank=rank, error=error("AttributeError", "no such", "prepare")) for rank in range(2)]
    run = ProbeRun(api=name, probe="it", spec=made.spec, end="completed", ranks=raised)
    gloo = next(one for one in load_backends() if one.name == "gloo")
    record = make_record(gloo, "2.13.0", 2, [SignatureDump(api=name, missing=missing)], [run])
    assert doubtful([made], record, lambda *_: True) == [made] * again


TENSOR = TensorDump(type="Tensor", dtype="float32", shape=[1], values=[1.0], storage=0, object=0)
SUMMED = msgspec.structs.replace(TENSOR, values=[11.0])
NONE = ScalarDump(value=None)
BEFORE = {"tensor": TENSOR}
SILENT = {"before": BEFORE, "after": BEFORE, "returned": NONE}
WRITES = {"before": BEFORE, "after": {"tensor": SUMMED}, "returned": NONE}
# (what the plain call shows on rank 0, what another accepted call shows there, whether that one is made again)
MARKS = [
    (WRITES, SILENT, True),
    (WRITES, WRITES, False),
    (WRITES, SILENT | {"returned": ScalarDump(value="a name")}, False),
    (WRITES, {"returned": NONE}, False),  # the rank made no call
    (SILENT, SILENT, False),  # there is nothing to see of a barrier
]


@pytest.mark.parametrize(("plain", "other", "again"), MARKS)
def test_a_call_that_lost_its_effect_is_made_again(plain: dict, other: dict, again: bool) -> None:
    api = collective_api({"name": "torch.distributed.all_reduce", "probes": {"sync": SUM, "odd": {"like": "sync"}}})
    steps = [Step(api, probe, digest(api, probe), ()) for probe in ("sync", "odd")]
    runs = [
        ProbeRun(api=api.name, probe=made.probe, spec=made.spec, end="completed", ranks=[RankTrace(rank=0, **shown)])
        for made, shown in zip(steps, (plain, other), strict=True)
    ]
    gloo = next(one for one in load_backends() if one.name == "gloo")
    assert doubtful(steps, make_record(gloo, "2.13.0", 2, [], runs), lambda *_: True) == steps[1:] * again
    settled = [runs[0], msgspec.structs.replace(runs[1], confirmed=True)]
    assert doubtful(steps, make_record(gloo, "2.13.0", 2, [], settled), lambda *_: True) == []


@pytest.mark.turning(days=4, group="own ranks")
def test_a_probe_made_by_ranks_that_call_nothing_does_not_pass_as_accepted(
    made: Callable[..., tuple[list[ProbeRun], int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runner, "_healthy", lambda _: True)  # as if nothing between probes had noticed
    api = collective_api(
        {
            "name": "torch.distributed.all_reduce",
            "probes": {"sync": SUM, "odd": {"like": "sync", "set": {"tensor": {"shape": [2]}}}},
        }
    )
    sync, odd = (Step(api, probe, digest(api, probe), ()) for probe in ("sync", "odd"))
    steps = [sync, step("faulty_calls.mute", {}), odd]
    runs, _ = made(steps, [odd])
    assert shows_nothing(runs[2])
    assert runs[2].confirmed is False
    assert runs[2].again is not None
    assert not shows_nothing(runs[2].again)


def one(**fields: object) -> ProbeRun:
    trace = {"rank": 0, "returned": ScalarDump(value=1), "seconds": 1.0}
    run = {"api": "a.b", "probe": "it", "spec": "0", "end": "completed"}
    run |= {key: fields.pop(key) for key in ("end", "log") if key in fields}
    return ProbeRun(**run, ranks=[RankTrace(**trace | fields)])  # type: ignore[arg-type]


def error(kind: str, message: str, stage: str = "call") -> CallError:
    return CallError(stage=stage, type=kind, message=message)


# (a run, another, whether the second confirms the first)
CONFIRMS = [
    (one(), one(), True),
    (one(), one(seconds=9.0), True),
    (one(), one(log=["port 1"]), True),
    (one(), one(returned=ScalarDump(value=2)), False),
    (one(), one(output=["a line"]), False),
    (one(), one(error=error("E", "")), False),
    (one(error=error("E", "port 1")), one(error=error("E", "port 2")), True),
    (one(error=error("E", "")), one(error=error("F", "")), False),
    (one(error=error("E", "")), one(error=error("E", "", "wait")), False),
    (one(end="timeout"), one(end="timeout", returned=None), True),
    (one(end="timeout"), one(end="crash"), False),
    (one(end="timeout"), one(), False),
]


@pytest.mark.parametrize(("first", "second", "same"), CONFIRMS)
def test_what_counts_as_the_same(first: ProbeRun, second: ProbeRun, same: bool) -> None:
    assert (essence(first) == essence(second)) is same


@pytest.mark.turning(days=4, group="own ranks")
def test_a_sweep_is_not_made_where_the_plain_call_fails(made: Callable[..., tuple[list[ProbeRun], int]]) -> None:
    probes = {"plain": {"set": {"on": 9}}, "dtype-int8": {"like": "plain", "sweep": "dtype", "set": {"tensor": 1}}}
    calls = {"torch.distributed.no_such_call": "skipped", "torch.distributed.is_initialized": "completed"}
    steps = []
    for name in calls:
        given = (
            probes if name.endswith("no_such_call") else {key: {**probe, "set": {}} for key, probe in probes.items()}
        )
        api = collective_api({"name": name, "probes": given})
        steps += [Step(api, probe, digest(api, probe), ()) for probe in probes]
    runs, _ = made(steps)
    assert {run.api: run.end for run in runs if run.probe == "dtype-int8"} == calls
