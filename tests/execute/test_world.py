"""Ranks that come up, die and hang; what else may happen to them is in the fault suite."""

from __future__ import annotations

import errno
import os
import selectors
import signal
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from apidiff.database.backends import Backend, Deadlines
from apidiff.ending_signals import ending_in_order
from apidiff.execute.worker_process import WorkerProcess
from apidiff.execute.world import Reply, StartError, World
from apidiff.model.trace import RankTrace
from tests.factories import collective_api


def probe(world: World, name: str, **arguments: Any) -> Reply:
    api = collective_api({"name": name, "probes": {"it": {"set": arguments}}})
    return world.ask({"do": "probe", "api": api, "probe": "it"})


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture
def no_process_left() -> Iterator[None]:
    """Fails a test that leaves a process behind."""
    before = children()
    yield
    assert children() <= before


def test_comes_up_answers_and_goes(gloo: Backend, tmp_path: Path, no_process_left: None) -> None:
    with World(gloo, 2, tmp_path) as world:
        assert world.version.count(".") == 2
        assert world.ask({"do": "canary"}) == Reply({0: b"true", 1: b"true"}, "completed")


@pytest.mark.turning(days=2, group="ranks that fail")
def test_a_rank_that_dies_is_a_crash_and_the_others_still_answer(
    gloo: Backend, tmp_path: Path, no_process_left: None
) -> None:
    with World(gloo, 3, tmp_path) as world:
        probe(world, "faulty_calls.say", what="all is well")
        assert "rank-1: all is well" in world.log()
        reply = probe(world, "faulty_calls.die", on=1)
        assert reply.end == "crash"
        assert set(reply.answers) == {0, 2}
        assert world.log() == ["rank-1: about to die"], "what was printed before the probe is not part of it"


@pytest.mark.turning(days=2, group="ranks that fail")
def test_a_rank_that_hangs_is_a_timeout_and_the_others_still_answer(
    impatient_gloo: Backend, tmp_path: Path, no_process_left: None
) -> None:
    with World(impatient_gloo, 3, tmp_path) as world:
        reply = probe(world, "faulty_calls.hang", on=2, tensor=1)
        assert reply.end == "timeout"
        assert set(reply.answers) == {0, 1}


@pytest.mark.turning(days=2, group="ranks that fail")
def test_ranks_that_wait_for_one_that_raised_are_not_waited_for_long(
    gloo: Backend, tmp_path: Path, no_process_left: None
) -> None:
    deadlines = Deadlines(start=gloo.deadlines.start, probe=600, after_error=0.5)
    patient = msgspec.structs.replace(gloo, deadlines=deadlines)
    with World(patient, 2, tmp_path) as world:
        reply = probe(world, "faulty_calls.refuse_on", on=1, tensor=1)
        assert reply.end == "timeout"
        assert [msgspec.json.decode(line, type=RankTrace).error is not None for line in reply.answers.values()] == [
            True
        ]


# (backend's fields that make a start fail, what the message says, what a log of it holds)
STARTS = [
    ({"name": "glue"}, "2 ranks ended before they came up", "glue"),
    ({"deadlines": Deadlines(start=0.01, probe=1)}, "2 ranks did not come up in time (0.01 s)", ""),
]


@pytest.mark.parametrize(("fields", "message", "logged"), STARTS)
def test_a_failed_start_is_one_error_with_its_logs(
    gloo: Backend, tmp_path: Path, no_process_left: None, fields: dict[str, Any], message: str, logged: str
) -> None:
    world = World(msgspec.structs.replace(gloo, **fields), 2, tmp_path)
    with pytest.raises(StartError) as error, world:
        pass
    assert message in str(error.value)
    assert str(error.value).endswith(f"Read {world.folder}.")
    assert logged in (world.folder / "rank-0.log").read_text()


class _Paused(selectors.DefaultSelector):
    """Waits as a process does that is stopped and goes on behind its deadline: what is there then is not looked at."""

    paused = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if _Paused.paused or timeout == 0:
            return super().select(timeout)
        _Paused.paused = True
        time.sleep(timeout or 0)
        return []


def test_answers_that_came_while_the_command_was_paused_are_read(
    gloo: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_process_left: None
) -> None:
    with World(gloo, 2, tmp_path) as world:
        monkeypatch.setattr(selectors, "DefaultSelector", _Paused)
        assert world.ask({"do": "canary"}, 2.0) == Reply({0: b"true", 1: b"true"}, "completed")
    assert _Paused.paused


def _cannot_start(*_: object, **__: object) -> None:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_ranks_that_cannot_be_started_leave_nothing(
    gloo: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("apidiff.execute.worker_process.subprocess.Popen", _cannot_start)
    world = World(gloo, 2, tmp_path / "logs")
    with pytest.raises(StartError, match=r"cannot be started \(Resource temporarily"), world:
        pass
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.fixture
def as_a_command() -> Iterator[None]:
    """Has this process end at SIGTERM as a command does."""
    with ending_in_order():
        yield


@pytest.mark.parametrize("last", [1, 2])
def test_a_rank_that_is_being_started_at_a_signal_ends_with_the_others(
    as_a_command: None, last: int, gloo: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_process_left: None
) -> None:
    start, started = World._process, []

    def interrupted(world: World, *arguments: Any) -> WorkerProcess:
        started.append(start(world, *arguments))
        if len(started) == last:
            os.kill(os.getpid(), signal.SIGTERM)
        return started[-1]

    monkeypatch.setattr(World, "_process", interrupted)
    with pytest.raises(SystemExit), World(gloo, 2, tmp_path):
        pass
    assert len(started) == last


@pytest.mark.turning(days=2, group="ranks that fail")
def test_two_runs_at_once_do_not_disturb_each_other(gloo: Backend, tmp_path: Path, no_process_left: None) -> None:
    def sums(count: int) -> list[list[float]]:
        found = []
        with World(gloo, count, tmp_path) as world:
            for _ in range(20):
                reply = probe(world, "torch.distributed.all_reduce", tensor={"shape": [1]})
                for line in reply.answers.values():
                    after = msgspec.json.decode(line, type=RankTrace).after["tensor"]
                    found.append(getattr(after, "values", None))
        return found

    with ThreadPoolExecutor() as pool:
        two, three = pool.map(sums, [2, 3])
    assert (two, three) == ([[11.0]] * 40, [[111.0]] * 60)
