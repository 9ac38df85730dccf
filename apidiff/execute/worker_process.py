"""A process that answers requests, one line each, through a pipe: the side that asks, and the loop of the side that answers."""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import secrets
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from apidiff.process_group import SCRATCH, end_with_parent, kill_group, kill_marked

FRESH = {"do": "fresh"}
"""The request to a process that `serve_anew` runs in, which the first line of a fresh one answers."""
_MARK = "APIDIFF_PROCESS"  # a variable by which what a process started is known again
_LONGEST_ANSWER = 256 * 2**20  # bytes
_TAKES_S = 30.0  # for a request to be read by a process that waits for one


class BrokenAnswer(ValueError):
    """A process said something else than one line of JSON; ``str(error)`` says what."""


def rank_command(framework: str, backend: str, device: str) -> list[str]:
    """The arguments for Python that start a rank; WorkerProcess adds the numbers of its pipe."""
    return ["-m", "apidiff.execute.ranks", framework, backend, device]


def log_size(log: Path) -> int:
    """How many bytes a process printed into ``log``; 0 where what it ran removed it."""
    try:
        return log.stat().st_size
    except OSError:
        return 0


def log_end(log: Path, since: int, most: int) -> str:
    """The last ``most`` bytes of ``log`` behind ``since``; empty where what it ran put something else there.

    A pipe is not waited for.
    """
    with contextlib.suppress(OSError), open(log, "rb", opener=_without_waiting) as file:
        state = os.fstat(file.fileno())
        if stat.S_ISREG(state.st_mode):
            file.seek(max(since, state.st_size - most))
            return file.read(most).decode("utf-8", "replace")
    return ""


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


class WorkerProcess:
    """A Python process in a process group of its own, with a pipe to ask through and a log of what it prints.

    Args:
        command: the arguments for Python; the numbers of the pipe's two ends are added as the last two.
        environment: all of its variables; the folder of this package is added to the path.
        log: the file that gets what it prints; it runs in the folder of that file.
        scratch: the folder of its temporary files, which the caller removes; it does so itself where the caller is killed.

    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path, scratch: Path) -> None:
        there, back = os.pipe(), os.pipe()
        fds = (there[0], back[1])
        # The framework writes caches and dumps into its working folder: the logs' folder takes them.
        package = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        self._mark = f"{_MARK}={secrets.token_hex(8)}"
        own = {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1", _MARK: self._mark.partition("=")[2], SCRATCH: str(scratch)}
        self._pipe = _Pipe(there[1], back[0])
        try:
            with log.open("wb") as output:
                self.process = subprocess.Popen(
                    [sys.executable, *command, *map(str, fds)],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=dict(environment) | own,
                    cwd=log.parent,
                    pass_fds=fds,
                    start_new_session=True,
                )
        finally:
            for fd in fds:
                os.close(fd)

    def fileno(self) -> int:
        """What to wait on for an answer."""
        return self._pipe.read_fd

    def send(self, line: bytes) -> None:
        """Sends a request, newline included. A process that is gone or does not read is noticed when its answer is awaited."""
        with contextlib.suppress(BrokenPipeError):
            self._pipe.send(line, _TAKES_S)

    def receive(self) -> bytes | None:
        """Reads an answer without blocking: a line; None while it is not whole; empty where the process is gone.

        It is gone, too, where what it started still holds the pipe: whoever waits looks now and then without being woken.
        Raises BrokenAnswer for what is too long, more than one line, or no JSON.
        """
        ended = self._has_ended()  # before the last look: what it said before it ended counts
        line = self._pipe.receive()
        while line is None and ended:
            line = self._pipe.receive() if self._pipe.is_readable() else b""
        return line

    def spoke_unasked(self) -> bool:
        """Whether something came behind the last answer: the next one could not be told from it."""
        return self._pipe.has_more()

    def _has_ended(self) -> bool:
        """Whether the process is there no more. It is not waited for: as long as it is not, its group is no other's."""
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # waited for before
            return True

    def kill(self) -> None:
        """Kills its process group; does not wait."""
        kill_group(self.process)

    def close(self) -> None:
        """Waits for the end of a process that was killed, and kills what it started that left its group."""
        self.process.wait()
        self._pipe.close()
        kill_marked(self._mark)


class _Pipe:
    """Both directions to one process; reads whole lines without blocking."""

    def __init__(self, write_fd: int, read_fd: int) -> None:
        self.write_fd, self.read_fd = write_fd, read_fd
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)  # who does not read must not keep the writer
        self._buffer = bytearray()

    def send(self, line: bytes, seconds: float) -> None:
        """Writes what is read within ``seconds``."""
        until, rest = time.monotonic() + seconds, memoryview(line)
        while rest and (left := until - time.monotonic()) > 0:
            if select.select([], [self.write_fd], [], left)[1]:
                rest = rest[os.write(self.write_fd, rest) :]

    def receive(self) -> bytes | None:
        try:
            chunk = os.read(self.read_fd, 1 << 20)
        except BlockingIOError:
            return None
        if not chunk:
            return b""
        self._buffer += chunk
        end = chunk.find(b"\n")
        if len(self._buffer) > _LONGEST_ANSWER:
            raise BrokenAnswer(f"an answer of more than {_LONGEST_ANSWER // 2**20} MiB")
        if end < 0:
            return None
        if end + 1 < len(chunk):
            raise BrokenAnswer("more than one line for an answer")
        line = bytes(self._buffer[:-1])
        self._buffer.clear()
        try:
            msgspec.json.decode(line, type=msgspec.Raw)
        except (ValueError, RecursionError) as error:
            raise BrokenAnswer(f"an answer that is no JSON ({error})") from error
        return line

    def is_readable(self) -> bool:
        return bool(select.select([self.read_fd], [], [], 0)[0])

    def has_more(self) -> bool:
        return bool(self._buffer) or self.is_readable()

    def close(self) -> None:
        os.close(self.write_fd)
        os.close(self.read_fd)


def serve(read_fd: int, write_fd: int, begin: Callable[[], tuple[object, Callable[[Any], object]]]) -> NoReturn:
    """Answers requests, in the process that was started, until the pipe closes; then the whole process group is killed.

    Args:
        read_fd: the end of the pipe to read requests from.
        write_fd: the end to write answers to.
        begin: makes the process ready, imports of frameworks included. Returns the first line to send, unasked, and what
            makes an answer of a request; both sides of it are plain values that JSON can hold.

    """
    _prepare(read_fd, write_fd)
    _answer(read_fd, write_fd, begin)


def serve_anew(
    read_fd: int, write_fd: int, load: Callable[[], Callable[[], tuple[object, Callable[[Any], object]]]]
) -> NoReturn:
    """Answers requests as `serve` does, by a child that is forked; asked `FRESH`, by another, which nothing was asked before.

    ``load`` imports what takes long, once, and returns the ``begin`` of each child. Where importing has started threads, which
    no child has, this process answers by itself, and ends where a fresh one is wanted. It ends as a child ends that dies.
    """
    _prepare(read_fd, write_fd)
    begin = load()
    if not _is_one_thread():
        _answer(read_fd, write_fd, begin)
    wanted = mmap.mmap(-1, 1)  # whether a child was asked `FRESH`: a call may end it with whatever exit code
    while True:
        child = os.fork()
        if child == 0:
            _answer(read_fd, write_fd, begin, wanted)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code < 0:
            with contextlib.suppress(OSError):  # SIGKILL has no handler
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        if not wanted[0]:
            os._exit(code)
        wanted[0] = 0


def _is_one_thread() -> bool:
    """Whether this process has no other thread, as far as the system tells."""
    tasks = Path("/proc/self/task")
    return tasks.exists() and sum(1 for _ in tasks.iterdir()) == 1


def _prepare(read_fd: int, write_fd: int) -> None:
    end_with_parent(read_fd, write_fd)
    sys.stdout, sys.stderr = _log(1), _log(2)


def _answer(
    read_fd: int,
    write_fd: int,
    begin: Callable[[], tuple[object, Callable[[Any], object]]],
    wanted: mmap.mmap | None = None,
) -> NoReturn:
    """Answers requests until the pipe closes, or `FRESH` is asked, which ``wanted`` then tells the parent."""
    with os.fdopen(read_fd, "rb") as requests, os.fdopen(write_fd, "wb", buffering=0) as answers:
        ready, answer = begin()
        asked = os.getpid()
        answers.write(msgspec.json.encode(ready) + b"\n")
        for line in requests:
            request = msgspec.json.decode(line)
            if request == FRESH:
                if wanted is not None:
                    wanted[0] = 1
                os._exit(0)
            made = answer(request)
            if os.getpid() != asked:  # a copy that the call forked: its answer would be taken for that of a later call
                os._exit(0)
            answers.write(msgspec.json.encode(made) + b"\n")
    # Frameworks may hang or abort in their own tear-down once a peer is gone; nothing is left to save.
    os._exit(0)


class _Log(io.FileIO):
    """The log, or nothing where the disk is full: what a call prints must not look like an error of the call."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _log(fd: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(_Log(fd, "wb", closefd=False), "utf-8", "backslashreplace", write_through=True)
