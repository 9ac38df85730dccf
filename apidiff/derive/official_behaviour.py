"""Finds where a pair does not do the same: the differences on record whose claims runs have decided against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from apidiff.derive.verdicts_by_run import EVIDENCE_LINES, telling_observation
from apidiff.model.base import Record, Text
from apidiff.model.claim import Claim, ClaimKind
from apidiff.model.mapping import Difference
from apidiff.model.verdict import Evidence, Outcome
from apidiff.model.version import Version
from apidiff.model.views import ClaimEntry, ObservedSummary
from apidiff.model.vocabulary import DifferenceKind, Risk

_LACKING = {outcome.value for outcome in (Outcome.UNSUPPORTED, Outcome.ERROR, Outcome.TIMEOUT, Outcome.CRASH)}
# Kinds of claims that cannot be true of a call that raises.
_RETURNING = {
    *(ClaimKind.COMPLETES, ClaimKind.RETURNS, ClaimKind.RESULT, ClaimKind.EQUALS),
    *(ClaimKind.WRITES, ClaimKind.KEEPS, ClaimKind.ALIASES),
}
_OPPOSITE = {
    *((ClaimKind.RAISES, kind) for kind in _RETURNING),
    (ClaimKind.WRITES, ClaimKind.KEEPS),
    (ClaimKind.PARAMETER, ClaimKind.LACKS),
    (ClaimKind.MEMBER, ClaimKind.LACKS_MEMBER),
}
_SAME_HANDLE = {"Work": "CommHandle"}


class FindingEvidence(Record, frozen=True, kw_only=True):
    """What one run shows of one claim: the verdict, and the facts behind it."""

    claim: str
    run: str
    verdict: ObservedSummary
    facts: list[Evidence]


class Finding(Record, frozen=True, kw_only=True):
    """A difference on record that runs bear out, in MindSpore ``versions``. ``text`` is the difference's own."""

    difference: str
    risk: str
    text: Text
    versions: list[str]
    evidence: list[FindingEvidence]


def opposed(source: Claim, target: Claim) -> bool:
    """Whether what the two claims say of their APIs cannot both be said of one API."""
    kinds = (source.kind, target.kind)
    if kinds in _OPPOSITE or kinds[::-1] in _OPPOSITE:
        return True
    if source.returns and target.returns:
        structure = source.returns.structure
        for ours, theirs in _SAME_HANDLE.items():
            structure = structure.replace(ours, theirs)
        return structure != target.returns.structure
    if source.equals and target.equals:
        return source.equals.value != target.equals.value
    if source.aliases and target.aliases:
        return source.aliases.share is not target.aliases.share
    return False


def findings(
    differences: Iterable[Difference],
    texts: Mapping[str, Text],
    claims: Mapping[str, tuple[Claim, ClaimEntry]],
    names: tuple[str, str],
) -> tuple[list[Finding], list[Finding]]:
    """What runs show the target to do otherwise than the source, and what it could not be seen to do at all.

    ``texts``: of each difference by ID; ``claims``: of both APIs by full ID; ``names``: of source and target. Only
    differences count that change what ported code does, and only where the source does what is claimed of it.
    """
    behaviour: list[Finding] = []
    lacking: list[Finding] = []
    for difference in differences:
        if difference.risk not in {Risk.SILENT, Risk.ERROR} or difference.kind is DifferenceKind.DOCUMENTATION:
            continue
        source = [claims[f"{names[0]}#{name}"] for name in difference.source_claims]
        target = [claims[f"{names[1]}#{name}"] for name in difference.target_claims]
        if not source or not all(_outcomes(entry.summary) == {"holds"} for _, entry in source):
            continue
        # What a backend lacks says nothing of the function: it is told apart, and nothing else is told as lacking.
        support = difference.kind is DifferenceKind.BACKEND_SUPPORT
        shown, absent = _versions([claim for claim, _ in source], target)
        versions, findings = (absent | shown, lacking) if support else (shown, behaviour)
        if not versions:
            continue
        lines = [line for _, entry in source for line in _evidence(entry, "torch")]
        ordered = sorted(versions, key=Version)
        lines += [line for v in ordered for entry in versions[v] for line in _evidence(entry, "mindspore", v)]
        text = texts[difference.id]
        findings.append(
            Finding(difference=difference.id, risk=difference.risk.value, text=text, versions=ordered, evidence=lines)
        )
    return behaviour, lacking


_ByVersion = dict[str, list[ClaimEntry]]


def _versions(source: list[Claim], target: list[tuple[Claim, ClaimEntry]]) -> tuple[_ByVersion, _ByVersion]:
    """The MindSpore versions in which claims of the target tell it apart, and those in which none could be observed."""
    shown: _ByVersion = {}
    lacking: _ByVersion = {}
    for version in dict.fromkeys(row.framework_version for _, entry in target for row in entry.summary):
        seen = {
            entry.id: _outcomes(row for row in entry.summary if row.framework_version == version) for _, entry in target
        }
        telling = [entry for claim, entry in target if _tells(claim, seen[entry.id], source)]
        if telling:
            shown[version] = telling
        elif all(outcomes <= _LACKING for outcomes in seen.values()) and any(seen.values()):
            lacking[version] = [entry for _, entry in target if seen[entry.id]]
    return shown, lacking


def _tells(claim: Claim, outcomes: set[str], source: list[Claim]) -> bool:
    """Whether the outcomes of a claim on the target set it apart.

    What the source does is refuted of the target, or the opposite is shown by the same call: a probe of the same name.
    """
    against = [other for other in source if opposed(other, claim)]
    if not against:
        return "refuted" in outcomes
    same_call = any(set(other.probes) & set(claim.probes) or other.probes == claim.probes == [] for other in against)
    return same_call and outcomes == {"holds"}


def _outcomes(rows: Iterable[ObservedSummary]) -> set[str]:
    return {row.outcome for row in rows}


def _evidence(entry: ClaimEntry, framework: str, version: str | None = None) -> Iterable[FindingEvidence]:
    for row in entry.summary:
        telling = telling_observation(entry, row)
        if telling and row.framework == framework and version in {None, row.framework_version}:
            facts = telling.facts[:EVIDENCE_LINES]
            yield FindingEvidence(claim=entry.id, run=telling.run, verdict=row, facts=facts)
