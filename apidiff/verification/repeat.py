"""Makes one sample of one mapping again with both frameworks, and judges it: what a reader does who doubts a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from apidiff.database import Data
from apidiff.database.devices import Device
from apidiff.database.single_runs import SingleTraces
from apidiff.errors import ApidiffError
from apidiff.execute.single.records import make_records
from apidiff.judge.pairs import judge_target, unsupported_by
from apidiff.model.agreement import FacetVerdict
from apidiff.model.mapping import Mapping
from apidiff.model.sample import resolve_sample
from apidiff.model.sample_calls import samples_of, source_call, target_call, with_extracted
from apidiff.model.sample_run import SampleRun
from apidiff.verification.samples import verdict_changed


@dataclass(frozen=True)
class RepeatedTarget:
    """One target's call of the sample on one device: what it showed, what follows, and what is recorded."""

    target: str
    version: str
    device: str
    run: SampleRun
    verdicts: Sequence[FacetVerdict]
    recorded: Sequence[FacetVerdict]

    @property
    def changed(self) -> bool:
        """Whether a verdict is not what is recorded; nothing recorded is no change."""
        former = {verdict.facet: verdict for verdict in self.recorded}
        return any(
            verdict.facet in former and verdict_changed(former[verdict.facet], verdict) for verdict in self.verdicts
        )


@dataclass(frozen=True)
class RepeatedSample:
    """What PyTorch gave, and what each target did. ``version``: PyTorch's."""

    version: str
    source: SampleRun
    targets: Sequence[RepeatedTarget]


def repeat_sample(
    data: Data, mapping: str, sample: str, devices: Sequence[Device], logs: Path, *, extracted: bool
) -> RepeatedSample:
    """Make one sample of ``mapping`` with its source and with every target that takes it.

    ``extracted``: the sample is one of those extracted for the source, not one written in the record. Raises ApidiffError where
    there is no such sample, or a framework is missing.
    """
    if missing := {"torch", "mindspore"} - {device.framework for device in devices}:
        raise ApidiffError(
            f"verify: a sample is made with both frameworks, and {missing.pop()} cannot be imported here."
            " Install it: pip install 'apidiff[torch,mindspore]'"
        )
    narrowed = _narrowed(data, mapping, sample, extracted=extracted)
    records = make_records(narrowed, devices, lambda _: [], logs, [mapping], extracted=extracted)
    written = narrowed.mappings[mapping]
    sampled = with_extracted(written, narrowed.extracted) if extracted else written
    assert sampled is not None
    overridden = narrowed.extracted[mapping].tolerances if extracted else None
    unsupported = unsupported_by(data.devices)
    made = SingleTraces(("this run", record) for record in records)
    former = data.traces()
    version, device = made.places("torch")[0]
    source = made.find("torch", version, device, mapping, source_call(sampled, sample).digest)
    assert source is not None
    targets = []
    for target in sampled.targets:
        spec = target_call(sampled, target, sample).digest
        recorded = {
            (found.target_version, found.device): found.verdicts
            for found in judge_target(sampled, target, former, unsupported, overridden)
        }
        for found in judge_target(sampled, target, made, unsupported, overridden):
            place = found.target_version, found.device
            run = made.find("mindspore", *place, mapping, spec)
            assert run is not None
            targets.append(RepeatedTarget(target.api.name, *place, run[1], found.verdicts, recorded.get(place, ())))
    return RepeatedSample(version, source[1], targets)


def _narrowed(data: Data, key: str, sample: str, *, extracted: bool) -> Data:
    """The data with this sample alone, and the targets that take it."""
    mapping = data.mappings[key]
    if extracted:
        whole = data.extracted.get(key)
        names = list(whole.samples) if whole else []
    else:
        names = list(mapping.samples)
    if sample not in names:
        kind = "extracted" if extracted else "written"
        shown = ", ".join(names) or "none"
        raise ApidiffError(f"verify: {key} has no {kind} sample {sample!r}. There are: {shown}.")
    if extracted:
        assert whole is not None
        one = msgspec.structs.replace(whole, samples={sample: whole.samples[sample]})
        return replace(data, extracted={key: one})
    return replace(data, mappings={**data.mappings, key: _with_one(mapping, sample)})


def _with_one(mapping: Mapping, sample: str) -> Mapping:
    targets = [target for target in mapping.targets if sample in samples_of(mapping, target)]
    samples = {sample: resolve_sample(mapping.samples, sample)}
    return msgspec.structs.replace(mapping, samples=samples, targets=targets)
