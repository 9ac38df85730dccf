"""Verifies on one backend: makes its run, confirmed by what the claims say of it."""

from __future__ import annotations

from collections.abc import Collection

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.execute.plan import Step
from apidiff.execute.remote import Hosts
from apidiff.execute.run import Progress, make_run
from apidiff.judge import Context, judge_claim
from apidiff.model.trace import DeviceFound, ProbeRun, RunRecord
from apidiff.model.verdict import Outcome


def verify(
    data: Data,
    backend: Backend,
    world_size: int,
    context: Context,
    mappings: Collection[str] | None = None,
    progress: Progress = lambda _total, _done, _what: None,
    *,
    keep_journal: bool = False,
    hosts: Hosts | None = None,
    device_found: DeviceFound | None = None,
    only: Collection[tuple[str, str]] | None = None,
) -> RunRecord:
    """Runs every probe of ``backend`` at ``world_size`` and returns the record; what does not hold is confirmed before.

    The arguments are those of `make_run`, which raises what this does; ``context`` is what claims are judged with.
    """

    def holds(step: Step, run: ProbeRun, record: RunRecord) -> bool:
        patterns = context.unsupported.get((record.backend, record.framework, record.device), ())
        expected = context.examples.get(step.example or "", ("", ()))[1]
        outcomes = {
            judge_claim(claim, step.api, step.probe, run, patterns, record, expected)[0] for claim in step.claims
        }
        return outcomes <= {Outcome.HOLDS, Outcome.NOT_RUN}

    return make_run(
        data,
        backend,
        world_size,
        context.examples,
        holds,
        mappings,
        progress,
        keep_journal=keep_journal,
        hosts=hosts,
        device_found=device_found,
        only=only,
    )
