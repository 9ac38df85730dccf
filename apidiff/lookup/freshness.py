"""Where the index lies and whether it still fits the data: a listing of names, sizes and times, no file is read."""

# Importing pathlib costs a third of what a whole lookup may take, hence os.path here.
# ruff: noqa: PTH100, PTH111, PTH112, PTH113, PTH116, PTH118, PTH120

from __future__ import annotations

import os
import sys

from apidiff import __version__

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CODE = (
    "model",
    "database",
    "judge",
    "derive",
    "messages",
    "lookup",
    "execute/submissions",
    "execute/__init__.py",
    "errors.py",
    "process_group.py",
)  # what makes an entry and its place in the index


def index_file() -> str:
    """The path of the index of this data folder and package version, below the user's cache folder."""
    data = os.path.join(_PACKAGE, "data").replace(":", "")
    return os.path.join(_cache_folder(), __version__, data.lstrip(os.sep), "index.sqlite")


def fingerprint() -> str:
    """One line per file that the index is made from: path, size in bytes, time of change in ns."""
    folders = [os.path.join(_PACKAGE, "data"), *(os.path.join(_PACKAGE, name) for name in _CODE)]
    checkout = os.path.dirname(_PACKAGE)
    # The same test as apidiff.database.paths.in_checkout; in an installed package both folders are below data/.
    if os.path.isfile(os.path.join(checkout, "pyproject.toml")) and os.path.isdir(os.path.join(checkout, "conf")):
        folders += [os.path.join(checkout, "conf"), os.path.join(checkout, "executable_examples")]
    lines = [__version__]
    for path in folders:
        _list(path, lines)
    return "\n".join(lines)


def _list(path: str, lines: list[str]) -> None:
    try:
        if not os.path.isdir(path):
            state = os.stat(path)
            lines.append(f"{path} {state.st_size} {state.st_mtime_ns}")
            return
        with os.scandir(path) as found:
            items = sorted(found, key=_name)
    except FileNotFoundError:  # optional, or just removed: what is not there is not listed
        return
    for item in items:
        if item.name == "__pycache__" or item.name.startswith("."):
            continue
        if item.is_dir():
            _list(item.path, lines)
        else:
            state = item.stat()
            lines.append(f"{item.path} {state.st_size} {state.st_mtime_ns}")


def _name(item: os.DirEntry[str]) -> str:
    return item.name


def _cache_folder() -> str:
    if sys.platform == "linux":
        # What platformdirs answers on Linux; importing it takes longer than the whole lookup.
        base = os.environ.get("XDG_CACHE_HOME", "")
        return os.path.join(base if base.strip() else os.path.expanduser("~/.cache"), "apidiff")
    from platformdirs import user_cache_dir

    return user_cache_dir("apidiff", appauthor=False)
