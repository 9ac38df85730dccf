"""Writes derived files of the site: only those that changed, each whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from apidiff.atomic_write import remove_left, write_file


def write_if_changed(path: Path, content: bytes) -> None:
    """Write ``content``, unless ``path`` holds it already."""
    try:
        if path.read_bytes() == content:
            return
    except OSError:  # there is none
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content)


def replace_folder(folder: Path, files: Mapping[Path, bytes], pattern: str, kept: Iterable[Path] = ()) -> None:
    """Make the files below ``folder`` that match ``pattern`` be exactly ``files`` and those ``kept`` as they are."""
    remove_left(folder)
    for stale in set(folder.glob(pattern)).difference(files, kept):
        stale.unlink()
    for path, content in files.items():
        write_if_changed(path, content)
