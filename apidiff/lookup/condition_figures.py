"""Counts the conditions under which samples differ, and how many samples that were held back they tell rightly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.database import Data
from apidiff.database.devices import load_devices
from apidiff.database.single_runs import SingleTraces
from apidiff.derive.sample_conditions import Checked
from apidiff.judge.pairs import PairVerdicts, judge_target, unsupported_by
from apidiff.messages.agreements import checked_conditions
from apidiff.messages.extracted_differences import checked_descriptions
from apidiff.model.base import Record
from apidiff.model.sample_calls import with_extracted
from apidiff.model.vocabulary import Execution


class ConditionFigures(Record, frozen=True, kw_only=True):
    """Of the differences that only some samples show: how they are told, and how that was checked.

    ``checked``: by a condition that tells at least 95 % of the samples held back rightly; ``unchecked``: by one that is exact on
    all samples, none of which that differs could be held back; ``some_inputs``: as "on some inputs", because nothing separates
    the samples or what did was refuted (``refuted``). ``held_back`` and ``right``: samples for checking, also those of conditions
    refuted: conditions that are told have passed the check, so that a share of theirs alone would be right by choice.
    """

    inputs: str
    differences: int
    checked: int
    unchecked: int
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
    kept = [checked for checked in every if checked.described]
    left = [checked for checked in every if not checked.described]
    return ConditionFigures(
        inputs=inputs,
        differences=len(every),
        checked=sum(checked.held_back > 0 for checked in kept),
        unchecked=sum(checked.held_back == 0 for checked in kept),
        some_inputs=len(left),
        refuted=sum(checked.held_back > 0 for checked in left),
        held_back=sum(checked.held_back for checked in every),
        right=sum(checked.right for checked in every),
    )


def _checks(data: Data) -> Iterator[tuple[str, Checked]]:
    traces, unsupported = SingleTraces(data.single_runs), unsupported_by(load_devices())
    for mapping in data.mappings.values():
        if mapping.execution is not Execution.SINGLE:
            continue
        sampled = with_extracted(mapping, data.extracted)
        for target in mapping.targets:
            for pair in _newest(judge_target(mapping, target, traces, unsupported)):
                for checked in checked_conditions(mapping, pair):
                    yield "written", checked
            if sampled is None or target not in sampled.targets:
                continue
            overridden = data.extracted[mapping.source.name].tolerances
            for pair in _newest(judge_target(sampled, target, traces, unsupported, overridden)):
                for checked in checked_descriptions(sampled, pair):
                    yield "extracted", checked


def _newest(found: Iterable[PairVerdicts]) -> list[PairVerdicts]:
    pairs = list(found)
    return [pair for pair in pairs if pair.target_version == pairs[0].target_version]
