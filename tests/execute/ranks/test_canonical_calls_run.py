"""Every call that pages show is made as it is written, on three ranks of both frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.database.backends import Backend
from apidiff.execute.journal import Journal
from apidiff.execute.plan import Plan, Step, step_key
from apidiff.execute.runner import Runner
from apidiff.model.claim import CANONICAL
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import collective_of, digest
from apidiff.model.trace import ProbeRun

# On the CPU MindSpore asks for a group that only Ascend has, or has no kernel.
LACKS = ("unregistered", "hccl_world_group", "Unsupported op")
# What a receiver says whose sender failed for one of these; alone it is no reason.
LEFT = "Recv failed."
# Its sender fails so, and its receiver then waits: each costs a start of the ranks, so one stands for all.
WAITS = ("irecv", "isend", "recv", "recv_object_list", "send_object_list")


@pytest.fixture(scope="module")
def data(database: Data) -> Data:
    return database


def made(backend: Backend, apis: list[Api], folder: Path) -> dict[str, ProbeRun]:
    steps = [Step(api, CANONICAL, digest(api, CANONICAL), ()) for api in apis if CANONICAL in collective_of(api).probes]
    with Runner(backend, 3, folder) as runner:
        runs = runner.run(steps, lambda _: None, Journal(None, Plan((), ())))
    return {step.api.name: runs[step_key(step)] for step in steps}


def failures(run: ProbeRun) -> list[str]:
    return [trace.error.message for trace in run.ranks if trace.error]


def lacking(messages: list[str]) -> bool:
    """Whether the CPU lacks something for each of these failures, or for one of which another is the consequence."""
    reasons = [message for message in messages if LEFT not in message]
    return all(any(lack in message for lack in LACKS) for message in reasons) and bool(reasons) == bool(messages)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], True),
        (["The group hccl_world_group does not exist."], True),
        (["The group hccl_world_group does not exist.", "Recv failed."], True),
        (["Recv failed."], False),
        (["The group hccl_world_group does not exist.", "wrong shape"], False),
    ],
)
def test_a_failure_is_told_from_what_the_cpu_lacks(messages: list[str], expected: bool) -> None:
    assert lacking(messages) is expected


@pytest.mark.turning(days=2, group="frameworks")
def test_every_call_of_pytorch_runs_as_it_is_written(gloo: Backend, data: Data, tmp_path: Path) -> None:
    runs = made(gloo, [mapping.source for mapping in data.mappings.values()], tmp_path)
    assert len(runs) > 45
    assert {
        name: failures(run) or run.end for name, run in runs.items() if failures(run) or run.end != "completed"
    } == {}


@pytest.mark.turning(days=2, group="frameworks")
def test_every_call_of_mindspore_runs_or_says_what_the_cpu_lacks(mccl: Backend, data: Data, tmp_path: Path) -> None:
    apis = {target.api.name: target.api for mapping in data.mappings.values() for target in mapping.targets}
    mint = [api for name, api in apis.items() if ".mint." in name and name.rpartition(".")[2] not in WAITS]
    runs = made(mccl, [api for api in mint if not api.defined_in], tmp_path)
    completed = [name for name, run in runs.items() if run.end == "completed" and not failures(run)]
    assert len(completed) > 12
    odd = {name: failures(run) for name, run in runs.items() if not lacking(failures(run))}
    assert odd == {}
