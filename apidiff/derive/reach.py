"""Tells whom a difference meets, which risk runs support, and whether there is a difference at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from apidiff.derive.argument_changes import ArgumentChange, Change
from apidiff.derive.probe_conditions import (
    Callers,
    Condition,
    Disagree,
    Either,
    Happens,
    Passes,
    Switched,
    With,
    Without,
    conditions,
)
from apidiff.model.claim import Claim, ClaimKind
from apidiff.model.mapping import Api, Difference
from apidiff.model.probe import Layout
from apidiff.model.probe_resolution import collective_of
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, ObservedSummary, ParameterEntry
from apidiff.model.vocabulary import DifferenceKind, Reach, Relation, Risk

# Parameters that code passes every day; those that the canonical call passes count too.
USUAL = {
    "op",
    "group",
    "async_op",
    "src",
    "dst",
    "peer",
    "ranks",
    "backend",
    "timeout",
    "tensor",
    "object_list",
    "device_ids",
    "device",
}

_ODD = {
    *(Change.EMPTY, Change.EMPTY_ELEMENTS, Change.EMPTY_LIST, Change.STRIDED, Change.STRIDED_ELEMENTS, Change.VIEW),
    *(Change.VIEW_OF_ELEMENTS, Change.MIXED_DTYPES, Change.UNEQUAL_SHAPES, Change.LENGTH, Change.OTHER_FORM),
}
# Layouts of which gradient buckets and flat parameters are made.
_PARTS = {
    layout.value
    for layout in (Layout.SLICE, Layout.HEAD, Layout.ROW, Layout.FIRST_ROW, Layout.CHUNK, Layout.CHUNKS, Layout.ROWS)
}
_ABOUT_PARAMETERS = {ClaimKind.PARAMETER, ClaimKind.LACKS}
_ABOUT_SIGNATURES = {
    *_ABOUT_PARAMETERS,
    ClaimKind.MEMBER,
    ClaimKind.LACKS_MEMBER,
    ClaimKind.PRINTS,
    ClaimKind.CORRESPONDS,
}
_TOLD_IN_NOTES = {DifferenceKind.BACKEND_SUPPORT, DifferenceKind.DOCUMENTATION}
# Outcomes in which a call ended as it was meant to, whether or not with the result that is claimed.
_ENDED = {"holds", "refuted"}


class Cited(NamedTuple):
    """A claim that a difference cites, with its API and what runs say of it."""

    claim: Claim
    api: Api
    entry: ClaimEntry


def newest_rows(entry: ClaimEntry) -> list[ObservedSummary]:
    """The verdicts of the newest version that was run."""
    versions = [row.framework_version for row in entry.summary]
    newest = max(versions, key=Version, default="")
    return [row for row in entry.summary if row.framework_version == newest]


def newest_outcomes(entry: ClaimEntry) -> set[str]:
    """The outcomes in the newest version that was run."""
    return {row.outcome for row in newest_rows(entry)}


def frequent_first(api: Api) -> list[Claim]:
    """The claims of ``api``: of calls as code makes them every day, then of its signature, then of odd calls and of sweeps.

    Ranks with tensors of their own sizes count as everyday, since that is how uneven data are gathered; so do slices, rows
    and chunks, since gradient buckets and flat parameters are made of them.
    """
    probes = collective_of(api).probes

    def place(claim: Claim) -> int:
        if claim.kind in _ABOUT_SIGNATURES:
            return 1
        found = conditions(claim, api)
        if any(probes[probe].sweep for probe in claim.probes if probe in probes):
            return 0 if any(map(passes_part, found)) else 3
        uneven = any(isinstance(condition, Disagree) and condition.in_shape for condition in found)
        return 0 if uneven or not any(map(is_odd, found)) else 2

    return sorted(api.claims, key=place)


def passes_part(condition: Condition) -> bool:
    """Whether a tensor is passed that is a part of a larger one, without gaps."""
    match condition:
        case Passes(change=ArgumentChange(change=Change.VIEW | Change.VIEW_OF_ELEMENTS, detail=layout)):
            return layout in _PARTS
    return False


def reach_of(difference: Difference, cited: Sequence[Cited], canonical: str) -> Reach:
    """The reach of a difference: what a person gave, else what its probes show. ``canonical``: the source's call."""
    if difference.reach:
        return difference.reach
    source = [cited_claim for cited_claim in cited if cited_claim.entry.side == "source"]
    target = [cited_claim for cited_claim in cited if cited_claim.entry.side == "target"]
    if not target:
        return Reach.SOURCE_ONLY
    if any(
        cited_claim.claim.kind is ClaimKind.RAISES and newest_outcomes(cited_claim.entry) == {"holds"}
        for cited_claim in source
    ):
        return Reach.EDGE  # code that runs with PyTorch does not make this call
    sides = [side for side in (source, target) if side]
    usual = all(any(_is_usual(cited_claim, canonical) for cited_claim in side) for side in sides)
    return Reach.EVERYDAY if usual else Reach.EDGE


def _is_usual(cited_claim: Cited, canonical: str) -> bool:
    claim = cited_claim.claim
    if claim.kind in _ABOUT_PARAMETERS:
        lacking = claim.lacks.parameter if claim.lacks else ""
        name = claim.parameter.name if claim.parameter else lacking
        return is_usual_parameter(name, canonical)
    return not any(map(is_odd, conditions(claim, cited_claim.api)))


def is_odd(condition: Condition) -> bool:
    """Whether a condition is none that code meets every day."""
    match condition:
        case Passes(who=who, change=change):
            return isinstance(who, int) or change.change in _ODD
        case Callers(partner=partner):
            return partner is None
        case With(name=name, code=code):
            return code == "None" or name not in USUAL
        case Without(name=name):
            return name in USUAL
        case Disagree() | Switched() | Happens():
            return True
        case Either(branches=branches):
            return all(any(map(is_odd, branch)) for branch in branches)
    return False


def is_usual_parameter(name: str, canonical: str) -> bool:
    """Whether code passes the parameter every day."""
    return name in USUAL or re.search(rf"\b{re.escape(name)}\b", canonical) is not None


def row_reach(row: ParameterEntry, canonical: str, *, member: bool) -> Reach:
    """The reach of a row: a member counts where the canonical call names it or it has another name there."""
    name = row.source or row.target or ""
    if member:
        usual = f".{name}" in canonical or Relation.RENAMED.value in row.relations
        return Reach.EVERYDAY if usual else Reach.EDGE
    left_out = set(row.relations) <= {Relation.DEFAULT_DIFFERS.value, Relation.MEANING_DIFFERS.value}
    if left_out and row.target_default is not None and f"{name}=" in canonical:
        return Reach.EDGE  # code that gives it does not meet the default
    required = row.source is None and row.risk == Risk.REWRITE.value
    return Reach.EVERYDAY if required or is_usual_parameter(name, canonical) else Reach.EDGE


def risk_of(difference: Difference, cited: Iterable[Cited]) -> Risk:
    """The risk that the record gives, unless runs of the target speak against it.

    Nothing is silent that no run of the target has shown to end: a call that raises, hangs or has no kernel is an error.
    """
    if difference.risk is not Risk.SILENT or difference.kind is DifferenceKind.PARAMETER:
        return difference.risk
    target = [
        cited_claim
        for cited_claim in cited
        if cited_claim.entry.side == "target" and cited_claim.claim.kind not in _ABOUT_SIGNATURES
    ]
    outcomes = [outcome for cited_claim in target for outcome in newest_outcomes(cited_claim.entry)]
    raising = any(
        cited_claim.claim.kind is ClaimKind.RAISES and newest_outcomes(cited_claim.entry) == {"holds"}
        for cited_claim in target
    )
    if outcomes and (raising or not _ENDED.intersection(outcomes)):
        return Risk.ERROR
    return Risk.SILENT


def is_alike(
    difference: Difference, cited: Sequence[Cited], source: Mapping[str, Cited], target: Mapping[str, Cited]
) -> bool:
    """Whether runs of all versions showed the same of both sides for each claim that a difference cites, so that it is none.

    What its note says of a backend, or of a document, no claim says: such a difference stays.
    """
    if difference.kind in _TOLD_IN_NOTES:
        return False
    return bool(cited) and all(
        _shown_alike(source.get(cited_claim.claim.id), target.get(cited_claim.claim.id)) for cited_claim in cited
    )


def alike_versions(
    difference: Difference, cited: Sequence[Cited], source: Mapping[str, Cited], target: Mapping[str, Cited]
) -> list[str]:
    """The versions of the target whose runs show what a difference cites to hold on both sides, where others show it does not.

    Of parameters a claim says only that they are there, so these are never alike; of backends and documents see `is_alike`.
    """
    if difference.kind in _TOLD_IN_NOTES:
        return []
    pairs = [(source.get(each.claim.id), target.get(each.claim.id)) for each in cited]
    told: dict[str, bool] = {}
    for left, right in pairs:
        if left is None or right is None or left.claim.body != right.claim.body:
            return []
        if left.claim.kind in _ABOUT_PARAMETERS or newest_outcomes(left.entry) != {"holds"}:
            return []
        for row in right.entry.summary:
            told[row.framework_version] = told.get(row.framework_version, True) and row.outcome == "holds"
    alike = sorted((version for version in told if told[version]), key=Version)
    return alike if len(alike) < len(told) else []


def _shown_alike(left: Cited | None, right: Cited | None) -> bool:
    if left is None or right is None or left.claim.body != right.claim.body or left.claim.kind in _ABOUT_SIGNATURES:
        return False
    seen, other = ({row.outcome for row in side.entry.summary} for side in (left, right))
    return len(seen) == 1 and seen <= _ENDED and seen == other
