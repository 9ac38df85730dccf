"""Names of the source framework in scope that no record answers yet: ``undecided.txt``, a list that may only shrink."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from apidiff.atomic_write import write_file
from apidiff.database.data import Data
from apidiff.database.paths import conf_file
from apidiff.database.regular_files import read_text
from apidiff.database.scope import FILE as SCOPE_FILE
from apidiff.database.scope import SourceScope, load_scope
from apidiff.errors import DataError

FILE = "undecided.txt"
_COMMAND = "`apidiff signatures undecided`"
_MOST = "most: "
_LENGTH = re.compile(r"[0-9]{1,9}")
_HEAD = """\
# Public names of PyTorch {release} that no record answers yet, one on a line. Written by `apidiff signatures undecided`.
# A name leaves the list with its record. `most` is the length of the list, and may only be lowered.
"""
_REMEDY = f"Restore it from version control, or write it with {_COMMAND}."


@dataclass(frozen=True)
class Undecided:
    """The list. ``names``: by their lines; ``most``: how many there may be."""

    most: int
    names: dict[int, str]


def read_undecided(root: Path) -> Undecided | None:
    """The list; None where there is no such file. Raises DataError where it cannot be read or does not say how long it may be."""
    path = root / FILE
    try:
        lines = read_text(path).splitlines()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, None, f"cannot be read: {error}", _REMEDY) from error
    told = {number: line for number, line in enumerate(lines, 1) if line and not line.startswith("#")}
    first = next(iter(told.values()), "")
    if not (first.startswith(_MOST) and _LENGTH.fullmatch(first, len(_MOST))):
        raise DataError(path, next(iter(told), None), f"begins with {first!r}, and not with '{_MOST}<number>'", _REMEDY)
    return Undecided(int(first.removeprefix(_MOST)), dict(list(told.items())[1:]))


def write_undecided(names: Collection[str], release: str, root: Path) -> Path:
    """Writes the list, sorted. Returns its path."""
    path = root / FILE
    lines = [f"{_MOST}{len(names)}", *sorted(names)]
    write_file(path, (_HEAD.format(release=release) + "".join(f"{line}\n" for line in lines)).encode())
    return path


def answered_names(data: Data) -> set[str]:
    """The names that records answer: their own and their aliases."""
    return {name for key, mapping in data.mappings.items() for name in (key, *mapping.aliases)}


def split_undocumented(names: Iterable[str], scope: SourceScope) -> tuple[list[str], list[str]]:
    """The ``names`` that need an answer, and the patterns of ``scope`` that none of them fits, each with its module."""
    idle = {(group.of, pattern) for group in scope.undocumented for pattern in group.names}
    needed = []
    for name in names:
        if (hit := scope.undocumented_as(name)) is None:
            needed.append(name)
        else:
            idle.discard(hit)
    return needed, [f"{of}.{pattern}" for of, pattern in sorted(idle)]


def undecided_fits(data: Data) -> Iterator[DataError]:
    """No name of the list has a record, none stands twice, and there are as many as it says.

    No name with a record fits a pattern of names that need none.
    """
    scope = load_scope().torch
    for name in data.mappings:
        if hit := scope.undocumented_as(name):
            found = f"{name} has a record, and {hit[0]}.{hit[1]} says that it needs none"
            yield DataError(conf_file(SCOPE_FILE), None, found, "Write a narrower pattern under `undocumented`.")
    path = data.root / FILE
    listed = read_undecided(data.root)
    if listed is None:
        return
    answered = answered_names(data)
    seen: set[str] = set()
    for line, name in listed.names.items():
        if name in answered:
            yield DataError(path, line, f"{name} has a record", f"Remove the line, or run {_COMMAND}.")
        elif name in seen:
            yield DataError(path, line, f"{name} stands there twice", "Remove the line.")
        seen.add(name)
    count = len(listed.names)
    if count != listed.most:
        remedy = (
            "Write records of the new names." if count > listed.most else f"Lower it to {count}, or run {_COMMAND}."
        )
        yield DataError(path, None, f"says that it holds {listed.most} names at most, and holds {count}", remedy)
