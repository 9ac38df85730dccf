"""Run records made elsewhere: what is looked at before one is taken in. Nothing in it is executed or unpickled.

A record is a JSON file of bounded size. It is taken whole or refused whole, with the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from apidiff.model import (
    RUN_SCHEMA,
    ObjectDump,
    ProbeRun,
    RunRecord,
    SequenceDump,
    TensorDump,
    Value,
    Version,
    VersionError,
)
from apidiff.model.version import is_recordable, release_of
from apidiff.store.backends import Backend
from apidiff.store.errors import DataError
from apidiff.store.runs import digest_of, run_name

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 8  # of values within values: the deepest that probes make is a list of tensors in a tuple
MAX_RANKS = 1024
MAX_TEXT = 100_000  # characters of one string
_NAMED = re.compile(r"(?P<name>.+)-(?P<digest>[0-9a-f]{12})\.json")
_NEW = "Record it anew with this version of the project: apidiff verify --record."

# (API, probe, digest of what is called): what a version of this project is known to have run.
Known = Collection[tuple[str, str, str]]


def read_foreign(path: Path, backends: Collection[Backend], known: Known) -> tuple[RunRecord, bytes]:
    """The record in ``path`` and its bytes, once everything about it fits.

    ``known``: the probes and examples of known versions of this project. Raises DataError with the first thing that does not
    fit: size, name, digest, form, numbers, backend, version, or a probe that no known version has.
    """
    content = _read(path)
    record = _decode(path, content)
    for found, remedy in _faults(record, path.name, backends, known):
        raise DataError(path, None, found, remedy)
    return record, content


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DataError(
            path, None, f"cannot be read ({error.strerror})", "Check that it is a readable file."
        ) from error
    if len(content) > MAX_BYTES:
        raise DataError(
            path, None, f"is larger than {MAX_BYTES // 2**20} MiB", "A run record is smaller; send another file."
        )
    named = _NAMED.fullmatch(path.name)
    if named is None:
        remedy = "Give it the name that apidiff verify --record gave it, such as gloo-cpu-3-0a1b2c3d4e5f.json."
        raise DataError(path, None, "its name holds no digest", remedy)
    if (found := digest_of(content)) != named["digest"]:
        remedy = "Ask for the file again, as it was written."
        raise DataError(
            path, None, f"its bytes have digest {found}, its name says {named['digest']}: it was changed", remedy
        )
    return content


def _decode(path: Path, content: bytes) -> RunRecord:
    try:
        return msgspec.json.decode(content, type=RunRecord)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise DataError(path, None, f"is no run record: {error}", _NEW) from error
    except RecursionError as error:
        raise DataError(path, None, "is no run record: values are nested too deep", _NEW) from error


def _faults(record: RunRecord, name: str, backends: Collection[Backend], known: Known) -> Iterator[tuple[str, str]]:
    """What does not fit, and what to do about it."""
    if record.schema != RUN_SCHEMA:
        yield f"is a run record of schema {record.schema}", f"This version reads schema {RUN_SCHEMA}. {_NEW}"
    yield from _about_the_run(record, name, backends)
    for run in record.probes:
        where = f"{run.api} {run.probe}"
        yield from ((f"{where}: {found}", _NEW) for found in _about_probe(run, record.world_size))
    if len({(run.api, run.probe) for run in record.probes}) != len(record.probes):
        yield "holds a probe twice", _NEW
    strange = [run for run in record.probes if (run.api, run.probe, run.spec) not in known]
    if strange:
        shown = ", ".join(f"{run.api} {run.probe}" for run in strange[:3]) + (", …" if len(strange) > 3 else "")
        yield (
            f"{len(strange)} of {len(record.probes)} probes are those of no known version of this project: {shown}",
            "Record it with a released version, or with a checkout whose probes were not edited.",
        )


def _about_the_run(record: RunRecord, name: str, backends: Collection[Backend]) -> Iterator[tuple[str, str]]:
    if not any(
        (one.name, one.framework, one.device) == (record.backend, record.framework, record.device) for one in backends
    ):
        there = ", ".join(f"{one.name} ({one.framework}, {one.device})" for one in backends)
        yield (
            f"names the backend {record.backend} ({record.framework}, {record.device})",
            f"Described are: {there}.",
        )
    if not 1 <= record.world_size <= MAX_RANKS:
        yield f"has {record.world_size} ranks", f"From 1 to {MAX_RANKS} are possible."
    if not _is_version(record.framework_version):
        yield f"names the version {record.framework_version[:40]!r}", "A version is written as 2.13.0."
    elif not _is_of(record.packages.get(record.framework, ""), record.framework_version):
        installed = record.packages.get(record.framework, "none")[:40]
        yield f"is of {record.framework} {record.framework_version}, but lists the package's version {installed}", _NEW
    if run_name(record)[1] != name.rpartition("-")[0]:
        yield f"holds the run {run_name(record)[1]}, its name says {name.rpartition('-')[0]}", "Give it back its name."
    try:
        datetime.strptime(record.date, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        yield f"has the date {record.date[:40]!r}", "A date is written as 2026-01-31T12:00:00Z."
    if any(len(text) > MAX_TEXT for text in _strings(msgspec.to_builtins(record))):
        yield f"holds a text longer than {MAX_TEXT} characters", _NEW


def _is_of(installed: str, version: str) -> bool:
    """Whether a package's version is that release or somebody's build of it."""
    return is_recordable(installed) and release_of(installed) == version


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except VersionError:
        return False
    return True


def _about_probe(run: ProbeRun, world_size: int) -> Iterator[str]:
    ranks = [trace.rank for trace in run.ranks]
    if len(set(ranks)) != len(ranks) or not set(ranks) <= set(range(world_size)):
        yield f"its traces are of ranks {ranks[:8]}, in a world of {world_size}"
    if run.end not in {"completed", "timeout", "crash"}:
        yield f"it ended {run.end[:40]!r}; the ends are completed, timeout and crash"
    if run.end == "completed" and len(ranks) != world_size:
        yield f"it completed with {len(ranks)} of {world_size} traces"
    for trace in run.ranks:
        for value in [*trace.before.values(), *trace.after.values(), *([trace.returned] if trace.returned else [])]:
            yield from _about_value(value, 1)
    if run.again is not None:
        if run.again.again is not None:
            yield "its second try has a second try"
        else:
            yield from _about_probe(run.again, world_size)


def _about_value(value: Value, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        yield f"it holds values nested deeper than {MAX_DEPTH}"
        return
    if isinstance(value, TensorDump):
        if any(size < 0 for size in value.shape) or math.prod(value.shape) != len(value.values):
            yield f"a tensor of shape {value.shape[:8]} has {len(value.values)} values"
    elif isinstance(value, SequenceDump):
        for item in value.items:
            yield from _about_value(item, depth + 1)
    elif isinstance(value, ObjectDump):
        for tensor in value.tensors.values():
            yield from _about_value(tensor, depth + 1)


def _strings(plain: object) -> Iterator[str]:
    """Every string in plain data, keys too."""
    if isinstance(plain, str):
        yield plain
    elif isinstance(plain, dict):
        for key, value in plain.items():
            yield from _strings(key)
            yield from _strings(value)
    elif isinstance(plain, list):
        for value in plain:
            yield from _strings(value)
