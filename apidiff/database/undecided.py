"""Names of the source framework in scope that no record answers yet: ``undecided.txt``, a list that may only shrink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from apidiff.atomic_write import write_file
from apidiff.database.data import Data
from apidiff.database.paths import conf_file
from apidiff.database.scope import FILE as SCOPE
from apidiff.database.scope import read_scope
from apidiff.errors import DataError

FILE = "undecided.txt"
_HEAD = """\
# Public names of PyTorch {release} that no record answers yet, one on a line. Written by `apidiff signatures undecided`.
# A name leaves the list with its record. `undecided` of conf/scope.yaml is its length, and may only be lowered.
"""


def read_undecided(root: Path) -> list[tuple[int, str]]:
    """The names with their lines; none where there is no such file. Raises DataError where it cannot be read."""
    path = root / FILE
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, None, f"cannot be read: {error}", "Restore it from version control.") from error
    return [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]


def write_undecided(names: Iterable[str], release: str, root: Path) -> Path:
    """Writes the list, sorted. Returns its path."""
    path = root / FILE
    write_file(path, (_HEAD.format(release=release) + "".join(f"{name}\n" for name in sorted(names))).encode())
    return path


def answered_names(data: Data) -> set[str]:
    """The names that records answer: their own and their aliases."""
    return {name for key, mapping in data.mappings.items() for name in (key, *mapping.aliases)}


def undecided_fits(data: Data) -> Iterator[DataError]:
    """No name of the list has a record, none stands twice, and there are as many as the scope says."""
    path = data.root / FILE
    scope, lines = read_scope(conf_file(SCOPE))
    answered = answered_names(data)
    seen: set[str] = set()
    names = read_undecided(data.root)
    for number, name in names:
        if name in answered:
            yield DataError(path, number, f"{name} has a record", "Remove the line.")
        elif name in seen:
            yield DataError(path, number, f"{name} stands there twice", "Remove the line.")
        seen.add(name)
    most = scope.torch.undecided
    if len(names) != most:
        more = len(names) > most
        found = f"says {most} names are undecided, and {len(names)} are"
        remedy = "The list may only shrink: write records of the new names." if more else f"Lower it to {len(names)}."
        yield DataError(conf_file(SCOPE), lines.get(("torch", "undecided")), found, remedy)
