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
MAX_BYTES = 8 * 2**20
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
    return tomllib.loads(text)
