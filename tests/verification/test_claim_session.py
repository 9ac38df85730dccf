"""What a session of claims runs and misses: real runs on CPU, by backends that say they need a device for each rank."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from factories import write_data

from apidiff.database import ApidiffError, load
from apidiff.database.backends import Backend, Devices, find_backends, load_backends
from apidiff.judge import make_context
from apidiff.verification.claim_session import Chosen, ClaimRuns

SOURCE = "torch.distributed.all_reduce"
_DEVICES = """
import json
print(json.dumps({"names": ["device"] * %d, "versions": {}}))
print("ok")
"""


def with_devices(count: int) -> Backend:
    """gloo, whose ranks need a device each, on a machine with so many; none: it is not here."""
    pytest.importorskip("torch")
    (gloo,) = find_backends(load_backends(), "gloo")
    code = _DEVICES % count if count else "raise SystemExit('no device')"
    check = msgspec.structs.replace(gloo.check, code=code)
    return msgspec.structs.replace(gloo, devices=Devices.ONE, check=check)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes the runs of all claims on a source and its target, and judges them. Returns them and the lines that were said."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    data = load(write_data(tmp_path / "data"))

    def make(known: Sequence[Backend], names: list[str], sizes: list[int] | None = None) -> tuple[ClaimRuns, list[str]]:
        said: list[str] = []
        made = ClaimRuns(data, make_context(known, {}, {}), known, names, sizes, said.append)
        mapping = data.mappings[SOURCE]
        chosen = [
            Chosen(api, claim, SOURCE)
            for api in (mapping.source, *(target.api for target in mapping.targets))
            for claim in api.claims
        ]
        made.run(chosen)
        for claim in chosen:
            made.judge(claim)
        return made, said

    return make


def sizes_of(runs: ClaimRuns) -> list[int]:
    return [int(found[1]) for line in runs.lines() if (found := re.search(r" on gloo with (\d) ranks", line))]


@pytest.mark.turning(days=4, group="runs")
def test_one_device_runs_one_rank(runs) -> None:
    made, _ = runs([with_devices(1)], ["gloo"])
    assert (sizes_of(made), made.lacking()) == ([1], [])


@pytest.mark.turning(days=4, group="runs")
def test_three_devices_run_as_many_ranks_and_tell_what_is_left_out(runs) -> None:
    known = [with_devices(3)]
    made, said = runs(known, ["gloo"])
    assert (sizes_of(made), made.lacking()) == ([2, 3], [])
    assert "gloo-cpu (torch): world size 4 left out: each rank needs a device of its own, and found were 3" in said
    with pytest.raises(ApidiffError, match="4 is too large"):
        runs(known, ["gloo"], [2, 4])


@pytest.mark.turning(days=4, group="runs")
def test_one_framework_of_a_name_is_enough_and_a_name_without_any_is_missing(runs) -> None:
    here = with_devices(1)
    absent = msgspec.structs.replace(with_devices(0), framework="mindspore")
    nowhere = msgspec.structs.replace(with_devices(0), name="nccl")
    made, said = runs([here, absent, nowhere], ["gloo", "nccl"])
    assert (sizes_of(made), made.lacking()) == ([1], ["nccl was asked for and is not here"])
    assert len([line for line in said if "looked for" in line]) == 2


@pytest.mark.turning(days=4, group="runs")
def test_a_run_that_stopped_is_missing(runs) -> None:
    made, _ = runs([with_devices(1)], ["gloo"])
    (place,) = made._places
    place.comparisons[0].stopped = "torch on gloo with 1 ranks stopped early: rank 0 went away"
    assert made.lacking() == ["torch on gloo with 1 ranks stopped early: rank 0 went away"]


def test_the_reason_of_most_claims_is_told_first(runs) -> None:
    made, _ = runs(load_backends(), ["nccl"])
    assert made.compared == 0
    first, *_ = (made.why_nothing() or "").split("; ")
    assert first.startswith("nccl (torch, cuda): looked for ")
    assert "nccl (mindspore, cuda): looked for " in (made.why_nothing() or "")
