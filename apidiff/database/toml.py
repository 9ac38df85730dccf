"""Reads TOML into records, with an error that names the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from apidiff.database.regular_files import read_regular
from apidiff.errors import Damage, DataError

T = TypeVar("T")
_MAX_BYTES = 8 * 2**20


def read_toml(
    path: Path,
    kind: type[T],
    explain: Callable[[str, msgspec.ValidationError], DataError],
    unreadable: str = "Restore it from version control.",
) -> T:
    """The record of type ``kind`` in ``path``.

    Raises DataError for a file that is not there, is not UTF-8 or no TOML, and what ``explain`` makes of the text and msgspec's
    error where a key or a value is wrong. ``unreadable``: the remedy where it cannot be read.
    """
    try:
        content = read_regular(path, _MAX_BYTES)
        text = content.decode("utf-8")
        return msgspec.convert(tomllib.loads(text), kind)
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
