"""How much of a plan a run record holds: what is asked today, not what was asked when it was made."""

from __future__ import annotations

from apidiff.execute.plan import Plan, step_key
from apidiff.model import RunRecord


def lacking(record: RunRecord, plan: Plan) -> int:
    """How many probes, examples and signatures of ``plan`` the record has not, or has as they were before a change."""
    made = {(run.api, run.probe): run.spec for run in record.probes}
    seen = {one.api for one in record.signatures}
    return sum(made.get(step_key(step)) != step.spec for step in plan.steps) + sum(
        api.name not in seen for api in plan.apis
    )
