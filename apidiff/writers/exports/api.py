"""``/api/v1/``: what ``apidiff export`` writes, with the SQLite database, and the list of run records."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from apidiff.database.paths import PACKAGE
from apidiff.model.published import FORMAT, IndexRun
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.sphinxext.build_cache import RunLine, replace_folder, write_if_changed
from apidiff.writers.export import json_files, sqlite_bytes

FOLDER = f"api/v{FORMAT}"
# The code that decides what the tables hold.
_CODE = ("writers", "messages", "lookup")


def write_api(
    site: Path,
    entries: Mapping[str, Entry],
    counterparts: Mapping[str, CounterpartEntry],
    runs: list[RunLine],
    language: str,
    stamp: Path,
) -> None:
    """Write what changed and remove what is gone.

    ``language``: the folder that holds the raw run records. ``stamp``: a file that remembers what the database was made
    from; it is made anew only when that changed.
    """
    folder = site / FOLDER
    files = json_files(entries, counterparts, [_run(line, language) for line in runs])
    replace_folder(folder, {folder / path: data for path, data in files.items()}, "**/*.json")
    made_from = _digest(files["apidiff.json"])
    database = folder / "apidiff.sqlite"
    if not database.is_file() or not stamp.is_file() or stamp.read_text() != made_from:
        stamp.unlink(missing_ok=True)
        write_if_changed(database, sqlite_bytes(entries.values(), counterparts.values()))
        stamp.write_text(made_from)


def _run(line: RunLine, language: str) -> IndexRun:
    return IndexRun(
        id=line.id,
        file=f"../../{language}/_runs/{line.id}.json",
        framework=line.framework,
        framework_version=line.framework_version,
        backend=line.backend,
        device=line.device,
        world_size=line.world_size,
        date=line.date,
        measured_by=line.measured_by,
    )


def _digest(base: bytes) -> str:
    found = hashlib.sha256(base)
    for file in sorted(file for name in _CODE for file in (PACKAGE / name).rglob("*.py")):
        found.update(file.read_bytes())
    found.update(sqlite3.sqlite_version.encode())
    return found.hexdigest()
