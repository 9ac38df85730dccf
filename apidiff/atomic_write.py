"""Writes files whole or not at all: under a temporary name first; several of them all or none, in a locked folder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from apidiff.ending_signals import held
from apidiff.errors import DataError
from apidiff.folder_walk import walk_folders
from apidiff.real_path import real_path

_LOCK_S = 10.0  # a record is written in milliseconds
_LEFT_S = 60.0  # so is every file: a temporary one that is older was left by a process that was killed
_TEMPORARY = ".tmp"
_OURS = re.compile(rf"\.[0-9a-f]{{16}}{re.escape(_TEMPORARY)}")
_ACL = "system.posix_acl_access"
_DEVICES = {Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd")}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives a temporary file beside ``path`` to write to, which takes its place at the end of the block.

    A file that was there hands on its permissions and, where that is allowed, its owner, group and attributes. Where the block
    raises, nothing is left and ``path`` is as it was; an OSError names it. A device or a pipe is never replaced: it may be the
    system's ``/dev/null``. Of a link the file that it leads to is written.
    """
    refuse_irregular(path)
    path = real_path(path)
    before = path.stat() if path.exists() else None
    temporary = unused_name(path.parent)
    try:
        os.close(_created(temporary))
        yield temporary
        temporary.chmod(0o644 if before is None else handed_on(before, path, temporary))
        temporary.replace(path)
    except OSError as error:
        if error.filename in {None, str(temporary), temporary}:  # of a disk that is full the system tells no name
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def handed_on(before: os.stat_result, old: int | Path, written: int | Path) -> int:
    """Give ``written`` the owner, the group, the ACL and the user's attributes of the file that it replaces.

    Returns the permissions that it may have. What runs as its owner or group keeps doing so only where these are the same, and
    the group keeps no bits that an ACL gave which cannot be kept: they are the most that it grants, to anybody.

    Args:
        before: the state of the file that is replaced.
        old: that file, open, or its path.
        written: the new one, open, or its path.

    """
    mode = before.st_mode & 0o7777
    now = os.stat(written)  # noqa: PTH116 - it may be an open file
    if now.st_gid != before.st_gid and not _changes_hands(written, -1, before.st_gid):
        mode &= ~stat.S_ISGID
    if now.st_uid != before.st_uid and not _changes_hands(written, before.st_uid, -1):
        mode &= ~stat.S_ISUID
    return mode if _attributes_stay(old, written) else mode & ~stat.S_IRWXG


def _attributes_stay(old: int | Path, written: int | Path) -> bool:
    """Copy an ACL and the user's attributes; False where the ACL cannot be kept."""
    kept = True
    names = _attributes(old)
    for name in names:
        try:
            os.setxattr(written, name, os.getxattr(old, name))
        except OSError:
            kept = kept and name != _ACL
    if _ACL not in names:  # nor has the new one that of its folder
        with contextlib.suppress(OSError):
            os.removexattr(written, _ACL)
    return kept


def _attributes(file: int | Path) -> list[str]:
    try:
        return [name for name in os.listxattr(file) if name == _ACL or name.startswith("user.")]
    except OSError:  # a file system that has none
        return []


def _changes_hands(written: int | Path, owner: int, group: int) -> bool:
    try:
        os.chown(written, owner, group)
    except PermissionError:
        return False
    except OSError as error:
        # An owner that a container does not know, and a file system without owners, are as good as forbidden.
        if error.errno not in {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}:
            raise
        return False
    return True


def refuse_irregular(path: Path) -> None:
    """Raise OSError where something is there that is neither a file nor a folder, which no file can replace anyway.

    Nor is a link that leads nowhere replaced, or what the system calls a device: ``/dev/stdout`` may be a file.
    """
    if path.is_symlink() and not path.exists():
        raise OSError(errno.EINVAL, "it is a link that leads nowhere", str(path))
    if (path.exists() and not path.is_file() and not path.is_dir()) or path.absolute().parent in _DEVICES:
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def refuse_unwritable(folder: Path) -> None:
    """Raises OSError where no file can be made in ``folder``; leaves none there."""
    temporary = unused_name(folder)
    try:
        os.close(_created(temporary))
    finally:
        temporary.unlink(missing_ok=True)


def refuse_foreign(path: Path) -> None:
    """Raises OSError where a link is in the place of a file of ours, which may lead to one of the user's, or no regular file."""
    refuse_irregular(path)  # a pipe would be waited for
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link", str(path))


def open_in_place(path: Path, *, emptied: bool) -> BinaryIO:
    """Opens a file of ours to write into it as it lies there, made if need be: a lock, or the log of a process.

    Raises OSError as `refuse_foreign` does. ``emptied``: whether what it held goes.
    """
    refuse_foreign(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_TRUNC if emptied else 0)
    return os.fdopen(os.open(path, flags, 0o666), "wb")


def write_file(path: Path, content: bytes) -> None:
    """Writes one file; one that is there is replaced. Raises OSError, with nothing left, where that fails."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_files(files: Mapping[Path, bytes], without: Iterable[Path] = ()) -> None:
    """Writes files in folders that the caller has locked: all are on disk before the first gets its name.

    Where that fails no new one is there, and one that was replaced before stays so; a signal that ends the command comes before
    all of them or after. Raises OSError, which names the file.

    Args:
        files: their paths and what they hold.
        without: files in these folders that go, such as the signature of what is replaced. They go once all is on disk, before
            the first gets its name, and are put back where that fails; whoever is killed in between leaves none of them.
    """
    new = [path for path in files if not path.exists()]
    temporary = {path: unused_name(path.parent) for path in files}
    aside = {path: unused_name(path.parent) for path in without}
    done = False
    try:
        for path, content in files.items():
            with _naming(path):
                _put_on_disk(temporary[path], content)
        # Nothing brings back what is replaced: a signal between two would leave the one new, the other not.
        with held():
            for path, kept in aside.items():
                _move_aside(path, kept)
            for path, written in temporary.items():
                written.replace(path)
            done = True
            for kept in aside.values():
                kept.unlink(missing_ok=True)
    except BaseException:
        if not done:
            for path in new:
                path.unlink(missing_ok=True)
            if all(temporary[path].exists() for path in files if path not in new):  # none was replaced
                for path, kept in aside.items():
                    if kept.exists():
                        kept.rename(path)
        raise
    finally:
        for left in (*temporary.values(), *aside.values()):
            left.unlink(missing_ok=True)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Makes a folder with those that it lies in; where the block raises, those of them that are new and empty go again."""
    missing = [parent for parent in (folder, *folder.absolute().parents) if not os.path.lexists(parent)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with held():
            _remove_empty(missing)
        raise


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
            try:
                has_locks = lock_open(handle)
            except BlockingIOError as error:
                found = f"another process has been writing a record here for {_LOCK_S:g} s"
                raise DataError(folder, None, found, "Look whether it is stopped; nothing was recorded.") from error
            if has_locks:
                for left in folder.glob(f".*{_TEMPORARY}"):
                    if _OURS.fullmatch(left.name) and not left.is_dir():
                        left.unlink()
            yield
        finally:
            os.close(handle)
    except OSError as error:
        remedy = "Free space, or check that the folder can be written; nothing was recorded in it."
        path = Path(str(error.filename or folder))
        raise DataError(path, None, f"the record cannot be written ({error.strerror})", remedy) from error


def remove_left(folder: Path, older_s: float = _LEFT_S) -> None:
    """Removes below ``folder``, which nobody locks, the temporary files that processes which were killed left there.

    ``older_s``: how old they are at least; 0 where nobody writes there any more.
    """
    for path, _, names in walk_folders(folder):
        for left in (Path(path, name) for name in names if _OURS.fullmatch(name)):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - left.lstat().st_mtime >= older_s:
                    left.unlink()


def lock_open(folder: int) -> bool:
    """Locks an open folder until it is closed; False where its file system has no locks.

    Raises BlockingIOError where another process has held the lock all the time that a few files take.
    """
    until = time.monotonic() + _LOCK_S
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        except OSError:
            return False
        else:
            return True


def unused_name(folder: Path) -> Path:
    """A name for a temporary file in ``folder``. It is known before the file is made, so that an interrupt leaves none."""
    return folder / f".{os.urandom(8).hex()}{_TEMPORARY}"


def _created(path: Path) -> int:
    """Makes the file ``path``, which only this user can read, and opens it to write."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _put_on_disk(path: Path, content: bytes) -> None:
    """Writes a new file and synchronises it to the disk."""
    with os.fdopen(_created(path), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(0o644)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Has an error name ``path``, for which a temporary file is written: of a disk that is full the system tells no name."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _move_aside(path: Path, kept: Path) -> None:
    if path.is_dir():  # which could be moved, and then not removed
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with contextlib.suppress(FileNotFoundError):
        path.rename(kept)


def _holds(path: Path, content: bytes) -> bool:
    refuse_irregular(path)
    try:
        return (
            path.stat().st_size == len(content) and path.read_bytes() == content
        )  # what has its name may have gigabytes
    except FileNotFoundError:
        return False


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()
