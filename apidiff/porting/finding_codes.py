"""Reads the short codes of findings, ``AD101``: one for each kind of difference, the same in every version of the database."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from functools import cache
from pathlib import Path

from apidiff.database.regular_files import read_regular
from apidiff.errors import reinstall
from apidiff.model.vocabulary import AnswerKind, DifferenceKind

# Not by way of `apidiff.database`, which would cost each scan the import of a YAML parser.
_FILE = Path(__file__).resolve().parents[1] / "data" / "finding_codes.json"
_LARGEST = 2**20  # bytes
RENAME = "rename"
"""The kind of a place whose whole edit is another name."""
_KINDS = {kind.value for kinds in (DifferenceKind, AnswerKind) for kind in kinds} | {RENAME}
_CODE = re.compile(r"AD\d{3}", re.ASCII)


class _Pairs(list[tuple[str, object]]):
    """The keys and values of an object of JSON, as they stand: a key may stand there twice."""


def keeps_out(listed: Set[str], name: str) -> bool:
    """Whether a comment keeps an API out: it lists no names, that of the API or the end of it, or a code of findings."""
    return not listed or not listed.isdisjoint([*name_ends(name), *finding_codes().values()])


def name_ends(name: str) -> list[str]:
    """The names that a comment may list for an API: its full name and each end of it."""
    parts = name.split(".")
    return [".".join(parts[at:]) for at in range(len(parts))]


@cache
def finding_codes() -> Mapping[str, str]:
    """Read the codes by kind: of differences, of answers without a target, and `RENAME`; each kind has one of its own.

    Raises DataError for a file that cannot be read, or in which a code would keep out what another kind finds.
    """
    try:
        pairs = json.loads(read_regular(_FILE, _LARGEST).decode("utf-8"), object_pairs_hook=_Pairs)
    except (OSError, ValueError, RecursionError) as error:
        raise reinstall(_FILE) from error
    if not isinstance(pairs, _Pairs):
        raise reinstall(_FILE)
    codes: dict[str, str] = {}
    for kind, code in pairs:
        if found := _fault(kind, code, codes):
            raise reinstall(_FILE, found)
        codes[kind] = str(code)
    if missing := _KINDS - codes.keys():
        raise reinstall(_FILE, f"has no code for {min(missing)!r}")
    return codes


def _fault(kind: str, code: object, codes: Mapping[str, str]) -> str | None:
    """What is wrong with the code of a kind that stands behind ``codes``."""
    if kind not in _KINDS:
        return f"has a code for {kind!r}, which is no kind of finding"
    if kind in codes:
        return f"has the key {kind!r} twice"
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        return f"has {code!r} for {kind!r}, and codes are of the form AD101"
    return next((f"has {code} for {other!r} and for {kind!r}" for other, same in codes.items() if same == code), None)
