"""Compares the verdicts of a run with those recorded before, claim by claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from apidiff.judge import Context, observe
from apidiff.messages.evidence import evidence_lines
from apidiff.model import Api, Claim, Observation, RunRecord, Version
from apidiff.model.trace import backend_name


@dataclass(frozen=True)
class Change:
    """A verdict that is not what was recorded. ``before`` is None where nothing was recorded for the probe."""

    claim: str
    before: Observation | None
    now: Observation

    def text(self) -> str:
        """Several lines a person can read: the claim, where, what was recorded, what came now."""
        now = self.now
        backend = backend_name(now.backend, now.device)
        where = f"{now.framework} {now.framework_version}, {backend}, world size {now.world_size}, probe {now.probe}"
        lines = [f"{self.claim} ({where})"]
        if self.before is None:
            lines.append("  recorded: nothing")
        else:
            lines.append(f"  recorded: {told(self.before)} [{self.before.run}]")
        return "\n".join([*lines, f"  now:      {told(now)}"])


def told(one: Observation) -> str:
    """An outcome with its evidence, on one line."""
    return one.outcome.value + (f": {'; '.join(evidence_lines(one.facts, 'en'))}" if one.facts else "")


def base_record(runs: Sequence[tuple[str, RunRecord]], run: RunRecord) -> tuple[str, RunRecord] | None:
    """The record to compare ``run`` with: same backend, device and world size, the same version or else the newest.

    Of several a whole one leads, then one of this project, then the latest.
    """
    like = [
        (key, one)
        for key, one in runs
        if (one.framework, one.backend, one.device, one.world_size)
        == (run.framework, run.backend, run.device, run.world_size)
    ]
    same = [pair for pair in like if pair[1].framework_version == run.framework_version]
    return max(same or like, key=lambda pair: _standing(pair[1]), default=None)


def _standing(record: RunRecord) -> tuple[Version, bool, bool, str]:
    return Version(record.framework_version), not record.stopped, record.measured_by is None, record.date


def observations(
    apis: Iterable[Api], run_id: str, record: RunRecord, context: Context
) -> Iterator[tuple[Api, Claim, Observation]]:
    """Every verdict that a record gives on the claims of ``apis``."""
    for api in apis:
        for claim in api.claims:
            for one in observe(claim, api, run_id, record, context):
                yield api, claim, one


def compare(
    apis: Sequence[Api], recorded: tuple[str, RunRecord] | None, run: RunRecord, context: Context
) -> list[Change]:
    """The verdicts of ``run`` that differ in outcome from the recorded ones, in the order of claims.

    A verdict that the record of the same version lacks counts as a change: the record is to be made anew. None recorded
    at all, or only for another version, is no change.
    """
    if recorded is None:
        return []
    same_version = recorded[1].framework_version == run.framework_version
    before = {}
    for api, claim, one in observations(apis, recorded[0], recorded[1], context):
        before[f"{api.name}#{claim.id}", one.probe] = one
    changes = []
    for api, claim, one in observations(apis, "this run", run, context):
        key = f"{api.name}#{claim.id}"
        former = before.get((key, one.probe))
        if (former is None and same_version) or (former and former.outcome is not one.outcome):
            changes.append(Change(key, former, one))
    return changes
