"""Calls in which something happens to rank 1, or to every rank; probes make them as they do those of a framework.

Where rank 1 is lost, the others are in a collective and wait for it, as they would be.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

RANK = int(os.environ.get("RANK") or os.environ["RANK_ID"])
FOLDER = Path(os.environ["APIDIFF_FAULTS"])
LONG = 600
ANSWERS = int(sys.argv[-1]) if sys.argv[-1].isdecimal() else -1  # the end of the pipe that answers go through


def first_time(what: str) -> bool:
    """Whether this has not happened yet in the runs of this folder."""
    try:
        (FOLDER / f"{what}.once").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def meet() -> None:
    """A collective of the framework that this module belongs to."""
    if __name__.startswith("torch."):
        import torch.distributed

        torch.distributed.barrier()
    else:
        import mindspore

        mindspore.mint.distributed.barrier()
        mindspore.runtime.synchronize()


def well() -> None:
    meet()


def a_well() -> None:
    """The first in the order of names."""
    meet()


def prints() -> None:
    print("a line that a call prints", flush=True)
    meet()


def killed() -> None:
    if RANK == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    meet()


def killed_once() -> None:
    if RANK == 1 and first_time("killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    meet()


def stopped_once() -> None:
    if RANK == 1 and first_time("stopped"):
        os.kill(os.getpid(), signal.SIGSTOP)
    meet()


def paused() -> None:
    if RANK == 1:
        subprocess.Popen(["sh", "-c", f"sleep 1; kill -CONT {os.getpid()}"])
        os.kill(os.getpid(), signal.SIGSTOP)
    meet()


def slow() -> None:
    if RANK == 1:
        time.sleep(1)
    meet()


def too_slow() -> None:
    if RANK == 1:
        time.sleep(LONG)
    meet()


def waits_once() -> None:
    """Stays long enough for the test to do something to the run."""
    if first_time(f"waits-{RANK}"):
        time.sleep(LONG)
    meet()


def out_of_memory() -> None:
    """The kernel gives this process no more memory; the next request for some fails."""
    usual = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + 2**24, usual[1]))
    try:
        bytearray(2**30)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, usual)


def aborted() -> None:
    """As a framework's own threads end the process when they are out of memory: ``std::bad_alloc`` is caught by nobody."""
    if RANK == 1:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.abort()
    meet()


def with_child() -> None:
    """Leaves a process behind that knows nothing of its parent's end."""
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})"])
    meet()


def child_and_wait() -> None:
    with_child()
    waits_once()


def scheduler_killed() -> None:
    """Ends the process that brought MindSpore's ranks together."""
    if RANK == 1 and first_time("scheduler"):
        for process in psutil.Process(os.getppid()).children():
            if {"apidiff.execute.ranks", "scheduler"} <= set(process.cmdline()):
                process.kill()
    meet()


def _of_rank_1(act: Callable[[], object]) -> Callable[[], None]:
    """A call in which rank 1 alone does something before the ranks meet."""

    def call() -> None:
        if RANK == 1:
            act()
        meet()

    return call


def _raise(error: BaseException) -> None:
    raise error


def _deep(level: int = 0) -> int:
    return _deep(level + 1) + 1


def _write(fd: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _leave_daemon() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(LONG)
        os._exit(0)
    os.wait()


def _leave_one_that_answers() -> None:
    if os.fork() == 0:
        for _ in range(40):
            time.sleep(0.1)
            _write(ANSWERS, b'true\n{"rank":1,"returned":{"t":"scalar","value":7}}\n{"\xff":1}\n[1]\n')
        os._exit(0)


def _ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(LONG)


def _in_place_of_log(make: Callable[[Path], object]) -> None:
    path = Path(f"rank-{RANK}.log")
    path.unlink()
    make(path)


def _no_memory_to_write() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.memset(0, 0, 1)


exits = _of_rank_1(lambda: os._exit(0))
writes_to_null = _of_rank_1(_no_memory_to_write)
recurses = _of_rank_1(_deep)
raises_unprintable = _of_rank_1(lambda: _raise(ValueError("\ud800\x00")))
is_terminated = _of_rank_1(lambda: os.kill(os.getpid(), signal.SIGTERM))
ignores_signals = _of_rank_1(_ignore_signals)
answers_words = _of_rank_1(lambda: _write(ANSWERS, b"Traceback (most recent call last):\n"))
answers_later = _of_rank_1(_leave_one_that_answers)
is_asked_later = _of_rank_1(lambda: time.sleep(1))
answers_twice = _of_rank_1(lambda: _write(ANSWERS, b"{}\n{}\n"))
closes_answers = _of_rank_1(lambda: os.close(ANSWERS))
closes_output = _of_rank_1(lambda: [os.close(1), os.close(2)])
prints_much = _of_rank_1(lambda: _write(1, b"\xff\x00" * 2**22))
leaves_daemon = _of_rank_1(_leave_daemon)
leaves_daemon_and_ends = _of_rank_1(lambda: [_leave_daemon(), os._exit(0)])
leaves_files = _of_rank_1(lambda: [tempfile.mkdtemp(), os.close(tempfile.mkstemp()[0])])
makes_its_log_a_pipe = _of_rank_1(lambda: [_in_place_of_log(os.mkfifo), os._exit(0)])
makes_its_log_a_link = _of_rank_1(lambda: _in_place_of_log(lambda path: path.symlink_to("nowhere")))
changes_folder = _of_rank_1(lambda: os.chdir("/"))


class _Killed:
    @property
    def __signature__(self) -> object:
        if first_time(f"looked-{RANK}"):
            os.kill(os.getpid(), signal.SIGKILL)
        return None

    def __call__(self) -> None:
        meet()


class _Slow:
    @property
    def __signature__(self) -> object:
        if RANK == 1 and first_time("slow-look"):
            time.sleep(15)  # longer than the deadline of a probe
        return None

    def __call__(self) -> None:
        meet()


killed_when_looked_at = _Killed()
slow_when_looked_at = _Slow()
