"""Runs a model of a library in one framework: the files that were taken from the library, and stand-ins for the rest of it.

    python run_model.py torch FOLDER MODEL KEPT      # makes weights and inputs, keeps them and the outputs
    python run_model.py mindspore FOLDER MODEL KEPT  # takes both from there, keeps its outputs

FOLDER holds the package and MODEL.py, which has `build()`, a dictionary of layers, and `run(layers, inputs)`, a list of tensors,
where `inputs` are made of `SHAPES`. Weights are carried over by name.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

# What MindSpore calls the parameters of its normalisations, as the pages of these layers say.
RENAMED = {"gamma": "weight", "beta": "bias", "moving_mean": "running_mean", "moving_variance": "running_var"}


class _StandIn:
    """A thing of the library that was not taken: it may be imported, inherited from and called at import, no more."""

    def __init__(self, *arguments: object, **named: object) -> None: ...

    def __call__(self, *arguments: object, **named: object) -> Any:
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __bool__(self) -> bool:
        return False  # `is_…_available()`

    def __iter__(self) -> Any:
        return iter(())

    def __mro_entries__(self, bases: object) -> tuple[type, ...]:
        return ()

    def __or__(self, other: object) -> Any:
        return self

    __ror__ = __or__


class _Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module below a package that no file is there for."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        inside = name == self._package or name.startswith(f"{self._package}.")
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if inside else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__getattr__ = lambda _name: _StandIn()  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None: ...


def run_torch(module: ModuleType, kept: Path) -> None:
    """Run the original with weights and inputs by seed; keep all three."""
    import torch

    torch.manual_seed(0)
    layers = {name: layer.eval() for name, layer in module.build().items()}
    values: dict[str, Any] = {}
    with torch.no_grad():
        for name, layer in layers.items():
            for part, weight in layer.named_parameters():
                # Zeros and ones would hide a mistake.
                weight.add_(torch.randn_like(weight) * 0.05)
                values[f"weight/{name}.{part}"] = weight.numpy()
        generator = np.random.default_rng(0)
        inputs = {
            name: generator.integers(0, 50, shape)
            if name.endswith("ids")
            else generator.normal(size=shape).astype("f4")
            for name, shape in module.SHAPES.items()
        }
        outputs = module.run(layers, {name: torch.from_numpy(array) for name, array in inputs.items()})
    values |= {f"input/{name}": array for name, array in inputs.items()}
    values |= {f"output/{name}": output.numpy() for name, output in outputs.items()}
    np.savez(kept / "torch.npz", **values)


def run_mindspore(module: ModuleType, kept: Path) -> None:
    """Run the port with the weights and inputs of the original; keep its outputs."""
    import mindspore

    mindspore.set_device("CPU")
    values = np.load(kept / "torch.npz")
    layers = {name: layer.set_train(False) for name, layer in module.build().items()}
    left = {key for key in values.files if key.startswith("weight/")}
    for name, layer in layers.items():
        for part, weight in layer.parameters_and_names():
            before, dot, last = part.rpartition(".")
            key = f"weight/{name}.{part}"
            if key not in values:
                key = f"weight/{name}.{before}{dot}{RENAMED.get(last, last)}"
            if key not in values:
                sys.exit(f"The original has no weight {key.removeprefix('weight/')}.")
            if values[key].shape != tuple(weight.shape):
                sys.exit(f"{name}.{part} has the shape {tuple(weight.shape)}, in the original {values[key].shape}.")
            weight.set_data(mindspore.Tensor(values[key]))
            left.discard(key)
    if left:
        sys.exit(f"The port has no weight {min(left).removeprefix('weight/')}.")
    inputs = {
        key.removeprefix("input/"): mindspore.from_numpy(values[key])
        for key in values.files
        if key.startswith("input/")
    }
    outputs = module.run(layers, inputs)
    np.savez(kept / "mindspore.npz", **{f"output/{name}": output.asnumpy() for name, output in outputs.items()})


if __name__ == "__main__":
    framework, folder, model, kept = sys.argv[1:]
    sys.path.insert(0, folder)
    package = next(path.name for path in Path(folder).iterdir() if path.is_dir() and path.name != "__pycache__")
    sys.meta_path.append(_Absent(package))
    {"torch": run_torch, "mindspore": run_mindspore}[framework](importlib.import_module(model), Path(kept))
