"""MindSpore in a single process. Communication is not started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mindspore

from apidiff.execute.mindspore_tensors import MindSporeTensors
from apidiff.execute.single.adapter import Inputs, SingleAdapter
from apidiff.execute.single.graph import GraphCall
from apidiff.model.sample import SampleCall

_POOL = "0.01GB"  # of the CPU's memory; 1 GB by default, to be filled in every process that is forked
_TARGETS = {"cpu": "CPU", "cuda": "GPU", "npu": "Ascend"}


class MindSporeSingle(MindSporeTensors, SingleAdapter):
    """``device``: 'cpu', as conf/single.toml names it."""

    def __init__(self, device: str) -> None:
        self._device = _TARGETS[device]

    def start(self) -> None:
        mindspore.set_device(self._device)
        mindspore.runtime.launch_blocking()
        if self._device == "CPU":
            mindspore.runtime.set_memory(init_size=_POOL, increase_size=_POOL)

    def dtype_name(self, tensor: Any) -> str:
        return str(tensor.dtype).lower()

    def framework_dtype(self, name: str) -> Any:
        return getattr(mindspore, name)

    def is_floating(self, tensor: Any) -> bool:
        return bool(tensor.is_floating_point())

    def seed(self, number: int) -> None:
        mindspore.set_seed(number)
        mindspore.manual_seed(number)

    def module_state(self, module: Any) -> dict[str, Any]:
        return dict(module.parameters_and_names())

    def set_state(self, tensor: Any, value: Any) -> None:
        if tensor.shape != value.shape:
            raise ValueError(f"the state is {tensor.shape}, the value given for it {value.shape}")
        tensor.set_data(value.astype(tensor.dtype))

    def parameter(self, tensor: Any, name: str) -> Any:
        return mindspore.Parameter(tensor, name=name)

    def optimise(self, optimizer: Any, parameters: Sequence[Any], gradients: Sequence[Any]) -> None:
        del parameters
        optimizer(tuple(gradients))

    def in_graph(self, call: SampleCall, inputs: Inputs) -> Any:
        graph = GraphCall(self.is_tensor)
        function = graph.function(call, inputs.receiver, inputs.module, inputs.args, inputs.kwargs)
        return mindspore.jit(function)(*graph.tensors)

    def synchronise(self) -> None:
        if self._device != "CPU":  # there it only logs that it cannot
            mindspore.runtime.synchronize()

    def gradients(self, invoke: Any, inputs: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        def loss(*values: Any) -> Any:
            return self.weighed(invoke(dict(zip(inputs, values, strict=True))))

        positions, weights = tuple(range(len(inputs))) or None, list(state.values()) or None
        found = mindspore.grad(loss, grad_position=positions, weights=weights)(*inputs.values())
        parts = list(found) if positions and weights else [found]
        flat = [one for part in parts for one in (part if isinstance(part, tuple | list) else [part])]
        return dict(zip([*inputs, *state], flat, strict=True))
