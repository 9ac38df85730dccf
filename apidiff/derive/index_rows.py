"""The index of all mappings as rows: what answers each source in which MindSpore versions, and what runs say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import msgspec

from apidiff.derive.answers import risk_at
from apidiff.derive.runs_on import DEVICES, outcomes_on
from apidiff.model.base import Record
from apidiff.model.ranges import holds
from apidiff.model.version import Version, read_version
from apidiff.model.views import Entry, OtherwiseEntry, RangeEntry, TargetEntry
from apidiff.model.vocabulary import Status

_STATUSES = [status.value for status in Status]


class OnDevice(Record, frozen=True, kw_only=True):
    """What is known of an answer on one device in one release: whether documents list it, and how runs of it ended."""

    device: str
    documented: bool = False
    outcome: str = "not run"


class AnswerRow(Record, frozen=True, kw_only=True):
    """What answers a source in the known MindSpore releases ``first`` to ``last``.

    ``status``: the standing of the target, or the kind of another answer, or None where nothing is recorded. ``uses``:
    the APIs that another answer names, those of them that are there in these releases. ``devices``: Ascend, GPU, CPU, those of
    which something is known.
    """

    first: str
    last: str
    status: str | None = None
    risk: str | None = None
    target: str | None = None
    uses: list[str] = []
    devices: list[OnDevice] = []

    @property
    def spans(self) -> str:
        """The releases as pages have them in ``data-mindspore``."""
        return f"{self.first}..{self.last}"


class IndexRow(Record, frozen=True, kw_only=True):
    """One mapping. ``answers``: newest first. ``torch``: PyTorch releases with a recorded signature of it, newest first.

    ``uses``: how often real code names the source.
    """

    id: str
    category: str
    answers: list[AnswerRow]
    torch: list[str]
    uses: int = 0


class Index(Record, frozen=True, kw_only=True):
    """All rows, those most used first, and the releases that can be asked for, newest first.

    ``mindspore``: every known release. ``torch``: those whose signatures are on record. ``run``: the MindSpore versions of
    which there are runs. ``packages``: those in whose source uses were counted, with their versions.
    """

    rows: list[IndexRow]
    mindspore: list[str]
    torch: list[str]
    run: list[str] = []
    packages: dict[str, str] = {}


def mapping_index(
    entries: Iterable[Entry], mindspore: Iterable[str], packages: Mapping[str, str] | None = None
) -> Index:
    """The index of ``entries``. ``mindspore``: the known releases, in any order; ``packages``: those searched for uses."""
    releases = _newest_first(mindspore)
    ordered = sorted(entries, key=lambda entry: (-entry.uses, entry.id))
    there = _there(ordered)
    rows = [_row(entry, releases, there) for entry in ordered]
    signed = _newest_first(version for row in rows for version in row.torch)
    run = _newest_first(
        row.framework_version
        for entry in ordered
        for claim in entry.claims
        for row in claim.summary
        if row.framework == "mindspore"
    )
    return Index(rows=rows, mindspore=releases, torch=signed, run=run, packages=dict(packages or {}))


def _newest_first(versions: Iterable[str]) -> list[str]:
    return sorted(set(versions), key=read_version, reverse=True)


def _there(entries: Sequence[Entry]) -> dict[str, list[RangeEntry]]:
    """For every API that is a target somewhere, the ranges in which it is there."""
    found: dict[str, list[RangeEntry]] = {}
    for entry in entries:
        for target in entry.targets:
            here = [span for span in target.ranges if span.status != Status.REMOVED.value]
            found.setdefault(target.name, []).extend(here)
    return found


def _row(entry: Entry, releases: Sequence[str], there: Mapping[str, list[RangeEntry]]) -> IndexRow:
    return IndexRow(
        id=entry.id,
        category=entry.category,
        answers=_answers(entry, releases, there),
        torch=_newest_first([*entry.signatures, *entry.unread.get(entry.source, [])]),
        uses=entry.uses,
    )


def _answers(entry: Entry, releases: Sequence[str], there: Mapping[str, list[RangeEntry]]) -> list[AnswerRow]:
    """Neighbouring releases with the same answer as one."""
    found = [(_answer(entry, read_version(release), there), release) for release in releases]
    answers: list[AnswerRow] = []
    for answer, members in groupby(found, key=lambda pair: pair[0]):
        names = [release for _, release in members]
        answers.append(msgspec.structs.replace(answer, first=names[-1], last=names[0]))
    return answers


def _answer(entry: Entry, version: Version, there: Mapping[str, list[RangeEntry]]) -> AnswerRow:
    """The answer at one version; the target to use before one that merely still works."""
    standing = [
        (_STATUSES.index(span.status), place)
        for place, target in enumerate(entry.targets)
        for span in target.ranges
        if holds(span.since, span.until, version)
    ]
    other = next((answer for answer in entry.otherwise if holds(answer.since, answer.until, version)), None)
    if standing and (min(standing)[0] == 0 or other is None):
        status, place = min(standing)
        target = entry.targets[place]
        return AnswerRow(
            first="",
            last="",
            status=_STATUSES[status],
            risk=risk_at(target, str(version)),
            target=target.name,
            devices=_of_target(target, version),
        )
    if other:
        uses = [
            name
            for name in other.uses
            if name not in there or any(holds(span.since, span.until, version) for span in there[name])
        ]
        devices = _of_recipe(entry, other, version)
        return AnswerRow(first="", last="", status=other.answer, risk=other.risk, uses=uses, devices=devices)
    return AnswerRow(first="", last="")


def _of_target(target: TargetEntry, version: Version) -> list[OnDevice]:
    """What documents of ``version``, or of the nearest older one that was read, and runs of it say of each device."""
    read = next((signed for signed in _newest_first(target.signatures) if read_version(signed) <= version), None)
    found = [
        OnDevice(
            device=place.device,
            documented=read in place.documented_in,
            outcome=place.outcomes.get(str(version), "not run"),
        )
        for place in target.runs_on
    ]
    return [place for place in found if place.documented or place.outcome != "not run"]


def _of_recipe(entry: Entry, answer: OtherwiseEntry, version: Version) -> list[OnDevice]:
    """How the recipe ended on each device: it is run as it stands, and a claim says what it prints."""
    if answer.recipe is None:
        return []
    wanted = answer.recipe.claim
    rows = next((claim.summary for claim in entry.claims if claim.id == wanted), [])
    found = {device: outcomes_on(device, rows).get(str(version)) for device in DEVICES}
    return [OnDevice(device=device, outcome=outcome) for device, outcome in found.items() if outcome]
