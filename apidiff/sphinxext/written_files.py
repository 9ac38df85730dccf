"""Keeps a list of the files that a build writes into the output folder, so that the next one removes what it no longer has.

Whatever else lies there is kept: a user's own files, what Sphinx and other extensions write, another site below this one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from sphinx.errors import ExtensionError

from apidiff.atomic_write import refuse_foreign, refuse_irregular, remove_left
from apidiff.folder_walk import walk_folders
from apidiff.writers.exports.listed_files import PUBLISHED, is_file, leads_below, read_list, write_list
from apidiff.writers.exports.site_folder import MARK, BadFolder

LIST = ".apidiff-files"
INFO = ".buildinfo"  # Sphinx' own: what configuration the pages were written with
_MARKS = (LIST, MARK, INFO)
_PART = re.compile(r"\.part-\d+\.html")


def remove_former(out: Path, files: Iterable[Path]) -> None:
    """Remove what the list of an earlier build names and ``files``, those of this build below ``out``, do not; list these.

    It is done before anything is written: what another extension writes in the place of a page that is gone is kept.
    """
    remove_left(out)
    names = {file.relative_to(out).as_posix() for file in files}
    for name in sorted(name for name in read_list(out / LIST).difference(names) if leads_below(out, name)):
        gone = [out / name, *(file for file in parts_of(out / name) if file.relative_to(out).as_posix() not in names)]
        there = [file for file in gone if is_file(file)]
        if there and not _in_another_site(out, name):
            for file in there:
                file.unlink()
    write_list(out / LIST, names)


def _in_another_site(out: Path, name: str) -> bool:
    """Whether a site of its own was built into a folder below ``out`` on the way to the file: its page has the name now."""
    folders = [out / folder for folder in PurePosixPath(name).parents][:-1]  # the last is ``out``
    return any((folder / mark).exists() for folder in folders for mark in _MARKS)


def parts_of(page: Path) -> list[Path]:
    """What a heavy page keeps on pages of its own, and their table; a document may be called ``NAME.part-two``."""
    name = page.name.removesuffix(".html")
    table = page.with_name(f"{name}.parts.json")
    if not is_file(table):
        return []
    return [table, *(file for file in page.parent.iterdir() if _PART.fullmatch(file.name.removeprefix(name)))]


def refuse_unbuilt(out: Path) -> None:
    """Raise BadFolder where there are files in a language's folder without a list, and no trace of a build.

    One that was ended before it listed the pages has published beside them. Sphinx' note is none: every site of Sphinx has it.
    Links are followed, as they are when pages are written: what they lead to would be replaced.
    """
    if (out / "mappings" / PUBLISHED).is_file():
        return
    if _holds_files(out):
        found = f"holds files and no list of what a build wrote ({LIST}), so that a build would replace some of them"
        raise BadFolder(out, found, "Move them away, or give --output another folder.")


def _holds_files(top: Path) -> bool:
    """Whether a file lies below, or behind a link there; links may lead round in a circle."""
    seen = set[tuple[int, int]]()
    for path, folders, names in walk_folders(top, follow_links=True):
        if names:
            return True
        state = os.stat(path)  # noqa: PTH116 - as listed
        if (state.st_dev, state.st_ino) in seen:
            folders.clear()
        seen.add((state.st_dev, state.st_ino))
    return False


def refuse_linked(sources: Path) -> None:
    """Raise OSError for a link or a pipe among the sources: Sphinx would publish what it leads to, or walk without end."""
    refuse_foreign(sources)
    for path, folders, names in walk_folders(sources):
        for file in (Path(path, name) for name in (*folders, *names)):
            if file.exists():  # Emacs locks a page with a link that leads nowhere
                refuse_foreign(file)


def refuse_pipes(folder: Path) -> None:
    """Raise OSError where a pipe or the like lies among the files of former builds: Sphinx would wait for it.

    What git keeps of a folder that is a checkout is not Sphinx' to open, and may hold a socket.
    """
    for path, folders, names in walk_folders(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            file = os.path.join(path, name)  # noqa: PTH118 - of ten thousand files
            if not os.path.isfile(file) and os.path.exists(file):  # noqa: PTH110, PTH113
                refuse_irregular(Path(file))


@contextmanager
def naming_the_file(folder: Path) -> Iterator[None]:
    """Raise ExtensionError, which names the file and the remedy, where one below ``folder`` cannot be read or written."""
    try:
        yield
    except OSError as error:
        found = f"{error.filename or folder}: cannot be read or written ({error.strerror})"
        remedy = f"Take away what stands in its place, and make {folder} a folder that can be written to"
        raise ExtensionError(f"{found}. {remedy}.") from error
