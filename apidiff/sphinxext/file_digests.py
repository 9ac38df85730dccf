"""Tells by digests whether files are as a build left them: of one that was damaged, size and time may be as before."""

from __future__ import annotations

import hashlib
from pathlib import Path

from apidiff.atomic_write import refuse_irregular


def file_digest(path: Path) -> str:
    """The SHA-256 of what a file holds, in hexadecimal; empty where it is none, or cannot be read."""
    try:
        refuse_irregular(path)  # a pipe would be waited for
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):  # or has a name that no file has
        return ""
