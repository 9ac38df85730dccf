"""Upstream's whole tables are read as they are; a table that is broken is named with its line."""

from collections import Counter
from pathlib import Path

import pytest

from apidiff.database.checks.other_files import tables_are_readable
from apidiff.database.paths import DATA
from apidiff.database.upstream_tables import COLUMNS, TABLES, load_upstream_rows
from apidiff.errors import DataError


def test_every_row_is_read() -> None:
    rows = load_upstream_rows(DATA / "upstream")
    counts = Counter((row.table.file, row.listed) for row in rows)
    assert counts["mapping_2025-07.csv", "consistent"] == 386
    assert counts["mapping_2025-07.csv", "diff"] == 69
    assert counts["mapping_r2.4.10.csv", "diff"] == 257
    assert all(bool(row.page) == (row.listed == "diff") for row in rows if row.table.file == "mapping_2025-07.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", ":1: the header is 'a,b'"),
        (",".join(COLUMNS) + "\ntorch,torch.abs,2.1,mindspore.mint.abs,perhaps,perhaps,\n", ":2: is no row"),
        (",".join(COLUMNS) + "\ntorch,torch.abs\n", ":2: is no row"),
        (f"{','.join(COLUMNS)}\n" + "a,a,1,a,text,a,\n" * 5_001, ":5002: has more than 5000 rows"),
    ],
)
def test_a_broken_table_is_named(tmp_path: Path, text: str, message: str) -> None:
    for table in TABLES:
        (tmp_path / table.file).write_text(text, "utf-8")
    with pytest.raises(DataError, match=message):
        load_upstream_rows(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        load_upstream_rows(tmp_path / "nowhere")


def test_every_broken_table_is_told_where_the_data_are_checked(tmp_path: Path) -> None:
    assert list(tables_are_readable(DATA)) == []
    assert [error.path for error in tables_are_readable(tmp_path)] == [
        tmp_path / "upstream" / table.file for table in TABLES
    ]
