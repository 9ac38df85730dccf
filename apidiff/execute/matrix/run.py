"""Runs the cells of a matrix, each in the environment of its version: one after another here, or as a job array of Slurm.

Slurm rather than Ray or Dask: clusters with GPU or Ascend devices run it, it gives a task its devices, takes up a task again
whose machine went away, and needs no package in the environments, which must hold what is measured and little else.
"""

from __future__ import annotations

import fcntl
import math
import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Literal

from apidiff.atomic_write import open_in_place
from apidiff.database import ApidiffError, DataError
from apidiff.database.backends import Backend, Devices
from apidiff.execute.matrix.cells import Cell, Standing
from apidiff.execute.matrix.environment import Environment, NoPython, Tell, last_line, run_logged

_LOOK_S = 180.0  # seconds; a first import of a framework from a cold disk takes tens
# Runs in the version's environment, with that of its frameworks that is installed there.
_LOOK = """
import sys
from apidiff.database.backends import load_backends
from apidiff.execute.devices import look_for
for backend in load_backends():
    if [backend.full_name, backend.framework] == sys.argv[1:]:
        here = look_for(backend)
        count = len(here.device.names) if here.device else 0
        print("here" if here.available else "absent", count, here.text)
"""

_TOLD = re.compile(r"(?P<state>here|absent) (?P<count>\d+) (?P<text>.*)")

State = Literal["recorded", "made", "failed", "not here"]


@dataclass(frozen=True)
class Result:
    """How a cell ended: recorded before, made now, failed, or not possible here. ``text``: the record's ID, or the reason."""

    cell: Cell
    state: State
    text: str
    seconds: float = 0.0


def command_of(environment: Environment, cell: Cell, measured_by: str | None) -> list[str]:
    """Builds the command that runs the cell in its version's environment and writes its record."""
    command = [str(environment.folder / "bin" / "apidiff"), "verify", "--backend", cell.backend.full_name]
    command += ["--world-size", str(cell.world_size), "--record"]
    return [*command, *(["--measured-by", measured_by] if measured_by else [])]


@contextmanager
def exclusive(work: Path) -> Iterator[None]:
    """Locks the folder ``work`` for this process. Raises ApidiffError where another has it."""
    try:
        work.mkdir(parents=True, exist_ok=True)
        lock = open_in_place(work / "lock", emptied=False)
    except OSError as error:
        found = f"environments cannot be kept here ({error.strerror})"
        remedy = "Free space, check that the folder can be written, and take away what stands in the place of its lock."
        raise DataError(error.filename or work, None, found, remedy) from error
    with lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ApidiffError(
                f"verify: another process makes or runs environments in {work}. Wait until it is done, or stop it."
            ) from error
        yield


def by_version(cells: Sequence[Cell], project: Path, work: Path) -> Iterator[tuple[Environment, list[Cell]]]:
    """Groups the cells by the environment that they need."""
    for (block, version), group in groupby(cells, lambda cell: (cell.block, cell.version)):
        yield Environment(block, version, project, work), list(group)


def run_cells(
    environment: Environment,
    cells: Sequence[Cell],
    measured_by: str | None,
    standing: Callable[[Cell], Standing],
    tell: Callable[[str, str], None],
) -> Iterator[Result]:
    """Makes the environment of one version and runs its ``cells`` there.

    ``standing``: how a cell stands on disk at that moment. ``tell``: told what is under way, and the last line of its log.
    """
    try:
        environment.make(partial(tell, f"{environment.name}: making its environment"))
    except NoPython as error:
        yield from (Result(cell, "not here", str(error)) for cell in cells)
        return
    except ApidiffError as error:
        yield from (Result(cell, "failed", f"no environment: {error}") for cell in cells)
        return
    seen: dict[str, int | str | ApidiffError] = {}
    for cell in cells:
        name = cell.backend.full_name
        if name not in seen:
            tell(cell.name, "looking for the device")
            seen[name] = _devices(environment, cell.backend)
        devices = seen[name]
        if isinstance(devices, ApidiffError):
            yield Result(cell, "failed", f"the device was not looked for: {devices}")
        elif isinstance(devices, str):
            yield Result(cell, "not here", devices)
        elif cell.backend.devices is Devices.ONE and cell.world_size > devices:
            bound = f"each rank needs a device of its own, and found were {devices}"
            yield Result(cell, "not here", f"{name} ({cell.block.name}): {bound}")
        else:
            yield _run(environment, cell, measured_by, standing, partial(tell, cell.name))


def _run(
    environment: Environment,
    cell: Cell,
    measured_by: str | None,
    standing: Callable[[Cell], Standing],
    tell: Tell,
) -> Result:
    begun = time.monotonic()
    log = environment.work / "logs" / f"{cell.name.replace('/', '-')}.log"
    command = command_of(environment, cell, measured_by)
    try:
        code = run_logged(command, log, cell.block.deadlines.run, environment.work, tell)
    except ApidiffError as error:
        return Result(cell, "failed", f"{error} Read {log}.", time.monotonic() - begun)
    seconds, now = time.monotonic() - begun, standing(cell)
    if now.record:
        return Result(cell, "made", now.record, seconds)
    # Also where it ended well: the installed framework may call itself something else than what was asked for.
    return Result(cell, "failed", f"ended with {code}, {now.text}: {last_line(log)} Read {log}.", seconds)


def _devices(environment: Environment, backend: Backend) -> int | str | ApidiffError:
    """Counts the backend's devices for the environment, on the CPU 0; else says what was looked for and what was found.

    An error where it could not be looked for them.
    """
    command = [str(environment.python), "-c", _LOOK, backend.full_name, backend.framework]
    log = environment.log.with_suffix(f".{backend.full_name}.log")
    try:
        code = run_logged(command, log, _LOOK_S, environment.work, lambda _line: None)
    except ApidiffError as error:
        return error
    if code or not (told := _TOLD.fullmatch(last_line(log))):
        return ApidiffError(f"ended with {code}: {last_line(log)} Read {log}.")
    return int(told["count"]) if told["state"] == "here" else told["text"]


def job_array(commands: Sequence[tuple[Cell, Sequence[str]]], logs: Path) -> str:
    """Writes a script for ``sbatch`` with a task for each cell and its command. Options given to sbatch itself count for more."""
    minutes = math.ceil(max(cell.block.deadlines.run for cell, _ in commands) / 60)
    cases = [
        f"  {number}) set -- {shlex.join(command)} ;;  # {cell.name}" for number, (cell, command) in enumerate(commands)
    ]
    return "\n".join(
        [
            "#!/bin/bash",
            f"#SBATCH --array=0-{len(commands) - 1}",
            "#SBATCH --job-name=apidiff-matrix",
            "#SBATCH --nodes=1",
            "#SBATCH --ntasks=1",
            # A core for each rank: on a machine shared with other tasks, probes would reach their deadlines.
            f"#SBATCH --cpus-per-task={max(cell.world_size for cell, _ in commands)}",
            f"#SBATCH --time={minutes}",
            "#SBATCH --requeue",
            f"#SBATCH --output={logs}/slurm-%A-%a.log",
            "#SBATCH --open-mode=append",
            "unset PYTHONPATH PYTHONHOME VIRTUAL_ENV",
            'case "$SLURM_ARRAY_TASK_ID" in',
            *cases,
            '  *) echo "no cell $SLURM_ARRAY_TASK_ID" >&2; exit 2 ;;',
            "esac",
            'exec "$@"',
            "",
        ]
    )
