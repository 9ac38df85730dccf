"""How long ranks wait for one that does not come, and that a probe waits longer than the backend does."""

from __future__ import annotations

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


@pytest.mark.turning(days=2, group="waiting")
@pytest.mark.skipif(
    "mindspore" not in {found.name for found in metadata.distributions()}
    or Version(metadata.version("mindspore")) < Version("2.10.0"),
    reason="MindSpore has the variable since 2.10.0",
)
def test_the_variable_sets_how_long_mindspore_waits_on_the_cpu(mccl: Backend, tmp_path: Path) -> None:
    # Without the variable ranks wait for 30 s: the probe would end first, by its own deadline.
    backend = msgspec.structs.replace(
        mccl,
        environment=mccl.environment | {"MS_CPU_COMM_OP_TIMEOUT": "2"},
        deadlines=Deadlines(start=mccl.deadlines.start, probe=29, after_error=29),
    )
    with World(backend, 3, tmp_path) as world:
        reply = world.ask({"do": "probe", "api": collective_api(MISSING_RANK), "probe": "missing"})
    errors = [msgspec.json.decode(line, type=RankTrace).error for _, line in sorted(reply.answers.items())]
    assert reply.end == "completed"
    assert [error.type if error else None for error in errors] == [None, "RuntimeError", "RuntimeError"]


@pytest.mark.turning(days=2, group="waiting")
def test_a_probe_outlasts_the_limit_of_mccl() -> None:
    """Else an error that every user meets after 30 s is recorded as a time-out of the probe's own."""
    deadlines = next(backend.deadlines for backend in load_backends() if backend.name == "mccl")
    assert min(deadlines.probe, deadlines.after_error) > 30
