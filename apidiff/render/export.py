"""Writes all entries for other programs: as JSON files, or as one SQLite database."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from apidiff import __version__
from apidiff.model.entry import CounterpartEntry, Entry
from apidiff.render.tables import fill_tables
from apidiff.store.errors import ApidiffError
from apidiff.store.schema import schema_text

_GENERATOR = "apidiff"


class ExportError(ApidiffError):
    """An export that could not be written; nothing of it is left."""


def export_json(entries: Mapping[str, Entry], counterparts: Mapping[str, CounterpartEntry], folder: Path) -> list[Path]:
    """Writes ``mappings/<id>.json`` for every entry, ``schema.json`` that describes them, and ``index.json``.

    ``counterparts.json`` lists MindSpore's communication APIs with the sources they serve. Returns the paths written. An
    earlier export in ``folder`` is replaced; other files there are left alone. All is written or nothing: raises
    ExportError otherwise.
    """
    top = ("index.json", "schema.json", "counterparts.json", "mappings")
    index = {
        "generator": _GENERATOR,
        "version": __version__,
        "schema": "schema.json",
        "counterparts": "counterparts.json",
        "mappings": [
            {"id": one.id, "file": f"mappings/{one.id}.json", "summary": one.summary, "risk": one.risk}
            for one in entries.values()
        ],
    }
    _refuse_foreign(folder, top)
    with _staged(folder, top) as stage:
        (stage / "mappings").mkdir()
        for one in entries.values():
            (stage / "mappings" / f"{one.id}.json").write_bytes(_indented(one))
        (stage / "counterparts.json").write_bytes(_indented(list(counterparts.values())))
        (stage / "schema.json").write_text(schema_text("entry"), encoding="utf-8")
        (stage / "index.json").write_bytes(_indented(index))
    return [folder / name for name in top]


def export_sqlite(
    entries: Mapping[str, Entry], counterparts: Mapping[str, CounterpartEntry], folder: Path
) -> list[Path]:
    """Writes ``apidiff.sqlite``, tables described in `apidiff.render.tables`, replacing an earlier one.

    Returns the path written. All is written or nothing: raises ExportError otherwise.
    """
    connection = sqlite3.connect(":memory:")
    fill_tables(connection, entries.values(), counterparts.values())
    with _staged(folder, ["apidiff.sqlite"]) as stage:
        (stage / "apidiff.sqlite").write_bytes(connection.serialize())
    return [folder / "apidiff.sqlite"]


def _indented(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _refuse_foreign(folder: Path, names: Sequence[str]) -> None:
    """Raises ExportError where something of another origin has one of the names."""
    try:
        taken = [name for name in names if (folder / name).exists()]
        ours = taken and msgspec.json.decode((folder / "index.json").read_bytes())["generator"] == _GENERATOR
    except (OSError, msgspec.DecodeError, KeyError, TypeError):
        ours = False
    if taken and not ours:
        raise ExportError(
            f"{folder} holds {', '.join(taken)} that no export of apidiff wrote. Name an empty or a new folder."
        )


@contextmanager
def _staged(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """A folder to write ``names`` into; they are moved to ``folder`` when all of them are there, else nothing is left."""
    missing = [one for one in (folder, *folder.absolute().parents) if not one.exists()]
    # Inside the folder, not beside it: it may be a file system of its own, to which nothing can be renamed.
    stage = folder / f".apidiff-{os.getpid()}.tmp"
    try:
        stage.mkdir(parents=True)
        (stage / "new").mkdir()
        (stage / "old").mkdir()
        yield stage / "new"
        _swap(stage, folder, names)
    except OSError as error:
        raise ExportError(
            f"{folder} cannot be written ({error.strerror}) and nothing was left there. "
            "Make room or name a folder that can be written."
        ) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        for one in missing:  # those that are empty: all of them unless the export stands
            with suppress(OSError):
                one.rmdir()


def _swap(stage: Path, folder: Path, names: Sequence[str]) -> None:
    """Moves what was there out and the new in, name by name; what was moved is moved back where one fails."""
    moved: list[tuple[Path, Path]] = []
    try:
        for name in names:
            steps = [(folder / name, stage / "old" / name)] if (folder / name).exists() else []
            for before, after in [*steps, (stage / "new" / name, folder / name)]:
                before.rename(after)
                moved.append((before, after))
    except OSError:
        for before, after in reversed(moved):
            after.rename(before)
        raise
