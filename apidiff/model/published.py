"""What is published for programs: the index of all mappings, and the whole base in one file.

``FORMAT`` is the version that stands in addresses (``/api/v1/``). Within a version fields may be added; none is removed
and none changes its meaning.
"""

from __future__ import annotations

from apidiff.model.base import Text
from apidiff.model.views import CounterpartEntry, Entry, View

FORMAT = 1


class IndexRow(View, frozen=True, kw_only=True):
    """One mapping in the index. ``file``: its entry, seen from the index. ``risk``: the worst with newest MindSpore."""

    id: str
    file: str
    category: str
    summary: Text
    risk: str
    targets: list[str]


class IndexRun(View, frozen=True, kw_only=True):
    """One run record in the index; ``id`` is what ``run`` of an observation names. ``file``: the record itself.

    ``measured_by``: who made the run, in their own words. ``trust``: who vouches for it: attested, project, signed or unsigned.
    ``signer``: the name by which its signer is known, where it is signed.
    """

    id: str
    file: str
    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    date: str
    measured_by: str | None = None
    trust: str = "unsigned"
    signer: str = ""


class Index(View, frozen=True, kw_only=True):
    """What there is. Paths are seen from the index. ``schemas``: kind of file → its JSON Schema.

    ``runs`` stands in the site's index only: an export holds no run records.
    """

    generator: str
    version: str
    format: int
    whole: str
    counterparts: str
    schemas: dict[str, str]
    mappings: list[IndexRow]
    runs: list[IndexRun] = []


class Base(View, frozen=True, kw_only=True):
    """Everything in one file."""

    generator: str
    version: str
    format: int
    mappings: list[Entry]
    counterparts: list[CounterpartEntry]
