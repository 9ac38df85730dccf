"""MindSpore in a process: its version, and its tensors, made from NumPy arrays and looked at for a trace."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import numpy.typing as npt
from mindspore import Tensor


class MindSporeTensors:
    """Tensors on the device that the process has chosen."""

    def version(self) -> str:
        """The framework's version."""
        return str(mindspore.__version__)

    def is_tensor(self, value: object) -> bool:
        """Whether ``value`` is a tensor."""
        return isinstance(value, Tensor)

    def make_tensor(self, array: npt.NDArray[Any], dtype: str, *, strided: bool) -> Any:
        """A tensor of the values of ``array``, with ``strided`` one whose elements do not lie one after another."""
        if not strided:
            return Tensor(np.asarray(array, order="C"), getattr(mindspore, dtype))
        # Indexing copies on some devices, and after some errors refuses integers; transposing and selecting do neither.
        if array.ndim > 1:
            turned = np.ascontiguousarray(np.swapaxes(array, -1, -2))
            return mindspore.mint.transpose(Tensor(turned, getattr(mindspore, dtype)), -1, -2)
        return mindspore.mint.select(Tensor(np.stack([array, array], axis=-1), getattr(mindspore, dtype)), -1, 0)

    def part(self, tensor: Any, start: int, length: int) -> Any:
        """``length`` places of dimension 0 from ``start``, in the memory of ``tensor``."""
        return mindspore.mint.narrow(tensor, 0, start, length)

    def to_numpy(self, tensor: Any) -> npt.NDArray[Any]:
        """The values; bfloat16 is a dtype of its own, which MindSpore adds to NumPy."""
        array: npt.NDArray[Any] = tensor.asnumpy()
        return array.copy()

    def storage(self, tensor: Any) -> object:
        """What tensors that share memory have in common."""
        # Not tensor.data_ptr(): of a view that is where the view begins.
        return tensor.untyped_storage().data_ptr() or id(tensor)

    def contiguous(self, tensor: Any) -> bool:
        """Whether the elements lie one after the other."""
        return bool(tensor.is_contiguous())
