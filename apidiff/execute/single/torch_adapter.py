"""PyTorch in a single process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from apidiff.execute.single.adapter import SingleAdapter
from apidiff.execute.torch_tensors import TorchTensors


class TorchSingle(TorchTensors, SingleAdapter):
    """``device``: 'cpu', as conf/single.toml names it."""

    def __init__(self, device: str) -> None:
        self._device = torch.device(device)

    def start(self) -> None:
        torch.set_default_device(self._device)

    def dtype_name(self, tensor: Any) -> str:
        return str(tensor.dtype).removeprefix("torch.")

    def framework_dtype(self, name: str) -> Any:
        return getattr(torch, name)

    def is_floating(self, tensor: Any) -> bool:
        return bool(tensor.is_floating_point())

    def seed(self, number: int) -> None:
        torch.manual_seed(number)

    def module_state(self, module: Any) -> dict[str, Any]:
        return {**dict(module.named_parameters()), **dict(module.named_buffers())}

    def set_state(self, tensor: Any, value: Any) -> None:
        if tensor.shape != value.shape:  # copy_ would broadcast
            raise ValueError(f"the state is {tuple(tensor.shape)}, the value given for it {tuple(value.shape)}")
        with torch.no_grad():
            tensor.copy_(value)

    def parameter(self, tensor: Any, name: str) -> Any:
        del name
        return torch.nn.Parameter(tensor, requires_grad=self.is_floating(tensor))

    def optimise(self, optimizer: Any, parameters: Sequence[Any], gradients: Sequence[Any]) -> None:
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient.clone()
        optimizer.step()

    def gradients(self, invoke: Any, inputs: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        leaves = {slot: value.detach().clone().requires_grad_() for slot, value in inputs.items()}
        wanted = {**leaves, **state}
        found = torch.autograd.grad(self.weighed(invoke(leaves)), list(wanted.values()), allow_unused=True)
        return {slot: value for slot, value in zip(wanted, found, strict=True) if value is not None}
