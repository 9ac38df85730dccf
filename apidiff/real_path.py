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
