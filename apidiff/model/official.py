"""Upstream's mapping tables: which MindSpore API each row names for a torch API, and how it calls the pair."""

from __future__ import annotations

from typing import Annotated

import msgspec

from apidiff.model.base import DottedName, NonEmpty, Record, Text
from apidiff.model.claim import ListedAs


class TableRow(Record, frozen=True, kw_only=True):
    """One row.

    ``row`` counts over the tables of its ``section``, from 1. ``source`` is missing where the row says that PyTorch has no
    such API. ``source_version``: the release of PyTorch that the row speaks of. ``remark``: what it says instead of calling
    the pair consistent or naming a page of differences, in our words.
    """

    section: NonEmpty
    row: Annotated[int, msgspec.Meta(ge=1)]
    source: DottedName | None = None
    source_version: NonEmpty
    target: DottedName
    listed: ListedAs
    remark: Text | None = None

    def __post_init__(self) -> None:
        if (self.listed is ListedAs.TEXT) != (self.remark is not None):
            raise ValueError(f"row {self.row} of {self.section} has a 'remark' exactly where it is listed as 'text'")
        if self.source is None and self.listed is not ListedAs.TEXT:
            raise ValueError(f"row {self.row} of {self.section} is listed as {self.listed.value!r} and names no source")

    @property
    def part(self) -> str:
        """Where in the document the row stands: ``torch.distributed/3``."""
        return f"{self.section}/{self.row}"


class OfficialTable(Record, frozen=True, kw_only=True):
    """The rows of one release's table. ``document``: its key in documents.yaml.

    ``excused``: parameters of torch that the table does not count as a difference where the MindSpore API lacks them.
    """

    document: NonEmpty
    excused: list[str] = []
    rows: list[TableRow]
