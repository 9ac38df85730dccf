"""What is passed on to rank 0 of a rank on another machine: its answers and what it prints, whatever became of its log."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import pytest

from apidiff.execute.remote import coordinator
from apidiff.execute.remote.coordinator import ANSWER, LOG, RemoteRank
from apidiff.execute.remote.worker import _LOG_BYTES, _Relay
from apidiff.execute.worker_process import WorkerProcess

# A process that takes one request, does what is given, answers, and waits.
_RANK = """
import os, sys, time
requests, answers = int(sys.argv[1]), int(sys.argv[2])
number, _, _ = os.read(requests, 1000).partition(b" ")
log = "rank-1.log"
def answer(text):
    os.write(answers, b"\\n" + number + b" " + text + b"\\n")
{}
time.sleep(600)
"""


@contextmanager
def passed_on(folder: Path, does: str) -> Iterator[bytes]:
    """All that comes until the connection is closed, or nothing more for a while."""
    here, there = socket.socketpair()
    log = folder / "rank-1.log"
    rank = WorkerProcess(["-c", _RANK.format(does)], os.environ, log, folder)
    relay = _Relay(rank, log, there)
    try:
        relay.start()
        rank.send(b"{}\n")
        here.settimeout(60)
        yield b"".join(iter(lambda: here.recv(1 << 16), b"")) if "closes" in does else here.recv(1 << 16)
    finally:
        rank.kill()
        relay.join(30)
        rank.close()
        here.close()
        there.close()
    assert not relay.is_alive()


@pytest.mark.parametrize(
    "does",
    [
        "",
        "os.remove(log)",
        "os.remove(log); os.mkfifo(log)",
        "os.remove(log); os.mkdir(log)",
        "os.write(answers, b'words')",
    ],
)
def test_an_answer_is_passed_on(tmp_path: Path, does: str) -> None:
    with passed_on(tmp_path, f"{does}\nanswer(b'[7]')") as came:
        assert came == ANSWER + b"[7]\n"


@pytest.mark.parametrize(
    "length", [0, 10, _LOG_BYTES - 1, _LOG_BYTES, _LOG_BYTES + 1, 2 * _LOG_BYTES, 3 * _LOG_BYTES + 5]
)
def test_a_long_line_does_not_keep_what_comes_after_it(tmp_path: Path, length: int) -> None:
    log = tmp_path / "rank-1.log"
    log.write_bytes(b"x" * length + b"\nlast\n")
    here, there = socket.socketpair()
    with here, there:
        relay = _Relay(cast("WorkerProcess", None), log, there)
        for _ in range(8):
            relay._pass_on_log()
            here.setblocking(False)
            with suppress(BlockingIOError):
                came = here.recv(1 << 20)
                assert came.startswith(LOG)
                assert len(came) <= _LOG_BYTES + 100
        assert came.endswith(LOG + b"last\n")


def full(path: Path) -> None:
    path.symlink_to("/dev/full")


def link(path: Path) -> None:
    (path.parent / "mine").write_bytes(b"mine")
    path.symlink_to("mine")


@pytest.mark.parametrize("put_there", [Path.touch, full, link, os.mkfifo, Path.mkdir])
def test_a_log_that_cannot_be_written_keeps_no_answer(tmp_path: Path, put_there: Callable[[Path], None]) -> None:
    log = tmp_path / "rank-1.log"
    put_there(log)
    here, there = socket.socketpair()
    with here, there:
        rank = RemoteRank(here, log)
        there.sendall(LOG + b"printed\n" + ANSWER + b"[7]\n")
        assert rank.receive() == b"[7]"
    assert [path.read_bytes() for path in tmp_path.glob("mine")] == [b"mine"] * (put_there is link)
    if put_there is Path.touch:
        assert log.read_bytes() == b"printed\n"


def test_a_disk_that_is_full_ends_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(coordinator, "open_in_place", refuse)
    here, there = socket.socketpair()
    with here, there:
        rank = RemoteRank(here, tmp_path / "rank-1.log")
        there.sendall(LOG + b"printed\n" + ANSWER + b"[7]\n")
        assert rank.receive() == b"[7]"


@pytest.mark.parametrize("answer", ["b'words'", "b'{\"\\xff\":1}'"])
def test_a_broken_answer_closes_the_connection(tmp_path: Path, answer: str, capfd: pytest.CaptureFixture[str]) -> None:
    with passed_on(tmp_path, f"answer({answer})  # closes") as came:
        assert came == b""
    assert capfd.readouterr().err == ""
