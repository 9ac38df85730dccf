"""Verifies mappings with single execution: runs their samples, judges them, and compares with what is recorded."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from apidiff.database import Data
from apidiff.database.devices import Device, load_devices
from apidiff.database.single_runs import SingleTraces
from apidiff.errors import ApidiffError
from apidiff.execute.single.brief import digest
from apidiff.execute.single.records import Progress, make_records
from apidiff.execute.single.run import Key
from apidiff.judge.pairs import (
    Unsupported,
    disagreeing,
    judge_target,
    reading_nothing,
    source_run,
    unsupported_by,
)
from apidiff.messages.evidence import evidence_lines
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.mapping import Mapping
from apidiff.model.sample_calls import with_extracted
from apidiff.model.sample_run import SingleRecord
from apidiff.model.verdict import EvidenceCode
from apidiff.model.vocabulary import Execution

_NOW = "this run"
# Mapping, target, its version, device, sample, facet.
_Place = tuple[str, str, str, str, str, Facet]


@dataclass(frozen=True)
class AgreementChange:
    """A verdict on a facet that is not what is recorded; ``before`` is None where nothing is."""

    target: str
    version: str
    device: str
    before: FacetVerdict | None
    now: FacetVerdict

    def text(self) -> str:
        """Several lines a person can read: the sample and the facet, what was recorded, what came now."""
        now = self.now
        lines = [
            f"{self.target} (MindSpore {self.version}, {self.device}, sample {now.sample}, facet {now.facet.value})"
        ]
        lines.append(f"  recorded: {_told(self.before) if self.before else 'nothing'}")
        return "\n".join([*lines, f"  now:      {_told(now)}"])


@dataclass(frozen=True)
class SingleResult:
    """What a run of samples gave: a record per device, the verdicts by target, and those that are not what is recorded.

    ``disagreeing``: by target, the samples of each verdict other than ``agrees``, by facet.
    """

    records: list[SingleRecord]
    counts: dict[str, Counter[Agreement]]
    disagreeing: dict[str, dict[tuple[Facet, Agreement], list[str]]]
    changes: list[AgreementChange]
    compared: bool


def devices_here(framework: str | None = None, device: str = "cpu") -> list[Device]:
    """The frameworks that are installed, on ``device``. Raises ApidiffError where none is."""
    wanted = [one for one in load_devices() if framework in {None, one.framework} and one.device == device]
    if not wanted:
        raise ApidiffError(f"verify: conf/single.toml describes no {framework or 'framework'} on {device}.")
    here = [one for one in wanted if importlib.util.find_spec(one.framework)]
    if not here:
        names = " and ".join(dict.fromkeys(one.framework for one in wanted))
        raise ApidiffError(
            f"verify: {names} cannot be imported here. Install it: pip install 'apidiff[torch,mindspore]'"
        )
    return here


def verify_samples(
    data: Data,
    devices: Sequence[Device],
    logs: Path,
    mappings: Collection[str] | None = None,
    progress: Progress = lambda _total, _done, _what: None,
    *,
    extracted: bool = False,
) -> SingleResult:
    """Runs the samples of every mapping with single execution, or of ``mappings``, and judges them.

    ``extracted``: those extracted for each source, in place of those written in the mapping. A side whose framework is not
    among ``devices`` is taken from the records that decide. Verdicts other than ``agrees`` are confirmed in fresh
    processes. Raises ProcessStartError where a framework does not come up.
    """
    chosen = [
        sampled
        for key, mapping in data.mappings.items()
        if mapping.execution is Execution.SINGLE and (mappings is None or key in mappings)
        for sampled in [with_extracted(mapping, data.extracted) if extracted else mapping]
        if sampled is not None
    ]
    unsupported = unsupported_by(data.devices)
    judged = _Judged(chosen, unsupported, data if extracted else None)

    def doubtful(records: Sequence[SingleRecord]) -> set[Key]:
        traces = _with(records, data)
        return {
            key
            for mapping in chosen
            for key in (
                *disagreeing(mapping, traces, unsupported, judged.tolerances(mapping)),
                *reading_nothing(mapping),
            )
        }

    records = make_records(data, devices, doubtful, logs, mappings, progress, extracted=extracted)
    places = {(record.framework_version, record.device) for record in records if record.framework == "mindspore"}
    now = judged.verdicts(_with(records, data))
    before = judged.verdicts(data.traces())
    known = {(version, device) for _, _, version, device, _, _ in before}
    if extracted:
        records = _without_agreeing(records, now, chosen, _with(records, data))
    else:
        records = [_without_agreeing_graphs(record, now) for record in records]
    counts: dict[str, Counter[Agreement]] = {}
    unlike: dict[str, dict[tuple[Facet, Agreement], list[str]]] = {}
    changes = []
    for place, verdict in now.items():
        _, target, version, device, _, _ = place
        if places and (version, device) not in places:
            continue  # of another version, of which only the source was made anew
        counts.setdefault(target, Counter())[verdict.agreement] += 1
        if verdict.agreement is not Agreement.AGREES:
            unlike.setdefault(target, {}).setdefault((verdict.facet, verdict.agreement), []).append(verdict.sample)
        former = former_verdict(before, place)
        if (version, device) in known and (former is None or verdict_changed(former, verdict)):
            changes.append(AgreementChange(target, version, device, former, verdict))
    return SingleResult(records, counts, unlike, changes, compared=bool(known & places if places else known))


def former_verdict(before: AbstractMapping[_Place, FacetVerdict], place: _Place) -> FacetVerdict | None:
    """What is recorded of a facet; of one that is not, the verdict on the values where these came out either way.

    Values that are others each time decide which other facets of them are judged.
    """
    value = before.get((*place[:-1], Facet.VALUE))
    return before.get(place) or (value if value is not None and _is_either_way(value) else None)


def verdict_changed(former: FacetVerdict, now: FacetVerdict) -> bool:
    """Whether a verdict is not what is recorded.

    What comes out either way is no change: recorded as flaky or as another value each time, or so now where one of its tries
    shows what is recorded.
    """
    known = {Agreement.AGREES, Agreement.DIFFERS, Agreement.FLAKY}
    if _is_either_way(former):
        return now.agreement not in known
    if _is_unrepeated(now):
        return former.agreement not in known
    return former.agreement is not now.agreement and (former.agreement, now.agreement) != (
        Agreement.DIFFERS,
        Agreement.FLAKY,
    )


def _is_either_way(verdict: FacetVerdict) -> bool:
    return verdict.agreement is Agreement.FLAKY or _is_unrepeated(verdict)


def _is_unrepeated(verdict: FacetVerdict) -> bool:
    return any(fact.code is EvidenceCode.UNREPEATED for fact in verdict.facts)


def _with(records: Sequence[SingleRecord], data: Data) -> SingleTraces:
    """The traces of a run, before those of the records that decide."""
    return data.traces((_NOW, record) for record in records)


def _without_agreeing(
    records: Sequence[SingleRecord],
    verdicts: AbstractMapping[_Place, FacetVerdict],
    mappings: Sequence[Mapping],
    traces: SingleTraces,
) -> list[SingleRecord]:
    """``records`` in which a target's run that agrees in every facet says so in place of its trace."""
    shown: dict[tuple[str, ...], list[FacetVerdict]] = {}
    for place, verdict in verdicts.items():
        shown.setdefault(place[:-1], []).append(verdict)
    named = {mapping.id: mapping for mapping in mappings}
    kept = []
    for record in records:
        if record.framework == "torch":
            kept.append(record)
            continue
        runs = []
        for run in record.samples:
            key = run.mapping, run.api, record.framework_version, record.device, run.sample
            facets = [one.facet.value for one in shown.get(key, ()) if one.agreement is Agreement.AGREES]
            source = source_run(named[run.mapping], run.sample, traces, record.device)
            if source is None or run.again is not None or not facets or len(facets) < len(shown[key]):
                runs.append(run)
            else:
                runs.append(msgspec.structs.replace(run, trace=None, agrees=facets, against=digest(source)))
        kept.append(msgspec.structs.replace(record, samples=runs))
    return kept


def _without_agreeing_graphs(record: SingleRecord, verdicts: AbstractMapping[_Place, FacetVerdict]) -> SingleRecord:
    """``record`` in which a graph that did what the call itself does says so in place of its trace."""
    runs = []
    for run in record.samples:
        place = run.mapping, run.api, record.framework_version, record.device, run.sample, Facet.GRAPH
        verdict = verdicts.get(place)
        if run.graph is not None and verdict is not None and verdict.agreement is Agreement.AGREES:
            brief = msgspec.structs.replace(run.graph, trace=None, agrees=[Facet.GRAPH.value], against=digest(run))
            runs.append(msgspec.structs.replace(run, graph=brief))
        else:
            runs.append(run)
    return msgspec.structs.replace(record, samples=runs)


@dataclass(frozen=True)
class _Judged:
    """How the samples of some mappings are judged. ``data``: whose extracted samples they are; None for written ones."""

    mappings: Sequence[Mapping]
    unsupported: Unsupported
    data: Data | None

    def tolerances(self, mapping: Mapping) -> AbstractMapping[str, Tolerance] | None:
        """Tolerances other than the usual ones of an extracted sample; None for a written one."""
        return None if self.data is None else self.data.extracted[mapping.source.name].tolerances

    def verdicts(self, traces: SingleTraces) -> dict[_Place, FacetVerdict]:
        """The verdict of every target, version, device, sample and facet."""
        return {
            (mapping.id, target.api.name, found.target_version, found.device, verdict.sample, verdict.facet): verdict
            for mapping in self.mappings
            for target in mapping.targets
            for found in judge_target(mapping, target, traces, self.unsupported, self.tolerances(mapping))
            for verdict in found.verdicts
        }


def _told(verdict: FacetVerdict) -> str:
    lines = evidence_lines(verdict.facts, "en")
    return verdict.agreement.value + (f": {'; '.join(lines)}" if lines else "")
