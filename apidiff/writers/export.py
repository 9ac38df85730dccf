"""Writes all entries for other programs: as JSON files, or as one SQLite database."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from apidiff import __version__
from apidiff.atomic_write import lock_open
from apidiff.database.regular_files import read_regular
from apidiff.database.schema import schema_text
from apidiff.ending_signals import held
from apidiff.errors import ApidiffError
from apidiff.folder_walk import walk_folders
from apidiff.messages.escape_invisible import visible
from apidiff.model.published import FORMAT, Base, Index, IndexRow, IndexRun
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.process_group import remove_folder
from apidiff.standard_streams import tell
from apidiff.writers.tables import fill_tables

_GENERATOR = "apidiff"
_APPLICATION = int.from_bytes(b"apdf")  # by which a database says whose it is, in its 69th to 72nd byte
_TOLD = 3  # files of others
_LARGEST_INDEX = 64 * 2**20  # bytes: that of all mappings has a hundredth of that


class ExportError(ApidiffError):
    """An export that could not be written; nothing of it is left."""


# The kinds of file of an export that have a JSON Schema.
_SCHEMAS = ("index", "entry", "counterparts", "apidiff")


def json_files(
    entries: Mapping[str, Entry], counterparts: Mapping[str, CounterpartEntry], runs: Sequence[IndexRun] = ()
) -> dict[str, bytes]:
    """Everything as JSON, by path: the same bytes for the same data.

    ``index.json`` lists the rest: ``mappings/<id>.json`` for every entry, ``counterparts.json`` with MindSpore's
    communication APIs and the sources they serve, ``apidiff.json`` with all of that in one, and ``schema/<kind>.json`` that
    describes them.
    """
    index = Index(
        generator=_GENERATOR,
        version=__version__,
        format=FORMAT,
        whole="apidiff.json",
        counterparts="counterparts.json",
        schemas={kind: f"schema/{kind}.json" for kind in _SCHEMAS},
        mappings=[_row(entry) for entry in entries.values()],
        runs=list(runs),
    )
    base = Base(
        generator=_GENERATOR,
        version=__version__,
        format=FORMAT,
        mappings=[],
        counterparts=list(counterparts.values()),
    )
    written = {key: msgspec.json.encode(entry) for key, entry in entries.items()}
    whole = msgspec.structs.asdict(base) | {"mappings": [msgspec.Raw(entry) for entry in written.values()]}
    return {
        "index.json": _indented(index),
        # Read by programs only, and large: without spaces.
        "apidiff.json": msgspec.json.encode(whole) + b"\n",
        "counterparts.json": _indented(list(counterparts.values())),
        **{path: schema_text(kind).encode() for kind, path in index.schemas.items()},
        **{row.file: _lines(written[row.id]) for row in index.mappings},
    }


def _row(entry: Entry) -> IndexRow:
    return IndexRow(
        id=entry.id,
        file=f"mappings/{entry.id}.json",
        category=entry.category,
        summary=entry.summary,
        risk=entry.risk,
        targets=[target.name for target in entry.targets],
    )


def export_json(entries: Mapping[str, Entry], counterparts: Mapping[str, CounterpartEntry], folder: Path) -> list[Path]:
    """Writes `json_files` into ``folder``. Returns the paths written at its top.

    An earlier export in ``folder`` is replaced; other files there are left alone. All is written or nothing: raises
    ExportError otherwise.
    """
    files = json_files(entries, counterparts)
    top = list(dict.fromkeys(path.partition("/")[0] for path in files))
    with _staged(folder, top, partial(_listed, folder / "index.json")) as stage:
        for path, data in files.items():
            (stage / path).parent.mkdir(exist_ok=True)
            (stage / path).write_bytes(data)
    return [folder / name for name in top]


def sqlite_bytes(entries: Iterable[Entry], counterparts: Iterable[CounterpartEntry]) -> bytes:
    """An SQLite database of everything, tables described in `apidiff.writers.tables`; the same bytes for the same data."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        fill_tables(connection, entries, counterparts)
        return connection.serialize()


def export_sqlite(
    entries: Mapping[str, Entry], counterparts: Mapping[str, CounterpartEntry], folder: Path
) -> list[Path]:
    """Writes ``apidiff.sqlite``, replacing an earlier one.

    Returns the path written. All is written or nothing: raises ExportError otherwise.
    """
    name = "apidiff.sqlite"
    data = sqlite_bytes(entries.values(), counterparts.values())
    # What SQLite finds under these names it takes for changes of the database, and reads them with it.
    beside = [f"{name}-wal", f"{name}-journal", f"{name}-shm"]
    with _staged(folder, [name], lambda: {name} if _is_database(folder / name) else set(), beside) as stage:
        (stage / name).write_bytes(data)
    return [folder / name]


def _indented(value: object) -> bytes:
    return _lines(msgspec.json.encode(value))


def _lines(written: bytes) -> bytes:
    return msgspec.json.format(written, indent=1) + b"\n"


def _refuse_foreign(folder: Path, names: Sequence[str], ours: Collection[str]) -> None:
    """Raises ExportError where something that is not ``ours`` has one of the names, or lies in a folder of that name.

    Raises OSError where one of these folders cannot be listed: what it holds may be anybody's.
    """
    unlisted: list[OSError] = []
    there = [
        path for name in names if os.path.lexists(folder / name) for path in _with_contents(folder / name, unlisted)
    ]
    folders = {str(parent) for name in ours for parent in PurePosixPath(name).parents}
    foreign = [
        name
        for path in there
        if (name := path.relative_to(folder).as_posix()) not in (folders if _is_folder(path) else ours)
        or os.path.islink(path)  # noqa: PTH114 - as below
    ]
    if foreign:
        more = f" and {len(foreign) - _TOLD} more" if len(foreign) > _TOLD else ""
        raise ExportError(
            f"{folder} holds {', '.join(foreign[:_TOLD])}{more}, which no export of apidiff is known to have written. "
            "Name an empty or a new folder."
        )
    if unlisted:
        raise unlisted[0]


def _with_contents(path: Path, unlisted: list[OSError]) -> Iterator[Path]:
    yield path
    if _is_folder(path):
        for folder, folders, files in walk_folders(path, unlisted.append):
            yield from (Path(folder, name) for name in (*folders, *files))


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)  # noqa: PTH112, PTH114 - a Path raises where it is too long


def _listed(index: Path) -> set[str]:
    """The files that the index of an earlier export lists; none where it is not one of ours."""
    try:
        read = msgspec.json.decode(read_regular(index, _LARGEST_INDEX), type=_Listed)
    except (OSError, ValueError, RecursionError):  # msgspec's own errors are of the second
        return set()
    if read.generator != _GENERATOR:
        return set()
    begins = {"apidiff.json": _WHOLE_BEGINS, "counterparts.json": _COUNTERPARTS_BEGIN}
    begins |= {f"schema/{kind}.json": _SCHEMA_BEGINS for kind in _SCHEMAS}
    # No export writes a deeper one, whose folders would be listed one by one.
    begins |= {f"mappings/{row.id}.json": _entry_begins(row.id) for row in read.mappings if "/" not in row.id}
    # The index may be a stranger's, and list what is somebody's own.
    return {index.name, *(name for name, pattern in begins.items() if _begins(index.parent / name, pattern))}


_WHOLE_BEGINS = re.compile(rb'\{\s*"generator":\s*"apidiff"')
_COUNTERPARTS_BEGIN = re.compile(rb'\[\s*(\{\s*"name":|\])')
_SCHEMA_BEGINS = re.compile(rb'\{\s*"\$(defs|ref|schema)":')
_LONGEST_BEGINNING = 1000  # bytes


def _entry_begins(mapping: str) -> re.Pattern[bytes]:
    return re.compile(rb'\{\s*"id":\s*' + re.escape(msgspec.json.encode(mapping)))


def _begins(path: Path, pattern: re.Pattern[bytes]) -> bool:
    try:
        return pattern.match(read_regular(path, _LONGEST_BEGINNING)) is not None
    except (OSError, ValueError):  # the latter for a NUL
        return False


class _ListedMapping(msgspec.Struct):
    id: str


class _Listed(msgspec.Struct):
    """Of an index, as this version or an earlier one wrote it, whose it is and which mappings it lists."""

    generator: str
    mappings: list[_ListedMapping]


def _is_database(path: Path) -> bool:
    """Whether the file is a database that an export wrote."""
    try:
        head = read_regular(path, 100)
    except OSError:
        return False
    return head.startswith(b"SQLite format 3\0") and head[68:72] == _APPLICATION.to_bytes(4)


@contextmanager
def _staged(
    folder: Path, names: Sequence[str], ours: Callable[[], Collection[str]], beside: Sequence[str] = ()
) -> Iterator[Path]:
    """A folder to write ``names`` into; they are moved to ``folder`` when all of them are there, else nothing is left.

    ``ours``: finds what an earlier export wrote there. Raises ExportError where something else has one of the names, or of
    those ``beside`` them, of which none is written.
    """
    missing = [parent for parent in (folder, *folder.absolute().parents) if not os.path.lexists(parent)]
    # Inside the folder, not beside it: it may be a file system of its own, to which nothing can be renamed.
    stage = folder / f".apidiff-{os.urandom(8).hex()}.tmp"
    try:
        if os.path.isdir(folder):  # noqa: PTH112 - a Path raises where it is too long
            with _locked(folder):  # another export moves files out and in
                _refuse_foreign(folder, [*names, *beside], ours())
        stage.mkdir(parents=True)
        (stage / "new").mkdir()
        (stage / "old").mkdir()
        yield stage / "new"
        with _locked(folder):
            _refuse_foreign(
                folder, [*names, *beside], ours()
            )  # again: another program may have put a file there meanwhile
            _swap(stage, folder, names)
    except OSError as error:
        left = "nothing was left there. Make room or name a folder that can be written."
        if _holds_earlier(stage):
            left = (
                f"a part of the earlier export lies in {stage / 'old'}. Move it back to {folder}, then delete {stage}."
            )
        raise ExportError(f"{folder} cannot be written ({error.strerror}) and {left}") from error
    finally:
        try:
            _put_away(stage, missing)
        except BaseException:  # a signal comes at any time, and one alone: what ends the command ignores those after it
            _put_away(stage, missing)
            raise


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Locks a folder against other exports: of two at once each would move the other's files."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            lock_open(handle)
        except BlockingIOError as error:
            raise ExportError(
                f"{folder} is being written by another export; nothing of this one was left there. "
                "Wait until that is done, or look whether it is stopped, and give the command again."
            ) from error
        yield
    finally:
        os.close(handle)


def _put_away(stage: Path, missing: Iterable[Path]) -> None:
    if not _holds_earlier(stage):
        remove_folder(str(stage))  # where few files may be open too: `shutil.rmtree` has as many as there are levels
        if os.path.lexists(stage):
            note = visible(f"{stage} could not be deleted. Nothing in it is needed: delete it.")
            tell(f"apidiff: note: {note}\n")
    for parent in missing:  # those that are empty: all of them unless the export stands
        with suppress(OSError):
            parent.rmdir()


def _holds_earlier(stage: Path) -> bool:
    """Whether a part of the earlier export was moved out and neither moved back nor replaced by all of the new one."""
    # `Path.is_dir` raises for a name that is too long.
    return all(os.path.isdir(folder) and any(folder.iterdir()) for folder in (stage / "old", stage / "new"))  # noqa: PTH112


def _swap(stage: Path, folder: Path, names: Sequence[str]) -> None:
    """Moves what was there out and the new in, name by name; what was moved is moved back where one fails or a signal comes."""
    moves: list[tuple[Path, Path]] = []
    for name in names:
        if (folder / name).exists():
            moves.append((folder / name, stage / "old" / name))
        moves.append((stage / "new" / name, folder / name))
    try:
        for before, after in moves:
            before.rename(after)
    except BaseException:
        with held():  # one may have failed just before a signal comes
            for before, after in reversed(moves):
                if not before.exists():  # a signal may come before a move is done or after it
                    after.rename(before)
        raise
