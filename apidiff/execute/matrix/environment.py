"""Makes the Python environment of a framework version, once, with venv and pip; runs commands with a log and a deadline."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from apidiff.atomic_write import open_in_place, write_file
from apidiff.database import ApidiffError, DataError
from apidiff.database.regular_files import read_regular
from apidiff.database.toml import read_toml
from apidiff.errors import decoding_fault
from apidiff.execute.matrix.cells import Block
from apidiff.find_program import find_program
from apidiff.process_group import end_group, remove_folder, run, start
from apidiff.scratch_folder import scratch_folder

# Told the last line of a log while a command runs.
Tell = Callable[[str], None]

_PIP = ("-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
_STAMP = "apidiff-stamp.json"
_TAIL = 4096  # bytes
_STEP_S = 0.5


class Overdue(ApidiffError):
    """A command that was killed at its deadline."""


class NoPython(ApidiffError):
    """No interpreter of a version that the block names."""


class NotMade(ApidiffError):
    """venv or pip failed: the last error and the log."""


class _Project(msgspec.Struct):
    dependencies: list[str] = []


class _PyProject(msgspec.Struct):
    """What is read of the file by that name."""

    project: _Project


def _broken(path: Path, _text: str, error: msgspec.ValidationError) -> DataError:
    return DataError(path, None, decoding_fault(error), "Restore the file from version control.")


@dataclass(frozen=True)
class Environment:
    """The environment of ``version`` of the block's framework. ``project``: the checkout; ``work``: the folder for all of it."""

    block: Block
    version: str
    project: Path
    work: Path

    @property
    def name(self) -> str:
        """Such as ``mindspore-2.8.0``."""
        return f"{self.block.name}-{self.version}"

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self.work / self.name

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def log(self) -> Path:
        """What venv and pip printed."""
        return self.work / "logs" / f"{self.name}.log"

    @property
    def requirements(self) -> list[str]:
        """What pip installs beside the project."""
        return [f"{self.block.name}=={self.version}", *self.block.requires]

    def stamp(self, python: str) -> bytes:
        """Describes what the environment is made from; it keeps this text, and is made anew where the text would differ."""
        path = self.project / "pyproject.toml"
        needs = read_toml(path, _PyProject, partial(_broken, path)).project.dependencies
        return msgspec.json.encode({"python": python, "requirements": self.requirements, "project": sorted(needs)})

    def make(self, tell: Tell) -> None:
        """Makes the environment; an up-to-date one is kept. Raises NoPython, NotMade, Overdue of the process, or DataError."""
        python, command = _interpreter(self.block.python)
        try:
            self._make(python, command, tell)
        except OSError as error:
            raise NotMade(
                f"{error.filename}: {error.strerror}. Delete {self.folder}, and see that it can be made."
            ) from error

    def _make(self, python: str, command: str, tell: Tell) -> None:
        stamp, kept = self.stamp(python), self.folder / _STAMP
        with contextlib.suppress(OSError):
            # The interpreter may be a link to one that an upgrade has removed.
            if read_regular(kept, len(stamp) + 1) == stamp and _version(str(self.python)) == python:
                return
        self._clear()
        venv = [command, "-m", "venv", str(self.folder)]
        pip = [str(self.python), *_PIP, "--editable", str(self.project), *self.requirements]
        for step, log in ((venv, self.log.with_suffix(".venv.log")), (pip, self.log)):
            code = run_logged(step, log, self.block.deadlines.environment, self.project, tell)
            if code:
                raise NotMade(f"{' '.join(step[1:3])} ended with {code}: {_reason(log)} Read {log}.")
        write_file(kept, stamp)

    def _clear(self) -> None:
        """Empties the folder, made if need be. Raises NotMade where a link, a file or a folder of somebody else's lies there.

        ``pyvenv.cfg`` marks it as an environment. It is there first and stays, so that what was interrupted is known as ours.
        """
        mark = self.folder / "pyvenv.cfg"
        if self.folder.is_symlink():
            raise self._foreign("is a link")
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise self._foreign("is no folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        there = list(self.folder.iterdir())
        if there and (mark.is_symlink() or not mark.is_file()):
            raise self._foreign("holds files and is no environment of Python")
        mark.touch()
        # The stamp goes first: what is cleared in part is not up to date.
        for path in sorted(there, key=lambda path: path.name != _STAMP):
            if path.is_dir() and not path.is_symlink():
                remove_folder(str(path))
                if os.path.lexists(path):
                    raise NotMade(f"{path} cannot be deleted. Delete {self.folder}, and see that it can be made.")
            elif path != mark:
                path.unlink()

    def _foreign(self, found: str) -> NotMade:
        return NotMade(f"{self.folder} {found}. Move it away: the environment of {self.name} is made there.")


def _interpreter(versions: list[str]) -> tuple[str, str]:
    """Finds the first of the versions that can be run, and its command. Raises NoPython."""
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in versions:
        if version == running:
            return version, sys.executable
        command = find_program(f"python{version}")
        if command and _version(command) == version:
            return version, command
    wanted = " or ".join(f"python{version}" for version in versions)
    raise NoPython(f"looked for {wanted} on PATH; found: Python {running} only. Install one of them.")


def _version(command: str) -> str | None:
    """Asks an interpreter for its version; None where it cannot be run, as a version manager's stub."""
    code = "import sys; print(*sys.version_info[:2], sep='.')"
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = run([command, "-c", code], 30)
        return done.output.strip() if done.code == 0 else None
    return None


def _reason(log: Path) -> str:
    """Finds the last error in a log of pip, or else its last line."""
    lines: list[str] = []
    with contextlib.suppress(OSError):  # whoever cleared the folder meanwhile took the log too
        lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    said = (errors or lines or ["it printed nothing"])[-1]
    return said if said.endswith(".") else f"{said}."


def run_logged(command: Sequence[str], log: Path, deadline: float, folder: Path, tell: Tell) -> int:
    """Runs ``command`` in ``folder`` and returns its exit code, 128 + n where signal n ended it.

    ``log`` gets what it prints. Raises Overdue at the deadline, DataError where the log cannot be written. However this
    ends, the command's whole process group is gone, and so are its temporary files.
    """
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = open_in_place(log, emptied=True)
    except OSError as error:
        remedy = "Free space, or check that the folder can be written."
        raise DataError(log, None, f"the log cannot be written ({error.strerror})", remedy) from error
    # pip and venv remove their temporary files, of gigabytes, at their end alone, which a deadline does not wait for.
    with scratch_folder("apidiff-matrix-") as scratch:
        variables = _environment(os.environ) | {"TMPDIR": str(scratch)}
        with output:
            process = start(command, output, folder=folder, environment=variables, scratch=scratch)
        try:
            until = time.monotonic() + deadline
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(min(_STEP_S, max(0.0, until - time.monotonic())))
                if time.monotonic() >= until:
                    raise Overdue(f"not done in {deadline:g} s; it was at: {last_line(log)}")
                tell(last_line(log))
        finally:
            end_group(process)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Leaves out what would let one Python use the packages of another."""
    return {key: value for key, value in environment.items() if key not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}}


def last_line(log: Path) -> str:
    """Finds the last line with text in a log; of a progress bar, how far it came."""
    with contextlib.suppress(OSError), log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1] if lines else "nothing printed yet"
    return "nothing printed yet"
