"""Reads the short codes of findings, ``AD101``: one for each kind of difference, the same in every version of the database."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from apidiff.database.regular_files import read_regular
from apidiff.errors import reinstall

# Not by way of `apidiff.database`, which would cost each scan the import of a YAML parser.
_FILE = Path(__file__).resolve().parents[1] / "data" / "finding_codes.json"
_LARGEST = 2**20  # bytes
RENAME = "rename"
"""The kind of a place whose whole edit is another name."""


class _Codes(dict[str, str]):
    """The codes by kind. One that is asked for and is not there is damage of the file."""

    def __missing__(self, kind: str) -> str:
        raise reinstall(_FILE)


@cache
def finding_codes() -> Mapping[str, str]:
    """Read the codes by kind: of differences, of answers without a target, and `RENAME`."""
    try:
        return _Codes(msgspec.json.decode(read_regular(_FILE, _LARGEST), type=dict[str, str]))
    except (OSError, ValueError, RecursionError) as error:
        raise reinstall(_FILE) from error
