"""Names a record of which something cannot be made for a reason that nobody expected: it is passed over, and ends no command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from apidiff.errors import ApidiffError, DataError, typed

_UNEXPECTED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
UNLIKE_OTHERS = "is unlike any record that was thought of"


@contextmanager
def naming_the_record(path: Path) -> Iterator[None]:
    """Raise DataError, which names the file, for whatever else the block raises."""
    try:
        yield
    except ApidiffError:
        raise
    except _UNEXPECTED as error:
        found = f"{UNLIKE_OTHERS} ({type(error).__name__}: {typed(str(error))})"
        raise DataError(
            path, None, found, "Compare it with another of its kind, or restore it from version control."
        ) from error
