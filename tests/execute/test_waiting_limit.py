"""How long ranks wait for one that does not come, and that a probe waits longer than the backend does."""

from __future__ import annotations

import time
from importlib import metadata
from pathlib import Path

import msgspec
import pytest

from apidiff.database.backends import Backend, Deadlines, load_backends
from apidiff.execute.world import World
from apidiff.model.trace import RankTrace
from apidiff.model.version import Version
from tests.factories import collective_api

MISSING_RANK = {"name": "mindspore.mint.distributed.barrier", "probes": {"missing": {"ranks": [1, 2]}}}


@pytest.mark.skipif(
    "mindspore" not in {found.name for found in metadata.distributions()}
    or Version(metadata.version("mindspore")) < Version("2.10.0"),
    reason="MindSpore has the variable since 2.10.0",
)
def test_the_variable_sets_how_long_mindspore_waits_on_the_cpu(mccl: Backend, tmp_path: Path) -> None:
    backend = msgspec.structs.replace(
        mccl,
        environment=mccl.environment | {"MS_CPU_COMM_OP_TIMEOUT": "34"},
        deadlines=Deadlines(start=mccl.deadlines.start, probe=300, after_error=300),
    )
    with World(backend, 3, tmp_path) as world:
        started = time.monotonic()
        reply = world.ask({"do": "probe", "api": collective_api(MISSING_RANK), "probe": "missing"})
        waited = time.monotonic() - started
    errors = [msgspec.json.decode(line, type=RankTrace).error for _, line in sorted(reply.answers.items())]
    assert reply.end == "completed"
    assert [error.type if error else None for error in errors] == [None, "RuntimeError", "RuntimeError"]
    assert waited >= 33  # without the variable: 30


def test_a_probe_outlasts_the_limit_of_mccl() -> None:
    """Else an error that every user meets after 30 s is recorded as a time-out of the probe's own."""
    deadlines = next(backend.deadlines for backend in load_backends() if backend.name == "mccl")
    assert min(deadlines.probe, deadlines.after_error) > 30
