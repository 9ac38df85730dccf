"""Finds what known signers' records of single calls say: beside this project's own, which decide, or of other places."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from apidiff.database import Data
from apidiff.database.single_runs import SingleTraces
from apidiff.judge.pairs import PairVerdicts, Unsupported, judge_target
from apidiff.model.agreement import Agreement, FacetVerdict, worst_agreement
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.mapping import Mapping as ApiMapping
from apidiff.model.mapping import Target
from apidiff.model.sample_run import SingleRecord
from apidiff.model.version import read_version
from apidiff.model.views import AgreementDispute

# By version, device and facet of a target.
Disputes = Mapping[tuple[str, str, str], Sequence[AgreementDispute]]


_MOST_VERSIONS = 4  # of the source that one signer ran: every record of the target is judged with each


class Beside(NamedTuple):
    """What known signers' records say of a target.

    ``disputes``: what they say otherwise than this project's own of the same samples.
    ``elsewhere``: what they say of versions, devices and samples that this project did not run.
    """

    disputes: Disputes
    elsewhere: Sequence[PairVerdicts]


class _Foreign(NamedTuple):
    """A record of a known signer: who signed it, the mappings it is of, and all traces with its own before the others.

    ``apart``: of a record of the target, what this project may not have run of the source: the record with that signer's of
    the source alone, for each of the newest versions of it.
    """

    run: str
    signer: str
    mappings: frozenset[str]
    traces: SingleTraces
    apart: tuple[SingleTraces, ...]


class BesideOurs:
    """Compares what this project's records show, the traces ``ours``, with what it would be by each signed record."""

    def __init__(self, data: Data, unsupported: Unsupported, ours: SingleTraces) -> None:
        self._unsupported, self._ours = unsupported, ours
        of_source = _of_source(data)
        self._records = [
            _Foreign(
                key,
                data.signed[key].signer,
                frozenset(run.mapping for run in record.samples),
                SingleTraces([(key, record)], ours),
                tuple(
                    SingleTraces([(key, record)], source)
                    for source in of_source.get(data.signed[key].signer, ())
                    if record.framework != "torch"
                ),
            )
            for key, record in data.signed_single_runs
        ]

    def said(
        self,
        mapping: ApiMapping,
        target: Target,
        pairs: Sequence[PairVerdicts],
        overridden: Mapping[str, Tolerance] | None = None,
    ) -> Beside:
        """What each such record says; ``pairs`` is what ours say."""
        ours = {(pair.target_version, pair.device): pair for pair in pairs}
        disputes: dict[tuple[str, str, str], list[AgreementDispute]] = {}
        elsewhere: list[PairVerdicts] = []
        for record in self._records:
            if mapping.id not in record.mappings:
                continue
            for theirs in self._judged(record, mapping, target, overridden):
                if record.run not in theirs.runs:
                    continue
                place = theirs.target_version, theirs.device
                told = dataclasses.replace(theirs, told_by=record.run)
                if place not in ours:
                    elsewhere.append(told)
                    continue
                if ours[place].source_version != theirs.source_version:
                    elsewhere.append(theirs if theirs.told_by else told)
                    continue
                judged = {verdict.sample for verdict in ours[place].verdicts}
                if more := tuple(verdict for verdict in theirs.verdicts if verdict.sample not in judged):
                    elsewhere.append(dataclasses.replace(told, verdicts=more))
                for facet, agreements in _otherwise(ours[place], theirs):
                    dispute = AgreementDispute(
                        run=record.run,
                        signer=record.signer,
                        agreement=worst_agreement(agreements).value,
                        counts={one.value: agreements[one] for one in Agreement if agreements[one]},
                    )
                    disputes.setdefault((*place, facet), []).append(dispute)
        return Beside(disputes, elsewhere)

    def _judged(
        self, record: _Foreign, mapping: ApiMapping, target: Target, overridden: Mapping[str, Tolerance] | None
    ) -> Sequence[PairVerdicts]:
        """What ``record`` says beside ours, and beside the signer's own of the source on samples that ours leave out."""
        judged = list(judge_target(mapping, target, record.traces, self._unsupported, overridden, self._ours))
        for traces in record.apart:
            for pair in judge_target(mapping, target, traces, self._unsupported, overridden):
                at_place = [
                    one for one in judged if (one.target_version, one.device) == (pair.target_version, pair.device)
                ]
                known = {verdict.sample for one in at_place for verdict in one.verdicts}
                more = tuple(verdict for verdict in pair.verdicts if verdict.sample not in known)
                same = next((one for one in at_place if one.source_version == pair.source_version), None)
                if more and same is not None:
                    runs = tuple(dict.fromkeys([*same.runs, *pair.runs]))
                    together = dataclasses.replace(same, runs=runs, verdicts=(*same.verdicts, *more))
                    judged[judged.index(same)] = together
                elif more:
                    # Where ours ran the target, the source is what they did not.
                    judged.append(dataclasses.replace(pair, verdicts=more, told_by=pair.runs[0]))
        return judged


def _of_source(data: Data) -> dict[str, list[SingleTraces]]:
    """The traces of the source by who signed their records, for each of its newest versions."""
    records: dict[str, dict[str, list[tuple[str, SingleRecord]]]] = {}
    for key, record in data.signed_single_runs:
        if record.framework == "torch":
            versions = records.setdefault(data.signed[key].signer, {})
            versions.setdefault(record.framework_version, []).append((key, record))
    traces: dict[str, list[SingleTraces]] = {}
    for signer, versions in records.items():
        newest = sorted(versions, key=read_version, reverse=True)[:_MOST_VERSIONS]
        traces[signer] = [SingleTraces(some) for version, some in versions.items() if version in newest]
    return traces


def _otherwise(ours: PairVerdicts, theirs: PairVerdicts) -> Iterator[tuple[str, Counter[Agreement]]]:
    """The facets in which samples came out otherwise, with how many of these came out how."""
    by_sample = _by_sample(ours.verdicts)
    facets: dict[str, Counter[Agreement]] = {}
    for (facet, sample), agreement in _by_sample(theirs.verdicts).items():
        if by_sample.get((facet, sample), agreement) is not agreement:
            facets.setdefault(facet, Counter())[agreement] += 1
    yield from facets.items()


def _by_sample(verdicts: Iterable[FacetVerdict]) -> dict[tuple[str, str], Agreement]:
    return {(verdict.facet.value, verdict.sample): verdict.agreement for verdict in verdicts}
