"""Compares the verdicts of two runs, claim by claim: one made now with its record, or two records with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from apidiff.database import Data
from apidiff.judge import Context, observe
from apidiff.messages.escape_invisible import unbroken
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.claim import Claim
from apidiff.model.mapping import Api
from apidiff.model.signed import Signed
from apidiff.model.trace import RunRecord, backend_name
from apidiff.model.verdict import Observation
from apidiff.model.version import Version

# A verdict's place: the API, the claim, the probe.
_Place = tuple[str, str, str]


@dataclass(frozen=True)
class Change:
    """A verdict that is not what was recorded. ``before`` is None where nothing was recorded for the probe."""

    claim: str
    before: Observation | None
    now: Observation

    def text(self) -> str:
        """Writes several lines for a person: the claim, where, what was recorded, what came now."""
        now = self.now
        backend = backend_name(now.backend, now.device)
        where = f"{now.framework} {now.framework_version}, {backend}, world size {now.world_size}, probe {now.probe}"
        lines = [f"{self.claim} ({where})"]
        if self.before is None:
            lines.append("  recorded: nothing")
        else:
            lines.append(f"  recorded: {told(self.before)} [{self.before.run}]")
        return "\n".join([*lines, f"  now:      {told(now)}"])


def told(verdict: Observation, said: Callable[[str], str] = str) -> str:
    """Writes an outcome with its evidence on one line, whatever a framework printed. ``said`` writes each fact."""
    facts = f": {'; '.join(map(said, evidence_lines(verdict.facts, 'en')))}" if verdict.facts else ""
    return unbroken(f"{verdict.outcome.value}{facts}")


def base_record(data: Data, run: RunRecord) -> tuple[str, RunRecord] | None:
    """Finds the record of this project to compare ``run`` with.

    It has the same backend, device and world size, and the same version or else the newest. Of several a whole one leads,
    then the latest. Records of others decide nothing, so none of them is taken.
    """
    alike = [pair for pair in data.runs if _ran_alike(pair[1], run)]
    same_version = [pair for pair in alike if pair[1].framework_version == run.framework_version]
    return max(same_version or alike, key=lambda pair: _standing(pair[1]), default=None)


def recorded_by_others(data: Data, run: RunRecord) -> list[str]:
    """Names, where this project has no record to compare ``run`` with, whose records there are; known signers come first."""
    if base_record(data, run) is not None:
        return []
    makers = [
        measurer(Maker(record.measured_by, signed.trust, signed.signer), "en")
        for run_id, record in [*data.signed_runs, *data.unsigned_runs]
        for signed in [data.signed.get(run_id, Signed())]
        if _ran_alike(record, run)
    ]
    return list(dict.fromkeys(makers))


def _ran_alike(record: RunRecord, run: RunRecord) -> bool:
    places = [(one.framework, one.backend, one.device, one.world_size) for one in (record, run)]
    return places[0] == places[1]


def _standing(record: RunRecord) -> tuple[Version, bool, str]:
    return Version(record.framework_version), not record.stopped, record.date


def observations(
    apis: Iterable[Api], run_id: str, record: RunRecord, context: Context
) -> Iterator[tuple[Api, Claim, Observation]]:
    """Makes every verdict that a record gives on the claims of ``apis``."""
    for api in apis:
        for claim in api.claims:
            for verdict in observe(claim, api, run_id, record, context):
                yield api, claim, verdict


def compare(
    apis: Sequence[Api], recorded: tuple[str, RunRecord] | None, run: RunRecord, context: Context
) -> list[Change]:
    """Finds the verdicts of ``run`` that differ in outcome from the recorded ones, in the order of claims.

    A verdict that the record of the same version lacks counts as a change: the record is to be made anew. None recorded
    at all, or only for another version, is no change.
    """
    if recorded is None:
        return []
    same_version = recorded[1].framework_version == run.framework_version
    before = {
        (f"{api.name}#{claim.id}", verdict.probe): verdict
        for api, claim, verdict in observations(apis, *recorded, context)
    }
    changes = []
    for api, claim, verdict in observations(apis, "this run", run, context):
        claim_id = f"{api.name}#{claim.id}"
        former = before.get((claim_id, verdict.probe))
        if (former is None and same_version) or (former and former.outcome is not verdict.outcome):
            changes.append(Change(claim_id, former, verdict))
    return changes


@dataclass(frozen=True)
class Difference:
    """How the verdicts of two records differ.

    ``differ``: both verdicts by place. ``only``: the places that the first record alone has, and the second alone. ``same``: how
    many verdicts are alike.
    """

    differ: dict[_Place, tuple[Observation, Observation]]
    only: tuple[list[_Place], list[_Place]]
    same: int = 0

    def __bool__(self) -> bool:
        return bool(self.differ or any(self.only))

    def lines(self, said: Callable[[str], str] = str) -> Iterator[str]:
        """Writes it for a person. Probes with the same two verdicts stand together; what one record lacks is counted by API.

        ``said`` writes each fact: in quotes where a stranger may have made it.
        """
        alike: dict[tuple[str, str, str, str], list[str]] = {}
        for (api, claim, probe), (before, after) in self.differ.items():
            alike.setdefault((api, claim, told(before, said), told(after, said)), []).append(probe)
        for (api, claim, first, second), probes in alike.items():
            yield f"{api}#{claim} (probe{'s' if len(probes) > 1 else ''} {', '.join(probes)})"
            yield f"  first:  {first}"
            yield f"  second: {second}"
        for which, places in zip(("first", "second"), self.only, strict=True):
            for api, count in Counter(api for api, *_ in places).items():
                yield f"only in the {which}: {api}, {count} verdict{'s' if count > 1 else ''}"
        lacking = [len(places) for places in self.only]
        yield f"verdicts that differ: {len(self.differ)}; only in the first: {lacking[0]}; only in the second: {lacking[1]}"


def difference(
    apis: Sequence[Api], first: tuple[str, RunRecord], second: tuple[str, RunRecord], context: Context
) -> Difference:
    """Compares the verdicts of two records on ``apis`` by their outcomes, in the order of claims."""
    before, after = (
        {(api.name, claim.id, verdict.probe): verdict for api, claim, verdict in observations(apis, *record, context)}
        for record in (first, second)
    )
    differ = {
        place: (verdict, after[place])
        for place, verdict in before.items()
        if place in after and after[place].outcome is not verdict.outcome
    }
    only = [place for place in before if place not in after], [place for place in after if place not in before]
    return Difference(differ, only, len(before) - len(only[0]) - len(differ))
