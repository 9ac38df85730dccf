"""Reads the short codes of findings, ``AD101``: one for each kind of difference, the same in every version of the database."""

from __future__ import annotations

from collections.abc import Mapping, Set
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


def keeps_out(listed: Set[str], name: str) -> bool:
    """Whether a comment keeps an API out: it lists no names, that of the API or the end of it, or a code of findings."""
    return not listed or not listed.isdisjoint([*name_ends(name), *finding_codes().values()])


def name_ends(name: str) -> list[str]:
    """The names that a comment may list for an API: its full name and each end of it."""
    parts = name.split(".")
    return [".".join(parts[at:]) for at in range(len(parts))]


@cache
def finding_codes() -> Mapping[str, str]:
    """Read the codes by kind: of differences, of answers without a target, and `RENAME`."""
    try:
        return _Codes(msgspec.json.decode(read_regular(_FILE, _LARGEST), type=dict[str, str]))
    except (OSError, ValueError, RecursionError) as error:
        raise reinstall(_FILE) from error
