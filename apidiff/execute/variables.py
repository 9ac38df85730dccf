"""The variables of a process that measures: what is left in a caller's shell must not change what a framework does.

A record says which variables were set, so that a run can be repeated; it cannot say all that a shell holds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

# What Python and the frameworks read. Those that a backend needs are set in conf.
_READ = (
    "ATEN_",
    "CUBLAS_",
    "CUDA_LAUNCH_BLOCKING",
    "CUDNN_",
    "DNNL_",
    "GLOG_",
    "GLOO_",
    "GOMP_",
    "INF_NAN_MODE",
    "KMP_",
    "MINDSPORE_",
    "MKL_",
    "MS_",
    "NPY_",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_",
    "ONEDNN_",
    "OPENBLAS_",
    "PYTHON",
    "PYTORCH_",
    "TORCH",
)
# Of these, what tells only where something is found, and how a log is written.
_HARMLESS = {
    "GLOO_SOCKET_IFNAME",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHOME",
    "PYTHONIOENCODING",
    "PYTHONNOUSERSITE",
    "PYTHONPATH",
    "PYTHONPYCACHEPREFIX",
    "PYTHONUSERBASE",
    "PYTHONUTF8",
}
# Without these the ranks of some machines do not reach each other: they stay, and the record names them.
_INTERCONNECT = ("HCCL_", "NCCL_")


def without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Leaves out what changes what Python or a framework does."""
    return {key: value for key, value in environment.items() if key in _HARMLESS or not key.startswith(_READ)}


def package_path() -> str:
    """PYTHONPATH for a process of Python's that finds this package whatever folder it is started in, and with ``-P``."""
    package = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])


def interconnect_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What the libraries that join devices read, with what is no UTF-8 replaced."""
    found = {key: value for key, value in environment.items() if key.startswith(_INTERCONNECT)}
    return {_as_utf8(key): _as_utf8(value) for key, value in found.items()}


def _as_utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
