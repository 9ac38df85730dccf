"""Outside programs: what they print and how they end; nothing that they started outlives them."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from apidiff.process_group import Ended, kill_group, kill_marked, run, run_beside, start, wait_for

SHELL = ["/bin/sh", "-c"]

# (script, guarded, how it ended)
ENDS = [
    ("echo out; echo err >&2; exit 3", True, Ended(3, "out\n", "err\n")),
    ("echo out; echo err >&2; exit 3", False, Ended(3, "out\n", "err\n")),
    ("kill -9 $$", True, Ended(137, "", "")),
    ("kill -9 $$", False, Ended(-9, "", "")),
    ("tr a-z A-Z", True, Ended(0, "READ", "")),
    ("printf '\\377'", False, Ended(0, "\ufffd", "")),
]


@pytest.mark.parametrize(("script", "guarded", "ended"), ENDS)
def test_how_a_program_ends(script: str, guarded: bool, ended: Ended) -> None:
    assert run([*SHELL, script], 300, text="read" if "tr " in script else "", guarded=guarded) == ended


@pytest.mark.parametrize(
    ("ended", "line"),
    [
        (Ended(0, "a\nb\n", "warning\n"), "b"),
        (Ended(1, "a\nb\n", "no\nluck \n\n"), "luck"),
        (Ended(1, "a\nb\n", ""), "b"),
        (Ended(0, " \n", ""), ""),
    ],
)
def test_the_last_line_is_that_of_errors_where_it_failed(ended: Ended, line: str) -> None:
    assert ended.last_line == line


# Has a signal come to another thread than the one that waits, as a library's may take it.
ELSEWHERE = """
import os, signal, sys, threading, time
from apidiff.ending_signals import end_in_order
from apidiff.process_group import end_group, start, wait_for

def send():
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)

end_in_order()
threading.Thread(target=send, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
process = start(["sleep", "120"], 1)
try:
    wait_for(process)
finally:
    end_group(process)
"""


def test_a_signal_that_another_thread_takes_ends_a_wait() -> None:
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], timeout=60, check=False)
    assert done.returncode == 143


def test_a_process_is_waited_for_however_long_it_takes() -> None:
    assert wait_for(start([*SHELL, "sleep 1.5; exit 3"], 1)) == 3


@pytest.mark.parametrize("guarded", [True, False])
def test_a_deadline_ends_the_whole_group(tmp_path: Path, guarded: bool) -> None:
    script = f"sleep 600 & echo $! $$ > {tmp_path}/pids; sleep 600"
    with pytest.raises(subprocess.TimeoutExpired):
        run([*SHELL, script], 10, guarded=guarded)
    _assert_gone(tmp_path / "pids")


def test_what_a_program_leaves_behind_is_ended_and_not_waited_for(tmp_path: Path) -> None:
    assert run([*SHELL, f"sleep 600 & echo $! > {tmp_path}/pids"], 300).code == 0
    _assert_gone(tmp_path / "pids")


def test_a_program_beside_this_one_ends_by_its_deadline() -> None:
    assert run_beside(["/bin/sh", "-c", "exit 3"]) == 3
    began = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        run_beside(["sleep", "600"], 0.2)
    assert time.monotonic() - began < 300


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        run(["/nowhere/program"], 300, guarded=False)
    ended = run(["/nowhere/program"], 300)
    assert ended.code == 1
    assert "/nowhere/program" in ended.errors


def test_a_guarded_program_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """So does its folder of temporary files, which that process would have removed."""
    script, scratch = f"echo $$ > {tmp_path}/pids; sleep 600", tmp_path / "scratch"
    (scratch / "deep").mkdir(parents=True)
    code = (
        "from pathlib import Path; from apidiff.process_group import run;"
        f"run(['/bin/sh', '-c', {script!r}], 600, scratch=Path({str(scratch)!r}))"
    )
    starter = subprocess.Popen([sys.executable, "-c", code])
    until = time.monotonic() + 300
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text().endswith("\n"):
        assert time.monotonic() < until
        time.sleep(0.05)
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    _assert_gone(tmp_path / "pids")
    assert not scratch.exists()


def test_a_group_is_killed_once_and_again(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        process = start(["sleep", "600"], log)
    kill_group(process)
    assert process.wait(120) == -signal.SIGKILL
    kill_group(process)


# What `Popen.wait` leaves where two Ctrl-C come at once: its lock is taken, and the process may have been waited for.
INTERRUPTED = """
import os, signal, subprocess, sys
from apidiff.process_group import run
known = subprocess.Popen.wait
def interrupted(process, timeout=None):
    subprocess.Popen.wait = known
    process._waitpid_lock.acquire()
    if sys.argv[1] == "waited for":
        os.killpg(process.pid, signal.SIGKILL)
        os.waitpid(process.pid, 0)
    raise KeyboardInterrupt
subprocess.Popen.wait = interrupted
try:
    run(["sleep", "300"], 300.0)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("process", ["running", "waited for"])
def test_a_wait_that_was_interrupted_is_not_waited_for(process: str) -> None:
    command = [sys.executable, "-W", "error", "-c", INTERRUPTED, process]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def _assert_gone(pids: Path) -> None:
    until = time.monotonic() + 120
    while left := [pid for pid in map(int, pids.read_text().split()) if _lives(pid)]:
        assert time.monotonic() < until, left
        time.sleep(0.05)


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of another process is bounded there alone")
def test_a_program_gets_no_more_memory_than_it_may_have() -> None:
    script = "import time; time.sleep(1); print(len(bytes(300 * 2**20)))"
    done = run([sys.executable, "-c", script], 60, guarded=False, memory=200 * 2**20)
    assert (done.code, done.last_line) == (1, "MemoryError")
    assert run([sys.executable, "-c", script], 60, guarded=False, memory=600 * 2**20).code == 0


def test_a_process_that_has_no_file_left_kills_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    kill_marked("NOBODY_HAS=this")


_SIGNALLED = """
import os, signal, subprocess, sys
from apidiff import process_group
from apidiff.ending_signals import end_in_order

popen = subprocess.Popen

def started(*given, **named):
    process = popen(*given, **named)
    print(process.pid, flush=True)
    os.kill(os.getpid(), signal.Signals[sys.argv[1]])
    return process

subprocess.Popen = started
end_in_order()
if sys.argv[2] == "run":
    process_group.run(["sleep", "600"], 500, guarded=False)
else:
    process_group.run_beside(["sleep", "600"])
"""


@pytest.mark.parametrize("how", ["run", "run_beside"])
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", -signal.SIGINT)])
def test_a_program_that_was_just_started_ends_with_a_signal(name: str, code: int, how: str) -> None:
    """git, and minisign with its question, were left to themselves where the signal came before it was known that they run."""
    ended = subprocess.run(
        [sys.executable, "-c", _SIGNALLED, name, how], capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == code, ended.stderr
    assert not psutil.pid_exists(int(ended.stdout))
