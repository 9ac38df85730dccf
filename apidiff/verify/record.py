"""Run records: made from what a run showed and from the whole environment, written under the digest of their bytes."""

from __future__ import annotations

import fcntl
import os
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import msgspec

from apidiff.model import RUN_SCHEMA, DeviceFound, ProbeRun, RunRecord, SignatureDump
from apidiff.store import DataError
from apidiff.store.backends import Backend
from apidiff.store.runs import run_name, run_path
from apidiff.store.signed import signature_path

_LOCK_S = 10.0  # a record is written in milliseconds
_TEMPORARY = ".tmp"


def make_record(
    backend: Backend,
    version: str,
    world_size: int,
    signatures: list[SignatureDump],
    probes: Iterable[ProbeRun],
    device_found: DeviceFound | None = None,
) -> RunRecord:
    """The record of a run made now in this environment."""
    packages = {found.name: found.version for found in metadata.distributions() if found.name}
    if device_found and (own := device_found.versions.get(backend.framework)):
        packages.setdefault(backend.framework, own)  # a framework that was built in place lists itself nowhere
    return RunRecord(
        schema=RUN_SCHEMA,
        suite_version=packages.get("apidiff", "source"),
        framework=backend.framework,
        framework_version=version,
        backend=backend.name,
        device=backend.device,
        device_found=device_found,
        world_size=world_size,
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        os=_system(),
        python=platform.python_version(),
        machine=platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        packages=dict(sorted(packages.items(), key=lambda item: item[0].lower())),
        environment=backend.environment,
        signatures=sorted(signatures, key=lambda one: one.api),
        probes=sorted(probes, key=lambda run: (run.api, run.probe)),
    )


def _system() -> str:
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {platform.system()} {platform.release()}"
    except OSError:
        return platform.platform()


def encode(record: RunRecord) -> bytes:
    """The bytes of a record: JSON with one signature, package and probe a line, so that two can be compared."""
    head = msgspec.to_builtins(msgspec.structs.replace(record, signatures=[], probes=[], packages={}))
    head.pop("packages", None)
    lines = [f'"{key}": {_json(value)}' for key, value in head.items()]
    packages = ",\n".join(f"  {_json(name)}: {_json(version)}" for name, version in record.packages.items())
    lines.append(f'"packages": {{\n{packages}\n}}')
    for key, items in (("signatures", record.signatures), ("probes", record.probes)):
        lines.append(f'"{key}": [\n' + ",\n".join(_json(item) for item in items) + "\n]")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def write_record(record: RunRecord, runs: Path) -> Path:
    """Writes a record below ``runs`` and removes the one it takes the place of: that of the same measurer. Returns its path.

    Raises DataError, with nothing left behind, where the folder cannot be written or the disk is full.
    """
    content = encode(record)
    path = run_path(record, content, runs)
    name = run_name(record)[1]
    with _alone_in(path.parent):
        _write(path, content)
        for former in path.parent.glob(f"{name}-*.json"):
            if former != path and former.stem.rpartition("-")[0] == name and _measurer(former) == record.measured_by:
                signature_path(former).unlink(missing_ok=True)
                former.unlink()
    return path


class _Measured(msgspec.Struct):
    """Of a record, who made it."""

    measured_by: str | None = None


def _measurer(path: Path) -> str | None:
    return msgspec.json.decode(path.read_bytes(), type=_Measured).measured_by


def write_bytes(record: RunRecord, content: bytes, runs: Path) -> Path:
    """Writes the bytes of a record below ``runs`` under its name and their digest, beside all that is there.

    Raises DataError as ``write_record`` does.
    """
    path = run_path(record, content, runs)
    put(path, content)
    return path


def put(path: Path, content: bytes) -> None:
    """Writes ``content`` to ``path``; nobody else writes in its folder meanwhile.

    Raises DataError as ``write_record`` does.
    """
    with _alone_in(path.parent):
        _write(path, content)


def _write(path: Path, content: bytes) -> None:
    """The bytes are on disk under a temporary name before they get their own."""
    handle, name = tempfile.mkstemp(prefix=".", suffix=_TEMPORARY, dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Has other processes wait that would write records in ``folder``; removes what one that was killed had half written.

    Without it two that record the same run would each remove the other's record. Raises DataError for what goes wrong.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        try:
            if _lock(handle, folder):
                for left in folder.glob(f".*{_TEMPORARY}"):
                    left.unlink()
            yield
        finally:
            os.close(handle)
    except OSError as error:
        remedy = "Free space, or check that the folder can be written; nothing was recorded."
        raise DataError(folder, None, f"the record cannot be written ({error.strerror})", remedy) from error


def _lock(handle: int, folder: Path) -> bool:
    """Locks an open folder until it is closed; False where its file system has no locks."""
    until = time.monotonic() + _LOCK_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > until:
                found = f"another process has been writing a record here for {_LOCK_S:g} s"
                raise DataError(folder, None, found, "Look whether it is stopped; nothing was recorded.") from error
            time.sleep(0.05)
        except OSError:
            return False
        else:
            return True
