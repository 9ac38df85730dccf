"""Derives how far runs prove the rule of a target: a label for each MindSpore version and device."""

from __future__ import annotations

from collections.abc import Sequence

from apidiff.model.agreement import Agreement
from apidiff.model.views import AgreementEntry, RuleEntry


def rule_entries(agreements: Sequence[AgreementEntry], rule: str) -> list[RuleEntry]:
    """Label ``rule`` by what ``agreements`` say of its target, in their order of versions and devices.

    Where some samples have no kernel the rule is not verified: nobody saw what it gives there.
    """
    places: dict[tuple[str, str, str], list[AgreementEntry]] = {}
    for entry in agreements:
        places.setdefault((entry.framework_version, entry.source_version, entry.device), []).append(entry)
    return [_rule(place, entries, rule) for place, entries in places.items()]


def _rule(place: tuple[str, str, str], entries: list[AgreementEntry], rule: str) -> RuleEntry:
    version, source_version, device = place
    facets = list(dict.fromkeys(entry.facet for entry in entries if entry.agreement != Agreement.AGREES.value))
    run = any(entry.agreement != Agreement.NOT_RUN.value for entry in entries)
    return RuleEntry(
        framework_version=version,
        source_version=source_version,
        device=device,
        label="manual" if not run or not rule else "unsafe" if facets else "verified",
        facets=facets,
        rule=rule,
    )
