"""Ports files: reads each once, ports it, and writes it whole or not at all, only if it is still what was read."""

from __future__ import annotations

import codecs
import itertools
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from apidiff.errors import ApidiffError
from apidiff.porting.changes import Ported
from apidiff.porting.file_scan import content_digest
from apidiff.porting.git_answers import git_answer, git_deadline, repository_around
from apidiff.porting.guarded_write import replace_read
from apidiff.porting.port_pages import port_page
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import Problem
from apidiff.porting.source_text import PYTHON, UnreadableSource, encoding_of, kind_of, read_content
from apidiff.porting.tree_scan import ScannedFile
from apidiff.real_path import RealPaths, real_path

_UNTOLD = (
    "{}: git cannot tell which files have changes that are in no commit. Mend the repository, or write with --force."
)


class PortedFile(msgspec.Struct, frozen=True):
    """A file that was ported. ``before``, ``after``: its bytes; ``text``: what they say."""

    path: Path
    before: bytes
    after: bytes
    text: str
    ported: Ported

    @property
    def changed(self) -> bool:
        """Whether porting changes it."""
        return self.before != self.after


def port_files(scanned: Iterable[ScannedFile], porter: Porter) -> Iterator[PortedFile | Problem]:
    """Port each of the files of one scan, which was made with ``ported=True``; what cannot be ported is a problem."""
    for file in scanned:
        path = Path(file.names.path)
        yield from file.names.problems
        if file.names.problems and (kind_of(path) == PYTHON or not file.references):
            continue  # of a page, the other blocks are ported
        try:
            yield _port_file(path, file, porter)
        except UnreadableSource as error:
            yield Problem(str(path), error.code, error.line, error.detail)


def _port_file(path: Path, file: ScannedFile, porter: Porter) -> PortedFile:
    """Raises UnreadableSource."""
    before = read_content(path)
    if content_digest(before) != file.names.digest:
        raise UnreadableSource("changed_meanwhile")
    kind = kind_of(path)
    text, encoding, mark = _decoded(before, python=kind == PYTHON)
    ported = porter.port_scanned(text, file, encoding) if kind == PYTHON else port_page(text, kind, porter)
    if not ported.edits:
        return PortedFile(path, before, before, text, ported)
    try:
        unedited, after = (mark + one.encode(encoding) for one in (text, ported.text))
    except UnicodeError as error:
        raise UnreadableSource("not_encoded", detail=str(error)) from error
    if unedited != before:  # all is written anew, and an encoding may spell a character in two ways, as cp932 does
        raise UnreadableSource("not_encoded", detail=f"{encoding} would not give back what is there")
    # unicode_escape would write the ends of lines as escapes: a first line that is a comment would swallow all others.
    ends = [(after.count(end.encode()), ported.text.count(end)) for end in "\r\n"]
    if _decoded(after, python=kind == PYTHON)[0] != ported.text or any(there != wanted for there, wanted in ends):
        raise UnreadableSource("not_encoded", detail=f"{encoding} would not give back what is written in it")
    return PortedFile(path, before, after, text, ported)


def _decoded(content: bytes, *, python: bool) -> tuple[str, str, bytes]:
    """The text of a file with its line ends, its encoding, and the mark that it begins with. Raises UnreadableSource.

    ``python``: whether it is a module, which may name its encoding; a heading of a page that reads the same names none.
    """
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        encoding = encoding_of(content) if python else "utf-8"
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        return content[len(mark) :].decode(encoding), encoding, mark
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise UnreadableSource("encoding", detail=str(error)) from error


def write_ported(file: PortedFile, place: Path) -> Problem | None:
    """Write a file in place of the one that was read; a problem where that has changed since, or cannot be written.

    ``place``: where its path led when the files were listed. If it leads elsewhere by now, that is another file.
    """
    try:
        if file.path.samefile(place) and replace_read(place, file.before, file.after):
            return None
    except FileNotFoundError:
        pass  # it was removed, or its folder
    except OSError as error:
        return Problem(str(file.path), "cannot_write", detail=error.strerror or str(error))
    return Problem(str(file.path), "changed_meanwhile")


def refuse_unsaved(paths: Sequence[Path]) -> None:
    """Raise ApidiffError where git says that one of the files has changes which are in no commit.

    Files outside a repository are passed over: nothing can tell of them.
    """
    until = git_deadline()
    # One question for all folders below one `.git`: two processes for each of 2,000 took a minute.
    repositories: dict[Path | None, list[Path]] = {}
    real_paths, around = RealPaths(), cache(repository_around)
    for path in paths:
        real = Path(real_paths.of(path))
        repositories.setdefault(around(real.parent), []).append(real)
    unsaved: list[str] = []
    roots: dict[Path, list[Path]] = {}
    for repository, files in repositories.items():
        top = _git(["rev-parse", "--show-toplevel"], files[0].parent, until)
        if top is not None:
            roots.setdefault(Path(top.removesuffix("\n")), []).extend(files)
        elif repository is not None and shutil.which("git") is not None:  # another user's, or one that is broken
            raise ApidiffError(_UNTOLD.format(repository))
    for root, files in roots.items():
        told = _git(["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all"], root, until)
        kept = _git(["ls-files", "-v", "-z"], root, until)
        if told is None or kept is None:
            raise ApidiffError(_UNTOLD.format(root))
        changed = set(_named(told))
        # Behind the letter H and a blank; another letter says that git does not look at the file.
        looked_at = {line[2:] for line in kept.split("\0") if line.startswith("H ")}
        real = real_path(root)
        names = {path: os.path.relpath(path, real) for path in files}
        unsaved += [str(path) for path, name in names.items() if name in changed or name not in looked_at]
    if unsaved:
        more = f" and {len(unsaved) - 1} more" if len(unsaved) > 1 else ""
        raise ApidiffError(
            f"{unsaved[0]}{more}: changes that are in no commit would be mixed with the port. "
            "Commit or stash them first, or write with --force."
        )


def _named(told: str) -> Iterator[str]:
    """The files that ``git status`` names behind two letters and a blank; of one that was renamed the former name follows."""
    entries = iter(told.split("\0"))
    for entry in entries:
        if len(entry) > 3:
            yield entry[3:]
        if "R" in entry[:2] or "C" in entry[:2]:
            yield from itertools.islice(entries, 1)


def _git(arguments: list[str], folder: Path, until: float) -> str | None:
    """What git says; None where it is not there, or the folder is in no repository. Raises ApidiffError where it does not end."""
    try:
        done = git_answer(arguments, folder, until)
    except TimeoutError as error:
        raise ApidiffError(f"{error}. Mend that, or write with --force.") from error
    except OSError:
        return None
    return done.output if done.code == 0 else None
