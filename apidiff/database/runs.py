"""Reads run records. A record's file name ends in the digest of its bytes, so that a changed byte shows."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from apidiff.errors import DataError
from apidiff.model.sample_run import SingleRecord
from apidiff.model.trace import RUN_SCHEMA, RunRecord

_REMEDY = "Restore the file from version control, or delete it and record the run anew: apidiff verify --record."

# Of ranks, or of single calls.
Recorded = TypeVar("Recorded", RunRecord, SingleRecord)


def digest_of(content: bytes) -> str:
    """The twelve hexadecimal digits that a record's file name ends in."""
    return hashlib.sha256(content).hexdigest()[:12]


def record_stem(path: Path) -> str:
    """The name of the record in ``path`` without what says that it is JSON, compressed or not."""
    return path.name.removesuffix(".gz").removesuffix(".json")


def run_id(path: Path) -> str:
    """The ID of the record in ``path``: its folder and name, e.g. ``torch-2.13.0/gloo-cpu-3-0a1b2c3d4e5f``."""
    return f"{path.parent.name}/{record_stem(path)}"


def read_bytes(path: Path) -> bytes:
    """The JSON of the record in ``path``. Raises DataError where it cannot be read or decompressed."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(path, None, f"cannot be decompressed: {error}", _REMEDY) from error
    except OSError as error:
        raise DataError(path, None, f"cannot be read ({error.strerror})", "Check that it is readable.") from error


def run_name(record: RunRecord) -> tuple[str, str]:
    """Folder and file name (without digest) of a record: ``torch-2.13.0`` and ``gloo-cpu-3``."""
    return f"{record.framework}-{record.framework_version}", f"{record.backend}-{record.device}-{record.world_size}"


def run_path(record: RunRecord, content: bytes, runs: Path) -> Path:
    """Where below ``runs`` a record lies whose bytes are ``content``."""
    place, name = run_name(record)
    return runs / place / f"{name}-{digest_of(content)}.json"


def signature_path(record: Path) -> Path:
    """Where the signature of the record in ``record`` lies, if it has one."""
    return record.with_name(f"{record.name}.minisig")


def load_runs(folder: Path) -> list[tuple[str, RunRecord]]:
    """All run records below ``folder`` with their IDs, in the order of their names; none where there is no such folder.

    Raises DataError for a record that cannot be read, has a changed byte, does not fit the model or lies under the wrong
    name.
    """
    paths = [path for path in sorted(folder.glob("*/*.json")) if not path.name.startswith("single-")]
    return [(run_id(path), read_record(path, RunRecord, RUN_SCHEMA, run_name, "run record")) for path in paths]


def read_record(
    path: Path, kind: type[Recorded], schema: int, name: Callable[[Recorded], tuple[str, str]], what: str
) -> Recorded:
    """Reads the record of ``kind`` in ``path``; ``what`` says in messages what it should be.

    Raises DataError where it cannot be read, has a changed byte, is of another schema or lies under another name than
    ``name`` gives it.
    """
    content = read_bytes(path)
    digest, named = digest_of(content), record_stem(path).rpartition("-")[2]
    if digest != named:
        raise DataError(path, None, f"its bytes have digest {digest}, its name says {named}: it was changed", _REMEDY)
    try:
        record = msgspec.json.decode(content, type=kind)
    except (ValueError, RecursionError) as error:  # msgspec's own errors are of the former
        raise DataError(path, None, f"is no {what}: {error}", _REMEDY) from error
    if record.schema != schema:
        remedy = f"This version reads schema {schema}: record the run anew."
        raise DataError(path, None, f"is a {what} of schema {record.schema}", remedy)
    place, stem = name(record)
    if (path.parent.name, record_stem(path).rpartition("-")[0]) != (place, stem):
        raise DataError(path, None, f"holds the run {place}/{stem}", "The path says which run it is: move it back.")
    return record
