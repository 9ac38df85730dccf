"""Reads upstream's whole mapping tables, ``upstream/*.csv``: which pairs they list, and how. Taken over as they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from apidiff.database.regular_files import read_text
from apidiff.errors import DataError, typed
from apidiff.model.base import Record

COLUMNS = ["section", "torch_api", "torch_doc_version", "mindspore_api", "status_en", "status_zh", "diff_page"]
LISTED = {"consistent", "diff", "text"}
_MOST_ROWS = 5_000  # the largest has a fifth of that
_REMEDY = "Restore the file from version control."


class UpstreamTable(Record, frozen=True, kw_only=True):
    """One of upstream's tables. ``document``: the key of the page that holds it; ``pages``: where its difference pages stand."""

    file: str
    document: str
    pages: str

    @property
    def release(self) -> str:
        """What the table is of, as the file of ``official/`` is named that holds its rows on distributed training."""
        return self.file.removeprefix("mapping_").removesuffix(".csv")


class UpstreamRow(Record, frozen=True, kw_only=True):
    """A pair that a table lists as ``consistent``, as different with a page of its own (``diff``), or with a remark (``text``).

    ``source_version``: of PyTorch's documents; ``page``: the address of the difference page, empty where there is none.
    """

    table: UpstreamTable
    line: int
    source: str
    source_version: str
    target: str
    listed: str
    page: str


TABLES = [
    UpstreamTable(
        file="mapping_2025-07.csv",
        document="mindspore-2025-07-api-mapping",
        pages="https://www.mindspore.cn/docs/en/r2.7.0/note/api_mapping/pytorch_diff/{page}.html",
    ),
    UpstreamTable(
        file="mapping_r2.4.10.csv",
        document="mindspore-r2.4.10-api-mapping",
        pages="https://www.mindspore.cn/docs/en/r2.4.10/note/api_mapping/pytorch_diff/{page}.html",
    ),
]


def load_upstream_rows(folder: Path) -> list[UpstreamRow]:
    """Read the rows of every table below ``folder``, newest table first.

    Raises DataError, which names file and line, for a table that is not there or has other columns.
    """
    return [row for table in TABLES for row in table_rows(folder, table)]


def table_rows(folder: Path, table: UpstreamTable) -> list[UpstreamRow]:
    """Read the rows of one table below ``folder``. Raises what `load_upstream_rows` does."""
    path = folder / table.file
    return [_row(table, path, line, cells) for line, cells in csv_rows(path, COLUMNS, _REMEDY)]


def csv_rows(path: Path, columns: list[str], remedy: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line and cells of each row below the header. Raises DataError for a file that is none, or has other columns."""
    try:
        reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
        header = next(reader, [])
        if header != columns:
            raise DataError(path, 1, f"the header is {typed(','.join(header))}", remedy)
        for number, cells in enumerate(filter(None, reader)):
            if number == _MOST_ROWS:
                raise DataError(path, reader.line_num, f"has more than {_MOST_ROWS} rows", remedy)
            yield reader.line_num, cells
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", remedy) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(path, None, f"is no CSV file in UTF-8 ({error})", remedy) from error


def _row(table: UpstreamTable, path: Path, line: int, cells: list[str]) -> UpstreamRow:
    if len(cells) != len(COLUMNS) or cells[4] not in LISTED:
        raise DataError(
            path, line, f"is no row of {len(COLUMNS)} cells with a status: {typed(','.join(cells))}", _REMEDY
        )
    _, source, version, target, listed, _, page = cells
    return UpstreamRow(
        table=table,
        line=line,
        source=source,
        source_version=version,
        target=target,
        listed=listed,
        page=table.pages.format(page=page) if page else "",
    )
