"""Records made by hand for tests: each function fills in what a test does not speak of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from apidiff.model import RUN_SCHEMA, RunRecord

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
id: torch.distributed.all_reduce
category: collective
summary: {en: Adds up., zh: 求和。}
source:
  name: torch.distributed.all_reduce
  probes:
    sync: {set: {tensor: {shape: [2]}}}
  claims:
    - id: holds-sum
      result: {at: tensor, formula: sum, of: tensor}
      probes: [sync]
    - id: keeps-tensor
      keeps: {argument: tensor}
      probes: [sync]
    - id: has-op
      parameter: {name: op}
    - id: cannot-be-watched
      completes: {}
      reason: {en: Nothing shows it., zh: 无从观察。}
targets:
  - api:
      name: mindspore.mint.distributed.all_reduce
      claims: [{id: has-op, parameter: {name: op}}]
    ranges: [{since: "2.5", status: current}]
    parameters: []
"""


def write_data(root: Path) -> Path:
    """Writes a database of one mapping, `torch.distributed.all_reduce` with four claims, one of them refuted, and no run."""
    mapping = root / "mappings" / "torch" / "distributed" / "all_reduce.yaml"
    mapping.parent.mkdir(parents=True)
    mapping.write_text(_MAPPING, encoding="utf-8")
    for name in ("documents.yaml", "frameworks.yaml"):
        (root / name).write_text("{}\n", encoding="utf-8")
    return root
