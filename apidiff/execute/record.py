"""Makes run records from what a run showed and from the whole environment; writes them under the digest of their bytes.

A record that somebody sent says of itself who measured, which anybody can write. So the user's state folder keeps the digests
and paths of those that were written here: only these are removed when the same run is recorded anew.
"""

from __future__ import annotations

import contextlib
import os
import platform
import stat
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from apidiff.atomic_write import locked, refuse_unwritable, write_files
from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.database.own_records import add_own_records, load_own_records
from apidiff.database.record_gate import MAX_FACT, record_faults
from apidiff.database.regular_files import is_own, read_regular
from apidiff.database.runs import (
    former_records,
    read_bytes,
    read_packed,
    record_path,
    run_id,
    run_name,
    run_path,
    signature_path,
    whole_digest,
)
from apidiff.errors import ApidiffError, DataError
from apidiff.execute.state_folder import state_folder
from apidiff.execute.variables import interconnect_settings
from apidiff.model.sample_run import SingleRecord
from apidiff.model.signed import Signed
from apidiff.model.trace import RUN_SCHEMA, DeviceFound, ProbeRun, RunRecord, SignatureDump
from apidiff.model.trust import Trust
from apidiff.model.version import VersionError, release_of
from apidiff.real_path import real_path

_MOST = 64 * 2**20  # bytes of the list of what was written here: some 400,000 records


def make_record(
    backend: Backend,
    version: str,
    world_size: int,
    signatures: list[SignatureDump],
    probes: Iterable[ProbeRun],
    device_found: DeviceFound | None = None,
) -> RunRecord:
    """Makes the record of a run made now in this environment."""
    return RunRecord(
        schema=RUN_SCHEMA,
        framework=backend.framework,
        framework_version=version,
        backend=backend.name,
        device=backend.device,
        device_found=device_found,
        world_size=world_size,
        environment=backend.environment | ({} if backend.device == "cpu" else interconnect_settings(os.environ)),
        **surroundings(backend.framework, device_found),
        signatures=sorted(signatures, key=lambda one: one.api),
        probes=sorted(probes, key=lambda run: (run.api, run.probe)),
    )


def surroundings(framework: str, device_found: DeviceFound | None = None) -> dict[str, Any]:
    """Makes the fields of a record that tell when a run was made, on what machine and with which packages: now and here."""
    packages = _packages()
    if device_found and (own := device_found.versions.get(framework)):
        packages.setdefault(framework, own)  # a framework that was built in place lists itself nowhere
    return {
        "suite_version": packages.get("apidiff", "source"),
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "os": _system()[:MAX_FACT],  # which a distribution's own name may be longer than
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "packages": dict(sorted(packages.items(), key=lambda item: item[0].lower())),
    }


def _packages() -> dict[str, str]:
    """The installed packages. One whose own files do not say in UTF-8 which it is, and of what version, is left out."""
    packages: dict[str, str] = {}
    for found in metadata.distributions():
        with contextlib.suppress(UnicodeDecodeError):
            name, version = found.name, found.version
            if name and version:
                packages[name] = version
    return packages


def _system() -> str:
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {platform.system()} {platform.release()}"
    except OSError:
        return platform.platform()


def encode(record: RunRecord | SingleRecord) -> bytes:
    """Encodes a record as JSON with one signature, package and probe (or sample) per line, so that two can be compared."""
    lists = [name for name in ("signatures", "probes", "samples") if hasattr(record, name)]
    head = msgspec.to_builtins(msgspec.structs.replace(record, packages={}, **{name: [] for name in lists}))
    head.pop("packages", None)
    parts = [f'"{key}": {_json(value)}' for key, value in head.items()]
    packages = ",\n".join(f"  {_json(name)}: {_json(version)}" for name, version in record.packages.items())
    parts.append(f'"packages": {{\n{packages}\n}}')
    parts += [f'"{key}": [\n' + ",\n".join(_json(item) for item in getattr(record, key)) + "\n]" for key in lists]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def refuse_faulty(record: RunRecord, runs: Path) -> None:
    """Raises DataError for the record of a run that nobody could take in, before it is written below ``runs``."""
    for found, _ in record_faults(record):
        path = run_path(record, encode(record), runs)
        raise DataError(
            path, None, f"is not written: {found}", "Report this with the journals of runs, and run it anew."
        )


def refuse_read_only(runs: Path, frameworks: Iterable[str] = ()) -> None:
    """Raises DataError where no record could be written below ``runs`` or listed beside it, before any is made.

    ``frameworks``: those of the records; the folders of their releases that are installed here count too.
    """
    below = [runs, *(runs / name for name in _installed(frameworks))]
    for folder in (runs.parent, *(folder for folder in below if folder.exists())):
        try:
            refuse_unwritable(folder)
        except OSError as error:
            found = f"records cannot be written there ({error.strerror}), so nothing was run"
            remedy = "Make it a folder that you can write to, or leave out --record."
            raise DataError(folder, None, found, remedy) from error


def _installed(frameworks: Iterable[str]) -> Iterator[str]:
    """The folders of records of the releases that packages here tell, such as ``torch-2.13.0``."""
    for framework in frameworks:
        with contextlib.suppress(metadata.PackageNotFoundError, VersionError):
            yield f"{framework}-{release_of(metadata.version(framework))}"


def write_record(record: RunRecord, runs: Path) -> Path:
    """Writes a record below ``runs`` and removes the one it replaces. Returns its path.

    It replaces the former one of the same measurer where this very checkout wrote it, or where it is listed as this
    project's. What somebody else sent stays, whatever it says of who measured. Raises DataError, with nothing left behind,
    where the folder cannot be written or the disk is full.
    """
    content = encode(record)
    path = run_path(record, content, runs)
    with locked(path.parent):
        write_listed(record, path, content)
        for former in former_records(path.parent, run_name(record)[1], path):
            if _is_former(former, record, path):
                remove_former(former)
    return path


def remove_former(path: Path) -> None:
    """Removes a record that another has taken the place of, and its signature, from a folder that the caller has locked.

    Raises DataError where that fails; then both are there.
    """
    try:
        write_files({}, without=[signature_path(path), path])
    except OSError as error:
        found = f"cannot be removed ({error.strerror})"
        raise DataError(path, None, found, "The record that takes its place is written; delete this one.") from error


def write_listed(record: RunRecord | SingleRecord, path: Path, stored: bytes) -> None:
    """Writes a record whose file holds ``stored``, in a folder that the caller has locked, and lists one of this project.

    The record comes first: a new line takes the signature of the list away. Where it is not listed in the end, it goes again.
    """
    was_there = path.exists()
    root, key = path.parent.parent.parent, run_id(path)
    digest = key.rpartition("-")[2]
    try:
        write_files({path: stored})
        if record.measured_by is None:
            add_own_records(root, {digest: key})
        mark_written_here(path)
    except BaseException:
        # A signal may come when its line is written already.
        if not was_there and digest not in load_own_records(root, []):
            path.unlink(missing_ok=True)
        raise


class _Measured(msgspec.Struct):
    """Of a record, who made it."""

    measured_by: str | None = None


def _is_former(path: Path, record: RunRecord, written: Path) -> bool:
    """Whether a record of the same run is one whose place ``record`` takes, which was ``written``."""
    try:
        by = msgspec.json.decode(read_bytes(path), type=_Measured).measured_by
    except (DataError, ValueError, RecursionError):  # damaged: `check` names it
        return False
    return by == record.measured_by and gives_way(path, written)


def gives_way(path: Path, newer: Path) -> bool:
    """Whether a record may be removed for a newer one: it was written here, or both are listed as this project's."""
    own = load_own_records(path.parent.parent.parent, [])
    return was_written_here(path) or all(whole_digest(read_bytes(one)) in own for one in (path, newer))


def write_beside(record: RunRecord, runs: Path) -> Path:
    """Writes a record below ``runs`` and replaces none. Returns its path. Raises DataError as ``write_record`` does."""
    content = encode(record)
    path = run_path(record, content, runs)
    with locked(path.parent):
        write_listed(record, path, content)
    return path


def mark_written_here(path: Path) -> None:
    """Keeps that the record in ``path`` was written here; where that cannot be kept, the record stays for good."""
    with contextlib.suppress(OSError, ApidiffError):
        _written_here().parent.mkdir(parents=True, exist_ok=True)
        # A pipe with no reader is refused, not waited for, and no link is followed to a file of the user's.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        handle = os.open(_written_here(), flags, 0o644)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                # A full disk may have left a part of a line there, which would swallow this one.
                os.write(handle, b"\n" + _line(path))
        finally:
            os.close(handle)


def was_written_here(path: Path) -> bool:
    """Whether the record in ``path`` was written there by this project's command, and is as it was.

    What another user could have written says nothing of that, nor does what a link leads to.
    """
    try:
        return is_own(_written_here().lstat()) and _line(path) in read_regular(_written_here(), _MOST).splitlines(
            keepends=True
        )
    except (ApidiffError, OSError):
        return False


def runs_of(data: Data, measured_by: str | None) -> list[tuple[str, RunRecord]]:
    """The records of ranks that may spare a run of this measurer (None: this project) from being made, by ID.

    Anybody can write a name into a record, or none, and a signer another's. So this project's own count; of a measurer also
    those that bear the measurer's own signature, and those that were written here, which need none.
    """
    counting = list(data.runs)
    if measured_by is not None:
        counting += [
            (key, record)
            for key, record in [*data.signed_runs, *data.unsigned_runs]
            if record.measured_by == measured_by
            and (_is_signed_by(data, key, measured_by) or was_written_here(record_path(key, data.root / "runs")))
        ]
    mine = [pair for pair in counting if pair[1].measured_by == measured_by]
    return sorted(mine, key=lambda pair: pair[0])


def _is_signed_by(data: Data, key: str, name: str) -> bool:
    signed = data.signed.get(key, Signed())
    return signed.trust is Trust.SIGNED and signed.signer == name


def _written_here() -> Path:
    return state_folder() / "recorded"


def _line(path: Path) -> bytes:
    """The digest and the path of a record, as sha256sum prints them."""
    return f"{whole_digest(read_packed(path))}  {real_path(path)}\n".encode("utf-8", "surrogateescape")
