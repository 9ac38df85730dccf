"""Reads the short codes of findings, ``AD101``: one for each kind of difference, the same in every version of the database."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from apidiff.errors import reinstall

# Not by way of `apidiff.database`, which would cost each scan the import of a YAML parser.
_FILE = Path(__file__).resolve().parents[1] / "data" / "finding_codes.json"
RENAME = "rename"
"""The kind of a place whose whole edit is another name."""


@cache
def finding_codes() -> dict[str, str]:
    """Read the codes by kind: of differences, of answers without a target, and `RENAME`."""
    try:
        return msgspec.json.decode(_FILE.read_bytes(), type=dict[str, str])
    except (OSError, ValueError) as error:
        raise reinstall(_FILE) from error
