"""PyTorch inside a rank: gloo on CPU, gloo and nccl on GPU, hccl on Ascend through torch_npu."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from apidiff.execute.ranks.adapter import Adapter
from apidiff.execute.torch_tensors import TorchTensors


def device_of(kind: str, local: int) -> torch.device:
    """The device of the rank ``local`` of a machine. Ranks go round where there are fewer devices than ranks.

    Only gloo shares a device. A library that does not is planned with no more ranks than devices; where a launcher shows
    each rank one device alone, that is number 0 for all.
    """
    if kind == "cpu":
        return torch.device("cpu")
    return torch.device(kind, local % max(1, getattr(torch, kind).device_count()))


class TorchAdapter(TorchTensors, Adapter):
    """``backend`` and ``device`` ('cpu', 'cuda', 'npu') as conf/backends.toml names them."""

    package = "torch.distributed"

    def __init__(self, backend: str, device: str) -> None:
        self._backend, self._kind = backend, device
        self._groups: dict[tuple[tuple[int, ...], float | None], Any] = {}

    def start(self) -> None:
        if self._kind == "npu":
            import torch_npu  # noqa: F401
        local = int(os.environ.get("LOCAL_RANK", os.environ["RANK"]))
        self._device = device_of(self._kind, local)
        if self._kind != "cpu":
            getattr(torch, self._kind).set_device(self._device)
            torch.set_default_device(self._device)  # where examples make their tensors
        dist.init_process_group(self._backend, timeout=timedelta(seconds=600))
        self.rank, self.world_size = dist.get_rank(), dist.get_world_size()
        if self._kind != "cpu":
            # nccl and hccl connect in their first collective: that takes longer than a probe is given.
            self.canary()

    def reduce_op(self, name: str) -> Any:
        return getattr(dist.ReduceOp, name)

    def group(self, ranks: list[int], *, by_name: bool, timeout: float | None) -> Any:
        key = tuple(ranks), timeout
        if key not in self._groups:
            # Every rank makes every group, members or not.
            limit = None if timeout is None else timedelta(seconds=timeout)
            whole = limit is None and len(ranks) == self.world_size
            self._groups[key] = dist.group.WORLD if whole else dist.new_group(ranks, timeout=limit)
        group = self._groups[key]
        return getattr(group, "group_name", None) if by_name else group
