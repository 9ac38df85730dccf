"""Reads a stranger's source within bounds: in a process of its own, which ends where it takes far more than any framework's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from apidiff.errors import ApidiffError, DataError, typed
from apidiff.forked_work import in_bounds

_SECONDS = 40  # of a processor: torch and MindSpore take 5
_MEMORY = 2**30  # bytes: they take 150 MB
_Result = TypeVar("_Result")


def read_bounded(source: Path, read: Callable[[], _Result]) -> _Result:
    """Return what ``read`` makes of a wheel or a folder, ``source``; it is passed between processes.

    Raises what that raises of ours, OSError, and DataError where reading takes too long, too much memory, or fails otherwise.
    """
    try:
        return in_bounds(partial(_named, source, read), seconds=_SECONDS, memory=_MEMORY)
    except (ChildProcessError, MemoryError) as error:
        most = f"{_SECONDS} s of a processor or {_MEMORY // 2**20} MiB"
        found = f"cannot be read: it takes more than {most}, or ends the process that reads it"
        raise DataError(source, None, found, "Give what the framework published.") from error


def _named(source: Path, read: Callable[[], _Result]) -> _Result:
    try:
        return read()
    except (ApidiffError, OSError):
        raise
    except MemoryError:  # without its frames, which hold what filled the memory
        failed: Exception = MemoryError()
    except Exception as error:  # noqa: BLE001 - what a stranger wrote may raise whatever comes up
        found = f"cannot be read ({type(error).__name__}: {typed(str(error))})"
        failed = DataError(source, None, found, "Give what the framework published.")
    raise failed
