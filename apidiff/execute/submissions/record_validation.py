"""Validates run records made elsewhere before one is taken in. Nothing in them is executed or unpickled.

A record is JSON of bounded size. It is taken whole or refused whole, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.database.measurer_names import looks_like, name_fault
from apidiff.database.record_gate import NEW, place_faults, record_faults, refuse_repeated_keys
from apidiff.database.runs import record_path, run_name, whole_digest
from apidiff.database.signing import PROGRAM, Signer
from apidiff.database.single_runs import PREFIX
from apidiff.errors import DataError, decoding_fault, typed
from apidiff.execute.submissions.known_probes import Spec
from apidiff.model.sample_run import SingleRecord
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RUN_SCHEMA, RunRecord
from apidiff.model.trust import OWN, Trust
from apidiff.model.version import is_recordable, release_of

_SHOWN = 100  # characters of a name in a message
_NAMED = re.compile(r"(?P<name>.+)-(?P<digest>[0-9a-f]{64}|[0-9a-f]{12})\.json")


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

    Raises DataError with the first thing that does not fit: kind, name, digest, form, numbers, backend, version, who measured
    when, or a probe that no known version has.
    """
    _refuse_name(path, content)
    record = _decode(path, content)
    for found, remedy in _faults(record, path.name, accepted):
        raise DataError(path, None, found, remedy)
    return record


def record_errors(data: Data, accepted: Accepted, signers: Iterable[Signer]) -> Iterator[DataError]:
    """Finds what is wrong with the records that are here, by the rules by which one that is sent is taken in or refused."""
    yield from data.damaged
    records: list[tuple[str, RunRecord | SingleRecord]] = [*data.every_run, *data.every_single_run]
    for run_id, record in records:
        path = record_path(run_id, data.root / "runs")
        if isinstance(record, RunRecord):
            faults = _faults(record, path.name, accepted)
        else:
            about_it = _about_its_version(record, accepted.releases), _about_its_measurer(record)
            faults = chain(record_faults(record), *about_it)
        yield from (DataError(path, None, *fault) for fault in islice(faults, 1))
        if not record.measured_by and data.signed[run_id].trust not in OWN:
            yield DataError(path, None, *_about_nobodys(data.signed[run_id]))
        yield from (DataError(path, None, *fault) for fault in about_imitation(record, data.signed[run_id], signers))
    for run_id, run in data.runs:
        path = record_path(run_id, data.root / "runs")
        yield from (DataError(path, None, *fault) for fault in about_former(run_id, run, data))


def about_former(run: str, record: RunRecord, data: Data) -> Iterator[tuple[str, str]]:
    """Finds the later record of the same place that replaced one of this project: what both show would count twice."""
    later = max(((one.date, key) for key, one in data.runs if _place(one) == _place(record)), default=("", ""))
    if later > (record.date, run):
        found = (
            f"is a former record of this project, and {later[1]} is of the same place: what both show would count twice"
        )
        yield found, "Delete it; the list keeps its digest."


def _place(record: RunRecord) -> tuple[object, ...]:
    return record.framework, record.framework_version, record.backend, record.device, record.world_size


def about_imitation(
    record: RunRecord | SingleRecord, signed: Signed, signers: Iterable[Signer]
) -> Iterator[tuple[str, str]]:
    """Finds the known signer that a record says measured it, where nobody known signed it."""
    if signed.trust is not Trust.UNSIGNED or signed.state is State.NOT_CHECKED or not record.measured_by:
        return
    for signer in signers:
        if looks_like(signer.name) == looks_like(record.measured_by):
            found = f"says that it was measured by {record.measured_by[:40]!r}, a known signer, who did not sign it"
            yield found, f"Ask {signer.name} to sign it. If it is somebody else's, ask them for a name of their own."


def _about_nobodys(signed: Signed) -> tuple[str, str]:
    """What is wrong with a record that names no measurer and that this project does not vouch for, and what to do about it."""
    if signed.state is State.VERIFIED:
        found = f"does not say who measured, and {signed.signer} signed it"
        made = 'apidiff verify --record --measured-by "who, and on which device"'
        return found, f"Delete it, and ask {signed.signer} for one made with: {made}"
    if signed.state is State.NOT_CHECKED:
        found = f"does not say who measured, and its signature, which names the key of {signed.signer}, is not checked"
        return found, f"Install a {PROGRAM} that runs."
    if signed.state is not State.UNSIGNED:
        by = (
            f"the key {signed.key}, which none of the known signers has"
            if signed.key
            else "a signature that is not its own"
        )
        remedy = "If this project made it, delete its signature and run: apidiff runs own. If not, delete both."
        return f"does not say who measured, and is signed with {by}", remedy
    found = "does not say who measured, and is not in the list of this project's records"
    return found, "If this project made it: apidiff runs own. If not, delete it."


def _refuse_name(path: Path, content: bytes) -> None:
    if path.name.startswith(PREFIX):
        remedy = "Leave it out. Such calls are recorded where they are made: apidiff verify --execution single --record"
        raise DataError(path, None, "is a record of single processes, and those of ranks alone are taken in", remedy)
    named = _NAMED.fullmatch(path.name)
    if named is None and path.name.endswith(".json.gz"):
        raise DataError(path, None, "is packed, and records are sent as they were written", "Unpack it: gunzip.")
    if named is None:
        remedy = "Give it the name that apidiff verify --record gave it, such as gloo-cpu-3-0a1b2c3d4e5f.json."
        raise DataError(path, None, "its name holds no digest", remedy)
    if (digest := whole_digest(content)[: len(named["digest"])]) != named["digest"]:
        remedy = "Ask for the file again, as it was written."
        raise DataError(
            path, None, f"its bytes have digest {digest}, its name says {named['digest']}: it was changed", remedy
        )


def _decode(path: Path, content: bytes) -> RunRecord:
    try:
        record = msgspec.json.decode(content, type=RunRecord)
        refuse_repeated_keys(content)
    except ValueError as error:  # msgspec's own errors among them
        raise DataError(path, None, f"is no run record: {decoding_fault(error)}", NEW) from error
    except RecursionError as error:
        raise DataError(path, None, "is no run record: values are nested too deep", NEW) from error
    return record


def _faults(record: RunRecord, name: str, accepted: Accepted) -> Iterator[tuple[str, str]]:
    """Finds what does not fit, and what to do about it."""
    if record.schema != RUN_SCHEMA:
        yield f"is a run record of schema {record.schema}", f"This version reads schema {RUN_SCHEMA}. {NEW}"
    yield from place_faults(record)
    yield from _about_the_run(record, accepted.backends)
    if run_name(record)[1] != name.rpartition("-")[0]:
        yield f"holds the run {run_name(record)[1]}, its name says {name.rpartition('-')[0]}", "Give it back its name."
    yield from record_faults(record)
    yield from _about_its_version(record, accepted.releases)
    yield from _about_its_measurer(record)
    if not record.probes:
        yield "holds no probe", NEW
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
        yield f"holds signatures of APIs that this project does not know: {_few(unknown)}", NEW


def _few(texts: Sequence[str]) -> str:
    return ", ".join(text[:_SHOWN] for text in texts[:3]) + (", …" if len(texts) > 3 else "")


def _about_the_run(record: RunRecord, backends: Collection[Backend]) -> Iterator[tuple[str, str]]:
    if not any(
        (backend.name, backend.framework, backend.device) == (record.backend, record.framework, record.device)
        for backend in backends
    ):
        there = ", ".join(f"{backend.name} ({backend.framework}, {backend.device})" for backend in backends)
        named = map(typed, (record.backend, record.framework, record.device))
        yield "names the backend {} ({}, {})".format(*named), f"Described are: {there}."


def _about_its_version(
    record: RunRecord | SingleRecord, releases: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, str]]:
    framework, version = record.framework, record.framework_version
    if version not in releases.get(framework, ()):
        remedy = "Ask which release it was, or add it to apidiff/data/frameworks.yaml first, with its source."
        yield f"is of {framework} {version}, a release that this project does not know", remedy
    elif not _is_of(record.packages.get(framework, ""), version):
        installed = typed(record.packages[framework]) if framework in record.packages else "none"
        yield f"is of {framework} {version}, but lists the package's version {installed}", NEW


def _about_its_measurer(record: RunRecord | SingleRecord) -> Iterator[tuple[str, str]]:
    if record.measured_by and (fault := name_fault(record.measured_by)):
        yield (
            f"says that it was measured by {record.measured_by[:40]!r}, which {fault}",
            'Ask for a record made with: apidiff verify --record --measured-by "who, and on which device"',
        )


def _is_of(installed: str, version: str) -> bool:
    """Tells whether a package's version is that release or somebody's build of it."""
    return is_recordable(installed) and release_of(installed) == version
