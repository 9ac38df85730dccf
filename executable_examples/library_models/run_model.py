"""Runs a ported model of a library beside the original, on CPU and with the same weights, and compares what both give.

    python run_model.py gpt2 FOLDER

FOLDER/torch and FOLDER/mindspore hold the files that `take.py` took, the latter ported. gpt2.py in both has `build()`, a
dictionary of layers, and `run(layers, inputs)`, a dictionary of tensors; `inputs` are made of `SHAPES`. Each framework runs in a
process of its own, and weights are carried over by name. What was not taken of the library is replaced by things that do nothing.
Exit code 1 where outputs differ by more than 1e-5.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

LIMIT = 1e-5
ABSENT = ("huggingface_hub", "safetensors", "torchvision")  # libraries that the files import and do not need here
# What MindSpore calls the parameters of its normalisations, as the pages of these layers say.
RENAMED = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
}


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

    def __init__(self, *packages: str) -> None:
        self._packages = packages

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        inside = name.partition(".")[0] in self._packages
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if inside else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__file__ = "<absent>"
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
                # Zeros and ones would hide a mistake, and what an initialiser is left to fill holds anything.
                drawn = torch.randn_like(weight) * 0.1
                weight.copy_(drawn if weight.ndim > 1 else weight + drawn)
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


def compare(folder: Path) -> float:
    """Return the largest difference between the outputs of both."""
    expected, found = np.load(folder / "torch.npz"), np.load(folder / "mindspore.npz")
    names = [name for name in expected.files if name.startswith("output/")]
    if names != found.files or any(expected[name].shape != found[name].shape for name in names):
        sys.exit("The outputs of both have other names or shapes.")
    if not all(np.isfinite(expected[name]).all() and expected[name].any() for name in names):
        sys.exit("An output of the original says nothing: it is not finite, or zero everywhere.")
    return max(float(np.abs(expected[name] - found[name]).max()) for name in names)


def _run_here(framework: str, model: str, folder: Path) -> None:
    files = folder / framework
    sys.path.insert(0, str(files))
    package = next(path.name for path in files.iterdir() if path.is_dir() and path.name != "__pycache__")
    sys.meta_path.append(_Absent(package, *ABSENT))
    {"torch": run_torch, "mindspore": run_mindspore}[framework](importlib.import_module(model), folder)


if __name__ == "__main__":
    model, where = sys.argv[1], Path(sys.argv[2])
    if len(sys.argv) > 3:
        _run_here(sys.argv[3], model, where)
    else:
        for framework in ("torch", "mindspore"):
            subprocess.run([sys.executable, __file__, model, str(where), framework], check=True)
        largest = compare(where)
        print(f"largest difference: {largest:.1e}")
        sys.exit(int(not largest <= LIMIT))
