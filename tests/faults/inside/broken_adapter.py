"""Calls in a single process in which something happens to it; it stands where the adapter of a framework would."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from apidiff.model.mapping import Api
from apidiff.model.sample import SampleCall
from apidiff.model.sample_run import SampleTrace
from apidiff.model.trace import SignatureDump

LONG = 600
ANSWERS = int(sys.argv[4])  # the end of the pipe that answers are written to
REQUESTS = int(sys.argv[3])
_SLEEPS = [sys.executable, "-c", f"import time; time.sleep({LONG})"]


def _say(line: bytes) -> None:
    os.write(ANSWERS, line)


def _deep(level: int = 0) -> int:
    return _deep(level + 1) + 1


def _say_much(total: int) -> None:
    """Writes what is no line for as long as it is read."""
    for _ in range(total // 2**20):
        rest = memoryview(b"x" * 2**20)
        while rest:
            rest = rest[os.write(ANSWERS, rest) :]


def _print_much(fd: int, size: int) -> None:
    for _ in range(size // 2**20):
        os.write(fd, b"\xff\x00" * 2**19)


def _daemon() -> None:
    """Leaves a process that is in no group of ours and has no parent of ours."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(LONG)
        os._exit(0)
    os.wait()


def _forks(count: int) -> None:
    for _ in range(count):
        if os.fork() == 0:
            time.sleep(LONG)
            os._exit(0)


def _forks_without_end() -> None:
    """Each child forks too, until the system gives no more processes."""
    resource.setrlimit(resource.RLIMIT_NPROC, (64, 64))  # of root it is not asked: the loop is bounded as well
    for _ in range(5):
        os.fork()
    time.sleep(LONG)


def _closed(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


def _remove_log() -> None:
    for path in Path.cwd().glob("*.log"):
        path.unlink()


def _log_becomes(make: Callable[[Path], object]) -> None:
    for path in Path.cwd().glob("*.log"):
        path.unlink()
        make(path)


def _raise(error: BaseException) -> None:
    raise error


def _without_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(LONG)


def _busy() -> None:
    while True:
        pass


def _held(size: int) -> None:
    held = bytearray(size)
    held[::4096] = b"x" * len(held[::4096])
    time.sleep(LONG)


def _begin() -> None:
    print("begun", flush=True)
    time.sleep(LONG)


def _leave_files() -> None:
    tempfile.mkdtemp()
    os.close(tempfile.mkstemp()[0])


def _leave_deep_folders() -> None:
    os.chdir(tempfile.mkdtemp())
    for _ in range(1200):
        Path("deep").mkdir()
        os.chdir("deep")


def _later(line: bytes) -> None:
    def say() -> None:
        time.sleep(0.05)
        _say(line)

    threading.Thread(target=say, daemon=True).start()


_WHOLE = b'{"before":{},"after":{},"seconds":0.0}\n'
CALLS = {
    "well": lambda: None,
    "begins": _begin,
    "leaves_temporary_files": _leave_files,
    "leaves_temporary_files_and_ends": lambda: [_leave_files(), os._exit(3)],
    "leaves_deep_folders": _leave_deep_folders,
    "sleeps": lambda: time.sleep(LONG),
    "is_busy": _busy,
    "ignores_signals": _without_signals,
    "waits_for_a_child": lambda: subprocess.run(_SLEEPS, check=False),
    "waits_for_a_lock": lambda: [lock := threading.Lock(), lock.acquire(), lock.acquire()],
    "recurses": _deep,
    "overflows_the_stack": lambda: ctypes.CFUNCTYPE(None)(1)(),
    "writes_to_null": lambda: ctypes.memset(0, 0, 1),
    "raises_memory_error": lambda: bytearray(2**62),
    "raises_exit": lambda: sys.exit(3),
    "raises_interrupt": lambda: _raise(KeyboardInterrupt()),
    "raises_base": lambda: _raise(BaseException("of no kind")),
    "raises_unprintable": lambda: _raise(ValueError("\ud800\x00")),
    "holds_memory": lambda: _held(400 * 2**20),
    "answers_without_end": lambda: _say_much(2**40),
    "answers_bytes": lambda: _say(b"\x00\xff\xfe\n"),
    "answers_words": lambda: _say(b"Traceback (most recent call last):\n"),
    "answers_an_empty_line": lambda: _say(b"\n"),
    "answers_another_type": lambda: _say(b"[1, 2]\n"),
    "answers_other_keys": lambda: _say(b'{"before": 7}\n'),
    "answers_deeply": lambda: _say(b"[" * 100_000 + b"\n"),
    "answers_beforehand": lambda: _say(_WHOLE),
    "answers_afterwards": lambda: _later(_WHOLE),
    "answers_half_and_ends": lambda: [_say(b'{"before"'), os._exit(0)],
    "answers_half_and_sleeps": lambda: [_say(b'{"before"'), time.sleep(LONG)],
    "closes_answers_and_sleeps": lambda: [_closed(ANSWERS), time.sleep(LONG)],
    "closes_requests": lambda: _closed(REQUESTS),
    "closes_both": lambda: [_closed(ANSWERS, REQUESTS), time.sleep(LONG)],
    "closes_everything": lambda: os.closerange(0, 1000),
    "prints_much": lambda: [_print_much(1, 32 * 2**20), time.sleep(LONG)],
    "prints_many_errors": lambda: _print_much(2, 8 * 2**20),
    "prints_no_text": lambda: os.write(1, b"\xff\xfe\n\x1b[2J"),
    "closes_output": lambda: _closed(1, 2),
    "leaves_a_child": lambda: subprocess.Popen(_SLEEPS),
    "leaves_a_session": lambda: subprocess.Popen(_SLEEPS, start_new_session=True),
    "leaves_a_daemon": _daemon,
    "leaves_a_daemon_and_ends": lambda: [_daemon(), os._exit(3)],
    "leaves_many": lambda: _forks(20),
    "forks_without_end": _forks_without_end,
    "leaves_a_thread": lambda: threading.Thread(target=time.sleep, args=(LONG,), daemon=True).start(),
    "removes_its_log": lambda: [_remove_log(), os._exit(3)],
    "makes_its_log_a_pipe": lambda: [_log_becomes(os.mkfifo), os._exit(3)],
    "makes_its_log_a_folder": lambda: _log_becomes(Path.mkdir),
    "gets_a_nameless_signal": lambda: os.kill(os.getpid(), signal.SIGRTMIN + 1),
    "changes_its_folder": lambda: os.chdir("/"),
    "lets_no_file_grow": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    "opens_no_file": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)),
    "stops_reading": lambda: threading.Timer(0.0, lambda: os.kill(os.getpid(), signal.SIGSTOP)).start(),
    **{f"exits_with_{code}": lambda code=code: os._exit(code) for code in (0, 1, 2, 70, 255)},
    **{f"gets_{number.name}": lambda number=number: os.kill(os.getpid(), number) for number in signal.Signals},
}


class TorchSingle:
    def __init__(self, device: str) -> None:
        self.device = device

    def start(self) -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        CALLS[os.environ["APIDIFF_STARTS"]]()

    def version(self) -> str:
        return "2.13.0"

    def sample(self, call: SampleCall, attempt: int) -> SampleTrace:
        CALLS[call.api]()
        return SampleTrace()

    def signature(self, api: Api) -> SignatureDump:
        CALLS[api.name]()
        return SignatureDump(api=api.name, text="")
