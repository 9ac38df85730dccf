"""Where paths lead, however many links stand one behind the other."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def real_path(path: str | os.PathLike[str]) -> Path:
    """The path without links; as it was named, where the system follows none: more than it allows, or one that leads to itself.

    `os.path.realpath` of Python 3.11 calls itself for each link, and `Path.resolve` raises for one that leads to itself.
    """
    try:
        os.stat(path)  # noqa: PTH116 - `path` may be text
    except OSError as error:
        if error.errno == errno.ELOOP:
            return Path(os.path.abspath(path))  # noqa: PTH100 - `Path.absolute` keeps `..`
    except ValueError:  # a NUL
        pass
    return Path(os.path.realpath(path))
