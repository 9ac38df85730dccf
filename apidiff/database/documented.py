"""Reads documented.yaml: what cited documents say of versions that no signatures were read of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from apidiff.database.yaml import read_yaml
from apidiff.errors import DataError
from apidiff.model import Document
from apidiff.model.documented import Listing, Point


def load_documented(path: Path) -> list[Listing]:
    """The listings in ``path``; none if there is no such file. Raises DataError for a file that does not fit the model."""
    return read_yaml(path, list[Listing])[0] if path.exists() else []


def documented_points(listings: Sequence[Listing], documents: Mapping[str, Document]) -> dict[str, list[Point]]:
    """What ``listings`` say of each API, by its full name."""
    found: dict[str, list[Point]] = {}
    for one in listings:
        version = documents[one.document].version
        for name in one.has:
            point = Point(version, True, one.document, deprecated=name in one.deprecated)
            found.setdefault(f"{one.module}.{name}", []).append(point)
        for name in one.new:
            points = found.setdefault(f"{one.module}.{name}", [])
            points.append(Point(version, True, one.document, new=True))
            if one.against:
                points.append(Point(one.against, False, one.document))
        for name in one.lacks:
            found.setdefault(f"{one.module}.{name}", []).append(Point(version, False, one.document))
    return found


def listings_are_cited(
    path: Path, listings: Sequence[Listing], documents: Mapping[str, Document]
) -> Iterator[DataError]:
    """Each listing names a known document, no API is both there and missing, and what is deprecated is there."""
    for index, one in enumerate(listings):
        if one.document not in documents:
            remedy = "Add the document to documents.yaml or mend the key."
            yield DataError(path, None, f"entry {index + 1} cites the unknown document {one.document!r}", remedy)
        for name in sorted({*one.has, *one.new} & {*one.lacks}):
            found = f"{one.document}: {one.module}.{name} is said to be there and to be missing"
            yield DataError(path, None, found, "Keep the one that the document says.")
        for name in sorted({*one.deprecated} - {*one.has}):
            found = f"{one.document}: {one.module}.{name} is deprecated but not said to be there"
            yield DataError(path, None, found, "Add it to `has`.")
