"""Folders one in the other, more than Python calls functions, or than the system takes in one path."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def deep(top: Path, levels: int, files: Iterable[str] = ()) -> Iterator[str]:
    """Make ``levels`` folders below ``top``, with empty files in the last; gives its path and removes all: pytest could not."""
    top.mkdir(parents=True, exist_ok=True)
    at = os.open(top, os.O_RDONLY)
    try:
        for _ in range(levels):
            os.mkdir("d", dir_fd=at)
            inner = os.open("d", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = inner
        for name in files:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    finally:
        os.close(at)
    try:
        yield str(top.joinpath(*["d"] * levels))
    finally:
        subprocess.run(["rm", "-rf", str(top)], check=True)
