"""The values of a sample's tensors: those that it writes out, or drawn from its seed; the same under every framework."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from apidiff.model.dtypes import carrier
from apidiff.model.sample import SampleInput, number_of

Array = npt.NDArray[Any]


class Arrays:
    """Makes the tensors of one call, in the order in which they are asked for."""

    def __init__(self, dtype: str, seed: int) -> None:
        self._dtype, self._seed = dtype, seed

    @cached_property
    def _random(self) -> np.random.RandomState:
        # Started where numbers are drawn: it takes 0.2 ms, which written values need not wait for.
        # Its numbers are those that NumPy promises never to change (NEP 19).
        return np.random.RandomState(self._seed)

    def make(self, tensor: SampleInput) -> tuple[Array, str]:
        """The values of ``tensor`` and the name of its dtype. One that NumPy lacks comes in the dtype that carries it."""
        dtype = tensor.dtype or self._dtype
        kept = carrier(dtype)
        if tensor.shape is None:
            return np.array(_plain(tensor.values)).astype(kept), dtype
        if np.dtype(kept).kind in "fc":
            return self._random.uniform(tensor.low, tensor.high, tuple(tensor.shape)).astype(kept), dtype
        low, high = (0, 2) if kept == "bool" else (int(tensor.low), int(tensor.high) + 1)
        return self._random.randint(low, high, tuple(tensor.shape)).astype(kept), dtype


def _plain(value: Any) -> Any:
    """Written values as numbers."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return number_of(value) if isinstance(value, str) else value
