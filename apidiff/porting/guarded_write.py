"""Writes a file in the place of one that was read, only while that is still what was read, whatever happens beside it."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
from pathlib import Path

from apidiff.atomic_write import handed_on, unused_name
from apidiff.database.regular_files import read_regular
from apidiff.ending_signals import held
from apidiff.real_path import real_path

_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_OLD = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def replace_read(place: Path, before: bytes, after: bytes) -> bool:
    """Write ``after`` to the file ``place``; False, with nothing changed, where it is not the file that held ``before``.

    Its folder is held open: one that is renamed meanwhile, or has a link put in its place, leads nowhere else. The new content
    is on disk under another name before it takes the place of the old one, so that a killed run leaves one of the two; what
    was put there in that moment, a file or anything else, is seen and put back. Permissions, ACLs and users' attributes stay.
    Raises OSError, FileNotFoundError where the file was removed; nothing is made again then.

    Args:
        place: its path, in which no link is followed.
        before: what was read.
        after: what is to stand there.

    """
    folder = os.open(place.parent, _FOLDER)
    name = unused_name(Path())
    made: os.stat_result | None = None
    try:
        if not _is_at(folder, place.parent) or not os.path.samestat(place.parent.stat(), os.fstat(folder)):
            return False
        old = os.open(place.name, _OLD, dir_fd=folder)
        try:
            with os.fdopen(os.open(name, _NEW, 0o600, dir_fd=folder), "wb") as out:
                made = os.fstat(out.fileno())
                out.write(after)
                out.flush()
                os.fchmod(out.fileno(), handed_on(os.fstat(old), old, out.fileno()))
                os.fsync(out.fileno())
        finally:
            os.close(old)
        return _put_in_place(folder, str(name), place.name, before)
    finally:
        with contextlib.suppress(FileNotFoundError):
            # Anything else is what could not be put back.
            if made is None or os.path.samestat(made, os.lstat(name, dir_fd=folder)):
                os.unlink(name, dir_fd=folder)
        os.close(folder)


def _is_at(folder: int, place: Path) -> bool:
    """Whether an open folder lies at ``place``, and no link is on the way there."""
    # The system knows at once; to look for links in a path of 2,000 levels takes a fifth of a second.
    with contextlib.suppress(OSError):
        if os.readlink(f"/proc/self/fd/{folder}") == str(place):  # noqa: PTH115 - it may be no text
            return True
    return real_path(place) == place


def _put_in_place(folder: int, new: str, old: str, before: bytes) -> bool:
    if not _holds(folder, old, before):
        return False
    with held():
        if not _exchanged(folder, new, old):
            os.replace(new, old, src_dir_fd=folder, dst_dir_fd=folder)
            return True
        was_read = False
        try:
            was_read = _holds(folder, new, before)
        finally:
            if not was_read:  # it was put there since it was looked at, or cannot be looked at
                _exchanged(folder, new, old)
        if was_read:
            os.unlink(new, dir_fd=folder)
    return was_read


def _holds(folder: int, name: str, content: bytes) -> bool:
    """Whether ``name`` is a file with this content, and no link to one. Raises OSError where it cannot be read."""
    if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
        return False
    return read_regular(Path(name), len(content) + 1, folder) == content


def _exchanged(folder: int, one: str, other: str) -> bool:
    """Give each of two files the name of the other at one stroke; False where the system cannot.

    Raises FileNotFoundError where one is not there: what replaces it without a look would make it again.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    failed = rename(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) != 0
    if failed and ctypes.get_errno() == errno.ENOENT:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), other)
    return not failed
