"""Writes files whole or not at all: under a temporary name first; several of them all or none, in a locked folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from apidiff.errors import DataError

_LOCK_S = 10.0  # a record is written in milliseconds
_TEMPORARY = ".tmp"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives a temporary file beside ``path`` to write to, which takes its place at the end of the block.

    A file that was there hands its permissions on. Where the block raises, nothing is left and ``path`` is as it was.
    """
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o644
    handle, name = tempfile.mkstemp(prefix=".", suffix=_TEMPORARY, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_file(path: Path, content: bytes) -> None:
    """Writes one file; one that is there is replaced. Raises OSError, with nothing left, where that fails."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_files(files: Mapping[Path, bytes]) -> None:
    """Writes files in folders that the caller has locked: all are on disk before the first gets its name.

    Where that fails none of them is there. Raises OSError.
    """
    written: dict[Path, Path] = {}
    named: list[Path] = []
    try:
        for path, content in files.items():
            written[path] = _on_disk(path.parent, content)
        for path, temporary in written.items():
            new = not path.exists()
            temporary.replace(path)
            if new:
                named.append(path)
    except BaseException:
        for path in named:
            path.unlink(missing_ok=True)
        raise
    finally:
        for temporary in written.values():
            temporary.unlink(missing_ok=True)


def add_files(files: Mapping[Path, bytes]) -> None:
    """Locks the folders and writes every file or, where one cannot be written, none. Files with those bytes are kept.

    Raises DataError where a folder cannot be written, the disk is full, or a file has other bytes.
    """
    made: list[Path] = []
    with contextlib.ExitStack() as stack:
        stack.callback(_remove_empty, made)
        for folder in sorted({path.parent for path in files}):
            if not folder.exists():
                made.append(folder)
            stack.enter_context(locked(folder))
        new = {path: content for path, content in files.items() if not _holds(path, content)}
        for path in new:
            if path.exists():
                raise DataError(path, None, "is there already and is another file", "Look at it; nothing was recorded.")
        write_files(new)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Locks a folder of run records, made if need be, and removes the temporary files of a process that was killed.

    Without the lock two processes that record the same run would each remove the other's record. Raises DataError for
    what goes wrong.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        try:
            if _lock(handle, folder):
                for left in folder.glob(f".*{_TEMPORARY}"):
                    left.unlink()
            yield
        finally:
            os.close(handle)
    except OSError as error:
        remedy = "Free space, or check that the folder can be written; nothing was recorded."
        raise DataError(folder, None, f"the record cannot be written ({error.strerror})", remedy) from error


def _lock(handle: int, folder: Path) -> bool:
    """Locks an open folder until it is closed; False where its file system has no locks."""
    until = time.monotonic() + _LOCK_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > until:
                found = f"another process has been writing a record here for {_LOCK_S:g} s"
                raise DataError(folder, None, found, "Look whether it is stopped; nothing was recorded.") from error
            time.sleep(0.05)
        except OSError:
            return False
        else:
            return True


def _on_disk(folder: Path, content: bytes) -> Path:
    """A file with those bytes, synchronised to the disk under a temporary name."""
    handle, name = tempfile.mkstemp(prefix=".", suffix=_TEMPORARY, dir=folder)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()
