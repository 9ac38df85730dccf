"""Finds the files to scan under the paths given, and the dotted name of each in the tree."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from pathlib import Path
from typing import NamedTuple

import msgspec

from apidiff.errors import ApidiffError, typed
from apidiff.folder_walk import walk_folders
from apidiff.porting.git_answers import git_answer, git_deadline, repository_around
from apidiff.porting.module_names import ModuleNames
from apidiff.porting.source_text import PYTHON, SUFFIXES
from apidiff.real_path import RealPaths, real_path

SKIPPED = {"__pycache__", "node_modules", "site-packages", "build", "dist", "venv"}
# Of patterns of paths, of characters in all of them and in one: a tree has few, and each file is held against all.
_MOST, _LONGEST, _LONGEST_ONE = 1_000, 4_000, 250
_MOST_STEPS = 8_000_000  # characters of a path times those of the patterns as `re` has them: else one path takes 25 ms
# A set of characters, in which both stand for themselves, or a run of both.
_RUNS = re.compile(r"\[!?\]?[^\]]*\]|[*?]+")


class SourceFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file to scan.

    ``module``: its dotted name in the tree, which no other has. ``package``: whether it is an ``__init__.py``. ``root``: the
    dotted name of the folder that its imports start from: the innermost around it that is no package.
    """

    path: str
    module: str
    package: bool
    root: str = ""


class Problem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What could not be read. ``code``: the key of the message; ``line``: 0 where it is about none, else of ``cell``, if any."""

    path: str
    code: str
    line: int = 0
    detail: str = ""
    cell: int | None = None


def find_sources(paths: Sequence[Path], exclude: Sequence[str] = ()) -> tuple[list[SourceFile], list[Problem]]:
    """List the files under ``paths``, each once by the path that leads to it first, and what cannot be listed.

    Folders that hold no code of the tree (hidden ones, ``__pycache__``, ``venv`` …) are passed over unless they are given
    themselves; ``exclude`` are patterns of paths. A link to a file is one of its own, which an import may name. Raises
    ApidiffError for a path that does not exist, or too many patterns, also for a path as long as one that is found.
    """
    files: dict[tuple[tuple[int, int] | str, str], str] = {}  # by what `_identity` tells of its folder, and its name
    folders: dict[str, tuple[int, int] | str] = {}
    excluded = _any_of(exclude)
    problems: list[Problem] = []

    def add(path: str) -> None:
        folder, name = os.path.split(path)
        if folder not in folders:
            folders[folder] = _identity(folder)
        files.setdefault((folders[folder], name), path)

    for path in paths:
        if path.is_dir():
            for found in _below(path, problems, excluded):
                add(found)
        elif path.exists():
            add(str(path))
        else:
            raise ApidiffError(f"{path}: no such file or folder. Give files or folders that exist.")
    names = ModuleNames(list(files.values()), [str(path) for path in paths if path.is_dir()])
    return [_source(path, names) for path in files.values()], problems


def _identity(folder: str) -> tuple[int, int] | str:
    """What is the same for all paths to a folder; its path where it is gone."""
    try:
        state = os.stat(folder or ".")  # noqa: PTH116 - a Path for each of a large tree would take as long again
    except OSError:
        return folder
    return state.st_dev, state.st_ino


def _below(top: Path, problems: list[Problem], excluded: re.Pattern[str]) -> Iterator[str]:
    """The files below a folder, sorted.

    No link is followed to a folder that has been seen, nor out of ``top``: it may lead to all of a disk, or to code that
    nobody meant.
    """
    seen: set[tuple[int, int]] = set()
    real_top = str(real_path(top))
    places = RealPaths()

    def unreadable(error: OSError) -> None:
        problems.append(Problem(str(error.filename), "unreadable", detail=error.strerror or ""))

    def leads_out(path: str) -> bool:
        if not os.path.islink(path):  # noqa: PTH114 - a Path for each of a large tree would take as long again
            return False
        real = places.of(path)
        if real == real_top or real.startswith(os.path.join(real_top, "")):  # noqa: PTH118 - as above
            return False
        problems.append(Problem(path, "outside"))
        return True

    for folder, folders, names in walk_folders(top, unreadable, follow_links=True):
        try:
            state = os.stat(folder)  # noqa: PTH116 - as above
        except OSError as error:
            unreadable(error)
            folders.clear()
            continue
        if (state.st_dev, state.st_ino) in seen:
            problems.append(Problem(folder, "loop"))
            folders.clear()
            continue
        seen.add((state.st_dev, state.st_ino))
        folders[:] = sorted(
            name
            for name in folders
            if name not in SKIPPED and not name.startswith(".") and not leads_out(os.path.join(folder, name))  # noqa: PTH118
        )
        for name in sorted(names):
            path = os.path.join(folder, name)  # noqa: PTH118 - as above
            if os.path.splitext(name)[1].lower() not in SUFFIXES:  # noqa: PTH122 - as above
                continue
            if len(path) * len(excluded.pattern) > _MOST_STEPS:
                raise ApidiffError(
                    f"{path}: the patterns to exclude are too many and long for a path of {len(path):,} characters. "
                    "Name folders instead."
                )
            if not excluded.match(path) and not leads_out(path):
                yield path


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """What matches a path that one of ``patterns`` excludes. Raises ApidiffError where they are too long."""
    longest = max(map(len, patterns), default=0)
    if sum(map(len, patterns)) > _LONGEST or len(patterns) > _MOST or longest > _LONGEST_ONE:
        raise ApidiffError(
            f"The patterns to exclude are more than {_MOST:,}, or longer than {_LONGEST:,} characters, or one is longer than "
            f"{_LONGEST_ONE}. Name folders instead."
        )
    ordered = [_RUNS.sub(_stars_last, one) for one in patterns]
    return re.compile("|".join(translate(f"{above}{one}") for one in ordered for above in ("", "*/")) or r"(?!)")


def _stars_last(run: re.Match[str]) -> str:
    """A run of ``*`` and ``?`` with one ``*`` at its end: else all ``?`` are tried from each place of a path."""
    text = run[0]
    return text if text[0] == "[" or "*" not in text else "?" * text.count("?") + "*"


def _source(path: str, names: ModuleNames) -> SourceFile:
    suffix = os.path.splitext(path)[1]  # noqa: PTH122 - as above
    found = names.of_module(path) if SUFFIXES.get(suffix.lower()) == PYTHON else names.of_page(path)
    return SourceFile(path, found.name, found.package, found.root)


class Changes(NamedTuple):
    """The files of a repository that differ from a commit. ``root``: its real path; ``names``: theirs below it, as git says.

    They need not exist: to look for each would take for ever where a stranger made up thousands of long ones.
    """

    root: str
    names: frozenset[str]

    def hold(self, place: str) -> bool:
        """Whether the file that lies at ``place``, a path without links, differs."""
        root = f"{self.root.rstrip(os.sep)}{os.sep}"
        return place.startswith(root) and place[len(root) :] in self.names


def is_changed(path: str, changes: Sequence[Changes], real: RealPaths) -> bool:
    """Whether a file differs, or is a link that does or that leads to one that does."""
    places = [real.of(path)]
    if os.path.islink(path):  # noqa: PTH114 - a Path raises where it is too long
        folder, name = os.path.split(path)
        places.append(os.path.join(real.of(folder or "."), name))  # noqa: PTH118 - these are texts
    return any(one.hold(place) for place in places for one in changes)


def changed_since(revision: str, folders: Iterable[Path]) -> list[Changes]:
    """What differs from ``revision`` in the git repositories around ``folders``, with new files.

    Raises ApidiffError where git says that there is no such thing.
    """
    if revision.startswith("-"):
        raise ApidiffError(f"--diff {revision}: that is no revision. Name a commit, a branch or a tag.")
    until = git_deadline()
    asked: dict[Path, Path] = {}
    for folder in folders:
        asked.setdefault(repository_around(real_path(folder)) or folder, folder)
    return [_changed_around(folder, revision, until) for folder in asked.values()]


def _changed_around(folder: Path, revision: str, until: float) -> Changes:
    top = _git(["rev-parse", "--show-toplevel"], folder, "Leave --diff out, or mend the repository", until)
    root = Path(top.removesuffix("\n"))  # blanks and line ends before that are of its name
    differing = ["diff", "--name-only", "-z", "--no-renames", "--diff-filter=d", "--ignore-submodules=all"]
    changed = _git([*differing, revision, "--"], root, "Name another commit, branch or tag, or leave --diff out", until)
    others = ["ls-files", "--others", "--exclude-standard", "-z"]
    new = _git(others, root, "Leave --diff out, or mend the repository", until)
    return Changes(
        str(real_path(root)), frozenset(name for told in (changed, new) for name in told.split("\0") if name)
    )


def _git(arguments: list[str], folder: Path, remedy: str, until: float) -> str:
    try:
        done = git_answer(arguments, folder, until)
    except TimeoutError as error:
        raise ApidiffError(f"{error}. Mend that, or leave --diff out.") from error
    except OSError as error:
        if str(error.filename) == str(folder):
            raise ApidiffError(f"--diff: {folder} cannot be entered ({error.strerror}). {remedy}.") from error
        if error.filename != "git":  # no process, file or memory is left to run it with
            raise
        if error.errno == errno.ENOENT:
            raise ApidiffError(f"--diff needs git ({error.strerror}). Install it, or leave --diff out.") from error
        raise ApidiffError(f"git {arguments[0]} in {folder}: {error.strerror}. {remedy}.") from error
    if done.code:
        said = done.errors.strip().splitlines()
        fault = next((line for line in said if line.startswith(("fatal: ", "error: "))), said[0] if said else "failed")
        raise ApidiffError(f"git {arguments[0]} in {folder} says {typed(fault)}. {remedy}.")
    return done.output
