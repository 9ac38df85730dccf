"""Reads TOML into records, with an error that names the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from apidiff.database.regular_files import read_regular
from apidiff.errors import Damage, DataError

T = TypeVar("T")
MAX_BYTES = 2**20
_MAX_STEPS = 10**7  # as many parts of keys as tomllib may have to walk; of a large file it is some 100,000


def read_toml(
    path: Path,
    kind: type[T],
    explain: Callable[[str, msgspec.ValidationError], DataError],
    unreadable: str = "Restore it from version control.",
) -> T:
    """The record of type ``kind`` in ``path``.

    Raises DataError for a file that is not there, is too large, no UTF-8 or no TOML, and what ``explain`` makes of the text and
    msgspec's error where a key or a value is wrong. ``unreadable``: the remedy where it cannot be read.
    """
    try:
        content = read_regular(path, MAX_BYTES + 1)
        if len(content) > MAX_BYTES:  # what is cut off might be what counts
            raise DataError(path, None, f"is larger than {MAX_BYTES // 2**20} MiB", unreadable, Damage.SIZE)
        text = content.decode("utf-8")
        return msgspec.convert(parsed(text), kind)
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", unreadable, Damage.UNREADABLE) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(path, line, "is not UTF-8 text", "Save it as UTF-8.", Damage.ENCODING) from error
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        raise DataError(
            path, int(at[1]) if at else None, f"broken TOML: {error}", "Mend the syntax.", Damage.SYNTAX
        ) from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, msgspec.ValidationError):
            raise explain(text, error) from error
        # An impossible date or number, of which tomllib names no line; or tables within tables.
        raise DataError(path, None, f"broken TOML: {str(error)[:200]}", "Mend the value.", Damage.SYNTAX) from error


def parsed(text: str) -> dict[str, Any]:
    """Parses TOML, of strangers too. Raises ValueError, of which TOMLDecodeError is one, or RecursionError.

    tomllib keeps every beginning of a key, and walks the table's name for each key below it: of a key of 50,000 parts that
    is more than 6 GB.
    """
    lines = text.split("\n")
    longest = max(line.count(".") for line in lines)
    if longest * (text.count(".") + len(lines)) > _MAX_STEPS:
        raise tomllib.TOMLDecodeError("its keys have too many parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # of a number, Python says behind a semicolon how its limit of 4,300 digits is raised
        raise ValueError(str(error).partition(";")[0]) from error


def line_of(text: str, message: str) -> int | None:
    """Finds the line of what ``message`` names in a file of tables such as ``[[backend]]``; None where it cannot be told.

    That is a place such as ``$.backend[1].check.code``, or a key that is not known there.
    """
    place = re.search(r"\$\.(\w+)\[(\d+)\]((?:\.\w+)*)", message)
    if place is None:
        return None
    lines = text.split("\n")
    heads = [number for number, line in enumerate(lines) if re.match(rf"\s*\[\[\s*{place[1]}\s*\]\]", line)]
    if int(place[2]) >= len(heads):  # written in another way, such as an array of tables on one line
        return None
    head, *after = heads[int(place[2]) :]
    unknown = re.search(r"unknown field `(.+?)`", message)
    parts = place[3].split(".")[1:] or ([unknown[1]] if unknown else [])
    for length in range(
        len(parts), 0, -1
    ):  # the key with all its parts first: `check.looks_for.zh`, then `check.looks_for`
        key = re.escape(".".join(parts[:length]))
        for number in range(head, after[0] if after else len(lines)):
            if re.match(rf"\s*{key}\s*[=.]", lines[number]):
                return number + 1
    return head + 1
