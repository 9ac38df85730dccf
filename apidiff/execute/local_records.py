"""Which records that say who measured were written here: their digests and paths, in the user's state folder.

Only those are removed when the same run is recorded anew. A record that somebody sent says of itself who measured, which
anybody can write.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from platformdirs import user_state_path


def _file() -> Path:
    return user_state_path("apidiff", appauthor=False) / "recorded"


def _line(path: Path) -> bytes:
    """As sha256sum prints it."""
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.resolve()}\n".encode("utf-8", "surrogateescape")


def add(path: Path) -> None:
    """Keeps that the record in ``path`` was written here; where that cannot be kept, the record stays for good."""
    with contextlib.suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(_file(), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            os.write(handle, _line(path))
        finally:
            os.close(handle)


def holds(path: Path) -> bool:
    """Whether the record in ``path`` was written there by this project's command, and is as it was."""
    try:
        return _line(path) in _file().read_bytes().splitlines(keepends=True)
    except OSError:
        return False
