"""What documents say of versions of which no signatures were read: which APIs are there, missing or deprecated."""

from __future__ import annotations

from dataclasses import dataclass

from apidiff.model.base import NonEmpty, Record


class Listing(Record, frozen=True, kw_only=True):
    """What one document says of the APIs of ``module``; it speaks of the version that documents.yaml gives it.

    ``has``: documented there. ``new``: said to be added there, against the version ``against`` where the document names
    one. ``lacks``: a document that lists all APIs of the module does not list it. ``deprecated``: those of ``has`` that are
    documented as deprecated.
    """

    document: NonEmpty
    module: NonEmpty
    has: list[NonEmpty] = []
    new: list[NonEmpty] = []
    against: str | None = None
    lacks: list[NonEmpty] = []
    deprecated: list[NonEmpty] = []


@dataclass(frozen=True)
class Point:
    """Whether an API is there in a version, and who says so: ``signatures``, or the key of a document."""

    version: str
    there: bool
    evidence: str
    deprecated: bool = False
    new: bool = False  # the document says that the version added it
