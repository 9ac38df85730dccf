"""Keeps what an unfinished run has done, so that it can be taken up again where it stopped.

Each line begins with a digest of the rest and of the file's name, which says the run. One that was cut short when the run was
stopped is passed over; one that was changed, or was made by another run, is said on standard error, and its probe is made again.
Nothing is read of a journal that is larger than a record may be, or that another user could have written: anybody can make
digests, and what is taken up goes into a record of this user's.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
from io import BytesIO, FileIO
from pathlib import Path

import msgspec

from apidiff.database.record_gate import MAX_RANKS, plain_faults, probe_faults
from apidiff.database.regular_files import is_own
from apidiff.database.runs import MAX_RECORD
from apidiff.errors import printable
from apidiff.execute.plan import SKIPPED, Plan, step_key
from apidiff.model.trace import ProbeRun
from apidiff.standard_streams import tell


class Journal:
    """One line per probe that was made, in a file named after the run, which nobody else writes until ``close``.

    A probe that was made again has one more line, which stands in the place of the first.

    Lines are taken up again only where the probe still calls the same; where other code makes it, ``path`` should be another.
    How many are taken up is said on standard error.

    ``path`` is None: nothing is kept; nor is it where another process, making the same run at this moment, keeps its own there,
    nor where another user could write, which is said.
    ``world_size``: the number of ranks; lines of a run with another are none of this one. Any number fits where it is None.
    """

    def __init__(self, path: Path | None, plan: Plan, world_size: int | None = None) -> None:
        self._world_size = world_size
        self._path, self._name = path, path.name if path else ""
        self._file = _opened(path) if path else None
        specs = {step_key(step): step.spec for step in plan.steps}
        self.done: dict[tuple[str, str], ProbeRun] = {}
        for run in self._read(path):
            if specs.get((run.api, run.probe)) == run.spec:
                self.done[run.api, run.probe] = run
        if self.done:
            tell(
                f"apidiff: note: {len(self.done)} of {len(specs)} probes are taken from {printable(str(path))}, "
                "which an interrupted run left.\n"
            )

    def _read(self, path: Path | None) -> list[ProbeRun]:
        runs: list[ProbeRun] = []
        damaged = 0
        content = b""
        with contextlib.suppress(OSError):
            content = self._file.read(MAX_RECORD + 1) if self._file else b""
        if len(content) > MAX_RECORD:
            self.close()
            _tell_unused(path, f"is larger than {MAX_RECORD // 2**20} MiB", "Delete it.")
            return []
        for line in BytesIO(content):
            if line == b"\n":
                continue
            run = _decoded(line.removesuffix(b"\n"), self._name, self._world_size)
            if run is not None:
                runs.append(run)
            elif line.endswith(b"\n"):  # one that does not was being written when the run was stopped
                damaged += 1
        if damaged:
            tell(
                f"apidiff: note: {damaged} lines of the journal {printable(str(path))} are damaged or of another run; "
                "what they held is made again.\n"
            )
        return runs

    def add(self, run: ProbeRun) -> None:
        """Writes a finished probe; a journal that cannot be kept is given up, the run goes on."""
        if self._file is None:
            return
        try:
            content = msgspec.json.encode(run)
            # On a line of its own, even after one that was cut short.
            self._file.write(b"\n" + _digest(content, self._name) + b" " + content + b"\n")
            os.fsync(self._file.fileno())
        except OSError as error:
            _tell_unkept(self._path, error)
            self.close()

    def close(self) -> None:
        """Closes the file, which stays for the process that takes up the run."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _digest(content: bytes, name: str) -> bytes:
    return hashlib.sha256(os.fsencode(name) + b"\n" + content).hexdigest()[:32].encode()


def _decoded(line: bytes, name: str, world_size: int | None) -> ProbeRun | None:
    """Reads a line; None where it is not as it was written into the file of this ``name``, or holds what no run shows.

    A probe that was skipped is none that was made: no run writes it down, the next one decides that again.
    """
    digest, _, content = line.partition(b" ")
    if digest != _digest(content, name):
        return None
    try:
        run = msgspec.json.decode(content, type=ProbeRun)
    except (ValueError, RecursionError):
        return None
    if run.end == SKIPPED or any(plain_faults(run)):
        return None
    ranks = max((trace.rank for trace in run.ranks), default=0) + 1
    size = max(ranks, len(run.ranks)) if world_size is None else world_size
    return None if size > MAX_RANKS or any(probe_faults(run, size)) else run


def _tell_unused(path: Path | None, found: str, remedy: str) -> None:
    tell(
        f"apidiff: note: the journal {printable(str(path))} {found}; nothing of it is taken up, and what this run does is not "
        f"kept. {remedy}\n"
    )


def _tell_unkept(path: Path | None, error: OSError) -> None:
    tell(
        f"apidiff: note: the journal {printable(str(path))} cannot be kept ({error.strerror}); if this run is stopped, the next "
        "one begins anew. Set XDG_STATE_HOME to a folder that can be written.\n"
    )


def remove_journal(path: Path) -> None:
    """Removes a journal that is no longer needed; one that another process has open stays, and one that is not this user's.

    One that cannot be removed is emptied, so that nothing of it is taken up; where that fails too, it is said.
    """
    with contextlib.suppress(OSError, _ForeignError):  # OSError: nor can the next run look into the folder
        if path.exists() and (file := _locked(path)):
            with file:
                _remove(path, file)


def _remove(path: Path, file: FileIO) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        return
    try:
        file.truncate(0)
    except OSError as error:
        tell(
            f"apidiff: note: the journal {printable(str(path))} is no longer needed, and can neither be removed nor emptied "
            f"({error.strerror}); the next run would take it up. Delete it.\n"
        )


class _ForeignError(Exception):
    """A journal that another user could have written: what was found, and the remedy."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.found, self.remedy = found, remedy


def _opened(path: Path) -> FileIO | None:
    """As `_locked`; None also where it cannot be written, or another user could have written it, which is said."""
    try:
        return _locked(path)
    except BlockingIOError:
        return None
    except OSError as error:
        _tell_unkept(path, error)
    except _ForeignError as error:
        _tell_unused(path, error.found, error.remedy)
    return None


def _locked(path: Path) -> FileIO | None:
    """Opens and locks the file for this process; None where it was removed meanwhile.

    Raises BlockingIOError where another process has it, another OSError where it cannot be written, and _ForeignError where
    another user could have written it.
    """
    with contextlib.ExitStack() as stack:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_own(path.parent.stat()):
            remedy = "Make that folder yours alone (chmod 700), or set XDG_STATE_HOME to another."
            raise _ForeignError("lies in a folder that is not yours, or that others may write to", remedy)
        if path.is_symlink():
            raise _ForeignError("is a link", "Delete it.")
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        file = stack.enter_context(FileIO(os.open(path, flags, 0o600), "a+"))
        status = os.fstat(file.fileno())
        if not (stat.S_ISREG(status.st_mode) and is_own(status)):
            raise _ForeignError("is no file of yours, or others may write to it", "Delete it.")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(path.lstat(), status):  # and was not removed since it was opened
            file.seek(0)
            stack.pop_all()
            return file
    return None
