"""Finds what a trace holds at a slot, and turns dumped tensors into NumPy arrays."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from apidiff.model import RankTrace, SequenceDump, TensorDump, Value

Array = npt.NDArray[np.generic]


def at(trace: RankTrace, slot: str, *, before: bool = False) -> Value | None:
    """The value at ``slot`` ('tensor', 'tensor_list[0]', 'return[1]') after the call, or before it; None if not there."""
    name, *indexes = re.findall(r"\w+", slot)
    value: Value | None
    value = trace.returned if name == "return" else (trace.before if before else trace.after).get(name)
    for index in indexes:
        if not isinstance(value, SequenceDump) or int(index) >= len(value.items):
            return None
        value = value.items[int(index)]
    return value


def tensors(value: Value | None) -> list[TensorDump]:
    """All tensors in a value, in order."""
    if isinstance(value, TensorDump):
        return [value]
    if isinstance(value, SequenceDump):
        return [tensor for item in value.items for tensor in tensors(item)]
    return []


def array(tensor: TensorDump) -> Array:
    """The tensor as a NumPy array of its shape and dtype (bfloat16 as float32)."""
    dtype = "float32" if tensor.dtype == "bfloat16" else tensor.dtype
    return np.array([float(v) if isinstance(v, str) else v for v in tensor.values], dtype=dtype).reshape(tensor.shape)


def show(value: Value | None) -> str:
    """Values as a reader writes them: ``[1, 20, 300]``; lists of tensors as lists of those; shapes where nothing is in."""
    if isinstance(value, TensorDump):
        return _listed(array(value).tolist()) if value.values else f"empty{value.shape}"
    if isinstance(value, SequenceDump):
        return ("({})" if value.type == "tuple" else "[{}]").format(", ".join(map(show, value.items)))
    return "nothing" if value is None else str(getattr(value, "value", getattr(value, "type", value)))


def _listed(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
