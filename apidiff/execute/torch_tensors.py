"""PyTorch in a process: its version, and its tensors, made from NumPy arrays and looked at for a trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch


class TorchTensors:
    """Tensors on the device of the process."""

    _device: torch.device

    def version(self) -> str:
        """The framework's version, without the build it is of."""
        return str(torch.__version__).partition("+")[0]

    def synchronise(self) -> None:
        """Waits until everything that was asked of the device is done."""
        if self._device.type != "cpu":
            getattr(torch, self._device.type).synchronize()

    def is_tensor(self, value: object) -> bool:
        """Whether ``value`` is a tensor."""
        return isinstance(value, torch.Tensor)

    def make_tensor(self, array: npt.NDArray[Any], dtype: str, *, strided: bool) -> Any:
        """A tensor of the values of ``array``, with ``strided`` one that lies in every second element of a wider one."""
        plain = torch.from_numpy(np.asarray(array, order="C")).to(getattr(torch, dtype)).to(self._device)
        if not strided:
            return plain
        wide = torch.zeros(*plain.shape[:-1], plain.shape[-1] * 2, dtype=plain.dtype, device=self._device)
        view = wide[..., ::2]
        view.copy_(plain)
        return view

    def part(self, tensor: Any, start: int, length: int) -> Any:
        """``length`` places of dimension 0 from ``start``, in the memory of ``tensor``."""
        return tensor.narrow(0, start, length)

    def to_numpy(self, tensor: Any) -> npt.NDArray[Any]:
        """The values; bfloat16, which NumPy lacks, as float32."""
        plain = tensor.detach().cpu().resolve_conj().resolve_neg()
        array: npt.NDArray[Any] = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
        return array

    def storage(self, tensor: Any) -> object:
        """What tensors that share memory have in common."""
        pointer = tensor.untyped_storage().data_ptr()
        return pointer or id(tensor)

    def contiguous(self, tensor: Any) -> bool:
        """Whether the elements lie one after the other."""
        return bool(tensor.is_contiguous())
