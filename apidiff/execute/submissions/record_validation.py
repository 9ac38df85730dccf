"""Validates run records made elsewhere before one is taken in. Nothing in them is executed or unpickled.

A record is JSON of bounded size. It is taken whole or refused whole, with the reason.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from apidiff.database.backends import Backend
from apidiff.database.runs import digest_of, run_name
from apidiff.errors import DataError
from apidiff.execute.submissions.known_probes import Spec
from apidiff.model.trace import RUN_SCHEMA, ObjectDump, ProbeRun, RunRecord, SequenceDump, TensorDump, Value
from apidiff.model.version import is_recordable, release_of

MAX_DEPTH = 8  # of values within values: the deepest that probes make is a list of tensors in a tuple
MAX_DIMENSIONS = 16  # of a tensor
MAX_RANKS = 64  # as many as the command starts
MAX_CORES = 100_000
MAX_TEXT = 100_000  # characters of one string
_SHOWN = 100  # characters of a name in a message
_FIRST_YEAR = 2023  # before the project began
_SUITE = re.compile(r"source|\d+(\.\d+){1,2}((a|b|rc|\.dev|\.post)\d+)*(\+[0-9a-z.]+)?")
_NAMED = re.compile(r"(?P<name>.+)-(?P<digest>[0-9a-f]{12})\.json")
_NEW = "Record it anew with this version of the project: apidiff verify --record."
_RESERVED = {"thisproject", "本项目"}  # what pages call this project


class Accepted(NamedTuple):
    """What a record may be of.

    ``specs``: the probes and examples of known versions of this project; ``releases``: of each framework, the versions that
    are known; ``apis``: those of which signatures are taken.
    """

    backends: Collection[Backend]
    specs: Collection[Spec]
    releases: Mapping[str, Collection[str]]
    apis: Collection[str]


def foreign_record(path: Path, content: bytes, accepted: Accepted) -> RunRecord:
    """Decodes the record whose bytes are ``content`` and checks all of it; ``path`` is named in messages and holds its name.

    Raises DataError with the first thing that does not fit: name, digest, form, numbers, backend, version, who measured
    when, or a probe that no known version has.
    """
    _refuse_name(path, content)
    record = _decode(path, content)
    for found, remedy in _faults(record, path.name, accepted):
        raise DataError(path, None, found, remedy)
    return record


def is_somebody(text: str) -> bool:
    """Tells whether the words on who measured name anybody but this project, however they are spaced or written."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(char for char in plain if char.isalnum())
    return bool(letters) and letters not in _RESERVED


def _refuse_name(path: Path, content: bytes) -> None:
    named = _NAMED.fullmatch(path.name)
    if named is None:
        remedy = "Give it the name that apidiff verify --record gave it, such as gloo-cpu-3-0a1b2c3d4e5f.json."
        raise DataError(path, None, "its name holds no digest", remedy)
    if (digest := digest_of(content)) != named["digest"]:
        remedy = "Ask for the file again, as it was written."
        raise DataError(
            path, None, f"its bytes have digest {digest}, its name says {named['digest']}: it was changed", remedy
        )


def _decode(path: Path, content: bytes) -> RunRecord:
    try:
        return msgspec.json.decode(content, type=RunRecord)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise DataError(path, None, f"is no run record: {error}", _NEW) from error
    except RecursionError as error:
        raise DataError(path, None, "is no run record: values are nested too deep", _NEW) from error


def _faults(record: RunRecord, name: str, accepted: Accepted) -> Iterator[tuple[str, str]]:
    """Finds what does not fit, and what to do about it."""
    if record.schema != RUN_SCHEMA:
        yield f"is a run record of schema {record.schema}", f"This version reads schema {RUN_SCHEMA}. {_NEW}"
    yield from _about_the_run(record, name, accepted.backends)
    yield from _about_its_version(record, accepted.releases)
    yield from _about_its_making(record)
    for run in record.probes:
        where = f"{run.api[:_SHOWN]} {run.probe[:_SHOWN]}"
        yield from ((f"{where}: {found}", _NEW) for found in _about_probe(run, record.world_size))
    if not record.probes:
        yield "holds no probe", _NEW
    if len({(run.api, run.probe) for run in record.probes}) != len(record.probes):
        yield "holds a probe twice", _NEW
    strange = [
        f"{run.api} {run.probe}" for run in record.probes if (run.api, run.probe, run.spec) not in accepted.specs
    ]
    if strange:
        yield (
            f"{len(strange)} of {len(record.probes)} probes are those of no known version of this project: {_few(strange)}",
            "Record it with a released version, or with a checkout whose probes were not edited.",
        )
    unknown = [signature.api for signature in record.signatures if signature.api not in accepted.apis]
    if unknown:
        yield f"holds signatures of APIs that this project does not know: {_few(unknown)}", _NEW
    if len({signature.api for signature in record.signatures}) != len(record.signatures):
        yield "holds a signature twice", _NEW


def _few(texts: Sequence[str]) -> str:
    return ", ".join(text[:_SHOWN] for text in texts[:3]) + (", …" if len(texts) > 3 else "")


def _about_the_run(record: RunRecord, name: str, backends: Collection[Backend]) -> Iterator[tuple[str, str]]:
    if not any(
        (backend.name, backend.framework, backend.device) == (record.backend, record.framework, record.device)
        for backend in backends
    ):
        there = ", ".join(f"{backend.name} ({backend.framework}, {backend.device})" for backend in backends)
        named = record.backend[:_SHOWN], record.framework[:_SHOWN], record.device[:_SHOWN]
        yield "names the backend {} ({}, {})".format(*named), f"Described are: {there}."
    if not 1 <= record.world_size <= MAX_RANKS:
        yield f"has {record.world_size} ranks", f"From 1 to {MAX_RANKS} are possible."
    if run_name(record)[1] != name.rpartition("-")[0]:
        yield f"holds the run {run_name(record)[1]}, its name says {name.rpartition('-')[0]}", "Give it back its name."
    if _holds_long_text(record):
        yield f"holds a text longer than {MAX_TEXT} characters", _NEW


def _about_its_version(record: RunRecord, releases: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    framework, version = record.framework, record.framework_version
    if not re.fullmatch(r"\d{1,5}(\.\d{1,5}){2}", version, re.ASCII):
        yield f"names the version {version[:40]!r}", "A version is written as 2.13.0."
    elif version not in releases.get(framework, ()):
        remedy = "Ask which release it was, or add it to apidiff/data/frameworks.yaml first, with its source."
        yield f"is of {framework} {version}, a release that this project does not know", remedy
    elif not _is_of(record.packages.get(framework, ""), version):
        installed = record.packages.get(framework, "none")[:40]
        yield f"is of {framework} {version}, but lists the package's version {installed}", _NEW


def _about_its_making(record: RunRecord) -> Iterator[tuple[str, str]]:
    """Checks who made it, when, with what."""
    if record.measured_by and not is_somebody(record.measured_by):
        yield (
            f"says that it was measured by {record.measured_by[:40]!r}, which names nobody",
            'Ask for a record made with: apidiff verify --record --measured-by "who, and on which device"',
        )
    if (made := _date(record.date)) is None:
        yield f"has the date {record.date[:40]!r}", "A date is written as 2026-01-31T12:00:00Z."
    elif made.year < _FIRST_YEAR or made > datetime.now(UTC) + timedelta(days=1):
        yield f"has the date {record.date}", f"A date is from {_FIRST_YEAR} on and not later than tomorrow. {_NEW}"
    if not _SUITE.fullmatch(record.suite_version):
        yield f"was made by apidiff {record.suite_version[:40]!r}, which is no version", _NEW
    if not 1 <= record.cores <= MAX_CORES:
        yield f"was made on {record.cores} cores", f"From 1 to {MAX_CORES} are possible. {_NEW}"


def _date(text: str) -> datetime | None:
    form = "%Y-%m-%dT%H:%M:%SZ"
    try:
        date = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    return date if date.strftime(form) == text else None


def _is_of(installed: str, version: str) -> bool:
    """Tells whether a package's version is that release or somebody's build of it."""
    return is_recordable(installed) and release_of(installed) == version


def _about_probe(run: ProbeRun, world_size: int) -> Iterator[str]:
    ranks = [trace.rank for trace in run.ranks]
    if len(set(ranks)) != len(ranks) or not set(ranks) <= set(range(world_size)):
        yield f"its traces are of ranks {ranks[:8]}, in a world of {world_size}"
    if run.end not in {"completed", "timeout", "crash", "skipped"}:
        yield f"it ended {run.end[:40]!r}; the ends are completed, timeout, crash and skipped"
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
        if len(value.shape) > MAX_DIMENSIONS:
            yield f"a tensor has {len(value.shape)} dimensions; at most {MAX_DIMENSIONS} are possible"
        elif any(size < 0 for size in value.shape) or math.prod(value.shape) != len(value.values):
            yield f"a tensor of shape {value.shape[:8]} has {len(value.values)} values"
    elif isinstance(value, SequenceDump):
        for item in value.items:
            yield from _about_value(item, depth + 1)
    elif isinstance(value, ObjectDump):
        for tensor in value.tensors.values():
            yield from _about_value(tensor, depth + 1)


def _holds_long_text(record: RunRecord) -> bool:
    """Tells whether any string, keys too, is longer than it may be. No recursion: a record may hold a million values."""
    stack: list[object] = [msgspec.to_builtins(record)]
    while stack:
        plain = stack.pop()
        if isinstance(plain, str):
            if len(plain) > MAX_TEXT:
                return True
        elif isinstance(plain, dict):
            stack.extend(plain)
            stack.extend(plain.values())
        elif isinstance(plain, list):
            stack.extend(plain)
    return False
