"""Reads TOML into records, with an error that names the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from apidiff.errors import DataError

T = TypeVar("T")


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
        text = path.read_text(encoding="utf-8")
        return msgspec.convert(tomllib.loads(text), kind)
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", unreadable) from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise DataError(path, line, "is not UTF-8 text", "Save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        raise DataError(path, int(at[1]) if at else None, f"broken TOML: {error}", "Mend the syntax.") from error
    except msgspec.ValidationError as error:
        raise explain(text, error) from error
