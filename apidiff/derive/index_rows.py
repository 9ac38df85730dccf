"""The index of all mappings as rows: what answers each source in which MindSpore versions, and what runs say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import msgspec

from apidiff.model.base import Record
from apidiff.model.ranges import holds
from apidiff.model.trace import backend_name
from apidiff.model.verdict import Outcome, worst_outcome
from apidiff.model.version import Version
from apidiff.model.views import Entry, RangeEntry
from apidiff.model.vocabulary import Status

FRAMEWORKS = ("torch", "mindspore")
_STATUSES = [status.value for status in Status]


class AnswerRow(Record, frozen=True, kw_only=True):
    """What answers a source in the known MindSpore releases ``first`` to ``last``.

    ``status``: the standing of the target, or the kind of another answer, or None where nothing is recorded. ``uses``:
    the APIs that another answer names, those of them that are there in these releases.
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


class RowRuns(Record, frozen=True, kw_only=True):
    """The worst outcome of a mapping's claims on one backend. ``versions``: those whose runs have it, newest first."""

    framework: str
    backend: str
    outcome: str
    versions: list[str]


class IndexRow(Record, frozen=True, kw_only=True):
    """One mapping. ``answers``: newest first. ``torch``: PyTorch releases with a recorded signature of it, newest first.

    ``runs``: what runs of its claims say, by backend and version.
    """

    id: str
    category: str
    answers: list[AnswerRow]
    torch: list[str]
    runs: list[RowRuns]


class Index(Record, frozen=True, kw_only=True):
    """All rows by name, and the releases that can be asked for, newest first.

    ``mindspore``: every known release. ``torch``: those whose signatures are on record. ``newest``: the newest known release
    of each framework. ``run``: the versions of each of which there are runs.
    """

    rows: list[IndexRow]
    mindspore: list[str]
    torch: list[str]
    newest: dict[str, str] = {}
    run: dict[str, list[str]] = {}

    def runs_of(self, row: IndexRow, chosen: Mapping[str, str]) -> list[RowRuns]:
        """What counts for a row at the chosen versions: runs of these. A PyTorch that was never run has those of others.

        A source is the same API in every version, and its page says which were run; a target is another from one MindSpore
        version to the next, so what one showed is not said of another.
        """
        strict = {name: name != "torch" or chosen.get(name, "") in self.run.get(name, []) for name in FRAMEWORKS}
        return [runs for runs in row.runs if not strict[runs.framework] or chosen.get(runs.framework) in runs.versions]


def mapping_index(entries: Iterable[Entry], mindspore: Iterable[str], torch: Iterable[str] = ()) -> Index:
    """The index of ``entries``. ``mindspore`` and ``torch``: the known releases, in any order."""
    releases = sorted(mindspore, key=Version, reverse=True)
    ordered = sorted(entries, key=lambda entry: entry.id)
    there = _there(ordered)
    rows = [_row(entry, releases, there) for entry in ordered]
    signed = _newest_first(version for row in rows for version in row.torch)
    newest = {"torch": next(iter(_newest_first(torch)), ""), "mindspore": next(iter(releases), "")}
    run = {
        name: _newest_first(
            version for row in rows for runs in row.runs if runs.framework == name for version in runs.versions
        )
        for name in FRAMEWORKS
    }
    return Index(rows=rows, mindspore=releases, torch=signed, newest=newest, run=run)


def _newest_first(versions: Iterable[str]) -> list[str]:
    return sorted(set(versions), key=Version, reverse=True)


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
        runs=_runs(entry),
    )


def _runs(entry: Entry) -> list[RowRuns]:
    """Versions of which the worst outcome on a backend is the same are one."""
    seen: dict[tuple[str, str, str], list[Outcome]] = {}
    for found in (found for claim in entry.claims for found in claim.summary):
        place = found.framework, backend_name(found.backend, found.device), found.framework_version
        seen.setdefault(place, []).append(Outcome(found.outcome))
    alike: dict[tuple[str, str, str], list[str]] = {}
    for (framework, backend, version), outcomes in seen.items():
        alike.setdefault((framework, backend, worst_outcome(outcomes).value), []).append(version)
    return [
        RowRuns(framework=framework, backend=backend, outcome=outcome, versions=_newest_first(versions))
        for (framework, backend, outcome), versions in sorted(alike.items())
    ]


def _answers(entry: Entry, releases: Sequence[str], there: Mapping[str, list[RangeEntry]]) -> list[AnswerRow]:
    """Neighbouring releases with the same answer as one."""
    found = [(_answer(entry, Version(release), there), release) for release in releases]
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
        return AnswerRow(first="", last="", status=_STATUSES[status], risk=target.risk, target=target.name)
    if other:
        uses = [
            name
            for name in other.uses
            if name not in there or any(holds(span.since, span.until, version) for span in there[name])
        ]
        return AnswerRow(first="", last="", status=other.answer, risk=other.risk, uses=uses)
    return AnswerRow(first="", last="")
