"""Reads a census of code: a CSV file that says how often PyTorch names are referred to."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from apidiff.database.regular_files import read_regular
from apidiff.errors import DataError

# Header of the column of names → what stands before each name to make it a full one.
NAME_COLUMNS = {"torch_name": "", "method_name": "torch.Tensor."}
TOTAL = "total"
_LARGEST = 64 * 2**20  # bytes
_MOST_NAMES = 200_000  # PyTorch has some thousand
_DIGITS = 15
_LONGEST = 1_000  # characters of a name
_SHOWN = 80  # characters of a cell, in errors


def read_census(path: Path) -> dict[str, int]:
    """Read how often each full name is referred to in ``path``, in the order of the file.

    The first column is ``torch_name`` or ``method_name`` (of ``torch.Tensor``), the last one ``total``; those between them
    are not read.

    Raises DataError, which names file and line, for a file that is not so.
    """
    try:
        content = read_regular(path, _LARGEST + 1)
        if len(content) > _LARGEST:
            raise DataError(path, None, f"is larger than {_LARGEST // 2**20} MiB", "Name a CSV file.")
        rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        return _counts(path, ((rows.line_num, row) for row in rows if row))
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", "Name a CSV file.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(path, None, f"is no CSV file in UTF-8 ({error})", "Name a CSV file.") from error


def _counts(path: Path, rows: Iterator[tuple[int, list[str]]]) -> dict[str, int]:
    _, header = next(rows, (1, []))
    if not header or header[0] not in NAME_COLUMNS or header[-1] != TOTAL:
        columns = " or ".join(f"'{name}'" for name in NAME_COLUMNS)
        found = f"the header is {','.join(header)[:_SHOWN]!r}"
        raise DataError(path, 1, found, f"Call the first column {columns}, and the last one '{TOTAL}'.")
    counts: dict[str, int] = {}
    for line, row in rows:
        if len(row) != len(header):
            found = f"a row of {len(row)} columns below a header of {len(header)}"
            raise DataError(path, line, found, "Give it a value for each column.")
        name, total = NAME_COLUMNS[header[0]] + row[0].strip(), row[-1].strip()
        if len(name) > _LONGEST:
            raise DataError(
                path, line, f"a name of {len(name)} characters", f"Leave out what is longer than {_LONGEST}."
            )
        if not all(map(str.isidentifier, name.split("."))):  # it could be read as what the report says
            raise DataError(path, line, f"{name[:_SHOWN]!r} is no name as code uses it", "Write such as torch.cat.")
        if not (total.isascii() and total.isdecimal() and len(total) <= _DIGITS):
            raise DataError(path, line, f"the total of {name[:_SHOWN]} is {total[:_SHOWN]!r}", "Write a whole number.")
        if name in counts:
            raise DataError(path, line, f"{name[:_SHOWN]} stands in two rows", "Add them up in one.")
        if len(counts) == _MOST_NAMES:
            raise DataError(path, line, f"holds more than {_MOST_NAMES} names", "Name a census of PyTorch names alone.")
        counts[name] = int(total)
    if not sum(counts.values()):
        raise DataError(path, None, "counts no reference", "Name a census with at least one.")
    return counts
