"""The described device checks in real processes, with stand-ins for the frameworks: rows of (stand-in, what is said)."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database.backends import find_backends, load_backends
from apidiff.execute.devices import Availability, look_for
from apidiff.execute.ranks import device_checks as devices


def torch(
    version: str = "2.13.0+cu130", cuda: str | None = "13.0", gpus: int = 0, says: str = "", **more: object
) -> str:
    """A torch that finds so many GPUs; ``says``: what its ``init`` raises."""
    libraries = more.get("libraries", ("gloo", "nccl"))
    return f"""
import sys, types
__version__ = {version!r}
version = types.SimpleNamespace(cuda={cuda!r}, hip={more.get("hip")!r})
cuda = types.ModuleType("torch.cuda")
cuda.is_available = lambda: {gpus} > 0
cuda.device_count = lambda: {gpus}
cuda.get_device_name = lambda index: "NVIDIA H200"
def init():
    if {says!r}: raise RuntimeError({says!r})
cuda.init = init
cuda.nccl = types.SimpleNamespace(version=lambda: (2, 27, 5))
npu = types.SimpleNamespace(is_available=lambda: {gpus} > 0, device_count=lambda: {gpus}, get_device_name=lambda i: "Ascend910B")
distributed = types.ModuleType("torch.distributed")
distributed.is_available = lambda: True
distributed.is_gloo_available = lambda: "gloo" in {libraries!r}
distributed.is_nccl_available = lambda: "nccl" in {libraries!r}
sys.modules |= {{"torch.cuda": cuda, "torch.distributed": distributed}}
print("a greeting that is no JSON")
"""


def mindspore(gpus: int = 0, npus: int = 0) -> str:
    def device(count: int) -> str:
        return f"types.SimpleNamespace(is_available=lambda: {count} > 0, device_count=lambda: {count})"

    return f"""
import types
__version__ = "2.10.0"
device_context = types.SimpleNamespace(gpu={device(gpus)}, ascend={device(npus)})
"""


NPU = "__version__ = '2.13.0rc1'\n"


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """``look(name, framework, **modules)``: the check of a backend, in a process that finds these modules first."""

    def looked(name: str, framework: str, /, **modules: str) -> Availability:
        for module, text in modules.items():
            (tmp_path / module).mkdir()
            (tmp_path / module / "__init__.py").write_text(text, encoding="utf-8")
        # The package's own folder comes first, and holds neither framework.
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr("apidiff.execute.devices.find_spec", lambda name: name)
        monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
        return look_for(find_backends(load_backends(), name, framework)[0])

    return looked


NO_DRIVER = "no NVIDIA driver (/proc/driver/nvidia/version is not there)"
# backend, stand-in torch, what is said of it
ABSENT = [
    ("nccl", torch("2.13.0+cpu", None), f"found: torch 2.13.0+cpu, built without CUDA; {NO_DRIVER}"),
    ("nccl", torch("2.13.0+rocm7", None, hip="7.0"), "found: torch 2.13.0+rocm7, built for ROCm 7.0; "),
    (
        "nccl",
        torch(says="Found no NVIDIA driver on your system."),
        f"found: torch 2.13.0+cu130 for CUDA 13.0; {NO_DRIVER}; torch says: Found no NVIDIA driver on your system.",
    ),
    ("gloo-cuda", torch(), f"found: torch 2.13.0+cu130 for CUDA 13.0; {NO_DRIVER}; torch.cuda.is_available() is False"),
    ("nccl", torch(gpus=1, libraries=("gloo",)), "found: 1 × NVIDIA H200, but a torch 2.13.0+cu130 without nccl"),
    ("gloo-cuda", torch(gpus=1, libraries=("nccl",)), "found: 1 × NVIDIA H200, but a torch 2.13.0+cu130 without gloo"),
    ("nccl", "raise ImportError('libcudart.so.13: cannot open shared object file')", "libcudart.so.13: cannot open"),
]


@pytest.mark.skipif(Path("/proc/driver/nvidia/version").exists(), reason="the rows are of a machine without a driver")
@pytest.mark.parametrize(("name", "module", "said"), ABSENT)
def test_a_missing_gpu_is_said_with_what_was_found(look, name: str, module: str, said: str) -> None:
    found = look(name, "torch", torch=module)
    assert not found.available
    assert said in found.text


def test_hidden_gpus_are_said_to_be_hidden(look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "CUDA_VISIBLE_DEVICES='' hides every GPU" in look("nccl", "torch", torch=torch()).text


# backend, number of GPUs, libraries told beside torch and CUDA
PRESENT = [("nccl", 1, {"NCCL": "2.27.5"}), ("nccl", 2, {"NCCL": "2.27.5"}), ("gloo-cuda", 2, {})]


@pytest.mark.parametrize(("name", "gpus", "libraries"), PRESENT)
def test_gpus_are_named_with_their_versions(look, name: str, gpus: int, libraries: dict[str, str]) -> None:
    found = look(name, "torch", torch=torch("2.7.0a0+5228986c39.nv25.05", "12.9", gpus))
    assert found.available, found.text
    assert found.device is not None
    assert found.device.names == ["NVIDIA H200"] * gpus
    told = {key: value for key, value in found.device.versions.items() if key != "driver"}
    assert told == {"torch": "2.7.0a0+5228986c39.nv25.05", "CUDA": "12.9", **libraries}
    assert f"({gpus} × NVIDIA H200, torch 2.7.0a0+5228986c39.nv25.05, CUDA 12.9" in found.text


def test_ascend_through_torch_npu(look) -> None:
    found = look("hccl", "torch", torch=torch(gpus=2), torch_npu=NPU)
    assert found.available, found.text
    assert found.device is not None
    assert (found.device.names, found.device.versions["torch_npu"]) == (["Ascend910B"] * 2, "2.13.0rc1")


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"torch": torch()}, "No module named 'torch_npu'"),
        ({"torch": torch(), "torch_npu": NPU}, "torch_npu 2.13.0rc1, but no device; no Ascend driver ("),
    ],
)
def test_no_ascend_for_torch(look, modules: dict[str, str], said: str) -> None:
    found = look("hccl", "torch", **modules)
    assert not found.available
    assert said in found.text


# backend, stand-in, whether it is there, what is said
MINDSPORE = [
    ("nccl", mindspore(), False, "mindspore 2.10.0, built without GPU, and none was loaded; "),
    ("nccl", mindspore(gpus=2), True, "(2 × GPU, mindspore 2.10.0"),
    ("hccl", mindspore(), False, "mindspore 2.10.0, which loaded no Ascend plugin; no Ascend driver ("),
    ("hccl", mindspore(npus=4), True, "(4 × Ascend, mindspore 2.10.0"),
    ("mccl", mindspore(), True, "(mindspore 2.10.0)"),
]


@pytest.mark.parametrize(("name", "module", "there", "said"), MINDSPORE)
def test_mindspore(look, name: str, module: str, there: bool, said: str) -> None:
    found = look(name, "mindspore", mindspore=module)
    assert found.available is there
    assert said in found.text


def test_mindspore_whose_package_holds_gpu_plugins_of_other_cudas(look, tmp_path: Path) -> None:
    for name in ("gpu11.1", "gpu11.6", "cpu"):
        (tmp_path / "mindspore" / "lib" / "plugin" / name).mkdir(parents=True)
    (tmp_path / "mindspore" / "__init__.py").write_text(mindspore(), encoding="utf-8")
    assert (
        "whose package has GPU plugins for CUDA 11.1, 11.6 only, and none was loaded" in look("nccl", "mindspore").text
    )


# text of the driver's file, its version
DRIVERS = [
    ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024\n", "550.90.07"),
    ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.51.03  Release Build  (a@b)  Sat\n", "575.51.03"),
    ("GCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n", None),
]


@pytest.mark.parametrize(("text", "version"), DRIVERS)
def test_the_version_of_the_nvidia_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, version: str | None
) -> None:
    monkeypatch.setattr(devices, "_NVIDIA", tmp_path / "version")
    assert devices.nvidia_driver() is None
    (tmp_path / "version").write_text(text, encoding="utf-8")
    assert devices.nvidia_driver() == version


def test_the_versions_of_ascends_driver_and_cann(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_ASCEND_DRIVER", tmp_path / "version.info")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "latest"))
    assert devices.ascend_versions() == {"driver": None, "CANN": None}
    (tmp_path / "version.info").write_text("Version=25.2.0\nascendhal_version=7.35\n", encoding="utf-8")
    info = tmp_path / "latest" / "x86_64-linux" / "ascend_toolkit_install.info"
    info.parent.mkdir(parents=True)
    info.write_text("package_name=Ascend-cann-toolkit\nversion=8.3.RC1\n", encoding="utf-8")
    assert devices.ascend_versions() == {"driver": "25.2.0", "CANN": "8.3.RC1"}


@pytest.mark.parametrize("line", ['{"names": [1]}', '{"devices": 2}', "[]", "{"])
def test_json_that_is_no_device_is_left_alone(look, line: str) -> None:
    module = f"print({line!r})\n{torch(gpus=1)}"
    found = look("nccl", "torch", torch=module)
    assert found.device is not None
    assert found.device.names == ["NVIDIA H200"]
