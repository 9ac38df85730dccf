"""Verifies mappings with single execution: runs their samples, judges them, and compares with what is recorded."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from apidiff.database import Data
from apidiff.database.devices import Device, load_devices
from apidiff.database.single_runs import SingleTraces
from apidiff.errors import ApidiffError
from apidiff.execute.single.records import Progress, make_records
from apidiff.execute.single.run import Key
from apidiff.judge.pairs import Unsupported, disagreeing, judge_target, unsupported_by
from apidiff.messages.evidence import evidence_lines
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.mapping import Mapping
from apidiff.model.sample_run import SingleRecord
from apidiff.model.vocabulary import Execution

_NOW = "this run"
# Target, its version, device, sample, facet.
_Place = tuple[str, str, str, str, Facet]


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


def devices_here(framework: str | None = None) -> list[Device]:
    """The devices whose framework is installed. Raises ApidiffError where none is."""
    wanted = [one for one in load_devices() if framework in {None, one.framework}]
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
) -> SingleResult:
    """Runs the samples of every mapping with single execution, or of ``mappings``, and judges them.

    A side whose framework is not among ``devices`` is taken from the records that there are. Verdicts other than ``agrees`` are
    confirmed in fresh processes. Raises ProcessStartError where a framework does not come up.
    """
    chosen = [
        mapping
        for key, mapping in data.mappings.items()
        if mapping.execution is Execution.SINGLE and (mappings is None or key in mappings)
    ]
    unsupported = unsupported_by(load_devices())

    def doubtful(records: Sequence[SingleRecord]) -> set[Key]:
        traces = _with(records, data)
        return {key for mapping in chosen for key in disagreeing(mapping, traces, unsupported)}

    records = make_records(data, devices, doubtful, logs, mappings, progress)
    places = {(record.framework_version, record.device) for record in records if record.framework == "mindspore"}
    now = _verdicts(chosen, _with(records, data), unsupported)
    before = _verdicts(chosen, SingleTraces(data.single_runs), unsupported)
    counts: dict[str, Counter[Agreement]] = {}
    unlike: dict[str, dict[tuple[Facet, Agreement], list[str]]] = {}
    changes = []
    for place, verdict in now.items():
        target, version, device, _, _ = place
        if places and (version, device) not in places:
            continue  # of another version, of which only the source was made anew
        counts.setdefault(target, Counter())[verdict.agreement] += 1
        if verdict.agreement is not Agreement.AGREES:
            unlike.setdefault(target, {}).setdefault((verdict.facet, verdict.agreement), []).append(verdict.sample)
        former = before.get(place)
        if before and (former is None or _changed(former.agreement, verdict.agreement)):
            changes.append(AgreementChange(target, version, device, former, verdict))
    return SingleResult(records, counts, unlike, changes, compared=bool(before))


def _changed(former: Agreement, now: Agreement) -> bool:
    """Whether a verdict is not what is recorded.

    What comes out either way is no change: recorded as flaky, or flaky now where one of its tries shows what is recorded.
    """
    if former is Agreement.FLAKY:
        return now not in {Agreement.AGREES, Agreement.DIFFERS, Agreement.FLAKY}
    return former is not now and (former, now) != (Agreement.DIFFERS, Agreement.FLAKY)


def _with(records: Sequence[SingleRecord], data: Data) -> SingleTraces:
    """The traces of a run, before those of the records that there are."""
    return SingleTraces([*((_NOW, record) for record in records), *data.single_runs])


def _verdicts(
    mappings: Sequence[Mapping], traces: SingleTraces, unsupported: Unsupported
) -> dict[_Place, FacetVerdict]:
    return dict(_placed(mappings, traces, unsupported))


def _placed(
    mappings: Sequence[Mapping], traces: SingleTraces, unsupported: Unsupported
) -> Iterator[tuple[_Place, FacetVerdict]]:
    for mapping in mappings:
        for target in mapping.targets:
            for found in judge_target(mapping, target, traces, unsupported):
                for one in found.verdicts:
                    yield (target.api.name, found.target_version, found.device, one.sample, one.facet), one


def _told(verdict: FacetVerdict) -> str:
    lines = evidence_lines(verdict.facts, "en")
    return verdict.agreement.value + (f": {'; '.join(lines)}" if lines else "")
