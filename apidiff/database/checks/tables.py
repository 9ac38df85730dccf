"""Upstream's tables: each is in a document that is known, and each of its pairs is in a record."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.data import Data, mapping_path
from apidiff.database.documented import TableFile, holders
from apidiff.errors import DataError


def tables_are_cited(data: Data) -> Iterator[DataError]:
    """The document of each table is in documents.yaml."""
    for file in data.tables:
        if file.table.document not in data.documents:
            found = f"unknown document {file.table.document!r}"
            remedy = "Add the document to documents.yaml or mend the key."
            yield DataError(file.path, file.lines.get(("document",)), found, remedy)


def pairs_have_records(data: Data) -> Iterator[DataError]:
    """The pair of each row is a mapping and one of its targets."""
    for file in data.tables:
        for index, row in enumerate(file.table.rows):
            if any(holders(data.mappings, row)):
                continue
            found, remedy = f"no mapping has the target {row.target}", "Add it to the mapping of its source."
            if row.source is not None:
                found = f"no mapping has the pair {row.source} → {row.target}"
                remedy = _remedy(data, file, row.source)
            yield file.error(index, "target", found, remedy)


def _remedy(data: Data, file: TableFile, source: str) -> str:
    if source in data.mappings:
        return (
            f"Add the target to {data.path_of(source)}, with the ranges in which it stands: table {file.name} lists it."
        )
    return f"Add the record {mapping_path(data.root, source)}."
