"""Lists the files that a build writes into a folder, for the next one, which removes those that it no longer has.

Whatever else lies in the folder is kept: it may be a user's, who may have put a link in the place of the folder.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from apidiff.atomic_write import remove_left
from apidiff.database.regular_files import read_regular
from apidiff.real_path import real_path
from apidiff.writers.exports.files import write_if_changed

PUBLISHED = ".apidiff-published"  # a list: of what lies beside the pages and below its folder
_LARGEST = 64 * 2**20  # bytes of a list: that of all pages has a hundredth of that
_LONGEST = 4096  # bytes of a name: longer ones the system does not take


def replace_listed(folder: Path, files: Mapping[Path, bytes]) -> None:
    """Write ``files``, which lie below ``folder``, and remove those that an earlier call wrote and that are not among them."""
    remove_left(folder)
    names = {path.relative_to(folder).as_posix() for path in files}
    for name in read_list(folder / PUBLISHED) - names:
        if leads_below(folder, name) and is_file(folder / name):
            (folder / name).unlink()
    write_list(folder / PUBLISHED, names)
    for path, content in files.items():
        write_if_changed(path, content)


def read_list(path: Path) -> set[str]:
    """The names in a list that lead below its folder; none where there is no list, or where it cannot be read."""
    try:
        names = json.loads(read_regular(path, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return set()
    texts = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    paths = [(name, PurePosixPath(name)) for name in texts]
    below = (name for name, path in paths if path.parts and not path.is_absolute() and ".." not in path.parts)
    return {name for name in below if "\0" not in name and _is_possible(name)}


def _is_possible(name: str) -> bool:
    try:
        return len(os.fsencode(name)) <= _LONGEST
    except UnicodeEncodeError:  # half of a character
        return False


def write_list(path: Path, names: Iterable[str]) -> None:
    """Write a list, before the files: of what was interrupted, too, the next build knows what it wrote."""
    write_if_changed(path, json.dumps(sorted(names), indent=0).encode())


def leads_below(folder: Path, name: str) -> bool:
    """Whether no link on the way to the file leads out of ``folder``: what lies elsewhere is another's."""
    return real_path((folder / name).parent).is_relative_to(real_path(folder))


def is_file(path: Path) -> bool:
    """Tell whether a file is there; none is whose name or path is longer than the system takes."""
    try:
        return path.is_file()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise
