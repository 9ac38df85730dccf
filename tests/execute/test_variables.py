"""What is set in a caller's shell and would change what is measured: no process that measures gets it, and no record hides it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database.backends import Backend, load_backends
from apidiff.database.devices import Deadlines, Device
from apidiff.execute.record import make_record
from apidiff.execute.single.plan import Step
from apidiff.execute.single.run import CallRunner
from apidiff.execute.variables import interconnect_settings, without_settings
from apidiff.execute.world import World
from apidiff.model.sample import Sample, SampleForm, call_of
from apidiff.model.trace import RankTrace, ScalarDump

CHANGING = {
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
    "TORCH_DISTRIBUTED_DEBUG": "DETAIL",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "TORCHDYNAMO_DISABLE": "1",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_DEFAULT_FPMATH_MODE": "BF16",
    "OMP_NUM_THREADS": "8",
    "NVIDIA_TF32_OVERRIDE": "1",
    "MS_DEV_GRAPH_KERNEL_FLAGS": "x",
    "GLOG_v": "0",
    "GLOO_TIMEOUT": "1",
    "INF_NAN_MODE_ENABLE": "0",
}
STAYING = {
    "PATH": "/bin",
    "HOME": "/root",
    "PYTHONPATH": "/here",
    "PYTHONDONTWRITEBYTECODE": "1",
    "CUDA_VISIBLE_DEVICES": "0",
    "LD_LIBRARY_PATH": "/lib",
    "ASCEND_HOME_PATH": "/ascend",
    "GLOO_SOCKET_IFNAME": "eth0",
    "NCCL_P2P_DISABLE": "1",
    "HCCL_WHITELIST_DISABLE": "1",
}


ASKED = ["TORCH_DISTRIBUTED_DEBUG", "NCCL_DEBUG"]


def test_what_a_process_that_measures_gets() -> None:
    assert without_settings(CHANGING | STAYING) == STAYING


def test_a_call_meets_no_setting_of_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    device = Device(framework="torch", device="cpu", deadlines=Deadlines(start=300, call=120))
    sample = Sample(args={"start": 0, "end": 4})  # PyTorch warns of this function
    step = Step("torch.range", "first", call_of(sample, "torch.range", SampleForm.FUNCTION))
    with CallRunner(device, tmp_path) as runner:
        run = runner.run([step], lambda _: None)[step.key]
    assert run.trace
    assert run.trace.error is None


def test_ranks_meet_no_setting_of_the_shell(
    gloo: Backend, call: Callable[..., list[RankTrace]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "DETAIL")
    monkeypatch.setenv("NCCL_DEBUG", "WARN")
    with World(gloo, 1, tmp_path) as world:
        found = [call(world, "os.getenv", {"set": {"key": key, "default": "unset"}})[0] for key in ASKED]
    assert [one.returned for one in found] == [ScalarDump(value="unset"), ScalarDump(value="WARN")]


@pytest.mark.parametrize(
    ("name", "device", "noted"), [("nccl", "cuda", {"NCCL_ALGO": "Ring", "NCCL_?": "?"}), ("gloo", "cpu", {})]
)
def test_a_record_tells_what_stayed(
    name: str, device: str, noted: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in interconnect_settings(os.environ):  # MindSpore sets one when it is imported
        monkeypatch.delenv(key)
    monkeypatch.setenv("NCCL_ALGO", "Ring")
    monkeypatch.setenv(os.fsdecode(b"NCCL_\xff"), os.fsdecode(b"\xff"))
    backend = next(one for one in load_backends() if (one.name, one.device) == (name, device))
    record = make_record(backend, "2.13.0", 2, [], [])
    assert record.environment == backend.environment | noted
    assert "NCCL_ALGO" not in backend.environment
