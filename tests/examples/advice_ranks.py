"""Runs advice on one rank, started by msrun: recipes and samples of the guides, each as it is written.

Every tensor that is left in the end goes into one more collective, as a reader's next line would have it. Usage:
``advice_ranks.py ITEMS FOLDER``, where ITEMS is a JSON file of `tests.examples.test_advice.Item` as plain data. What came of
each item is written to ``FOLDER/<number>-<rank>.json``; the ranks wait there for each other, since it may fail on one of them.
A group's name is taken for the whole process: no two recipes may give the same.
"""

from __future__ import annotations

import json
import runpy
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, communication, ops
from mindspore.mint import distributed as dist

PATIENCE = 500.0  # seconds that a rank waits for the others after an item


def tensors_of(names: dict[str, Any]) -> dict[str, Tensor]:
    """The float tensors among local names, those in lists too: ``output``, ``parts[0]``.

    Parameters are left out: several names stand for one, and each would sum it once more.
    """
    found: dict[str, Tensor] = {}

    def add(name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            return
        if isinstance(value, Tensor) and value.dtype == mindspore.float32:
            found[name] = value
        elif isinstance(value, list | tuple):
            for index, item in enumerate(value):
                add(f"{name}[{index}]", item)

    for name, value in names.items():
        add(name, value)
    return found


def run_recipe(path: str, rank: int, world_size: int) -> dict[str, Any]:
    """Calls the function ``example`` of a script and returns the names that it has at its end."""
    function = runpy.run_path(path)["example"]
    left: dict[str, Any] = {}

    def watch(frame: Any, event: str, _: object) -> None:
        if event == "return" and frame.f_code is function.__code__:
            left.update(frame.f_locals)

    sys.setprofile(watch)
    try:
        function(rank, world_size)
    finally:
        sys.setprofile(None)
    return left


def run_sample(code: str, rank: int, world_size: int) -> dict[str, Any]:
    """Runs a sample of a guide or a note with what its text takes for given, and returns the names that it has at its end."""
    tensor = Tensor(np.arange(1, 4, dtype=np.float32) * 10**rank)
    names = {"dist": dist, "ops": ops, "np": np, "Tensor": Tensor}
    names |= {"rank": rank, "world_size": world_size, "tensor": tensor}
    exec(compile(code, "<guide>", "exec"), names)
    return names


def used(names: dict[str, Any], shared: Callable[[dict[str, Any]], list[dict[str, Any]]]) -> dict[str, Any]:
    """Sums each tensor that every rank has over all ranks; what each held before, and what the sum is."""
    left = tensors_of(names)
    shapes = shared({name: list(tensor.shape) for name, tensor in left.items()})
    common = [name for name in left if all(shapes[0].get(name) == other.get(name) for other in shapes)]
    held = {name: left[name].asnumpy().tolist() for name in common}
    for name in common:
        dist.all_reduce(left[name])
    return {name: {"before": held[name], "sum": left[name].asnumpy().tolist()} for name in common}


def main(items: Path, folder: Path) -> None:
    mindspore.set_device("CPU")
    communication.init()
    rank, world_size = communication.get_rank(), communication.get_group_size()
    for number, item in enumerate(json.loads(items.read_text())):

        def shared(mine: dict[str, Any], key: str = f"{number}") -> list[dict[str, Any]]:
            return exchange(folder, key, rank, world_size, mine)

        outcome: dict[str, Any] = {}
        try:
            names = (run_recipe if item["recipe"] else run_sample)(item["code"], rank, world_size)
            outcome["used"] = used(names, lambda mine: shared(mine, f"{number}-shapes"))  # noqa: B023
        except Exception:  # noqa: BLE001
            outcome["error"] = traceback.format_exc()
        mindspore.runtime.synchronize()
        shared(outcome)


def exchange(folder: Path, key: str, rank: int, world_size: int, mine: dict[str, Any]) -> list[dict[str, Any]]:
    """Writes what this rank has under ``key`` and returns what all ranks have. Raises TimeoutError after `PATIENCE`."""
    part = folder / f"{key}-{rank}.part"
    part.write_text(json.dumps(mine))
    part.rename(folder / f"{key}-{rank}.json")
    paths = [folder / f"{key}-{other}.json" for other in range(world_size)]
    until = time.monotonic() + PATIENCE
    while not all(path.exists() for path in paths):
        if time.monotonic() > until:
            raise TimeoutError(f"item {key}: no answer from ranks {[path.name for path in paths if not path.exists()]}")
        time.sleep(0.01)
    return [json.loads(path.read_text()) for path in paths]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
