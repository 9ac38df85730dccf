"""Finds the traces of both sides of a mapping in the records of single calls, and judges them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec

from apidiff.database.devices import Device
from apidiff.database.single_runs import SingleTraces
from apidiff.execute.single.brief import digest
from apidiff.judge.agreement import Pair, judge_pair
from apidiff.judge.graph_mode import judge_graph
from apidiff.model.agreement import Agreement, FacetVerdict
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.kept_for import KeptFor
from apidiff.model.mapping import Mapping as ApiMapping
from apidiff.model.mapping import Target
from apidiff.model.ranges import status_at
from apidiff.model.rule import Rule
from apidiff.model.sample import resolve_sample
from apidiff.model.sample_calls import rule_of, samples_of, source_call, target_call
from apidiff.model.sample_run import SampleRun
from apidiff.model.verdict import EvidenceCode, evidence
from apidiff.model.version import Version

Unsupported = Mapping[tuple[str, str], Sequence[re.Pattern[str]]]


@dataclass(frozen=True)
class PairVerdicts:
    """What two records say of one target at one version on one device.

    ``runs``: their IDs, the source's first. ``told_by``: the one of these for which the others were read, where it is one.
    """

    source_version: str
    target_version: str
    device: str
    runs: tuple[str, ...]
    verdicts: tuple[FacetVerdict, ...]
    told_by: str = ""


def unsupported_by(devices: Sequence[Device]) -> Unsupported:
    """The patterns of errors that say that a kernel is missing, by framework and device."""
    return {(one.framework, one.device): one.unsupported_patterns for one in devices}


def judge_target(
    mapping: ApiMapping,
    target: Target,
    traces: SingleTraces,
    unsupported: Unsupported,
    overridden: Mapping[str, Tolerance] | None = None,
    agreed_with: SingleTraces | None = None,
) -> Iterator[PairVerdicts]:
    """The verdicts on ``target`` at every version and device of which there are records, newest version first.

    ``overridden``: tolerances other than the usual ones where the samples are extracted ones, as of a `Pair`. A run that was
    seen to agree counts as long as the source's is the one that it agreed with, or that one is found in ``agreed_with``: it
    then stands for the target's, of which no trace was kept.
    The source's traces are those of the newest version of which there are any, on the same device, or on the CPU where there
    are none there.
    """
    places = [place for place in traces.places("mindspore") if status_at(target, Version(place[0])) is not None]
    calls = _calls(mapping, target) if places else []
    sources = _source_places(traces, mapping.id, [call.source for call in calls])
    digest_of_source = KeptFor(digest, len(calls) * len(places) + 1)
    for version, device in places:
        against = _place_for(device, sources)
        if against is None:
            continue
        verdicts: list[FacetVerdict] = []
        runs: dict[str, None] = {}
        patterns, rule = unsupported.get(("mindspore", device), ()), rule_of(target)
        for call in calls:
            source = traces.find("torch", *against, mapping.id, call.source)
            made = traces.find("mindspore", version, device, mapping.id, call.target)
            if source is None or made is None:
                continue
            stand_in = None
            if made[1].agrees and made[1].against != digest_of_source(source[1]):
                stand_in = _agreed_with(made[1], call.source, agreed_with)
                if stand_in is None:
                    continue
            runs |= {source[0]: None, made[0]: None}
            pair = Pair(
                call.sample,
                source[1],
                made[1],
                rule,
                patterns,
                call.gradient,
                call.random,
                overridden,
                call.reads_nothing,
            )
            if stand_in is not None:
                runs[stand_in.run] = None
                verdicts += _judged_by(stand_in, pair)
                continue
            verdicts += judge_pair(pair)
            random = call.random or made[1].again is not None
            if (graph := judge_graph(call.sample, made[1], random=random)) is not None:
                verdicts.append(graph)
        if verdicts:
            yield PairVerdicts(against[0], version, device, tuple(runs), tuple(verdicts))


class _Calls(NamedTuple):
    """What is called with one sample: the digests of both calls, and what a comparison has to know of them."""

    sample: str
    source: str
    target: str
    gradient: bool
    random: bool
    reads_nothing: bool


class _StandIn(NamedTuple):
    """The source's run that a target's agreed with: the record's ID, the version, the run."""

    run: str
    version: str
    made: SampleRun


def _agreed_with(made: SampleRun, spec: str, traces: SingleTraces | None) -> _StandIn | None:
    """The source's run in ``traces`` that ``made`` agreed with."""
    if traces is None:
        return None
    for place in traces.places("torch"):
        found = traces.find("torch", *place, made.mapping, spec)
        if found is not None and digest(found[1]) == made.against:
            return _StandIn(found[0], place[0], found[1])
    return None


def _judged_by(stand_in: _StandIn, pair: Pair) -> Iterator[FacetVerdict]:
    """The verdicts on the source's run beside the one that the target's agreed with, in the facets in which it did."""
    between = replace(pair, target=stand_in.made, rule=Rule(), unsupported=())
    for verdict in judge_pair(between):
        if verdict.facet.value in pair.target.agrees:
            differs = verdict.agreement is Agreement.DIFFERS
            # What the target itself returned is not known to the last place.
            fact = evidence(EvidenceCode.AGREED_WITH, version=stand_in.version)
            yield msgspec.structs.replace(verdict, facts=[fact]) if differs else verdict


def _calls(mapping: ApiMapping, target: Target) -> list[_Calls]:
    calls = []
    for sample in samples_of(mapping, target):
        source, resolved = source_call(mapping, sample), resolve_sample(mapping.samples, sample)
        random = bool(resolved.random or resolved.unwritten)
        made = target_call(mapping, target, sample)
        calls.append(_Calls(sample, source.digest, made.digest, source.gradient, random, source.reads_nothing))
    return calls


def source_run(mapping: ApiMapping, sample: str, traces: SingleTraces, device: str) -> SampleRun | None:
    """The run of the source that a target's on ``device`` is compared with."""
    spec = source_call(mapping, sample).digest
    against = _place_for(device, _source_places(traces, mapping.id, [spec]))
    found = against and traces.find("torch", *against, mapping.id, spec)
    return found[1] if found else None


def _source_places(traces: SingleTraces, mapping: str, specs: Sequence[str]) -> list[tuple[str, str]]:
    """The versions and devices where any of the calls ``specs`` of the source was made, newest version first."""
    return [
        place for place in traces.places("torch") if any(traces.find("torch", *place, mapping, spec) for spec in specs)
    ]


def _place_for(device: str, places: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """The one of the source's ``places`` that a target on ``device`` is compared with."""
    return next((place for wanted in (device, "cpu") for place in places if place[1] == wanted), None)


def disagreeing(
    mapping: ApiMapping,
    traces: SingleTraces,
    unsupported: Unsupported,
    overridden: Mapping[str, Tolerance] | None = None,
) -> Iterator[tuple[str, str, str]]:
    """Mapping, API and sample of every call, of source and target, that is part of a verdict other than ``agrees``."""
    for target in mapping.targets:
        for found in judge_target(mapping, target, traces, unsupported, overridden):
            for verdict in found.verdicts:
                if verdict.agreement is not Agreement.AGREES:
                    yield mapping.id, mapping.source.name, verdict.sample
                    yield mapping.id, target.api.name, verdict.sample


def reading_nothing(mapping: ApiMapping) -> Iterator[tuple[str, str, str]]:
    """Mapping, API and sample of every call that is given a tensor without elements: made once it may agree by chance."""
    for target in mapping.targets:
        for sample in samples_of(mapping, target):
            if source_call(mapping, sample).reads_nothing:
                yield mapping.id, mapping.source.name, sample
                yield mapping.id, target.api.name, sample
