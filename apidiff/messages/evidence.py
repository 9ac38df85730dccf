"""Writes evidence as lines in the reader's language."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from apidiff.messages.labels import label
from apidiff.messages.phrases import place_text
from apidiff.model.base import Language
from apidiff.model.verdict import Evidence, EvidenceCode, Observation
from apidiff.model.views import ObservedEntry

_BETWEEN_SIDES = {
    EvidenceCode.SIDES_DIFFER,
    EvidenceCode.VALUES_DIFFER,
    EvidenceCode.SHARING_DIFFERS,
    EvidenceCode.NO_GRADIENT,
    EvidenceCode.GRAPH_DIFFERS,
    EvidenceCode.LESS_ACCURATE,
    EvidenceCode.SPECIAL_DIFFER,
    EvidenceCode.LAYOUT_DIFFERS,
}
"""Facts about one sample with both sides, which name places as a reader does."""


def evidence_lines(facts: Iterable[Evidence], language: Language) -> list[str]:
    """One line per fact: ``rank 1: tensor [10, 20] → [110, 220]``. Equal lines take memory once: many claims rest on one fact."""
    return [sys.intern(_line(fact, language)) for fact in facts]


def _line(fact: Evidence, language: Language) -> str:
    values = fact.values
    if fact.code is EvidenceCode.ATTEMPT:
        values = {**values, "outcome": label(f"outcome.{values['outcome']}", language)}
    if fact.code in _BETWEEN_SIDES:
        slots = {key: values[key] for key in ("slot", "other") if values.get(key, "").startswith("return")}
        values = {**values, **{key: getattr(place_text(slot), language) for key, slot in slots.items()}}
    if fact.code is EvidenceCode.SHARING_DIFFERS:
        values = {**values, **{side: label(f"sharing.{values[side]}", language) for side in ("source", "target")}}
    if fact.code is EvidenceCode.MOMENTS_DIFFER:
        values = {**values, "moment": label(f"moment.{values['moment']}", language)}
    if fact.code in {EvidenceCode.SIDE_ENDED, EvidenceCode.GRAPH_ENDED}:
        values = {**values, "end": label(f"outcome.{values['end']}", language)}
    words = label(f"fact.{fact.code.value}", language, **values)
    return words if fact.rank is None else label("evidence.rank", language, rank=fact.rank, fact=words)


def observed_entry(observation: Observation) -> ObservedEntry:
    """An observation with its facts in words."""
    english, chinese = (evidence_lines(observation.facts, language) for language in ("en", "zh"))
    return ObservedEntry(
        outcome=observation.outcome,
        framework=observation.framework,
        framework_version=observation.framework_version,
        backend=observation.backend,
        device=observation.device,
        world_size=observation.world_size,
        probe=observation.probe,
        run=observation.run,
        facts=observation.facts,
        measured_by=observation.measured_by,
        trust=observation.trust,
        signer=observation.signer,
        evidence=english,
        evidence_zh=chinese if chinese != english else [],
    )
