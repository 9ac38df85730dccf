"""Where paths lead, however many links stand one behind the other."""

from __future__ import annotations

import os
from pathlib import Path

_MOST = 40  # links on the way: Linux follows no more, so that what is behind more of them nothing opens


def real_path(path: str | os.PathLike[str]) -> Path:
    """The path without links; as it was named, where more links are on the way than are followed, or one leads to itself.

    Of what is missing the name is kept, and ``missing/..`` is the folder that it would lie in, as for `os.path.realpath`. That
    of Python 3.11 calls itself for each link, and `Path.resolve` raises for one that leads to itself.
    """
    named = os.fspath(path)
    place = "/" if named.startswith("/") else os.getcwd()  # noqa: PTH109 - parts are joined as text
    ahead = named.split("/")[::-1]
    links = 0
    while ahead:
        name = ahead.pop()
        if name == os.pardir:
            place = os.path.dirname(place)  # noqa: PTH120 - as above
        elif name not in {"", os.curdir}:
            here = os.path.join(place, name)  # noqa: PTH118 - as above
            try:
                leads_to = os.readlink(here)  # noqa: PTH115 - as above
            except OSError:  # it is no link, or nothing is there
                place = here
                continue
            links += 1
            if links > _MOST:
                return Path(os.path.abspath(named))  # noqa: PTH100 - `Path.absolute` keeps `..`
            if leads_to.startswith("/"):
                place = "/"
            ahead += leads_to.split("/")[::-1]
    return Path(place)


class RealPaths:
    """Where many paths lead at one time, as `real_path` says it, with each of their folders looked up once."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def of(self, path: str | os.PathLike[str]) -> str:
        """The path without links; as it was named, where more links stand one behind the other than are followed."""
        named = os.fspath(path)
        here = named
        for _ in range(_MOST):
            folder, name = os.path.split(here)
            if name in {"", os.curdir, os.pardir}:
                return str(real_path(here))
            if folder not in self._folders:
                self._folders[folder] = str(real_path(folder))
            folder = self._folders[folder]
            try:
                here = os.path.join(folder, os.readlink(os.path.join(folder, name)))  # noqa: PTH115, PTH118 - as above
            except OSError:  # it is no link, or nothing is there
                return os.path.join(folder, name)  # noqa: PTH118 - as above
        return os.path.abspath(named)  # noqa: PTH100 - as above
