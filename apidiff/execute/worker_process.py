"""A process that answers requests, one line each, through a pipe: the side that asks, and the loop of the side that answers.

Each request begins with a number drawn for it, which its answer repeats: what a call, or a process that an earlier one left,
writes into the pipe besides is passed over, and is never taken for an answer.
"""

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

from apidiff.execute.variables import package_path
from apidiff.process_group import SCRATCH, end_with_parent, kill_group, kill_marked, reap

FRESH = {"do": "fresh"}
"""The request to a process that `serve_anew` runs in, which the first line of a fresh one answers."""
_MARK = "APIDIFF_PROCESS"  # a variable by which what a process started is known again
_LONGEST_ANSWER = 256 * 2**20  # bytes
_TAKES_S = 30.0  # for a request to be read by a process that waits for one
READS_ON_S = 5.0  # for what came while who waits was paused, behind the deadline
_UNASKED = b"0" * 16  # in the place of a request's number, in the first line of a process


class BrokenAnswer(ValueError):
    """A process said too much, or its answer is no JSON; ``str(error)`` says what."""


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
    """The last ``most`` bytes of ``log`` behind ``since``; empty where what it ran put something else there."""
    return log_part(log, max(since, log_size(log) - most), most).decode("utf-8", "replace")


def log_part(log: Path, since: int, most: int) -> bytes:
    """At most ``most`` bytes of ``log`` from ``since`` on; none where something else lies there. A pipe is not waited for."""
    with contextlib.suppress(OSError), open(log, "rb", opener=_without_waiting) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.seek(since)
            return file.read(most)
    return b""


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
        # The framework writes caches and dumps into its working folder: the logs' folder takes them. With -P no module is
        # looked for there: a call may leave a `random.py`.
        self._mark = f"{_MARK}={secrets.token_hex(8)}"
        own = {"PYTHONPATH": package_path(), "PYTHONUNBUFFERED": "1", SCRATCH: str(scratch)}
        own[_MARK] = self._mark.partition("=")[2]
        self._pipe = _Pipe(there[1], back[0])
        try:
            with log.open("wb") as output:
                self.process = subprocess.Popen(
                    [sys.executable, "-P", *command, *map(str, fds)],
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
        """Reads the answer without blocking: a line; None while it is not whole; empty where the process is gone.

        It is gone, too, where what it started still holds the pipe: whoever waits looks now and then without being woken.
        Raises BrokenAnswer for what is too long or no JSON.
        """
        ended = self._has_ended()  # before the last look: what it said before it ended counts
        line = self._pipe.receive()
        while line is None and ended:
            line = self._pipe.receive() if self._pipe.is_readable() else b""
        return line

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
        reap(self.process)
        self._pipe.close()
        kill_marked(self._mark)


class _Pipe:
    """Both directions to one process; reads whole lines without blocking."""

    def __init__(self, write_fd: int, read_fd: int) -> None:
        self.write_fd, self.read_fd = write_fd, read_fd
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)  # who does not read must not keep the writer
        self._buffer = bytearray()
        self._awaited: bytes | None = _UNASKED  # the number of the request under way
        self._taken = 0  # bytes read since it was sent

    def send(self, line: bytes, seconds: float) -> None:
        """Writes what is read within ``seconds``."""
        self._awaited, self._taken = secrets.token_hex(8).encode(), 0
        until, rest = time.monotonic() + seconds, memoryview(self._awaited + b" " + line)
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
        self._taken += len(chunk)
        if self._taken > _LONGEST_ANSWER:
            raise BrokenAnswer(f"an answer of more than {_LONGEST_ANSWER // 2**20} MiB")
        looked_at = len(self._buffer)
        self._buffer += chunk
        while (end := self._buffer.find(b"\n", looked_at)) >= 0:
            number, _, line = bytes(self._buffer[:end]).partition(b" ")
            del self._buffer[: end + 1]
            looked_at = 0
            if number == self._awaited:
                self._awaited = None
                return _checked(line)
        return None

    def is_readable(self) -> bool:
        return bool(select.select([self.read_fd], [], [], 0)[0])

    def close(self) -> None:
        os.close(self.write_fd)
        os.close(self.read_fd)


def _checked(line: bytes) -> bytes:
    """``line``, which is JSON. Raises BrokenAnswer where it is none: others wrote into the middle of it."""
    try:
        line.decode()  # msgspec does not look into the strings of what it passes over
        msgspec.json.decode(line, type=msgspec.Raw)
    except (ValueError, RecursionError) as error:
        raise BrokenAnswer(f"an answer that is no JSON ({error})") from error
    return line


def serve(read_fd: int, write_fd: int, begin: Callable[[], tuple[object, Callable[[Any], object]]]) -> NoReturn:
    """Answers requests, in the process that was started, until the pipe closes; then the whole process group is killed.

    Args:
        read_fd: the end of the pipe to read requests from.
        write_fd: the end to write answers to.
        begin: makes the process ready, imports of frameworks included. Returns the first line to send, unasked, and what
            makes an answer of a request; both sides of it are plain values that JSON can hold.

    """
    _prepare(read_fd, write_fd)
    _answer(read_fd, write_fd, begin, _UNASKED)


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
        _answer(read_fd, write_fd, begin, _UNASKED)
    number = _UNASKED
    # The number of the request for `FRESH`, if a child was asked for it: a call may end the child with whatever exit code.
    wanted = mmap.mmap(-1, len(number))
    nothing = bytes(len(number))
    while True:
        child = os.fork()
        if child == 0:
            _answer(read_fd, write_fd, begin, number, wanted)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code < 0:
            with contextlib.suppress(OSError):  # SIGKILL has no handler
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        number, wanted[:] = wanted[:], nothing
        if number == nothing:
            os._exit(code)


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
    number: bytes,
    wanted: mmap.mmap | None = None,
) -> NoReturn:
    """Answers requests until the pipe closes, or `FRESH` is asked, whose number ``wanted`` then tells the parent.

    ``number``: that of the request which the first line answers.
    """
    with os.fdopen(read_fd, "rb") as requests, os.fdopen(write_fd, "wb", buffering=0) as answers:
        ready, answer = begin()
        asked = os.getpid()
        answers.write(_line(number, ready))
        for line in requests:
            number, _, content = line.partition(b" ")
            request = msgspec.json.decode(content)
            if request == FRESH:
                if wanted is not None:
                    wanted[:] = number
                os._exit(0)
            made = answer(request)
            if os.getpid() != asked:  # a copy that the call forked: its answer would be taken for that of the call
                os._exit(0)
            answers.write(_line(number, made))
    # Frameworks may hang or abort in their own tear-down once a peer is gone; nothing is left to save.
    os._exit(0)


def _line(number: bytes, answer: object) -> bytes:
    """An answer as it is sent: on a line of its own, even behind half a line that something else wrote."""
    return b"\n" + number + b" " + msgspec.json.encode(answer) + b"\n"


class _Log(io.FileIO):
    """The log, or nothing where the disk is full: what a call prints must not look like an error of the call."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _log(fd: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(_Log(fd, "wb", closefd=False), "utf-8", "backslashreplace", write_through=True)
