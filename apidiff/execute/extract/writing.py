"""Writes what PyTorch's inputs hold as arguments of a sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from apidiff.model.dtypes import DTYPES
from apidiff.model.sample import SampleArgument, SampleInput

_DIGITS = 3
_MOST_DIMENSIONS = 8


class NotWritable(ValueError):
    """An argument that no sample can hold: a function, a device, a sparse tensor, a dtype that no trace names."""


class Writer:
    """Writes the arguments of one call whose tensors are of ``dtype`` and hold ``most`` elements together.

    Floats get three significant digits, unless ``exact``: they read well in a snippet, and float64 and float16 can be given the
    same. ``elements``: how many the tensors written so far hold.
    """

    def __init__(self, dtype: str, most: int, *, exact: bool = False) -> None:
        self._dtype, self._most, self._exact = dtype, most, exact
        self.elements = 0

    def write(self, value: Any) -> SampleArgument:
        """An argument. Raises NotWritable."""
        match value:
            case torch.Tensor():
                return self._tensor(value)
            case torch.dtype():
                return SampleInput(framework_dtype=_name_of(value))
            case None | bool() | int() | str():
                return value
            case float() | complex():
                return self._number(value)
            case list():
                return SampleInput(list=[self.write(item) for item in value])
            case tuple():
                return SampleInput(tuple=[self.write(item) for item in value])
            case np.bool_() | np.integer() | np.floating():
                return self.write(value.item())
        raise NotWritable(f"a {type(value).__name__} is no argument of a sample")

    def _number(self, value: complex) -> SampleArgument:
        if isinstance(value, complex):
            return SampleInput(number=str(complex(self._rounded(value.real), self._rounded(value.imag))))
        if not math.isfinite(value):
            return SampleInput(number=str(value))
        return self._rounded(value)

    def _tensor(self, tensor: torch.Tensor) -> SampleInput:
        if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_meta or type(tensor) not in _PLAIN:
            raise NotWritable("only plain tensors can be written")
        if tensor.ndim > _MOST_DIMENSIONS:
            raise NotWritable(f"{tensor.ndim} dimensions are more than NumPy and MindSpore hold")
        name = _name_of(tensor.dtype)
        own = None if name == self._dtype else name
        self.elements += tensor.numel()
        if self.elements > self._most:
            raise NotWritable(f"its tensors hold more than {self._most} elements")
        if tensor.numel() == 0:
            return SampleInput(shape=list(tensor.shape), dtype=own)
        plain = tensor.detach().resolve_conj().resolve_neg()
        values = plain.float() if tensor.dtype in _HALVES else plain
        return SampleInput(values=self._values(values.tolist()), dtype=own)

    def _values(self, values: Any) -> Any:
        if isinstance(values, list):
            return [self._values(item) for item in values]
        if isinstance(values, complex):
            return str(complex(self._rounded(values.real), self._rounded(values.imag)))
        if isinstance(values, float):
            return self._rounded(values) if math.isfinite(values) else str(values)
        return values

    def _rounded(self, value: float) -> float:
        return value if self._exact or not math.isfinite(value) else float(f"{value:.{_DIGITS}g}")


def _name_of(dtype: torch.dtype) -> str:
    """The name of a dtype as samples have it. Raises NotWritable for one that they do not name, such as ``torch.quint8``."""
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise NotWritable(f"{name} is no dtype of a sample")
    return name


_PLAIN = {torch.Tensor, torch.nn.Parameter}
_HALVES = {torch.float16, torch.bfloat16}
