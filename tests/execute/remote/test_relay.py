"""What is passed on to rank 0 of a rank on another machine: its answers and what it prints, whatever became of its log."""

from __future__ import annotations

import errno
import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast
from unittest import mock

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


def test_many_short_lines_are_sent_together(tmp_path: Path) -> None:
    """And none of them is left out: a part of the log may be a single empty line."""
    log = tmp_path / "rank-1.log"
    log.touch()
    connection = mock.Mock(spec=socket.socket)
    relay = _Relay(cast("WorkerProcess", None), log, connection)
    for printed in (b"\n" * _LOG_BYTES, b"\n", b"bar 1\rbar 2\r\n"):
        with log.open("ab") as file:
            file.write(printed)
        relay._pass_on_log()
    sent = [call.args[0] for call in connection.sendall.call_args_list]
    assert sent == [(LOG + b"\n") * _LOG_BYTES, LOG + b"\n", LOG + b"bar 1\n" + LOG + b"bar 2\n"]


def test_a_rank_that_prints_many_short_lines_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of rank 0 is opened once for all that came together, not for each line."""
    opened = mock.Mock(wraps=coordinator.open_in_place)
    monkeypatch.setattr(coordinator, "open_in_place", opened)
    here, there = socket.socketpair()
    (tmp_path / "there").mkdir()
    printing = _RANK.format(r"os.write(1, b'\n' * 400_000); answer(b'[7]')")
    process = WorkerProcess(["-c", printing], os.environ, tmp_path / "there" / "rank-1.log", tmp_path)
    relay, log = _Relay(process, tmp_path / "there" / "rank-1.log", there), tmp_path / "rank-1.log"
    answers, until = [], time.monotonic() + 60
    with here, there:
        try:
            rank = RemoteRank(here, log)
            relay.start()
            process.send(b"{}\n")
            while log.stat().st_size < 400_000 and time.monotonic() < until:
                select.select([rank], [], [], 1)
                answers.append(rank.receive())
        finally:
            process.kill()
            relay.join(30)
            process.close()
    assert log.read_bytes() == b"\n" * 400_000
    assert [answer for answer in answers if answer] == [b"[7]"]
    assert opened.call_count <= len(answers) + 1


@pytest.mark.parametrize("parts", [1, 3, 40])
def test_lines_that_come_in_parts_are_put_together(tmp_path: Path, parts: int) -> None:
    sent = LOG + b"one\n" + LOG + b"\n" + ANSWER + b"[7, 8]\n" + LOG + b"two\n" + LOG + b"half"
    length = -(-len(sent) // parts)
    answers, log = [], tmp_path / "rank-1.log"
    here, there = socket.socketpair()
    with here, there:
        rank = RemoteRank(here, log)
        for begin in range(0, len(sent), length):
            there.sendall(sent[begin : begin + length])
            answers.append(rank.receive())
    assert [answer for answer in answers if answer] == [b"[7, 8]"]
    assert log.read_bytes() == b"one\n\ntwo\n"


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
