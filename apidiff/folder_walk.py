"""Walks through the folders below one, however deep: `os.walk` of Python 3.11 and `Path.rglob` call themselves for each.

Or lists the files of the data and the code, which lie in few.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path


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


def visible_files(folder: Path, pattern: str) -> list[Path]:
    """List what ``pattern`` matches below ``folder``, in the order of paths, but for hidden names.

    Those are of programs: Emacs locks ``cat.yaml`` with a link ``.#cat.yaml`` that leads nowhere, macOS adds ``._cat.yaml``.
    """
    return sorted(path for path in folder.glob(pattern) if not path.name.startswith("."))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False
