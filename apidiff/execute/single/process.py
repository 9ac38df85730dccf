"""One process in which calls are made: asked again and again, each time with a deadline."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from apidiff.database.devices import Device
from apidiff.errors import ApidiffError, DataError
from apidiff.execute.variables import without_settings
from apidiff.execute.worker_process import FRESH, READS_ON_S, BrokenAnswer, WorkerProcess, log_end, log_size
from apidiff.scratch_folder import scratch_folder

_Made = TypeVar("_Made")

_LOG_LINES = 4
_LOG_BYTES = 4000
_LOOK_S = 0.25  # between two looks at the memory of a call that takes long
_GIB = 2**30
_LONGEST_LOG = 2**30  # bytes that a call may print
_GONE_S = 5.0  # for a process whose pipe is closed


class ProcessStartError(ApidiffError):
    """The process did not come up: names the framework, what it printed and the log to read."""


class _Ready(msgspec.Struct):
    """What a process says once it is up. ``pid``: its own number, or that of its child that makes the calls."""

    version: str
    pid: int


@dataclass
class Answer(Generic[_Made]):
    """What came of one request. ``end``: completed, timeout or crash; without an answer ``log`` holds what was printed."""

    end: str
    made: _Made | None = None
    log: list[str] | None = None


class CallProcess:
    """A process that makes calls on one device, to be used after ``start`` and ended with ``kill``.

    ``logs``: the folder for what it prints. ``version``: the framework's, as it calls itself. Its temporary files have a folder
    of their own, since it is killed in the end and removes none of them.
    """

    def __init__(self, device: Device, logs: Path) -> None:
        self.device = device
        try:
            logs.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f"single-{device.framework}-", suffix=".log", dir=logs)
        except OSError as error:
            remedy = "Set XDG_STATE_HOME to a folder that can be written."
            raise DataError(logs, None, f"logs cannot be kept here ({error.strerror})", remedy) from error
        os.close(handle)
        self._log, self._logged, self._pid = Path(name), 0, 0
        self._troubled = self._interrupted = False
        self._removing = contextlib.ExitStack()
        try:
            self._temporary = self._removing.enter_context(scratch_folder("apidiff-single-"))
            try:
                self._process = self._worker()
            except OSError:
                self._removing.close()
                raise
        except OSError as error:
            self._log.unlink(missing_ok=True)
            raise ProcessStartError(
                f"{device.framework} on {device.device}: a process cannot be started ({error.strerror}). "
                "Mend that; `ulimit -a` tells the limits of this user."
            ) from error
        self.version = ""

    def _worker(self) -> WorkerProcess:
        command = ["-m", "apidiff.execute.single", self.device.framework, self.device.device]
        environment = without_settings(os.environ) | self.device.environment | {"TMPDIR": str(self._temporary)}
        return WorkerProcess(command, environment, self._log, self._temporary)

    def start(self) -> None:
        """Waits until it is up. Raises ProcessStartError where it does not come up."""
        started = self._receive(self.device.deadlines.start, _Ready)
        if started.made is None:
            what = "did not come up in time" if started.end == "timeout" else "ended before it came up"
            raise ProcessStartError(
                f"{self.device.framework} on {self.device.device}: the process {what} ({self.device.deadlines.start:g} s):"
                f" {' / '.join(started.log or []) or 'nothing was printed'}. Read {self._log}."
            )
        self.version, self._pid = started.made.version, started.made.pid

    def begin_anew(self) -> bool:
        """Has what is asked next made in a fresh process, in which nothing was called; False where this one ended instead."""
        troubled = self._troubled
        started = self.ask(FRESH, _Ready, self.device.deadlines.start)
        if started.made is None:
            self._troubled = troubled
            return False
        self._pid = started.made.pid
        return True

    def ask(self, request: Mapping[str, Any], kind: type[_Made], deadline: float | None = None) -> Answer[_Made]:
        """The answer to one request, of ``kind``, within ``deadline`` seconds, or the device's for a call."""
        self._logged = log_size(self._log)
        self._process.send(msgspec.json.encode(request) + b"\n")
        return self._receive(self.device.deadlines.call if deadline is None else deadline, kind)

    def _receive(self, seconds: float, kind: type[_Made]) -> Answer[_Made]:
        until, last = time.monotonic() + seconds, None
        while True:
            now = time.monotonic()
            spoke = select.select([self._process], [], [], max(0.0, min(until - now, _LOOK_S)))[0]
            if now >= until:  # what came while this process was paused is read first
                last = last or now + READS_ON_S
                if not spoke or now >= last:
                    return self._trouble("timeout")
            try:
                line = self._process.receive()
                if line:
                    return Answer("completed", msgspec.json.decode(line, type=kind))
            except (BrokenAnswer, msgspec.DecodeError) as error:
                self._process.kill()
                return self._trouble("crash", f"ended for what it answered: {error}")
            if line is not None:
                return self._trouble("crash")
            if (held := self._memory()) > self.device.memory * _GIB:
                self._process.kill()
                said = f"ended for {held / _GIB:.1f} GiB of memory, more than {self.device.memory:g}"
                return self._trouble("crash", said)
            if log_size(self._log) - self._logged > _LONGEST_LOG:
                self._process.kill()
                return self._trouble("crash", f"ended for printing more than {_LONGEST_LOG // 2**20} MiB")

    def _memory(self) -> int:
        """The bytes of memory that the process holds; 0 once it is gone."""
        try:
            pages = Path(f"/proc/{self._pid or self._process.process.pid}/statm").read_text(encoding="ascii").split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def _trouble(self, end: str, why: str = "") -> Answer[Any]:
        """The answer that does not come. ``why``: what ended the process, where it did not end by itself."""
        self._troubled = self._troubled or not self._interrupted
        ended = [why] if why else self._ended_by() if end == "crash" else []  # until then it may print
        printed = log_end(self._log, self._logged, _LOG_BYTES).splitlines()
        lines = [line.strip()[:200] for line in printed if line.strip()][-_LOG_LINES:]
        return Answer(end, log=[*lines, *ended])

    def _ended_by(self) -> list[str]:
        """The signal that ended the process, or the code it ended with: ``SIGFPE``, ``exit code 3``."""
        try:
            code = self._process.process.wait(_GONE_S)
        except subprocess.TimeoutExpired:  # it closed its pipe and lives on
            return []
        if code >= 0:
            return [f"exit code {code}"]
        # Those of real time have no names but the first and the last.
        return [signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"]

    def interrupt(self) -> None:
        """Ends the process group for another thread, which waits for an answer and then kills what is left."""
        self._interrupted = True
        self._process.kill()

    def kill(self) -> None:
        """Ends the process group and waits for it. The log stays where there was trouble, no temporary file does."""
        self._process.kill()
        self._process.close()
        self._removing.close()
        if not self._troubled:
            with contextlib.suppress(OSError):  # a call may have removed it, or put a folder there
                self._log.unlink()
