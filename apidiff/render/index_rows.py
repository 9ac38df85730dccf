"""The index of all mappings as rows: what answers each source in which MindSpore versions, and what runs say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec

from apidiff.model import Outcome, Status, Version, worst_outcome
from apidiff.model.base import Record
from apidiff.model.entry import Entry
from apidiff.model.ranges import holds
from apidiff.model.trace import backend_name

_STATUSES = [status.value for status in Status]


class AnswerRow(Record, frozen=True, kw_only=True):
    """What answers a source in the known MindSpore releases ``first`` to ``last``.

    ``status``: the standing of the target, or the kind of another answer, or None where nothing is recorded. ``uses``:
    the APIs that another answer names.
    """

    first: str
    last: str
    status: str | None = None
    risk: str | None = None
    target: str | None = None
    uses: list[str] = []

    @property
    def spans(self) -> str:
        """The releases as pages have them in ``data-mindspore``."""
        return f"{self.first}..{self.last}"


class IndexRow(Record, frozen=True, kw_only=True):
    """One mapping. ``answers``: newest first. ``torch``: PyTorch releases with a recorded signature of it, newest first.

    ``backends``: those with runs of its claims. ``verdict``: the worst outcome of these runs; 'not run' without any.
    """

    id: str
    category: str
    answers: list[AnswerRow]
    torch: list[str]
    backends: list[str]
    verdict: str


class Index(Record, frozen=True, kw_only=True):
    """All rows by name, and the releases that can be asked for, newest first.

    ``mindspore``: every known release. ``torch``: those whose signatures are on record.
    """

    rows: list[IndexRow]
    mindspore: list[str]
    torch: list[str]


def mapping_index(entries: Iterable[Entry], mindspore: Iterable[str]) -> Index:
    """The index of ``entries``. ``mindspore``: the known releases, in any order."""
    releases = sorted(mindspore, key=Version, reverse=True)
    rows = [_row(entry, releases) for entry in sorted(entries, key=lambda entry: entry.id)]
    torch = sorted({version for row in rows for version in row.torch}, key=Version, reverse=True)
    return Index(rows=rows, mindspore=releases, torch=torch)


def _row(entry: Entry, releases: Sequence[str]) -> IndexRow:
    seen = [found for claim in entry.claims for found in claim.summary]
    return IndexRow(
        id=entry.id,
        category=entry.category,
        answers=_answers(entry, releases),
        torch=sorted(entry.signatures, key=Version, reverse=True),
        backends=sorted({backend_name(found.backend, found.device) for found in seen}),
        verdict=worst_outcome(Outcome(found.outcome) for found in seen).value,
    )


def _answers(entry: Entry, releases: Sequence[str]) -> list[AnswerRow]:
    """Neighbouring releases with the same answer as one."""
    found = [(_answer(entry, Version(release)), release) for release in releases]
    answers: list[AnswerRow] = []
    for answer, members in groupby(found, key=lambda pair: pair[0]):
        names = [release for _, release in members]
        answers.append(msgspec.structs.replace(answer, first=names[-1], last=names[0]))
    return answers


def _answer(entry: Entry, version: Version) -> AnswerRow:
    """The answer at one version; the target to use before one that merely still works."""
    standing = [
        (_STATUSES.index(one.status), place)
        for place, target in enumerate(entry.targets)
        for one in target.ranges
        if holds(one.since, one.until, version)
    ]
    other = next((one for one in entry.otherwise if holds(one.since, one.until, version)), None)
    if standing and (min(standing)[0] == 0 or other is None):
        status, place = min(standing)
        target = entry.targets[place]
        return AnswerRow(first="", last="", status=_STATUSES[status], risk=target.risk, target=target.name)
    if other:
        return AnswerRow(first="", last="", status=other.answer, risk=other.risk, uses=other.uses)
    return AnswerRow(first="", last="")
