"""Compares a ported model with the original on CPU, with the same weights.

    apidiff port vit.py --device cpu --unsafe > vit_ported.py
    python compare.py vit.py vit_ported.py

Both files have `build()`, which gives the model, and `inputs()`, which gives NumPy arrays. Weights are copied in their order;
a weight of another shape ends the script. Exit code 1 where the outputs differ by more than 1e-4.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np

LIMIT = 1e-4


def load(path: Path) -> ModuleType:
    """Import a file by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_torch(path: Path, folder: Path) -> None:
    """Run the original; keep its weights and its output."""
    import torch

    torch.manual_seed(0)
    module = load(path)
    model = module.build().eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 1:  # ones and zeros would hide a mistake
                weight.add_(torch.randn_like(weight) * 0.1)
        output = model(*(torch.from_numpy(array) for array in module.inputs()))
    weights = [weight.detach().numpy() for weight in model.parameters()]
    np.savez(
        folder / "torch.npz", output=output.numpy(), **{f"weight_{place}": one for place, one in enumerate(weights)}
    )


def run_mindspore(path: Path, folder: Path) -> None:
    """Run the port with the weights of the original; keep its output."""
    import mindspore

    mindspore.set_device("CPU")
    module = load(path)
    model = module.build()
    model.set_train(False)
    kept = np.load(folder / "torch.npz")
    weights = list(model.get_parameters())
    if len(weights) != len(kept.files) - 1:
        sys.exit(f"The port has {len(weights)} weights, the original {len(kept.files) - 1}.")
    for place, weight in enumerate(weights):
        value = kept[f"weight_{place}"]
        if tuple(weight.shape) != value.shape:
            sys.exit(f"{weight.name} has the shape {tuple(weight.shape)}, in the original {value.shape}.")
        weight.set_data(mindspore.Tensor(value))
    output = model(*(mindspore.from_numpy(array) for array in module.inputs()))
    np.save(folder / "mindspore.npy", output.asnumpy())


def compare(original: Path, port: Path) -> float:
    """Return the largest difference between both outputs. Each framework runs in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        for framework, path in (("torch", original), ("mindspore", port)):
            subprocess.run([sys.executable, __file__, f"--{framework}", str(path), name], check=True)
        expected = np.load(Path(name) / "torch.npz")["output"]
        found = np.load(Path(name) / "mindspore.npy")
    if expected.shape != found.shape:
        sys.exit(f"The output has the shape {found.shape}, in the original {expected.shape}.")
    return float(np.abs(expected - found).max())


if __name__ == "__main__":
    if sys.argv[1].startswith("--"):
        {"--torch": run_torch, "--mindspore": run_mindspore}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        largest = compare(Path(sys.argv[1]), Path(sys.argv[2]))
        print(f"largest difference: {largest:.1e}")
        sys.exit(int(largest > LIMIT))
