"""A process that answers requests, one line each, through a pipe: the side that asks, and the loop of the side that answers."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from apidiff.process_group import end_with_parent, kill_group


def rank_command(framework: str, backend: str, device: str) -> list[str]:
    """The arguments for Python that start a rank; WorkerProcess adds the numbers of its pipe."""
    return ["-m", "apidiff.execute.ranks", framework, backend, device]


class WorkerProcess:
    """A Python process in a process group of its own, with a pipe to ask through and a log of what it prints.

    Args:
        command: the arguments for Python; the numbers of the pipe's two ends are added as the last two.
        environment: all of its variables; the folder of this package is added to the path.
        log: the file that gets what it prints; it runs in the folder of that file.

    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        there, back = os.pipe(), os.pipe()
        fds = (there[0], back[1])
        # The framework writes caches and dumps into its working folder: the logs' folder takes them.
        package = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        own = {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
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
        """Sends a request, newline included. A process that is gone is noticed when its answer is awaited."""
        with contextlib.suppress(BrokenPipeError):
            self._pipe.send(line)

    def receive(self) -> bytes | None:
        """Reads an answer without blocking: a line; None while it is not whole; empty where the process is gone."""
        return self._pipe.receive()

    def kill(self) -> None:
        """Kills its process group; does not wait."""
        kill_group(self.process)

    def close(self) -> None:
        """Waits for the end of a process that was killed."""
        self.process.wait()
        self._pipe.close()


class _Pipe:
    """Both directions to one process; reads whole lines without blocking."""

    def __init__(self, write_fd: int, read_fd: int) -> None:
        self.write_fd, self.read_fd = write_fd, read_fd
        os.set_blocking(read_fd, False)
        self._buffer = b""

    def send(self, line: bytes) -> None:
        while line:
            line = line[os.write(self.write_fd, line) :]

    def receive(self) -> bytes | None:
        try:
            chunk = os.read(self.read_fd, 1 << 20)
        except BlockingIOError:
            return None
        if not chunk:
            return b""
        self._buffer += chunk
        if b"\n" not in self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

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
    end_with_parent(read_fd, write_fd)
    sys.stdout, sys.stderr = _log(1), _log(2)
    with os.fdopen(read_fd, "rb") as requests, os.fdopen(write_fd, "wb", buffering=0) as answers:
        ready, answer = begin()
        answers.write(msgspec.json.encode(ready) + b"\n")
        for line in requests:
            answers.write(msgspec.json.encode(answer(msgspec.json.decode(line))) + b"\n")
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
