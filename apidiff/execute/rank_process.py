"""One process of a world on this machine, with a pipe to ask through and a log of what it prints."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


def rank_command(framework: str, backend: str, device: str) -> list[str]:
    """What a rank runs, without the numbers of its pipe."""
    return ["-m", "apidiff.execute.ranks", framework, backend, device]


class RankProcess:
    """A rank, or MindSpore's scheduler, which is asked nothing. In a process group of its own.

    ``environment`` is the whole of it; the package's folder is added. Its pipes are the last two arguments of ``command``.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        there, back = os.pipe(), os.pipe()
        fds = (there[0], back[1])
        # The framework writes caches and dumps into its working folder: the logs' folder takes them.
        package = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        own = {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
        self._pipe = Pipe(there[1], back[0])
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
        """Asks. A process that is gone is noticed when its answer is awaited."""
        with contextlib.suppress(BrokenPipeError):
            self._pipe.send(line)

    def receive(self) -> bytes | None:
        """One line; None while it is not whole; empty where the process is gone."""
        return self._pipe.receive()

    def kill(self) -> None:
        """Ends its process group; does not wait."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Waits for the end of a process that was killed."""
        self.process.wait()
        self._pipe.close()


class Pipe:
    """Both directions to one process; reads whole lines without blocking."""

    def __init__(self, write_fd: int, read_fd: int) -> None:
        self.write_fd, self.read_fd = write_fd, read_fd
        os.set_blocking(read_fd, False)
        self._buffer = b""

    def send(self, line: bytes) -> None:
        """Writes a line, newline included."""
        while line:
            line = line[os.write(self.write_fd, line) :]

    def receive(self) -> bytes | None:
        """One line; None while it is not whole; empty where the other end is gone."""
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
        """Closes both ends that are here."""
        os.close(self.write_fd)
        os.close(self.read_fd)
