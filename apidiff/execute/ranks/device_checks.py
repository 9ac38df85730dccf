"""The device checks that ``conf/backends.toml`` names: each runs in a process of its own and prints what it found.

Printed is first a JSON object with the names of the devices and the versions of driver and libraries, as far as they were
found, then a line that is ``ok`` or says what is missing. No check makes a tensor or starts a rank.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from apidiff.real_path import real_path

_NVIDIA = Path("/proc/driver/nvidia/version")
_ASCEND_DRIVER = Path("/usr/local/Ascend/driver/version.info")


def torch_cpu() -> None:
    """PyTorch on the CPU with gloo."""
    import torch
    import torch.distributed as dist

    there = dist.is_available() and dist.is_gloo_available()
    _tell([], {"torch": torch.__version__}, "ok" if there else f"a torch without gloo ({torch.__version__})")


def torch_cuda(library: str) -> None:
    """PyTorch on NVIDIA GPUs with ``library``: gloo or nccl."""
    import torch
    import torch.distributed as dist

    versions = {"torch": torch.__version__, "CUDA": torch.version.cuda, "driver": nvidia_driver()}
    if torch.version.cuda is None:
        other = f"built for ROCm {torch.version.hip}" if getattr(torch.version, "hip", None) else "built without CUDA"
        return _tell([], versions, f"torch {torch.__version__}, {other}; {_driver_text()}")
    if not torch.cuda.is_available():
        return _tell([], versions, f"torch {torch.__version__} for CUDA {torch.version.cuda}; {_why_no_cuda(torch)}")
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    if not (dist.is_available() and getattr(dist, f"is_{library}_available")()):
        return _tell(names, versions, f"{_counted(names)}, but a torch {torch.__version__} without {library}")
    if library == "nccl":
        versions["NCCL"] = ".".join(map(str, torch.cuda.nccl.version()))
    return _tell(names, versions, "ok")


def torch_npu() -> None:
    """PyTorch on Ascend through torch_npu with hccl."""
    import torch
    import torch_npu

    versions = {"torch": torch.__version__, "torch_npu": torch_npu.__version__, **ascend_versions()}
    if not torch.npu.is_available():
        return _tell([], versions, f"torch_npu {torch_npu.__version__}, but no device; {_ascend_text()}")
    names = [torch.npu.get_device_name(index) for index in range(torch.npu.device_count())]
    return _tell(names, versions, "ok")


def mindspore_cpu() -> None:
    """MindSpore on the CPU with mccl."""
    import mindspore

    _tell([], {"mindspore": mindspore.__version__}, "ok")


def mindspore_cuda() -> None:
    """MindSpore on NVIDIA GPUs with nccl, where its package loads a GPU plugin."""
    import mindspore

    gpu = getattr(mindspore.device_context, "gpu", None)
    versions = {"mindspore": mindspore.__version__, "driver": nvidia_driver()}
    if gpu is None or not gpu.is_available():
        plugins = sorted(path.name[3:] for path in (Path(mindspore.__file__).parent / "lib/plugin").glob("gpu?*"))
        held = f"whose package has GPU plugins for CUDA {', '.join(plugins)} only" if plugins else "built without GPU"
        return _tell([], versions, f"mindspore {mindspore.__version__}, {held}, and none was loaded; {_driver_text()}")
    return _tell(["GPU"] * gpu.device_count(), versions, "ok" if gpu.device_count() else "no GPU")


def mindspore_npu() -> None:
    """MindSpore on Ascend with hccl."""
    import mindspore

    ascend = getattr(mindspore.device_context, "ascend", None)
    versions = {"mindspore": mindspore.__version__, **ascend_versions()}
    if ascend is None or not ascend.is_available():
        return _tell(
            [], versions, f"mindspore {mindspore.__version__}, which loaded no Ascend plugin; {_ascend_text()}"
        )
    # Older versions do not tell how many; then one is all that is known.
    count = ascend.device_count() if hasattr(ascend, "device_count") else 1
    return _tell(["Ascend"] * count, versions, "ok" if count else f"no Ascend device; {_ascend_text()}")


def nvidia_driver() -> str | None:
    """The version of the NVIDIA driver that the kernel has loaded."""
    return _version_in([_NVIDIA], r"\s(\d{3,}\.\d+(?:\.\d+)?)\s")


def ascend_versions() -> dict[str, str | None]:
    """The versions of Ascend's driver and of CANN, from the files that their installers leave."""
    home = os.environ.get("ASCEND_HOME_PATH") or os.environ.get("ASCEND_TOOLKIT_HOME")
    notes = sorted(real_path(home).glob("*/ascend_*_install.info")) if home else []
    return {
        "driver": _version_in([_ASCEND_DRIVER], r"(?m)^Version=(\S+)"),
        "CANN": _version_in(notes, r"version=(\S+)"),
    }


def _version_in(paths: Iterable[Path], pattern: str) -> str | None:
    for path in paths:
        try:
            found = re.search(pattern, path.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue
        if found:
            return found[1]
    return None


def _driver_text() -> str:
    driver = nvidia_driver()
    return f"NVIDIA driver {driver}" if driver else f"no NVIDIA driver ({_NVIDIA} is not there)"


def _ascend_text() -> str:
    driver = ascend_versions()["driver"]
    return f"Ascend driver {driver}" if driver else f"no Ascend driver ({_ASCEND_DRIVER} is not there)"


def _why_no_cuda(torch: Any) -> str:
    """What stands between torch and a GPU: no driver, no device, devices that are hidden, or what torch itself says."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    if hidden is not None and hidden.strip() in {"", "-1"}:
        return f"{_driver_text()}; CUDA_VISIBLE_DEVICES={hidden!r} hides every GPU"
    try:
        torch.cuda.init()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the reason
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        return f"{_driver_text()}; torch says: {said[:120]}"
    return f"{_driver_text()}; torch.cuda.is_available() is False"


def _counted(names: list[str]) -> str:
    return f"{len(names)} × {', '.join(dict.fromkeys(names))}"


def _tell(names: list[str], versions: dict[str, str | None], verdict: str) -> None:
    known = {name: str(version) for name, version in versions.items() if version}
    print(json.dumps({"names": names, "versions": known}))  # noqa: T201 - its parent reads it
    print(verdict)  # noqa: T201
