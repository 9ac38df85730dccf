"""Has the system refuse to list a folder: tests run as root, who may list every one."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest


def refuse_listing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `os.scandir`, by which Python lists folders, raise for this one what it raises where the user may not read it."""
    scandir = os.scandir

    def refuse(path: str | os.PathLike[str] = ".") -> object:
        if Path(path) == folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
