"""Lists the public names of the installed PyTorch that a record is to answer."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

MODULES = (
    "torch",
    "torch.Tensor",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.linalg",
    "torch.special",
    "torch.fft",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.autograd",
    "torch.amp",
    "torch.cuda",
    "torch.random",
    "torch.utils.data",
    "torch.distributions",
)
"""Where single calls live. Those of torch.distributed are in scope by `conf/scope.yaml`, whole."""


def public_names() -> list[str]:
    """Every public name of `MODULES`, in their order, each once: a class is named where it is defined."""
    named = [f"{place}.{name}" for place in MODULES for name in _of(_holder(place))]
    known = set(named)
    return [full for full in named if not _is_elsewhere(full, known)]


def _holder(place: str) -> Any:
    if place == "torch.Tensor":
        return importlib.import_module("torch").Tensor
    return importlib.import_module(place)


def _of(holder: Any) -> Iterator[str]:
    for name in sorted(set(getattr(holder, "__all__", None) or dir(holder))):
        if not name.startswith("_") and _is_own(getattr(holder, name, None)):
            yield name


def _is_own(value: Any) -> bool:
    """Whether a value is PyTorch's: an import of typing or warnings is none of its names, nor is a module."""
    if isinstance(value, ModuleType):
        return False
    if inspect.isclass(value) or inspect.isroutine(value):
        return (getattr(value, "__module__", None) or "torch").partition(".")[0] in {"torch", "functools"}
    return type(value).__module__ != "typing"


def _is_elsewhere(full: str, known: set[str]) -> bool:
    """Whether a class of another place in scope is only imported here."""
    place, _, name = full.rpartition(".")
    value = getattr(_holder(place), name, None)
    if not inspect.isclass(value):
        return False
    own = f"{value.__module__}.{value.__name__}"
    return own != full and own in known
