"""Records made by hand for tests: each function fills in what a test does not speak of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from apidiff.database.backends import Backend, Deadlines, DeviceCheck
from apidiff.model.base import Text
from apidiff.model.mapping import Api
from apidiff.model.trace import RUN_SCHEMA, RunRecord
from apidiff.model.views import ClaimEntry, Entry, RangeEntry, TargetEntry

CPU_BACKENDS = {"torch": "gloo", "mindspore": "mccl"}
NEWEST = {"torch": "2.13.0", "mindspore": "2.10.0"}


def run_record(framework: str = "torch", version: str | None = None, world_size: int = 2, **fields: Any) -> RunRecord:
    """Makes the record of a run on CPU, by default of the newest version that is recorded, in which nothing was asked.

    ``fields``: those of a `RunRecord` that are to be otherwise, such as ``probes`` and ``signatures``.
    """
    usual = {
        "schema": RUN_SCHEMA,
        "suite_version": "0",
        "framework": framework,
        "framework_version": version or NEWEST[framework],
        "backend": CPU_BACKENDS[framework],
        "device": "cpu",
        "world_size": world_size,
        "date": "2026-11-20T10:00:00Z",
        "os": "Linux",
        "python": "3.11",
        "machine": "x86_64",
        "cores": 2,
        "packages": {},
    }
    return RunRecord(**(usual | fields))


_MAPPING = """
category: collective
summary: {en: Adds up., zh: 求和。}
source:
  probes:
    sync: {set: {tensor: {shape: [2]}}}
  claims:
    holds-sum: {result: sum, at: tensor, of: tensor, by: sync}
    keeps-tensor: {keeps: tensor, by: sync}
    has-op: {parameter: op}
    cannot-be-watched: {completes: true, reason: {en: Nothing shows it., zh: 无从观察。}, when: {}}
targets:
  mindspore.mint.distributed.all_reduce:
    since: "2.5"
    claims: {has-op: {parameter: op}}
"""


def write_data(root: Path) -> Path:
    """Writes a database of one mapping, `torch.distributed.all_reduce` with four claims, one of them refuted, and no run."""
    mapping = root / "mappings" / "torch" / "distributed" / "all_reduce.yaml"
    mapping.parent.mkdir(parents=True)
    mapping.write_text(_MAPPING, encoding="utf-8")
    for name in ("documents.yaml", "frameworks.yaml"):
        (root / name).write_text("{}\n", encoding="utf-8")
    return root


def claim_entry(name: str, **fields: Any) -> ClaimEntry:
    """Makes the entry of a claim by its ID, ``<API>#<claim>``: that the call returns, with nothing seen of it."""
    api = name.partition("#")[0]
    usual = {
        "id": name,
        "subject": api,
        "side": "source" if api.startswith("torch.") else "target",
        "kind": "completes",
        "text": Text(en="It returns.", zh="能够返回。"),
    }
    return ClaimEntry(**(usual | fields))


def range_entry(since: str | None, until: str | None = None, status: str = "current") -> RangeEntry:
    """Makes the range of MindSpore versions from ``since`` to ``until``, both of which belong to it."""
    text = f"≥ {since}" if until is None else f"≤ {until}" if since is None else f"{since} – {until}"
    return RangeEntry(since=since, until=until, range=text, status=status)


def target_entry(name: str, *ranges: RangeEntry, **fields: Any) -> TargetEntry:
    """Makes the entry of a target: a function without a difference."""
    usual = {
        "name": name,
        "kind": "function",
        "ranges": list(ranges),
        "parameters": [],
        "differences": [],
        "risk": "none",
    }
    return TargetEntry(**(usual | fields))


def entry(name: str, **fields: Any) -> Entry:
    """Makes the entry of a mapping: a collective with nothing recorded of it."""
    usual = {
        "id": name,
        "category": "collective",
        "summary": Text(en="Passes on.", zh="传递。"),
        "aliases": [],
        "source": name,
        "signatures": {},
        "risk": "none",
        "targets": [],
        "claims": [],
    }
    return Entry(**(usual | fields))


def backend(name: str, framework: str, device: str) -> Backend:
    """Makes a backend as ``conf/backends.toml`` describes one, whose check tells nothing."""
    check = DeviceCheck(code="", looks_for=Text(en=f"a device called {device}", zh=f"名为 {device} 的设备"))
    deadlines = Deadlines(start=1, probe=1)
    return Backend(name=name, framework=framework, device=device, launcher="", check=check, deadlines=deadlines)


def collective_api(plain: dict[str, Any]) -> Api:
    """An API that ranks call, of plain data in which its root, constructor and probes stand beside its name."""
    inner = {key: plain[key] for key in ("root", "constructor", "probes") if key in plain}
    return msgspec.convert({**{key: plain[key] for key in plain if key not in inner}, "collective": inner}, Api)
