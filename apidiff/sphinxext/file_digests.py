"""Tells by digests whether files are as a build left them: of one that was damaged, size and time may be as before."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from apidiff.atomic_write import refuse_irregular
from apidiff.database.regular_files import read_regular

_LARGEST = 64 * 2**20  # bytes of a note: that of all pages has a hundredth of that


def file_digest(path: Path) -> str:
    """The SHA-256 of what a file holds, in hexadecimal; empty where it is none, or cannot be read."""
    try:
        refuse_irregular(path)  # a pipe would be waited for
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):  # or has a name that no file has
        return ""


def read_note(path: Path) -> dict[str, Any]:
    """What a build noted in a file of JSON; nothing where there is none, or it cannot be read."""
    try:
        said = json.loads(read_regular(path, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
