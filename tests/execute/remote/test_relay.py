"""What is passed on to rank 0 of a rank on another machine: its answers and what it prints, whatever became of its log."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from apidiff.execute.remote.coordinator import ANSWER
from apidiff.execute.remote.worker import _Relay
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


@pytest.mark.parametrize("answer", ["b'words'", "b'{\"\\xff\":1}'"])
def test_a_broken_answer_closes_the_connection(tmp_path: Path, answer: str, capfd: pytest.CaptureFixture[str]) -> None:
    with passed_on(tmp_path, f"answer({answer})  # closes") as came:
        assert came == b""
    assert capfd.readouterr().err == ""
