"""A command with a deadline, a log and a process group of its own, which ends with this process."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from apidiff.database import ApidiffError, DataError
from apidiff.process_group import kill_group, start

# Told the last line of a log while a command runs.
Tell = Callable[[str], None]

_TAIL = 4096  # bytes
_STEP_S = 0.5


class Overdue(ApidiffError):
    """A command that was killed at its deadline."""


def run_logged(command: Sequence[str], log: Path, deadline: float, folder: Path, tell: Tell) -> int:
    """Runs ``command`` in ``folder`` and returns its exit code, 128 + n where signal n ended it.

    ``log`` gets what it prints. Raises Overdue at the deadline, DataError where the log cannot be written. However this
    ends, the command's whole process group is gone.
    """
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = log.open("wb")
    except OSError as error:
        remedy = "Free space, or check that the folder can be written."
        raise DataError(log, None, f"the log cannot be written ({error.strerror})", remedy) from error
    with output:
        process = start(command, output, folder=folder, environment=_environment(os.environ))
    try:
        until = time.monotonic() + deadline
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(min(_STEP_S, max(0.0, until - time.monotonic())))
            if time.monotonic() >= until:
                raise Overdue(f"not done in {deadline:g} s; it was at: {last_line(log)}")
            tell(last_line(log))
    finally:
        kill_group(process)
        process.wait()


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would let one Python use the packages of another."""
    return {key: value for key, value in environment.items() if key not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}}


def last_line(log: Path) -> str:
    """The last line with text in a log; of a progress bar, how far it came."""
    with contextlib.suppress(OSError), log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1] if lines else "nothing printed yet"
    return "nothing printed yet"
