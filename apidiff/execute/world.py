"""Starts a world of ranks once, asks it many times, and kills it whole."""

from __future__ import annotations

import os
import selectors
import socket
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from apidiff.database import ApidiffError, DataError
from apidiff.database.backends import Backend
from apidiff.ending_signals import held
from apidiff.execute.one_release import Started, mixture
from apidiff.execute.remote import Hosts, RemoteRank, without_launcher
from apidiff.execute.variables import without_settings
from apidiff.execute.worker_process import READS_ON_S, BrokenAnswer, WorkerProcess, log_end, log_size, rank_command
from apidiff.process_group import remove_folder
from apidiff.scratch_folder import scratch_folder

_LOG_LINES = 12
_LOG_BYTES = 4000
_AFTER_CRASH = 3.0  # seconds
_LOOK_S = 0.5  # between two looks whether a rank has ended whose pipe is open
_SCHEDULER = -1  # among the ranks


class StartError(ApidiffError):
    """The ranks did not come up: names the backend, what happened and the log to read."""


@dataclass
class Reply:
    """What the ranks answered to one request. ``end``: completed, timeout or crash; ranks without an answer are left out."""

    answers: dict[int, bytes] = field(default_factory=dict)
    end: str = "completed"


class World:
    """``world_size`` rank processes of one backend, each with a pipe to ask through and one log of what they print.

    Use as a context manager: leaving it kills every process group. ``folder`` holds the logs. With ``hosts`` the ranks but
    the first are started by the processes of a launcher, where those are.
    """

    def __init__(self, backend: Backend, world_size: int, folder: Path, hosts: Hosts | None = None) -> None:
        self.backend, self.world_size, self._hosts = backend, world_size, hosts
        self._logs = folder
        self._folder: Path | None = None
        self._temporary: Path | None = None
        self._removing = ExitStack()
        self._troubled = self._aborted = False
        self._ranks: list[WorkerProcess | RemoteRank] = []
        self._scheduler: WorkerProcess | None = None
        self._logged: dict[Path, int] = {}  # bytes in each log before the request under way
        self.version = ""

    def start(self) -> World:
        """Starts the ranks and waits until all have joined.

        Raises StartError, with none left running, if they do not, or do not all run the same releases and code; and HostError
        where the process of a launcher cannot start its rank, or no longer answers.
        """
        try:
            self._make_folders()
            try:
                self._start()
            except OSError as error:
                what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
                raise StartError(
                    f"{self.backend.name} ({self.backend.framework}): a process cannot be started ({what}). "
                    "Mend that; `ulimit -a` tells the limits of this user."
                ) from error
        except BaseException:
            with held():
                self.kill()
            raise
        return self

    @property
    def folder(self) -> Path:
        """The folder of the logs. Raises ValueError before the start."""
        if self._folder is None:
            raise ValueError("the world was not started")
        return self._folder

    def __enter__(self) -> World:
        return self.start()

    def __exit__(self, *_: object) -> None:
        with held():
            self.kill()

    def _make_folders(self) -> None:
        """Makes the folders of the logs and of temporary files."""
        with held():
            try:
                self._logs.mkdir(parents=True, exist_ok=True)
                self._folder = Path(tempfile.mkdtemp(prefix=f"{self.backend.name}-{self.world_size}-", dir=self._logs))
            except OSError as error:
                remedy = "Set XDG_STATE_HOME to a folder that can be written."
                problem = f"the ranks' logs cannot be kept here ({error.strerror})"
                raise DataError(self._logs, None, problem, remedy) from error
            self._temporary = self._removing.enter_context(scratch_folder("apidiff-ranks-"))

    def _start(self) -> None:
        port = self._hosts.free_port() if self._hosts else free_port()
        if self.backend.framework == "mindspore":
            command = ["-m", "apidiff.execute.ranks", "scheduler", self.backend.device]
            variables = self._variables("sched", 0, port)
            with held():
                self._scheduler = self._process(command, variables, self.folder / "scheduler.log")
        for rank in range(self.world_size):
            variables, log = self._variables("worker", rank, port), self.folder / f"rank-{rank}.log"
            if self._hosts and rank:
                self._ranks.append(self._hosts.start_rank(rank, self.backend, variables, log))
            else:
                command = rank_command(self.backend.framework, self.backend.name, self.backend.device)
                with held():
                    self._ranks.append(self._process(command, variables, log))
        self._refuse_aborted()  # what was started after that was not ended by it
        reply = self._collect(self.backend.deadlines.start, self._scheduler)
        if reply.end != "completed":
            what = "did not come up in time" if reply.end == "timeout" else "ended before they came up"
            raise StartError(
                f"{self.backend.name} ({self.backend.framework}): {self.world_size} ranks {what}"
                f" ({self.backend.deadlines.start:g} s): {' / '.join(self.log()[-3:]) or 'nothing was printed'}."
                f" Read {self.folder}."
            )
        started = {rank: msgspec.json.decode(line, type=Started) for rank, line in reply.answers.items()}
        if found := mixture(started):
            raise StartError(f"{self.backend.name} ({self.backend.framework}): {found}.")
        self.version = started[0].version

    def _variables(self, role: str, rank: int, port: int) -> dict[str, str]:
        local, host = str(rank), self._hosts.place.host if self._hosts else "127.0.0.1"
        if self.backend.framework == "torch":
            return {
                "MASTER_ADDR": host,
                "MASTER_PORT": str(port),
                "RANK": local,
                "LOCAL_RANK": local,
                "WORLD_SIZE": str(self.world_size),
            }
        return {
            "MS_ROLE": "MS_SCHED" if role == "sched" else "MS_WORKER",
            "MS_NODE_ID": "sched" if role == "sched" else local,
            "MS_WORKER_NUM": str(self.world_size),
            "MS_SCHED_HOST": host,
            "MS_SCHED_PORT": str(port),
            "RANK_ID": local,
            "DEVICE_ID": local,
        }

    def _process(self, command: Sequence[str], variables: dict[str, str], log: Path) -> WorkerProcess:
        """Starts a process here. It is killed in the end and removes no temporary file: the world does."""
        self._refuse_aborted()
        assert self._temporary is not None  # made before any process
        here = without_launcher(os.environ) if self._hosts else os.environ
        environment = without_settings(here) | self.backend.environment | variables | {"TMPDIR": str(self._temporary)}
        return WorkerProcess(command, environment, log, self._temporary)

    def _refuse_aborted(self) -> None:
        if self._aborted:
            raise StartError(
                f"{self.backend.name} ({self.backend.framework}): the run was interrupted while it started"
            )

    def ask(self, request: dict[str, Any], deadline: float | None = None) -> Reply:
        """Sends one request to every rank and waits for their answers, at most ``deadline`` seconds.

        Once a rank answers with an error the others get the seconds that the backend names for it: what they wait for is
        probably that rank. Of the collectives measured all ranks raise within 1 second of each other, or those that do not
        raise wait as long as the backend does: 30 s on mccl, on gloo the time-out of the group.
        """
        line = msgspec.json.encode(request) + b"\n"
        self._logged = {path: log_size(path) for path in self.folder.glob("*.log")}
        for rank in self._ranks:
            rank.send(line)
        return self._collect(deadline or self.backend.deadlines.probe)

    def _collect(self, seconds: float, scheduler: WorkerProcess | None = None) -> Reply:
        """Waits for one answer of each rank. ``scheduler``: the process without which the ranks would wait until the deadline."""
        reply, until, last = Reply(), time.monotonic() + seconds, None
        gone: set[int] = set()
        with selectors.DefaultSelector() as selector:
            for rank, process in enumerate(self._ranks):
                selector.register(process, selectors.EVENT_READ, rank)
            if scheduler:
                selector.register(scheduler, selectors.EVENT_READ, _SCHEDULER)
            while len(reply.answers) + len(gone - {_SCHEDULER}) < self.world_size:
                now = time.monotonic()
                spoke = selector.select(max(0.0, min(until - now, _LOOK_S)))
                if now >= until:  # what came while this process was paused is read first
                    last = last or now + READS_ON_S
                    if not spoke or now >= last:
                        break
                for key in list(selector.get_map().values()):
                    rank = key.data
                    process = scheduler if scheduler and rank == _SCHEDULER else self._ranks[rank]
                    try:
                        line = process.receive()
                    except BrokenAnswer:  # what it would say next could not be told from an answer
                        process.kill()
                        line = b""
                    if line is None:
                        continue
                    selector.unregister(key.fileobj)
                    if line:
                        reply.answers[rank] = line
                        if _is_error(line):
                            until = min(until, time.monotonic() + self.backend.deadlines.after_error)
                    else:
                        gone.add(rank)
                        # The peers of a rank that died get a moment to say what they saw, no more.
                        until = min(until, time.monotonic() + _AFTER_CRASH)
        if len(reply.answers) < self.world_size:
            reply.end = "crash" if gone else "timeout"
        self._troubled = self._troubled or (reply.end != "completed" and not self._aborted)
        return reply

    def log(self) -> list[str]:
        """Reads the last lines that the ranks printed since they were asked, each with the name of its log."""
        lines = []
        for path in sorted(self.folder.glob("*.log")):
            tail = log_end(path, self._logged.get(path, 0), _LOG_BYTES).splitlines()
            lines += [f"{path.stem}: {line.strip()[:200]}" for line in tail if line.strip()][-4:]
        return lines[-_LOG_LINES:]

    def abort(self) -> None:
        """Ends the ranks of a world that another thread is starting; that thread then cleans up and raises StartError.

        That is no trouble whose logs anybody would read.
        """
        self._aborted = True
        for process in self._started():
            process.kill()

    def kill(self) -> None:
        """Ends every process group of the world and waits for it; safe to call twice. Logs stay where there was trouble."""
        started = self._started()
        for process in started:
            process.kill()
        for process in started:
            process.close()
        self._ranks, self._scheduler = [], None
        self._removing.close()
        if self._folder is not None and not self._troubled:
            remove_folder(str(self._folder))

    def _started(self) -> list[WorkerProcess | RemoteRank]:
        return [*self._ranks, *([self._scheduler] if self._scheduler else [])]


def _is_error(line: bytes) -> bool:
    """Tells whether an answer is the trace of a call that raised."""
    return line.startswith(b"{") and "error" in msgspec.json.decode(line, type=dict[str, msgspec.Raw])


def free_port() -> int:
    """Finds a TCP port of the loopback address that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
