"""Decides which folder a site may be built into, and marks it as one whose files builds replace and remove."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

from apidiff.atomic_write import refuse_foreign
from apidiff.errors import ApidiffError
from apidiff.writers.exports.address import LANGUAGES
from apidiff.writers.exports.files import write_if_changed

MARK = ".apidiff-site"
FAULTS = "sphinx-err-*.log"  # the names that Sphinx gives to what it writes about a fault
# What stands at the top of a site; a user may add other files, such as CNAME.
TOP = {MARK, "404.html", "api", "index.html", "llms.txt", "robots.txt", "sitemap.xml"} | {
    one.folder for one in LANGUAGES
}
_MARK_TEXT = b"A site is built into this folder: each build replaces and removes files in it.\n"
# What each version made in its work folder beside the lock, and what one that was ended at once may have made before that.
_BUILT = ("derived", "doctrees")
_BEGUN = {"lock", "sources"}
# Folders of the work folder in which builds remove files that they do not know, empty them or write over them; links that are
# known to lie there: those of a part's sources builds make, of faults the link itself goes.
_CLEARED: dict[str, tuple[str, ...]] = {
    "derived": (),
    "doctrees": (),
    "kept": (),
    "logs": (FAULTS,),
    "sources": ("apidiff", "executable_examples"),
    "sources/docs": (),
}
_REMEDY = "Give --output another folder: a new or empty one, or one that a site was built into before."


class BadFolder(ApidiffError):
    """A folder that no site can be built into."""

    def __init__(self, folder: Path, found: str, remedy: str = _REMEDY) -> None:
        super().__init__(f"{folder} {found}. {remedy}")


def work_folder(output: Path) -> Path:
    """Name the folder beside ``output`` that holds what builds keep, and their lock; ``output`` leads through no links.

    Raises BadFolder where one of both is something else, or holds what no build wrote.
    """
    if not output.name:
        raise BadFolder(output, "is the root of all folders, and a build keeps files beside its own")
    try:
        str(output).encode()
    except UnicodeEncodeError:
        raise BadFolder(output, "has a name that is not UTF-8, which Sphinx does not take") from None
    work = output.with_name(f".{output.name}")
    if work.name == ".git":
        raise BadFolder(output, f"cannot hold a site: a build would keep its files in {work}, which is git's")
    if os.path.lexists(output) and not output.is_dir():
        raise BadFolder(output, "is no folder")
    is_ours = (work / "lock").exists() and any((work / name).is_dir() for name in _BUILT)
    if not (is_ours or _is_begun(work) or is_free(work)):
        raise BadFolder(output, f"cannot hold a site: a build would keep its files in {work}, which is not its own")
    # Of another folder of that name, which was moved away, the work folder may be left: it tells nothing of what is there now.
    if not ((output / MARK).is_file() or is_free(output)):
        raise BadFolder(output, "holds files that no build wrote, and a build would remove or replace some of them")
    return work


def refuse_links(work: Path) -> None:
    """Raise OSError where a link is in the place of what a build keeps: the files that it leads to are a user's."""
    for name, known in _CLEARED.items():
        folder = work / name
        refuse_foreign(folder)
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.is_symlink() and not any(fnmatch.fnmatchcase(path.name, pattern) for pattern in known):
                refuse_foreign(path)


def mark(output: Path) -> None:
    """Mark the folder before anything else is in it, so that a build that was interrupted can be done again."""
    write_if_changed(output / MARK, _MARK_TEXT)


def _is_begun(work: Path) -> bool:
    """Whether a build that was ended, or is under way, made the folder and nothing in it but the empty file that it locks."""
    lock = work / "lock"
    if not os.path.lexists(lock) or lock.lstat().st_size:  # a user's, with something in it, would be emptied
        return False
    return {path.name for path in work.iterdir()} <= _BEGUN


def is_free(folder: Path) -> bool:
    """Whether nothing is there, or an empty folder."""
    return not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))
