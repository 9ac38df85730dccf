"""Tries a run record before it is kept: judges it, plans with it and words what it shows, as every command will from then on."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.errors import DataError
from apidiff.execute.plan import apis_for, estimate, make_plan
from apidiff.judge import Context
from apidiff.messages.evidence import observed_entry
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries, dispute_entries
from apidiff.model.trace import RunRecord
from apidiff.model.verdict import Observation
from apidiff.verification.verdict_changes import observations


def record_trial(data: Data, backends: Sequence[Backend], context: Context) -> Callable[[Path, RunRecord], None]:
    """Makes the trial of records that are to stand beside those of ``data``.

    The trial raises DataError for a record with which any of it fails.
    """
    known = {name: [release.version for release in found] for name, found in data.frameworks.items()}

    def try_record(path: Path, record: RunRecord) -> None:
        try:
            _try(record)
        except Exception as error:  # whatever fails here would fail in every command from now on
            found = f"cannot be judged: {type(error).__name__}: {str(error)[:200]}"
            remedy = (
                "Ask whoever sent it to record the run anew, and report the file: the gate should have named the fault."
            )
            raise DataError(path, None, found, remedy) from error

    def _try(record: RunRecord) -> None:
        by_claim: dict[str, list[Observation]] = {}
        for api, claim, seen in observations(
            apis_for(data, record.framework, record.framework_version), "this", record, context
        ):
            observed_entry(seen)
            by_claim.setdefault(f"{api.name}#{claim.id}", []).append(seen)
        for seen_of in by_claim.values():
            summarise(seen_of)
            change_entries(seen_of, known)
            dispute_entries(seen_of)
        beside = dataclasses.replace(data, runs=[("this", record)], signed_runs=[], unsigned_runs=[])
        for backend in backends:
            if (backend.name, backend.framework, backend.device) == (record.backend, record.framework, record.device):
                plan = make_plan(beside, backend, record.framework_version, max(record.world_size, 2), context.examples)
                estimate(beside, backend, record.world_size, plan)

    return try_record
