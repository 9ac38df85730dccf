"""Tells what runs say against documents: a statement is refuted only by a run of a version that its document speaks of."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum

from apidiff.model.verdict import Outcome
from apidiff.model.version import Version, release_of
from apidiff.model.views import ClaimEntry, ContradictedEntry, Entry, ObservedSummary


class Standing(Enum):
    """What runs of some versions make of a statement that they do not bear out."""

    REFUTED = "refuted"  # a run of a version that a document speaks of
    OUTDATED = "outdated"  # runs of other versions
    NOT_YET = "not_yet"  # runs of older versions than all documents speak of


def standing(row: ObservedSummary, speak_of: Collection[tuple[str, str]]) -> Standing:
    """What a verdict that is not borne out makes of what documents state. ``speak_of``: framework and version of each.

    What MindSpore's documents say of PyTorch is about no release that runs: they name none, or one of years ago.
    """
    versions = [Version(version) for framework, version in speak_of if framework == row.framework]
    run = Version(release_of(row.framework_version))
    if any(version.covers(run) for version in versions):
        return Standing.REFUTED
    return Standing.NOT_YET if versions and all(run < version for version in versions) else Standing.OUTDATED


def contradicted(summary: Iterable[ObservedSummary], speak_of: Collection[tuple[str, str]]) -> ContradictedEntry | None:
    """What runs say against a claim that documents state, the worst first; None where none do, or nothing states it.

    ``speak_of``: framework and version of each document.
    """
    against: dict[Standing, list[ObservedSummary]] = {}
    for row in summary:
        if speak_of and row.outcome == Outcome.REFUTED.value:
            against.setdefault(standing(row, speak_of), []).append(row)
    worst = next((way for way in Standing if way in against), None)
    if worst is None:
        return None
    rows = against[worst]
    versions = sorted({row.framework_version for row in rows}, key=lambda text: Version(release_of(text)), reverse=True)
    return ContradictedEntry(standing=worst.value, framework=rows[0].framework, versions=versions)


def refuted_claims(entry: Entry) -> list[ClaimEntry]:
    """The claims of a mapping that a document states and at least one run does not bear out."""
    return [claim for claim in entry.claims if claim.stated and any(row.outcome == "refuted" for row in claim.summary)]
