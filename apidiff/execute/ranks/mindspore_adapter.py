"""MindSpore inside a rank: mccl on CPU, nccl on GPU, hccl on Ascend."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore.communication import create_group, get_group_size, get_rank, init

from apidiff.execute.mindspore_tensors import MindSporeTensors
from apidiff.execute.ranks.adapter import Adapter

_TARGETS = {"cpu": "CPU", "cuda": "GPU", "npu": "Ascend"}


class MindSporeAdapter(MindSporeTensors, Adapter):
    """``device`` is 'cpu', 'cuda' or 'npu'. The backend follows from the device: MindSpore chooses it in ``init()``."""

    package = "mindspore.mint.distributed"

    def __init__(self, device: str) -> None:
        self._device = _TARGETS[device]
        self._groups: dict[tuple[tuple[int, ...], float | None], str] = {}

    def start(self) -> None:
        mindspore.set_device(self._device)
        init()
        self.rank, self.world_size = get_rank(), get_group_size()

    def reduce_op(self, name: str) -> Any:
        return getattr(mindspore.ops.ReduceOp, name, name.lower())

    def group(self, ranks: list[int], *, by_name: bool, timeout: float | None) -> Any:
        del by_name  # a group is a name here
        key = tuple(ranks), timeout
        if timeout is not None and key not in self._groups:
            # Nothing else takes a time-out; who is no member may not call it.
            limit = int(timeout)
            self._groups[key] = mindspore.mint.distributed.new_group(ranks, timeout=limit) if self.rank in ranks else ""
        if key not in self._groups:
            name = f"apidiff_{'_'.join(map(str, ranks))}"
            if self.rank in ranks:
                create_group(name, ranks)
            self._groups[key] = name
        return self._groups[key]

    def synchronise(self) -> None:
        mindspore.runtime.synchronize()

    def switch_inplace(self, value: bool) -> None:
        from mindspore.ops.communication import set_comm_ops_inplace

        set_comm_ops_inplace(value)
