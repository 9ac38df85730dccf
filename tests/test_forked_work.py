"""Work in forked processes: answered in order, its errors raised, and no process left, whatever ends the work."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from multiprocessing import active_children
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest

from apidiff.errors import DataError
from apidiff.forked_work import in_bounds, in_processes

# A command in whose processes work is under way; what it is given ends each of them, and itself.
WORKING = """
import os, sys, time
from apidiff.ending_signals import end_in_order
from apidiff.forked_work import in_processes

def work(share):
    os.write(1, b"begun\\n")
    time.sleep(600)

end_in_order()
list(in_processes(lambda: work, range(8), 2))
"""

# A command that gets a signal as soon as it has forked so many processes, of which the last is still being started then.
STARTING = """
import os, signal, sys
from apidiff.ending_signals import end_in_order
from apidiff.forked_work import in_processes

number, last, fork, forked = int(sys.argv[1]), int(sys.argv[2]), os.fork, []

def interrupted():
    forked.append(fork())
    if forked[-1] and len(forked) == last:
        os.kill(os.getpid(), number)
    return forked[-1]

os.fork = interrupted
signal.signal(number, signal.SIG_DFL)  # also where tests were started in the background
end_in_order()
try:
    list(in_processes(lambda: str, range(8), 3))
finally:
    for process in forked:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            print("gone")
"""
# A command whose processes have answered and wait for more, which it never gives them.
IDLE = """
import os, time
from apidiff.forked_work import in_processes

found = in_processes(lambda: str, range(3), 3)
print(next(found), flush=True)
time.sleep(600)
"""


def plain(work: Callable[[int], object]) -> Callable[[], Callable[[int], object]]:
    return lambda: work


def started(script: str, *arguments: int) -> subprocess.Popen[str]:
    command, pipe = [sys.executable, "-c", script, *map(str, arguments)], subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def ended(command: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Its exit code and what it printed, once none of its processes is there to write any more; none is left in any case."""
    try:
        printed, said = command.communicate(timeout=60)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)
        command.wait()
    return command.returncode, printed, said


def test_shares_are_answered_in_their_order() -> None:
    assert list(in_processes(plain(lambda share: share * 2), range(100), 3)) == [share * 2 for share in range(100)]
    assert list(in_processes(plain(str), [], 3)) == []
    assert list(in_processes(plain(str), [1], 3)) == ["1"]
    assert active_children() == []


def test_large_shares_and_answers_pass() -> None:
    assert [len(one) for one in in_processes(lambda: lambda text: text * 2, ["x" * 2**20] * 6, 2)] == [2**21] * 6


def fail(_share: int) -> object:
    raise ValueError("no share")


def begin_badly() -> Callable[[int], object]:
    raise ValueError("no work")


@pytest.mark.parametrize(
    ("begin", "error", "said"),
    [
        (plain(fail), ValueError, "no share"),
        (begin_badly, ValueError, "no work"),
        (plain(lambda _share: os.kill(os.getpid(), signal.SIGKILL)), ChildProcessError, "a process was killed"),
    ],
)
def test_what_goes_wrong_is_raised(
    begin: Callable[[], Callable[[int], object]], error: type[Exception], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(error, match=said):
        list(in_processes(begin, range(8), 2))
    assert active_children() == []
    assert capfd.readouterr().err == ""


def test_where_no_process_can_be_started_no_pipe_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(ForkProcess, "start", refused)
    opened = sorted(Path("/proc/self/fd").iterdir())
    with pytest.raises(BlockingIOError) as raised:
        list(in_processes(plain(str), range(8), 2))
    assert sorted(Path("/proc/self/fd").iterdir()) == opened, raised  # which keeps what has not been closed
    assert active_children() == []


def test_who_goes_no_further_closes_what_was_returned() -> None:
    with closing(in_processes(plain(str), range(100), 2)) as found:
        assert next(found) == "0"
        assert len(active_children()) == 2
    assert active_children() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_all_ends_all_without_a_word(number: signal.Signals) -> None:
    """As Ctrl-C is one. A pool of the standard library was waited for, or its processes wrote tracebacks."""
    with subprocess.Popen(
        [sys.executable, "-c", WORKING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as command:
        assert command.stdout is not None
        assert [command.stdout.readline(), command.stdout.readline()] == [b"begun\n"] * 2
        os.killpg(command.pid, number)
        _, said = command.communicate(timeout=300)  # both ends of what the processes write to are closed
    assert command.returncode in {128 + number, -number, 1}
    assert said.decode().count("Traceback") == (number == signal.SIGINT)  # of this script alone, which catches nothing


@pytest.mark.parametrize("last", [1, 2, 3])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_process_is_being_started_ends_it_too(number: signal.Signals, last: int) -> None:
    """It was among none that are ended, and the command waited for it without end."""
    code, printed, said = ended(started(STARTING, number, last))
    assert code in {128 + number, -number}
    assert printed.split() == ["gone"] * last
    assert said.count("Traceback") == (number == signal.SIGINT)


def test_processes_end_with_a_command_that_is_killed() -> None:
    command = started(IDLE)
    assert command.stdout is not None
    assert command.stdout.readline() == "0\n"
    command.kill()
    assert ended(command) == (-signal.SIGKILL, "", "")


def test_work_within_bounds_returns_what_it_makes_and_raises_what_it_raises() -> None:
    assert in_bounds(lambda: {"a": [1]}, seconds=30, memory=2**28) == {"a": [1]}
    with pytest.raises(DataError, match=r"a\.json:3: is odd\. Mend it\.") as caught:
        in_bounds(partial(_fail, DataError("a.json", 3, "is odd", "Mend it.")), seconds=30, memory=2**28)
    assert (caught.value.line, caught.value.remedy) == (3, "Mend it.")
    assert active_children() == []


def _fail(error: Exception) -> None:
    raise error


def test_an_answer_beyond_the_bounds_is_told_without_a_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((MemoryError, ChildProcessError)):
        in_bounds(lambda: bytes(150 * 2**20), seconds=30, memory=2**28)
    with pytest.raises(Exception, match="pickle"):
        in_bounds(lambda: lambda: 1, seconds=30, memory=2**28)
    assert capfd.readouterr().err == ""


def test_work_beyond_its_bounds_ends() -> None:
    with pytest.raises(ChildProcessError):
        in_bounds(lambda: sum(itertools.repeat(0)), seconds=1, memory=2**28)
    with pytest.raises(MemoryError):
        in_bounds(lambda: len(bytearray(2**29)), seconds=30, memory=2**28)
    assert active_children() == []
