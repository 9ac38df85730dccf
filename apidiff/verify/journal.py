"""Keeps what an unfinished run has done, so that it can be taken up again where it stopped."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from typing import IO

import msgspec

from apidiff.model import ProbeRun
from apidiff.verify.plan import Plan, step_key


class Journal:
    """One line per probe that was made, in a file named after the run.

    Lines are taken up again only where the probe still calls the same. ``path`` is None: nothing is kept; nor is it where
    another process, making the same run at this moment, keeps its own there.
    """

    def __init__(self, path: Path | None, plan: Plan) -> None:
        self._lock = _locked(path) if path else None
        self._path = path if self._lock else None
        specs = {step_key(step): step.spec for step in plan.steps}
        self.done: dict[tuple[str, str], ProbeRun] = {}
        for run in self._read():
            if specs.get((run.api, run.probe)) == run.spec:
                self.done[run.api, run.probe] = run

    def _read(self) -> list[ProbeRun]:
        runs = []
        with contextlib.suppress(OSError):
            for line in self._path.read_bytes().splitlines() if self._path else []:
                try:
                    runs.append(msgspec.json.decode(line, type=ProbeRun))
                except msgspec.DecodeError:  # empty, or the line that was being written when the run was stopped
                    continue
        return runs

    def add(self, run: ProbeRun) -> None:
        """Writes a finished probe; a journal that cannot be kept is given up, the run goes on."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                # On a line of its own, even after one that was cut short.
                file.write(b"\n" + msgspec.json.encode(run) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            self._path = None


def _locked(path: Path) -> IO[str] | None:
    """The lock beside a journal, held as long as the file is open; None where another process holds it."""
    lock = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("w", encoding="utf-8")
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if lock is not None:
            lock.close()
        return None
    return lock
