"""Compares files that are wrong without a trace where a line of them is lost with ``digests.txt`` of the data.

    <SHA-256>  conf/backends.toml

The lines are those of ``sha256sum``, of names from the top of a checkout; that of a folder is of such lines for its files.
``make digests`` writes them anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from apidiff.atomic_write import write_files
from apidiff.database.paths import DATA, conf_file, in_checkout
from apidiff.database.regular_files import read_regular
from apidiff.errors import ApidiffError, Damage, DataError
from apidiff.folder_walk import visible_files

# All but records of APIs, of runs and what grows with them.
_OF_DATA = [
    "*.json",
    "*.yaml",
    "confusables.txt",
    "messages/*.yaml",
    "official/*.yaml",
    "profiles/*.yaml",
    "signatures/*.json",
    "upstream/*.csv",
]
_WHOLE = ["samples"]  # folders of files, with one digest of all that is in them
_GROWING = ["known_specs.txt", "own_records.txt", "undecided.txt"]
_OF_CONF = ["backends.toml", "matrix.toml", "scope.yaml", "signers.toml", "single.toml", "terms.yaml"]
_OF_CHECKOUTS = {"conf/matrix.toml"}  # which no wheel has
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_LARGEST = 2**24  # bytes
_RESTORE = "Restore it from version control."
_REMEDY = "Restore the file from version control. If the change is meant: make digests"
_REINSTALL = "Reinstall apidiff."


def digests_path(root: Path) -> Path:
    """Where below the data folder ``root`` the digests lie."""
    return root / "digests.txt"


def digests_fit(root: Path) -> Iterator[DataError]:
    """Files below ``root`` and in conf/ that are gone, are not those of which the digests were written, or have none."""
    path = digests_path(root)
    if root != DATA and not path.exists():  # a part of the data
        return
    remedy = _REMEDY if in_checkout() else _REINSTALL
    unlisted: list[DataError] = []
    files, known = _files(root, unlisted), dict[str, str]()
    yield from unlisted
    try:
        lines = os.fsdecode(read_regular(path, _LARGEST)).split("\n")
    except OSError as error:
        yield DataError(path, None, f"cannot be read ({error.strerror})", remedy)
        return
    for number, line in enumerate(lines, 1):
        if found := _LINE.fullmatch(line):
            known[found[2]] = found[1]
        elif line:
            yield DataError(path, number, "is no digest and file", remedy)
    for file in (root / name for name in _GROWING):
        if not file.exists():
            yield DataError(file, None, "is not there", remedy)
    for name in known.keys() - files.keys() - (set() if in_checkout() else _OF_CHECKOUTS):
        yield DataError(path, None, f"has a digest of {name}, which is not there", remedy)
    for name, file in files.items():
        try:
            if name not in known:
                yield DataError(file, None, f"has no digest in {path.name}", remedy)
            elif _digest(file) != known[name]:
                yield DataError(file, None, f"is not the file whose digest {path.name} has", remedy)
        except OSError as error:
            yield DataError(Path(error.filename or file), None, f"cannot be read ({error.strerror})", remedy)


def missing_files(root: Path) -> Iterator[DataError]:
    """Files of this project's data that have a digest and are not there; of a part of the data none is told."""
    if root != DATA:
        return
    try:
        lines = os.fsdecode(read_regular(digests_path(root), _LARGEST)).split("\n")
    except OSError:  # which `apidiff check` tells
        return
    for found in filter(None, map(_LINE.fullmatch, lines)):
        folder, _, name = found[2].partition("/data/")
        if folder == "apidiff" and not os.path.lexists(root / name):
            remedy = _RESTORE if in_checkout() else _REINSTALL
            yield DataError(root / name, None, "is not there", remedy, Damage.UNREADABLE)


def _files(root: Path, unlisted: list[DataError] | None = None) -> dict[str, Path]:
    """The files by their names from the top of a checkout. Raises DataError, or takes a list, as `visible_files` does."""
    places = [(root / folder, names) for folder, _, names in (one.rpartition("/") for one in _OF_DATA)]
    found = [*(file for place in places for file in visible_files(*place, unlisted)), *(root / one for one in _WHOLE)]
    data = {f"apidiff/data/{file.relative_to(root).as_posix()}": file for file in found}
    conf = {f"conf/{name}": conf_file(name) for name in _OF_CONF}
    return {name: file for name, file in (data | conf).items() if file.exists()}


def _digest(file: Path) -> str:
    if file.name not in _WHOLE:
        return _file_digest(file)
    inside = sorted(one for one in file.iterdir() if not one.name.startswith("."))
    return hashlib.sha256(os.fsencode("".join(f"{_file_digest(one)}  {one.name}\n" for one in inside))).hexdigest()


def _file_digest(file: Path) -> str:
    """Raises OSError also for a folder: links in it may lead to others in more ways than anybody waits for."""
    return hashlib.sha256(read_regular(file, _LARGEST)).hexdigest()


def main() -> int:
    """Write the digests of the files as they are. Returns the exit code."""
    try:
        lines = [f"{_digest(file)}  {name}\n" for name, file in _files(DATA).items()]
        write_files({digests_path(DATA): os.fsencode("".join(lines))})
    except (ApidiffError, OSError) as error:
        sys.stderr.write(f"digests: {error}\n")
        return 2
    return 0
