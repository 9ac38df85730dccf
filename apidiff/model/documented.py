"""What documents say of APIs: which versions have them, which correspond, and why some have no counterpart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

import msgspec

from apidiff.model.base import DottedName, NonEmpty, Record, ReleaseVersion, Text
from apidiff.model.claim import ListedAs, Stated

ModuleName = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]

MindsporeName = Annotated[
    str,
    msgspec.Meta(pattern=r"^mindspore(\.[A-Za-z_]\w*)+$(?!\n)", max_length=200, description="name of a MindSpore API"),
]


class Listing(Record, frozen=True, kw_only=True):
    """What one document says of the APIs of ``module``; it speaks of the version that documents.yaml gives it.

    ``has``: documented there. ``new``: said to be added there, against the version ``against`` where the document names
    one. ``lacks``: a document that lists all APIs of the module does not list it. ``deprecated``: those of ``has`` that are
    documented as deprecated.
    """

    document: NonEmpty
    module: ModuleName
    has: list[NonEmpty] = []
    new: list[NonEmpty] = []
    against: ReleaseVersion | None = None
    lacks: list[NonEmpty] = []
    deprecated: list[NonEmpty] = []

    def __post_init__(self) -> None:
        for key, names in (
            ("has", self.has),
            ("new", self.new),
            ("lacks", self.lacks),
            ("deprecated", self.deprecated),
        ):
            if len(names) > len(set(names)):
                name = next(name for name, count in Counter(names).items() if count > 1)
                raise ValueError(f"`{key}` of {self.document[:100]} has {name[:100]!r} twice")


@dataclass(frozen=True)
class Point:
    """Whether an API is there in a version, and who says so: ``signatures``, or the key of a document."""

    version: str
    there: bool
    evidence: str
    deprecated: bool = False
    new: bool = False  # the document says that the version added it


class TableRow(Record, frozen=True, kw_only=True):
    """One row of upstream's mapping tables: the MindSpore API that it names for a torch API, and what it calls the pair.

    ``row`` counts over the tables of its ``section``, from 1. ``source`` is missing where the row says that PyTorch has no
    such API. ``source_version``: the release of PyTorch that the row speaks of. ``remark``: what it says instead of calling
    the pair consistent or naming a page of differences, in our words.
    """

    section: NonEmpty
    row: Annotated[int, msgspec.Meta(ge=1)]
    source: DottedName | None = None
    source_version: ReleaseVersion
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


class MindsporeOnly(Record, frozen=True, kw_only=True):
    """Why no PyTorch API corresponds to a MindSpore API. ``nearest``: IDs of the mappings a reader may be looking for."""

    why: Text
    nearest: list[DottedName] = []
    stated: list[Stated] = []
