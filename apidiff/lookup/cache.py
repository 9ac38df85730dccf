"""Keeps the index between calls in the user's cache folder, and builds it anew where the data have changed."""

from __future__ import annotations

import mmap
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from apidiff import __version__
from apidiff.ending_signals import put_away_at_end
from apidiff.errors import ApidiffError, DataError, printable
from apidiff.find_program import find_program
from apidiff.folder_walk import walk_folders
from apidiff.lookup.index import Index, packed, unpacked
from apidiff.real_path import real_path
from apidiff.standard_streams import tell

_MINISIGN = "minisign"  # apidiff.database.signing.PROGRAM, which a lookup in a kept index need not import
_PACKAGE = Path(__file__).resolve().parent.parent
_DIGEST = 32  # bytes of SHA-256, behind an index
_LARGEST = 512 * 2**20  # bytes of an index; that of all data has a twentieth of that
_OTHERS_WRITE = 0o022  # permissions of group and others
# Folders of the package and of conf/ that the index is not made from: they show it, or make pages look as they do.
_UNRELATED = {"cli", "porting", "servers", "sphinxext", "writers", "cards", "elements", "locale", "static", "templates"}


SHIPPED = _PACKAGE / "data" / "index.msgpack.xz"
"""The index that a wheel brings along, packed. A checkout, whose data change, has none; what lies there is not read."""


def open_index(*, mapped: bool = False, keep: bool = True) -> Index:
    """An index that fits the data as they are now.

    ``keep``: whether one that is made is kept, which later commands take for one that their code made.
    ``mapped``: whether the kept file is mapped, not read whole, by who asks once and ends: of all entries only the one asked for
    is touched then. Whoever cuts a mapped file ends the process that holds it.

    It is written under a temporary name and renamed, so several processes may build it at once and a reader never sees
    half of one. Where it cannot be kept, files that it is made of are damaged or signatures are not checked, a note goes to
    stderr. Raises ApidiffError where none can be made.
    """
    path = index_file()
    shipped = _shipped_state()
    wanted = shipped or fingerprint()
    index = _read(path, mapped=mapped)
    if index is None or not _is_current(index, wanted, ask_again=True):
        former, index = index, _shipped(wanted) if shipped else None
        if index is None:
            from apidiff.lookup.build import build  # reads YAML, judges runs: a lookup in a kept index needs none of it

            index = build(wanted, former)
        waits = index.unchecked and find_program(_MINISIGN)  # the next call may have an answer of it
        # What was changed while the index was made may be in it or not.
        if keep and not waits and (shipped or fingerprint() == wanted):
            _keep(index, path)
    if index.damaged or index.unchecked:
        from apidiff.database.passed_over import tell_passed_over

        tell_passed_over(index.damaged, index.unchecked)
    return index


def renewed(index: Index, *, ask_again: bool, keep: bool) -> Index:
    """``index`` where the data are those that it was made of; else one that fits them now, as `open_index` makes it.

    ``ask_again``: whether another one is made where signatures were not checked, and may be now. ``keep``: as of `open_index`.
    """
    is_current = _is_current(index, _shipped_state() or fingerprint(), ask_again=ask_again)
    return index if is_current else open_index(keep=keep)


def _is_current(index: Index, wanted: str, *, ask_again: bool) -> bool:
    has_an_answer = not (ask_again and index.unchecked and find_program(_MINISIGN))
    return index.fingerprint == wanted and has_an_answer


def former_index() -> Index | None:
    """The index that is kept, of the data as they are now or as they were before; None where there is none."""
    return _read(index_file())


def stray_index() -> Iterator[DataError]:
    """Finds an index in a checkout where a wheel has one: it could say anything of the data beside it."""
    if _in_checkout() and os.path.lexists(SHIPPED):
        remedy = "Delete it: a wheel's index is made when the wheel is built, and here none is read."
        yield DataError(SHIPPED, None, "is an index of a wheel, and this is a checkout", remedy)


def _shipped_state() -> str | None:
    """What tells the index of a wheel from that of another; None in a checkout, and where a wheel brought none along."""
    if _in_checkout():
        return None
    try:
        state = SHIPPED.stat()
    except FileNotFoundError:
        return None
    return f"{__version__} {state.st_size} {state.st_mtime_ns}"


def _in_checkout() -> bool:
    """The same test as `apidiff.database.paths.in_checkout`; in an installed package all folders are below data/."""
    return (_PACKAGE.parent / "pyproject.toml").is_file() and (_PACKAGE.parent / "conf").is_dir()


def _shipped(wanted: str) -> Index | None:
    """The index of this version that a wheel brought along, as ``wanted``; None where there is none that can be read.

    It is unpacked into the user's cache folder once: unpacked it would weigh ten times as much in the wheel's place. Its entries
    lie side by side there, where they pack best.
    """
    import lzma  # only the first call after an installation needs it

    try:
        index = msgspec.msgpack.decode(lzma.decompress(SHIPPED.read_bytes()), type=Index)
    except (OSError, ValueError, RecursionError, lzma.LZMAError):
        return None
    if index.fingerprint != __version__:
        return None
    entries = {key: packed(content) for key, content in index.encoded_entries.items()}
    return msgspec.structs.replace(index, fingerprint=wanted, encoded_entries=entries)


def write_shipped(path: Path) -> None:
    """Write the index for a wheel to ``path``. Raises ApidiffError where a file of the data is damaged or a signature unchecked.

    Entries of the kept index are taken over where nothing they are made from has changed.
    """
    import lzma

    from apidiff.lookup.build import build

    index = build(__version__, former_index())
    if index.damaged:
        raise ApidiffError(*index.damaged)
    if index.unchecked:
        raise ApidiffError(f"{index.unchecked[0]}: its signature was not checked. Install a {_MINISIGN} that runs.")
    # Packed so it is a fifth smaller than in the quickest way, and unpacks in a third of a second.
    entries = {key: memoryview(unpacked(content)) for key, content in index.encoded_entries.items()}
    index = msgspec.structs.replace(index, encoded_entries=entries, digests={})
    path.write_bytes(lzma.compress(msgspec.msgpack.encode(index), preset=8))


def index_file() -> Path | None:
    """The path of the index of this data folder and package version, below the user's cache folder; None where that has none."""
    data = str(_PACKAGE / "data").replace(":", "")
    folder = _cache_folder()
    return folder and folder / __version__ / data.lstrip(os.sep) / "index.msgpack"


def code_state() -> str:
    """As `fingerprint`, of the code that makes the index alone: what a process imported is of the state that it began with."""
    data = f"{_PACKAGE / 'data'}{os.sep}"
    return "\n".join(line for line in _listing(_PACKAGE) if not line.startswith(data))


def fingerprint() -> str:
    """One line per file that the index is made from: path, size in bytes, st_mtime and st_ctime in ns. No file is read.

    It is never the same twice where a folder cannot be listed.
    Whoever writes a file may set the first time back; the second one is the system's.
    """
    folders = [_PACKAGE]
    if _in_checkout():
        folders += [_PACKAGE.parent / "conf", _PACKAGE.parent / "executable_examples"]
    lines = "\n".join([__version__, *(line for folder in folders for line in _listing(folder))])
    return lines.encode("utf-8", "backslashreplace").decode()  # a file's name need not be text


def _listing(folder: Path) -> Iterator[str]:
    # Links are followed, as readers follow them, and may lead round in a circle. To look up the real path of each of a thousand
    # folders one in the other takes 20 s.
    seen = set[tuple[int, int]]()
    data = f"{_PACKAGE / 'data'}{os.sep}"
    unlisted: list[OSError] = []
    for parent, folders, names in walk_folders(folder, unlisted.append, follow_links=True):
        try:
            here = os.stat(parent)  # noqa: PTH116 - as below
        except OSError:  # just removed
            folders.clear()
            continue
        if (here.st_dev, here.st_ino) in seen:
            yield f"{parent} {real_path(parent)}"  # what lies there is read by this name too
            folders.clear()
            continue
        seen.add((here.st_dev, here.st_ino))
        if not f"{parent}{os.sep}".startswith(data):
            folders[:] = [name for name in folders if name not in _UNRELATED and not name.startswith(("_", "."))]
        folders.sort()
        for name in sorted(name for name in names if not name.startswith(".")):
            path = f"{parent}{os.sep}{name}"
            try:
                state = os.stat(path)  # noqa: PTH116 - a Path for each of some 400 files would take as long again
            except OSError:  # just removed, or a link to itself
                continue
            yield f"{path} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}"
    for error in unlisted:
        if not isinstance(error, FileNotFoundError):
            # Files in it may be read by their names all the same, and nothing tells that they changed: no index is of this state.
            yield f"{error.filename}{os.sep} {error.strerror} {time.time_ns()}"


def is_set_aside() -> bool:
    """Whether the kept index has changed though its time of change says otherwise, as by a fault of the disk; it is set aside."""
    path = index_file()
    return path is not None and path.exists() and _read(path, thorough=True) is None and not path.exists()


def _read(path: Path | None, *, mapped: bool = False, thorough: bool = False) -> Index | None:
    """The index kept in ``path``; None where there is none or another state of the program wrote it.

    A damaged one is set aside, one larger than any is, and one that another user than root could have written; a note goes to
    stderr. ``thorough``: whether all of it is looked at, also where its time of change says that nobody wrote into it.
    """
    if path is None:
        return None
    found = "was damaged"
    try:
        # A pipe is not waited for.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOFOLLOW)) as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                return None
            if state.st_uid not in {0, os.geteuid()} or state.st_mode & _OTHERS_WRITE:
                found = "could have been written by others"
                raise ValueError
            if state.st_size > _LARGEST:
                raise ValueError
            size = state.st_size  # no more, whoever makes it grow
            content = memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if mapped else file.read(size))
        whole = _is_whole(state, content, thorough=thorough)
    except OSError:
        return None
    except ValueError:  # of others, too large, or empty, which cannot be mapped
        whole = False
    if whole:
        try:
            return msgspec.msgpack.decode(content[:-_DIGEST], type=Index)
        except (ValueError, RecursionError):
            if _is_whole(state, content, thorough=True):  # as another state of the program wrote it
                return None
    _set_aside(path, found)
    return None


def _sealed(content: bytes) -> bytes:
    """The bytes of a file that holds ``content``: behind it stands its digest."""
    import hashlib

    return content + hashlib.sha256(content).digest()


def _time_of(digest: bytes) -> int:
    """The time of change, in ns, of a file with that digest: while it has it, nobody wrote into it, and it need not be read."""
    return 10**18 + int.from_bytes(digest[:6])


def _is_whole(state: os.stat_result, content: memoryview, *, thorough: bool) -> bool:
    """Whether a file is as it was written."""
    digest = bytes(content[-_DIGEST:])
    if state.st_mtime_ns == _time_of(digest) and not thorough:
        return True
    import hashlib  # loads OpenSSL, which takes as long as a tenth of a lookup, and is seldom needed

    return hashlib.sha256(content[:-_DIGEST]).digest() == digest


def _set_aside(path: Path, found: str) -> None:
    """Renames an index that is not to be believed, so that who wants to may look at it."""
    aside = path.with_name(f"{path.name}.damaged")
    try:
        path.replace(aside)
    except OSError:
        return
    former = printable(str(aside))
    tell(f"apidiff: note: the index {found}; it is made anew, the former lies in {former}\n")


def _keep(index: Index, path: Path | None) -> None:
    """Writes the index; where that fails, a note goes to stderr and nothing is left."""
    if path is None:
        _tell_not_kept("(no home folder is known)")
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = _sealed(msgspec.msgpack.encode(index))
        _write(path, content)
    except OSError as error:
        folder = printable(str(path.parent))
        _tell_not_kept(f"in {folder} ({error.strerror})")


def _write(path: Path, content: bytes) -> None:
    """Puts a file in the place of whatever lies there: of a link, not of what that leads to. The folder may be another user's."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    temporary = f".{os.urandom(8).hex()}.tmp"

    def make() -> BinaryIO:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(temporary, flags, 0o666 & ~_OTHERS_WRITE, dir_fd=folder), "wb")

    def put_away(_: object) -> None:
        with suppress(OSError):  # it has its name, or was never made
            os.unlink(temporary, dir_fd=folder)

    try:
        with put_away_at_end(make, put_away) as file, file:
            file.write(content)
            file.flush()
            os.utime(file.fileno(), ns=(_time_of(content[-_DIGEST:]),) * 2)
            os.rename(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        put_away(None)
        os.close(folder)


def _tell_not_kept(where: str) -> None:
    tell(
        f"apidiff: note: the index cannot be kept {where} and is built for this call only; set XDG_CACHE_HOME to a folder "
        "that can be written.\n"
    )


def _cache_folder() -> Path | None:
    """The user's cache folder; None where no home folder is known, as of a user that the system does not know."""
    if sys.platform == "linux":
        # What platformdirs answers on Linux; importing it takes a fifth of what a lookup takes.
        for variable, below in (("XDG_CACHE_HOME", ""), ("HOME", ".cache")):
            if (base := Path(os.environ.get(variable, ""), below)).is_absolute():
                return base / "apidiff"
    from platformdirs import user_cache_path

    try:
        path = user_cache_path("apidiff", appauthor=False)
    except RuntimeError:
        return None
    return path if path.is_absolute() else None  # some releases leave `~` where it stands
