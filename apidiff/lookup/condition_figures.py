"""Counts the conditions under which samples differ, and how many samples that were held back they tell rightly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.database import Data
from apidiff.derive.condition_check import Checked, Told
from apidiff.judge.pairs import PairVerdicts, judge_target, unsupported_by
from apidiff.messages.agreements import Elsewhere, checked_conditions
from apidiff.messages.extracted_differences import checked_descriptions
from apidiff.model.base import Record
from apidiff.model.sample_calls import with_extracted
from apidiff.model.vocabulary import Execution


class ConditionFigures(Record, frozen=True, kw_only=True):
    """Of the differences that only some samples show: how they are told, and how that was checked.

    ``rule``: by a condition that tells at least 95 % of the samples held back rightly; ``seen``: as what samples were seen with,
    ``alone`` of which nothing else can tell; ``some_inputs``: as "on some inputs", because nothing separates the samples or what
    did was refuted (``refuted``). ``held_back`` and ``right``: samples for checking, also those of conditions refuted: conditions
    that are told have passed the check, so that a share of theirs alone would be right by choice.
    """

    inputs: str
    differences: int
    rule: int
    seen: int
    alone: int
    some_inputs: int
    refuted: int
    held_back: int
    right: int


def condition_figures(data: Data) -> list[ConditionFigures]:
    """Judge every pair of the newest version that was run: figures of written samples, then of extracted ones."""
    checks: dict[str, list[Checked]] = {"written": [], "extracted": []}
    for inputs, checked in _checks(data):
        checks[inputs].append(checked)
    return [counted(inputs, told) for inputs, told in checks.items()]


def counted(inputs: str, checks: Iterable[Checked]) -> ConditionFigures:
    """Add up ``checks`` of samples of one origin."""
    every = list(checks)
    ways = {told: [checked for checked in every if checked.told is told] for told in Told}
    return ConditionFigures(
        inputs=inputs,
        differences=len(every),
        rule=len(ways[Told.RULE]),
        seen=len(ways[Told.SEEN]),
        alone=sum(checked.alone for checked in ways[Told.SEEN]),
        some_inputs=len(ways[Told.SOME_INPUTS]),
        refuted=sum(checked.held_back > 0 for checked in ways[Told.SOME_INPUTS]),
        held_back=sum(checked.held_back for checked in every),
        right=sum(checked.right for checked in every),
    )


def _checks(data: Data) -> Iterator[tuple[str, Checked]]:
    traces, unsupported = data.traces(), unsupported_by(data.devices)
    for mapping in data.mappings.values():
        if mapping.execution is not Execution.SINGLE:
            continue
        sampled = with_extracted(mapping, data.extracted)
        for target in mapping.targets:
            pairs = _newest(judge_target(mapping, target, traces, unsupported))
            written, extracted = Elsewhere(mapping, pairs), None
            if sampled is not None and target in sampled.targets:
                overridden = data.extracted[mapping.source.name].tolerances
                found = _newest(judge_target(sampled, target, traces, unsupported, overridden))
                extracted = Elsewhere(sampled, found)
                for pair in found:
                    for checked in checked_descriptions(sampled, pair, written):
                        yield "extracted", checked
            for pair in pairs:
                for checked in checked_conditions(mapping, pair, extracted):
                    yield "written", checked


def _newest(found: Iterable[PairVerdicts]) -> list[PairVerdicts]:
    pairs = list(found)
    return [pair for pair in pairs if pair.target_version == pairs[0].target_version]
