"""Says in a few lines where and with what a run was made."""

from __future__ import annotations

import msgspec

from apidiff.database.paths import DATA
from apidiff.database.runs import read_bytes, record_stem, run_id, runs_meant, whole_digest
from apidiff.errors import ApidiffError
from apidiff.messages.escape_invisible import one_line, unbroken


class _Head(msgspec.Struct):
    """What a record begins with; of its traces, which are long, nothing is read."""

    suite_version: str
    framework: str
    framework_version: str
    device: str
    date: str
    os: str
    python: str
    machine: str
    cores: int
    packages: dict[str, str]
    backend: str | None = None
    world_size: int = 1
    inputs: str = ""
    measured_by: str | None = None
    environment: dict[str, str] = {}
    probes: list[msgspec.Raw] = []
    samples: list[msgspec.Raw] = []


def run_text(wanted: str) -> str:
    """Describe the record with this ID, or the only one that a part of it means. Raises ApidiffError."""
    every = {run_id(path): path for path in sorted((DATA / "runs").glob("*/*.json*"))}
    meant = runs_meant(wanted, every)
    if len(meant) != 1:
        which = f": {', '.join(meant[:5])}" if meant else ""
        raise ApidiffError(
            f"{wanted!r} is the ID of {len(meant)} run records{which}. Ask with a whole ID, as answers name it."
        )
    path = every[meant[0]]
    content = read_bytes(path)
    try:
        head = msgspec.json.decode(content, type=_Head)
    except (ValueError, RecursionError) as error:
        raise ApidiffError(f"The record {meant[0]!r} is damaged: {error}.") from error
    if whole_digest(content) != record_stem(path).rpartition("-")[2]:
        raise ApidiffError(f"The record {meant[0]!r} is damaged: its bytes have another digest than its name says.")
    ranks = f"{head.backend}, world size {head.world_size}" if head.backend else "single process"
    calls = f"{len(head.probes)} probes" if head.backend else f"{len(head.samples)} {head.inputs or 'written'} samples"
    lines = [
        f"**{meant[0]}**",
        f"- {head.framework} {head.framework_version} ({head.packages.get(head.framework, head.framework_version)})",
        f"- {ranks}, {head.device}, {calls}",
        f"- {head.date}, apidiff {head.suite_version}",
        f"- {one_line(head.os)}, {head.machine}, {head.cores} cores, Python {head.python}",
    ]
    lines += [f"- measured by {one_line(head.measured_by)}"] if head.measured_by else []
    lines += [f"- {name}={one_line(value)}" for name, value in head.environment.items()]
    return "".join(f"{unbroken(line)}\n" for line in lines)
