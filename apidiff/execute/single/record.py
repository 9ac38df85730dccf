"""Records of single calls: made of what a run showed, written under the digest of their bytes."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

import msgspec

from apidiff.atomic_write import locked
from apidiff.database.devices import Device
from apidiff.database.runs import former_records, read_bytes
from apidiff.database.single_runs import holds_all, single_run_name, single_run_path
from apidiff.errors import DataError
from apidiff.execute.record import encode, gives_way, remove_former, surroundings, write_listed
from apidiff.model.sample_run import SINGLE_SCHEMA, SampleRun, SingleRecord
from apidiff.model.trace import SignatureDump


def make_record(
    device: Device, version: str, signatures: Iterable[SignatureDump], samples: Iterable[SampleRun], inputs: str = ""
) -> SingleRecord:
    """The record of a run made now in this environment. ``inputs``: as of a `SingleRecord`."""
    return SingleRecord(
        schema=SINGLE_SCHEMA,
        framework=device.framework,
        framework_version=version,
        device=device.device,
        environment=device.environment,
        inputs=inputs,
        signatures=sorted(signatures, key=lambda one: one.api),
        samples=sorted(samples, key=lambda run: run.key),
        **surroundings(device.framework),
    )


def write_record(record: SingleRecord, runs: Path) -> Path:
    """Writes a record below ``runs``; removes former ones of this measurer all of whose mappings it has. Returns its path.

    Somebody else's records stay. Raises DataError, with nothing left behind, where the folder cannot be written.
    """
    content = encode(record)
    path = single_run_path(record, content, runs)
    with locked(path.parent):
        write_listed(record, path, gzip.compress(content, compresslevel=9, mtime=0))
        for former in former_records(path.parent, single_run_name(record)[1], path):
            if _is_former(former, record, path):
                remove_former(former)
    return path


def _is_former(path: Path, record: SingleRecord, written: Path) -> bool:
    """Whether a record of the same place is one whose place ``record`` takes, which was ``written``."""
    try:
        older = msgspec.json.decode(read_bytes(path), type=SingleRecord)
    except (DataError, ValueError, RecursionError):  # damaged: `check` names it
        return False
    return older.measured_by == record.measured_by and holds_all(record, older) and gives_way(path, written)
