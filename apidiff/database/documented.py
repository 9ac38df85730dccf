"""Reads what documents say: of versions without signatures, in upstream's mapping tables, of APIs without a counterpart.

Each row of a table becomes a claim, ``corresponds``, on the target that the row names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass
from pathlib import Path

import msgspec

from apidiff.database.yaml import Lines, read_yaml
from apidiff.errors import DataError, typed
from apidiff.folder_walk import visible_files
from apidiff.model.claim import Claim, Corresponds, Stated
from apidiff.model.documented import Listing, MindsporeName, MindsporeOnly, OfficialTable, Point, TableRow
from apidiff.model.mapping import Document, Mapping, Target

ONLY_FILE = "mindspore_only.yaml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}")  # of a table, a heading of the report

OnlyFile = dict[MindsporeName, MindsporeOnly]
"""What the file of MindSpore APIs holds to which no PyTorch API corresponds."""


def load_mindspore_only(root: Path) -> tuple[OnlyFile, Lines]:
    """The file below the data folder ``root`` with its lines; nothing where there is none. Raises DataError."""
    path = root / ONLY_FILE
    return read_yaml(path, OnlyFile) if os.path.lexists(path) else ({}, {})


def load_documented(path: Path) -> tuple[list[Listing], Lines]:
    """The listings in ``path`` with their lines; none if there is no such file. Raises DataError for one that does not fit."""
    return read_yaml(path, list[Listing]) if os.path.lexists(path) else ([], {})


def unknown_document(
    path: Path, line: int | None, cited: Iterable[str], documents: Dictionary[str, Document]
) -> DataError | None:
    """The error for the first of the keys ``cited`` in a line of ``path`` that no document has; None where each has one."""
    for key in cited:
        if key not in documents:
            return DataError(
                path, line, f"unknown document {key!r}", "Add the document to documents.yaml or mend the key."
            )
    return None


def documented_points(listings: Sequence[Listing], documents: Dictionary[str, Document]) -> dict[str, list[Point]]:
    """What ``listings`` say of each API, by its full name."""
    found: dict[str, list[Point]] = {}
    for listing in listings:
        version = documents[listing.document].version
        for name in listing.has:
            point = Point(version, True, listing.document, deprecated=name in listing.deprecated)
            found.setdefault(f"{listing.module}.{name}", []).append(point)
        for name in listing.new:
            points = found.setdefault(f"{listing.module}.{name}", [])
            points.append(Point(version, True, listing.document, new=True))
            if listing.against:
                points.append(Point(listing.against, False, listing.document))
        for name in listing.lacks:
            found.setdefault(f"{listing.module}.{name}", []).append(Point(version, False, listing.document))
    return found


def listings_fit(path: Path, listings: Sequence[Listing]) -> Iterator[DataError]:
    """In each listing no API is both there and missing, and what is deprecated is there."""
    for listing in listings:
        for name in sorted({*listing.has, *listing.new} & {*listing.lacks}):
            found = f"{listing.document}: {listing.module}.{name} is said to be there and to be missing"
            yield DataError(path, None, found, "Keep the one that the document says.")
        for name in sorted({*listing.deprecated} - {*listing.has}):
            found = f"{listing.document}: {listing.module}.{name} is deprecated but not said to be there"
            yield DataError(path, None, found, "Add it to `has`.")


@dataclass(frozen=True)
class TableFile:
    """A table with the file it was read from. ``lines``: the line of every value."""

    path: Path
    table: OfficialTable
    lines: Lines

    @property
    def name(self) -> str:
        """The release the table is of: the file's name."""
        return self.path.stem

    def error(self, row: int, key: str, found: str, remedy: str) -> DataError:
        """The error for what was found in row number ``row`` (from 0) of the file."""
        place = ("rows", row, key) if ("rows", row, key) in self.lines else ("rows", row)
        return DataError(self.path, self.lines.get(place), found, remedy)


def table_paths(folder: Path, broken: list[DataError] | None = None) -> list[Path]:
    """The files of tables in ``folder`` in the order of their names; none where there is no such folder.

    Raises DataError for one that cannot be listed; given a list ``broken``, adds the error there.
    """
    return visible_files(folder, "*.yaml", broken)


def load_table(path: Path) -> TableFile:
    """The table in ``path``. Raises DataError for a file that is none or is named as none, and for a row that stands twice."""
    if not _NAME.fullmatch(path.stem):
        found = f"a table is called as the release that it is of, not {typed(path.stem)}"
        raise DataError(path, None, found, "Rename it, as 2025-07.yaml or r2.4.10.yaml are called.")
    table, lines = read_yaml(path, OfficialTable)
    file = TableFile(path, table, lines)
    seen: dict[tuple[object, ...], int] = {}
    for index, row in enumerate(table.rows):
        for key, what in (
            (("row", row.section, row.row), row.part),
            (("pair", row.source, row.target), row.target),
        ):
            if key in seen:
                first = lines.get(("rows", seen[key]))
                raise file.error(index, "row", f"{what} stands on line {first} already", "Keep one of the two.")
            seen[key] = index
    return file


def claim_id(table: str) -> str:
    """The ID of the claims that the table called ``table`` makes: ``listed-2025-07``, ``listed-r2-4-10``."""
    return f"listed-{table.replace('.', '-')}"


def with_listed(mappings: Dictionary[str, Mapping], tables: list[TableFile]) -> dict[str, Mapping]:
    """The mappings, each target that a table lists with the claim that its row makes."""
    listed: dict[tuple[str, str], list[Claim]] = {}
    for file in tables:
        for row in file.table.rows:
            for source in holders(mappings, row):
                listed.setdefault((source, row.target), []).append(_claim(file, row))
    return {key: _extended(mapping, listed) for key, mapping in mappings.items()}


def holders(mappings: Dictionary[str, Mapping], row: TableRow) -> Iterator[str]:
    """The IDs of the mappings that have the pair of a row: of its source, or of any where the row names none."""
    chosen = mappings.values() if row.source is None else filter(None, [mappings.get(row.source)])
    for mapping in chosen:
        if any(target.api.name == row.target for target in mapping.targets):
            yield mapping.id


def _claim(file: TableFile, row: TableRow) -> Claim:
    body = Corresponds(
        source=row.source, source_version=row.source_version, listed=row.listed, excused=file.table.excused
    )
    stated = Stated(document=file.table.document, part=row.part, text=row.remark)
    return Claim(id=claim_id(file.name), corresponds=body, stated=[stated])


def _extended(mapping: Mapping, listed: Dictionary[tuple[str, str], list[Claim]]) -> Mapping:
    def extended(target: Target) -> Target:
        claims = listed.get((mapping.id, target.api.name))
        if not claims:
            return target
        api = msgspec.structs.replace(target.api, claims=[*target.api.claims, *claims])
        return msgspec.structs.replace(target, api=api)

    return msgspec.structs.replace(mapping, targets=[extended(target) for target in mapping.targets])
