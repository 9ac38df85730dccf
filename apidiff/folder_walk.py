"""Walks through the folders below one, however deep: `os.walk` of Python 3.11 and `Path.rglob` call themselves for each.

Or lists the files of the data and the code, which lie in few.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from apidiff.errors import Damage, DataError


def walk_folders(
    top: str | os.PathLike[str], unreadable: Callable[[OSError], None] = lambda _: None, *, follow_links: bool = False
) -> Iterator[tuple[str, list[str], list[str]]]:
    """List each folder, before those in it: its path, and the names of the folders and of the other files in it.

    Args:
        top: where to begin.
        unreadable: told of each folder that cannot be listed, as one whose path is longer than the system takes.
        follow_links: whether links to folders are walked into; they count as folders either way.

    The caller may change the list of folders: those that it holds are walked into next, in its order.
    """
    waiting = [os.fspath(top)]
    while waiting:
        path = waiting.pop()
        folders, others, links = list[str](), list[str](), set[str]()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    (folders if _is_folder(entry) else others).append(entry.name)
                    if not follow_links and entry.is_symlink():
                        links.add(entry.name)
        except OSError as error:
            unreadable(error)
            continue
        yield path, folders, others
        waiting += [os.path.join(path, name) for name in reversed(folders) if name not in links]  # noqa: PTH118 - of thousands


def visible_files(folder: Path, pattern: str, broken: list[DataError] | None = None) -> list[Path]:
    """List what ``pattern`` matches below ``folder``, in the order of paths, but for hidden names; none where there is no folder.

    Those are of programs: Emacs locks ``cat.yaml`` with a link ``.#cat.yaml`` that leads nowhere, macOS adds ``._cat.yaml``.

    Raises DataError for a folder that cannot be listed, which `Path.glob` takes for an empty one; given a list ``broken``, adds
    the error there and passes the folder over.

    Args:
        folder: where to begin.
        pattern: of names in the folder (``*.yaml``), in those in it (``*/*.yaml``) or in all below it (``**/*.yaml``).
        broken: takes the errors.
    """
    levels, _, names = pattern.rpartition("/")
    fits = re.compile(fnmatch.translate(names)).match
    unlisted: list[OSError] = []
    found: list[Path] = []
    for path, folders, others in walk_folders(folder, unlisted.append, follow_links=levels == "*"):
        is_top = path == os.fspath(folder)
        if levels == "**" or is_top == (not levels):
            found += [Path(path, name) for name in (*folders, *others) if fits(name) and not name.startswith(".")]
        if levels != "**" and (not levels or not is_top):
            folders.clear()
    errors = [_not_listed(error) for error in unlisted if not isinstance(error, FileNotFoundError)]
    if errors and broken is None:
        raise errors[0]
    if broken is not None:
        broken += errors
    return sorted(found)


def _not_listed(error: OSError) -> DataError:
    remedy = "Check that it is a folder which you may read."
    return DataError(error.filename, None, f"cannot be listed ({error.strerror})", remedy, Damage.UNREADABLE)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False
