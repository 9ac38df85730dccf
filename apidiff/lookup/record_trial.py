"""Tries a record of others before it is kept or used: judges it, plans with it and words what it shows, as commands do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.database.examples import readable_examples
from apidiff.database.paths import examples_folder
from apidiff.database.runs import record_path
from apidiff.database.single_runs import SingleTraces
from apidiff.derive.beside_ours import BesideOurs
from apidiff.errors import Damage, DataError
from apidiff.execute.plan import Plan, apis_for, estimate, make_plan
from apidiff.judge import Context, make_context, observe
from apidiff.judge.pairs import unsupported_by
from apidiff.messages.agreements import agreement_entries
from apidiff.messages.evidence import observed_entry
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries, dispute_entries
from apidiff.model.sample_calls import with_extracted
from apidiff.model.sample_run import SingleRecord
from apidiff.model.trace import RunRecord
from apidiff.model.verdict import Observation


def record_trial(data: Data, backends: Sequence[Backend], context: Context) -> Callable[[Path, RunRecord], None]:
    """Makes the trial of records that are to stand beside those of ``data``.

    The trial raises DataError for a record with which any of it fails.
    """
    plans: dict[tuple[str, str, str, str, int], Plan] = {}  # hundreds of small records ask for the same one
    known = {name: [release.version for release in found] for name, found in data.frameworks.items()}

    def try_record(path: Path, record: RunRecord) -> None:
        try:
            _try(record)
        except Exception as error:  # whatever fails here would fail in every command from now on
            raise _not_judged(path, error) from error

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
        size = max(record.world_size, 2)
        for backend in backends:
            if (backend.name, backend.framework, backend.device) == (record.backend, record.framework, record.device):
                key = (backend.name, backend.framework, backend.device, record.framework_version, size)
                if key not in plans:
                    plans[key] = make_plan(data, backend, record.framework_version, size, context.examples)
                estimate(beside, backend, record.world_size, plans[key])

    return try_record


def _not_judged(path: Path, error: Exception) -> DataError:
    found = f"cannot be judged: {type(error).__name__}: {str(error)[:200]}"
    remedy = "Ask whoever sent it to record the run anew, and report the file: the gate should have named the fault."
    return DataError(path, None, found, remedy, Damage.NOT_JUDGED)


def _try_single(data: Data, ours: SingleTraces, key: str, record: SingleRecord) -> None:
    """Judges a signed record of single calls beside ours, and words what it shows. Raises whatever fails."""
    alone = dataclasses.replace(data, signed_single_runs=[(key, record)])
    beside = BesideOurs(alone, unsupported_by(data.devices), ours)
    for name in sorted({run.mapping for run in record.samples} & data.mappings.keys()):
        written = data.mappings[name]
        extracted = with_extracted(written, data.extracted)
        for mapping in (written, extracted) if extracted is not None else (written,):
            tolerances = data.extracted[written.source.name].tolerances if mapping is extracted else None
            for target in mapping.targets:
                # Beside nothing of ours, all that it shows is worded.
                said = beside.said(mapping, target, (), tolerances)
                agreement_entries(mapping, said.elsewhere, data.signed, said.disputes)


def _failing_records(data: Data) -> dict[str, DataError]:
    """Tries the records that are not this project's and are judged, and finds why those fail that do, by ID."""
    failing: dict[str, DataError] = {}
    if others := [*data.signed_runs, *data.unsigned_runs]:
        examples = readable_examples(examples_folder())
        trial = record_trial(data, data.backends, make_context(data.backends, examples, data.signatures))
        for key, record in others:
            try:
                trial(record_path(key, data.root / "runs"), record)
            except DataError as error:
                failing[key] = error.without_frames()
    ours = data.traces() if data.signed_single_runs else SingleTraces([])
    for key, single in data.signed_single_runs:
        try:
            _try_single(data, ours, key, single)
        except Exception as error:  # noqa: BLE001 - as of a record of ranks
            failing[key] = _not_judged(record_path(key, data.root / "runs"), error).without_frames()
    return failing


def without_failing(data: Data) -> Data:
    """``data`` without the records of others with which a command would fail; ``damaged`` tells them."""
    failing = _failing_records(data)
    if not failing:
        return data
    return dataclasses.replace(
        data,
        signed_runs=[pair for pair in data.signed_runs if pair[0] not in failing],
        unsigned_runs=[pair for pair in data.unsigned_runs if pair[0] not in failing],
        signed_single_runs=[pair for pair in data.signed_single_runs if pair[0] not in failing],
        signed={key: signed for key, signed in data.signed.items() if key not in failing},
        damaged=[*data.damaged, *failing.values()],
    )
