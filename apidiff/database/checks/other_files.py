"""Reads the files that no record needs but other commands do: what is wrong with them is told before one of those stops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from apidiff.database.measurer_names import confusables
from apidiff.database.upstream_tables import TABLES, table_rows
from apidiff.errors import DataError, InvalidData


def tables_are_readable(root: Path) -> Iterator[DataError]:
    """What is wrong with upstream's tables below ``root``, and with the table of characters that look like others."""
    yield from errors_of([*(partial(table_rows, root / "upstream", table) for table in TABLES), confusables])


def errors_of(readers: Iterable[Callable[[], object]]) -> Iterator[DataError]:
    """The errors of those of ``readers`` that raise DataError or InvalidData."""
    for read in readers:
        try:
            read()
        except DataError as error:
            yield error
        except InvalidData as errors:
            yield from errors.errors
