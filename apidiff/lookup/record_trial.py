"""Tries a run record of others before it is kept or used: judges it, plans with it and words what it shows, as commands do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.database.runs import record_path
from apidiff.errors import Damage, DataError
from apidiff.execute.plan import apis_for, estimate, make_plan
from apidiff.judge import Context, make_context, observe
from apidiff.messages.evidence import observed_entry
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries, dispute_entries
from apidiff.model.trace import RunRecord
from apidiff.model.verdict import Observation


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
            raise DataError(path, None, found, remedy, Damage.NOT_JUDGED) from error

    def _try(record: RunRecord) -> None:
        by_claim: dict[str, list[Observation]] = {}
        for api in apis_for(data, record.framework, record.framework_version):
            for claim in api.claims:
                for seen in observe(claim, api, "this", record, context):
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


def _failing_records(data: Data) -> dict[str, DataError]:
    """Tries the records of ranks that are not this project's, and finds why those fail that do, by ID."""
    others = [*data.signed_runs, *data.unsigned_runs]
    if not others:
        return {}
    trial = record_trial(
        data, data.backends, make_context(data.backends, load_examples(examples_folder()), data.signatures)
    )
    failing: dict[str, DataError] = {}
    for key, record in others:
        try:
            trial(record_path(key, data.root / "runs"), record)
        except DataError as error:
            failing[key] = error.without_frames()
    return failing


def without_failing(data: Data) -> Data:
    """``data`` without the records of others with which a command would fail; ``damaged`` tells them."""
    failing = _failing_records(data)
    if not failing:
        return data
    signed_runs, unsigned_runs = (
        [pair for pair in runs if pair[0] not in failing] for runs in (data.signed_runs, data.unsigned_runs)
    )
    signed = {key: signed for key, signed in data.signed.items() if key not in failing}
    damaged = [*data.damaged, *failing.values()]
    return dataclasses.replace(
        data, signed_runs=signed_runs, unsigned_runs=unsigned_runs, signed=signed, damaged=damaged
    )
