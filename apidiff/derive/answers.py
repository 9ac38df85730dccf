"""Finds what answers a source at a MindSpore version: the target to use, or what people do where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from apidiff.model.agreement import Agreement
from apidiff.model.ranges import holds
from apidiff.model.verdict import Outcome
from apidiff.model.version import Version, read_version
from apidiff.model.views import DifferenceEntry, Entry, OtherwiseEntry, RangeEntry, TargetEntry
from apidiff.model.vocabulary import DifferenceKind, Reach, Risk, Status

MAPS_TO = "maps_to"
_RISKS = [risk.value for risk in Risk]
_COMPARED = {Agreement.AGREES.value, Agreement.DIFFERS.value}


class Answer(NamedTuple):
    """What answers a source in some releases: a target, or another answer, or nothing."""

    releases: list[str]
    target: TargetEntry | None
    otherwise: OtherwiseEntry | None


class Beside(NamedTuple):
    """A target to use on ``devices`` where the one to use has no kernel, or silently does something else.

    ``code``: its call, without the end that both have. ``watch``: what silently differs, or raises, in everyday use of it there.
    """

    target: TargetEntry
    devices: list[str]
    code: str
    watch: list[DifferenceEntry]


class AnswerRange(NamedTuple):
    """What answers a source in one range of MindSpore versions.

    ``target`` is None where the answer is another; ``status`` is the target's standing, or the kind of the other answer.
    """

    target: str | None
    range: str
    status: str
    since: str | None
    risk: str


def range_at(ranges: Iterable[RangeEntry], version: str) -> RangeEntry | None:
    """Find the range that covers the MindSpore ``version``, or None."""
    wanted = read_version(version)
    return next((span for span in ranges if holds(span.since, span.until, wanted)), None)


def current_target(entry: Entry, version: str) -> TargetEntry | None:
    """Find the target to use on the MindSpore ``version``; None where no range covers it."""
    for target in entry.targets:
        span = range_at(target.ranges, version)
        if span and span.status == Status.CURRENT.value:
            return target
    return None


def current_answer(entry: Entry, version: str) -> OtherwiseEntry | None:
    """Find what answers the source on the MindSpore ``version`` where no target does."""
    wanted = read_version(version)
    return next((answer for answer in entry.otherwise if holds(answer.since, answer.until, wanted)), None)


def compared_on(target: TargetEntry, version: str) -> set[str]:
    """Find the devices on which runs of the MindSpore ``version`` made calls of ``target`` that could be compared."""
    return {
        agreement.device
        for agreement in target.agreements
        if agreement.framework_version == version and _COMPARED.intersection(agreement.counts)
    }


def targets_beside(entry: Entry, target: TargetEntry, version: str) -> list[Beside]:
    """Find other targets of the MindSpore ``version`` by whose runs calls were compared on devices where ``target`` failed.

    It failed where it has no kernel, be it for its everyday calls alone, or where one of these silently gives other values or
    leaves what PyTorch writes as it was, and the other target does not. On a device only those are of use whose everyday calls
    fare best there: beside one that does the same, those that silently give something else are left out, and beside these
    those that raise.
    """
    found: list[tuple[TargetEntry, dict[str, list[DifferenceEntry]]]] = []
    runs = {place.device for place in target.runs_on if place.outcomes.get(version) == Outcome.HOLDS.value}
    runs -= {row.device for row in met_at(target.differences, version) if _lacks_kernel(row)}
    for other in entry.targets:
        if other is target or range_at(other.ranges, version) is None:
            continue
        right = {
            device for device in runs if not _misleads(target, version, device) or _misleads(other, version, device)
        }
        devices = compared_on(other, version) - right
        if devices:
            biting = sorted(filter(_bites, met_at(other.differences, version)), key=lambda row: _RISKS.index(row.risk))
            found.append(
                (other, {device: [row for row in biting if row.device in {"", device}] for device in sorted(devices)})
            )
    best: dict[str, int] = {}
    for _, places in found:
        for device, watch in places.items():
            best[device] = max(best.get(device, 0), _rank(watch))
    beside = []
    for other, places in found:
        kept = {device: watch for device, watch in places.items() if _rank(watch) == best[device]}
        if kept:
            watch = [row for row in other.differences if any(row in rows for rows in kept.values())]
            watch.sort(key=lambda row: _RISKS.index(row.risk))
            beside.append(Beside(other, list(kept), _own_lines(other.after, target.after), watch))
    return beside


def _lacks_kernel(difference: DifferenceEntry) -> bool:
    return difference.kind == DifferenceKind.BACKEND_SUPPORT.value and difference.reach == Reach.EVERYDAY.value


def _rank(watch: Iterable[DifferenceEntry]) -> int:
    """How well everyday calls fare: 0 where some raise, 1 where some silently give something else, 2 where all do the same."""
    risks = {row.risk for row in watch}
    return 0 if Risk.ERROR.value in risks else 1 if risks else 2


def _own_lines(code: str, other: str) -> str:
    """The lines of ``code`` without those at its end that ``other`` ends with, too, such as the call of a layer.

    Where both begin alike it is several steps, of which none is left out.
    """
    lines, others = code.splitlines(), other.splitlines()
    if lines[:1] == others[:1]:
        return code
    while len(lines) > 1 and others and lines[-1] == others.pop():
        lines.pop()
    return "\n".join(lines)


def _misleads(target: TargetEntry, version: str, device: str) -> bool:
    """Whether an everyday call on ``device`` silently gives other values, or leaves what PyTorch writes as it was."""
    return any(
        row.kind in (DifferenceKind.VALUE.value, DifferenceKind.IN_PLACE.value)
        and row.risk == Risk.SILENT.value
        and row.reach == Reach.EVERYDAY.value
        and row.device == device
        and any(shown.samples and not shown.inputs for shown in row.evidence)
        for row in met_at(target.differences, version)
    )


def _bites(difference: DifferenceEntry) -> bool:
    harmful = difference.risk in (Risk.SILENT.value, Risk.ERROR.value)
    refused = difference.kind == DifferenceKind.BACKEND_SUPPORT.value  # of some dtype, where others run
    return harmful and not refused and difference.reach == Reach.EVERYDAY.value


def met_at(differences: Iterable[DifferenceEntry], version: str) -> list[DifferenceEntry]:
    """List the differences that the MindSpore ``version`` has: those that its runs do not show to be none there."""
    return [difference for difference in differences if version not in difference.alike]


def risk_at(target: TargetEntry, version: str) -> str:
    """Tell the worst risk of everyday use of ``target`` on the MindSpore ``version``."""
    return everyday_risk(met_at(target.differences, version)) if target.differences else target.risk


def everyday_risk(differences: Iterable[DifferenceEntry]) -> str:
    """Tell the worst risk of what meets everybody."""
    return _worst(differences, Reach.EVERYDAY)


def edge_risk(differences: Sequence[DifferenceEntry]) -> str | None:
    """Tell the worst risk of edge cases; None where what meets everybody is as bad."""
    worst = _worst(differences, Reach.EDGE)
    return worst if _RISKS.index(worst) < _RISKS.index(everyday_risk(differences)) else None


def _worst(differences: Iterable[DifferenceEntry], reach: Reach) -> str:
    risks = [difference.risk for difference in differences if difference.reach == reach.value]
    return min(risks, key=_RISKS.index, default=Risk.NONE.value)


def answer_at(entry: Entry, version: str) -> tuple[str | None, str | None, list[DifferenceEntry]]:
    """Return the kind of answer on the MindSpore ``version``, its risk and its differences; None where there is no answer."""
    if target := current_target(entry, version):
        return MAPS_TO, risk_at(target, version), met_at(target.differences, version)
    if answer := current_answer(entry, version):
        return answer.answer, answer.risk, answer.differences
    return None, None, []


def answers(entry: Entry, releases: Sequence[str]) -> list[Answer]:
    """List each answer with the releases that it answers for, in the order of ``releases``."""
    by_kind: dict[tuple[str, str], Answer] = {}
    for release in releases:
        target, otherwise = current_target(entry, release), current_answer(entry, release)
        key = ("target", target.name) if target else ("otherwise", otherwise.since or "" if otherwise else "nothing")
        answer = by_kind.setdefault(key, Answer([], target, None if target else otherwise))
        answer.releases.append(release)
    return list(by_kind.values())


def answer_ranges(entry: Entry) -> list[AnswerRange]:
    """List every range with what answers in it: newest first; where two begin together, the one to use first."""
    rows = [
        AnswerRange(target.name, span.range, span.status, span.since, target.risk)
        for target in entry.targets
        for span in target.ranges
    ]
    rows += [AnswerRange(None, other.range, other.answer, other.since, other.risk) for other in entry.otherwise]
    standings = [status.value for status in Status]
    rows.sort(key=lambda row: standings.index(row.status) if row.target else 0)
    rows.sort(key=lambda row: Version(row.since or "0"), reverse=True)
    return rows
