"""Finds what a trace holds at a slot, and turns what was dumped into values that can be computed with."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from apidiff.model import ObjectDump, RankTrace, ScalarDump, SequenceDump, TensorDump, Value

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Opaque:
    """An object of which a trace knows the class and the ``repr``: two are equal where both are."""

    type: str
    text: str


# What a value is to the oracle.
Operand = Array | list["Operand"] | Opaque | int | float | bool | str | None

_STEP = re.compile(r"\[(\d+)\]|\.(\w+)")


def at(trace: RankTrace, slot: str, *, before: bool = False) -> Value | None:
    """The value at ``slot`` ('tensor', 'return[1]', 'ops[0].tensor') after the call, or before it; None if not there."""
    name = argument_of(slot)
    value: Value | None
    value = trace.returned if name == "return" else (trace.before if before else trace.after).get(name)
    for step in steps_of(slot):
        if isinstance(value, ObjectDump):
            value = value.tensors.get(step)
        elif isinstance(value, SequenceDump) and step.isdigit() and int(step) < len(value.items):
            value = value.items[int(step)]
        else:
            return None
    return value


def argument_of(slot: str) -> str:
    """The argument that a slot begins with, or 'return'."""
    return re.split(r"[\[.]", slot, maxsplit=1)[0]


def steps_of(slot: str) -> list[str]:
    """What leads from the argument to the value: indexes and attributes, '0' and 'tensor' of 'ops[0].tensor'."""
    return [index or attribute for index, attribute in _STEP.findall(slot)]


def plain(value: Value) -> Operand:
    """A recorded value to compute with and to compare."""
    match value:
        case TensorDump():
            return array(value)
        case SequenceDump(items=items):
            return [plain(item) for item in items]
        case ScalarDump(value=scalar):
            return scalar
        case ObjectDump(type=kind, text=text):
            return Opaque(kind, text)
    raise TypeError(f"no value for {type(value).__name__}")


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
    if isinstance(value, ScalarDump):
        return repr(value.value) if isinstance(value.value, str) else str(value.value)
    return "nothing" if value is None else value.type


def show_plain(value: Operand) -> str:
    """The same for a computed value."""
    if isinstance(value, np.ndarray):
        return _listed(value.tolist()) if value.size else f"empty{list(value.shape)}"
    if isinstance(value, list):
        return f"[{', '.join(map(show_plain, value))}]"
    if isinstance(value, Opaque):
        return value.text
    return repr(value) if isinstance(value, str) else str(value)


def typed(value: Value | None) -> str:
    """A recorded value with its type, for where the values alone look alike: ``int32 [1, 2]``, ``tuple (1, 2)``."""
    if isinstance(value, TensorDump):
        return f"{value.dtype} {show(value)}"
    if isinstance(value, SequenceDump):
        return f"{value.type} " + ("({})" if value.type == "tuple" else "[{}]").format(
            ", ".join(map(typed, value.items))
        )
    if isinstance(value, ScalarDump) and value.value is not None:
        return f"{type(value.value).__name__} {show(value)}"
    return show(value)


def typed_plain(value: Operand) -> str:
    """The same for a computed value."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {show_plain(value)}"
    if isinstance(value, list):
        return f"list [{', '.join(map(typed_plain, value))}]"
    if isinstance(value, Opaque) or value is None:
        return show_plain(value)
    return f"{type(value).__name__} {show_plain(value)}"


def _listed(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
