"""How long a run will take, by the records of runs that were like it."""

from __future__ import annotations

from dataclasses import dataclass

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.execute.plan import Plan, step_key
from apidiff.model import ProbeRun, RunRecord, Version

_START_S = 10.0  # seconds in which ranks came up where the records were made


@dataclass(frozen=True)
class Estimate:
    """Whole minutes, and the record they are told from."""

    minutes: int
    like: RunRecord


def estimate(data: Data, backend: Backend, size: int, plan: Plan) -> Estimate | None:
    """The time that ``plan`` takes if it goes as in the newest record of the framework; what did not end is tried twice.

    None where there is no record of the world size; one rank is taken to be as fast as two.
    """
    as_large = backend.framework, max(size, 2)
    like = [record for _, record in data.runs if (record.framework, record.world_size) == as_large]
    if not like:
        return None
    newest = max(like, key=lambda one: (Version(one.framework_version), one.date))
    steps = {step_key(step) for step in plan.steps}
    probes = [probe for probe in newest.probes if (probe.api, probe.probe) in steps]
    calls = sum(max((trace.seconds for trace in probe.ranks), default=0.0) for probe in probes if _ended(probe))
    lost = sum(2 * backend.deadlines.probe for probe in probes if not _ended(probe))
    return Estimate(max(1, round((2 * _START_S + calls + lost) / 60)), newest)


def _ended(probe: ProbeRun) -> bool:
    return probe.end == "completed"
