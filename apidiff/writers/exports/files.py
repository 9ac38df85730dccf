"""Writes derived files of the site: only those that changed, each whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from apidiff.atomic_write import remove_left, write_file
from apidiff.database.regular_files import read_regular
from apidiff.folder_walk import visible_files


def write_if_changed(path: Path, content: bytes) -> None:
    """Write ``content``, unless ``path`` holds it already."""
    try:
        if read_regular(path, len(content) + 1) == content:
            return
    except OSError:  # there is none, or it is no file, which `write_file` tells
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content)


def replace_folder(folder: Path, files: Mapping[Path, bytes], pattern: str, kept: Iterable[Path] = ()) -> None:
    """Make the files below ``folder`` that match ``pattern`` be exactly ``files`` and those ``kept`` as they are."""
    remove_left(folder)
    for stale in set(visible_files(folder, pattern)).difference(files, kept):
        stale.unlink()
    for path, content in files.items():
        write_if_changed(path, content)
