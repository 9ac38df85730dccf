"""Reads values from traces: at a slot, as arrays to compute with, as text, and as the structure that claims name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from apidiff.model.dtypes import carrier
from apidiff.model.trace import Number, ObjectDump, RankTrace, ScalarDump, SequenceDump, TensorDump, Value

Array = npt.NDArray[np.generic]

_SHOWN = 400  # elements of an array, from each end: more characters than `evidence` keeps of a value


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
    if isinstance(value, ObjectDump):
        return [*value.tensors.values()]
    return []


def array(tensor: TensorDump) -> Array:
    """The tensor as a NumPy array of its shape and dtype; one that NumPy lacks, such as bfloat16, as float32."""
    dtype = np.dtype(carrier(tensor.dtype))
    read = complex if dtype.kind == "c" else float
    return np.array([read(v) if isinstance(v, str) else v for v in tensor.values], dtype=dtype).reshape(tensor.shape)


def is_whole(tensor: TensorDump) -> bool:
    """Whether a trace has the tensor's values, which a brief one leaves out."""
    return len(tensor.values) == math.prod(tensor.shape)


def rest(parts: Iterable[TensorDump]) -> list[Number] | None:
    """The values around tensors in the larger ones that they are parts of; None where one is no such part.

    Several may be parts of the same: around them is what none of them holds.
    """
    whole: dict[int, list[Number]] = {}
    held: dict[int, set[int]] = {}
    for tensor in parts:
        if tensor.buffer is None:
            return None
        whole[tensor.buffer.storage] = tensor.buffer.values
        held.setdefault(tensor.buffer.storage, set()).update(tensor.buffer.places)
    return [value for key, values in whole.items() for place, value in enumerate(values) if place not in held[key]]


def in_buffer(tensor: TensorDump) -> list[Number] | None:
    """What the larger tensor holds where a tensor lies in it; None where it is no part of one, or a copy."""
    if tensor.buffer is None or tensor.buffer.storage != tensor.storage:
        return None
    return [tensor.buffer.values[place] for place in tensor.buffer.places]


def show(value: Value | None) -> str:
    """Values as a reader writes them: ``[1, 20, 300]``; lists of tensors as lists of those; shapes where nothing is in.

    Of a tensor that would fill pages the beginning and the end.
    """
    if isinstance(value, TensorDump):
        return _ends(array(value)) if value.values else f"empty{value.shape}"
    if isinstance(value, SequenceDump):
        return ("({})" if value.type == "tuple" else "[{}]").format(", ".join(map(show, value.items)))
    if isinstance(value, ScalarDump):
        return repr(value.value) if isinstance(value.value, str) else str(value.value)
    return "nothing" if value is None else value.type


def show_numbers(numbers: list[Number]) -> str:
    """Numbers as ``show`` writes those of a tensor."""
    return _listed(numbers)


def show_plain(value: Operand) -> str:
    """The same for a computed value."""
    if isinstance(value, np.ndarray):
        return _ends(value) if value.size else f"empty{list(value.shape)}"
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


def _ends(values: Array) -> str:
    """An array as `_listed` writes it; of a large one, of which evidence keeps no more, its beginning and its end."""
    if values.size <= 2 * _SHOWN:
        return _listed(values.tolist())
    kept = -(-_SHOWN // math.prod(values.shape[1:]))  # of what the first dimension counts
    if len(values) <= 2 * kept:
        return f"[{', '.join(map(_ends, values))}]"
    return f"[{', '.join(map(_ends, values[:kept]))}, …, {', '.join(map(_ends, values[-kept:]))}]"


def _listed(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    if isinstance(value, complex):
        return str(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def structure_of(value: Value | None) -> str:
    """``None``, ``Tensor``, ``Work``, ``(Tensor, None)``, ``[Tensor, ...]``: the structure of a recorded value.

    A tuple or list of tensors only is written with an ellipsis, whatever its length; numbers and strings by their type.
    A tensor is written ``Tensor`` whatever its class (a framework's stub tensors are tensors too).
    """
    match value:
        case None:
            return "nothing recorded"
        case TensorDump():
            return "Tensor"
        case ScalarDump(value=None):
            return "None"
        case ScalarDump(value=plain):
            return type(plain).__name__
        case ObjectDump(type=name):
            return name
        case SequenceDump(type=kind, items=items):
            opening, closing = ("(", ")") if kind == "tuple" else ("[", "]")
            parts = [structure_of(item) for item in items]
            if parts and set(parts) == {"Tensor"}:
                parts = ["Tensor", "..."]
            return f"{opening}{', '.join(parts)}{closing}"
    raise TypeError(f"no structure for {type(value).__name__}")


def has_structure(value: Value | None, expected: str) -> bool:
    """Whether a recorded value has the structure ``expected``; a class name also matches a base class (``Work``)."""
    if isinstance(value, ObjectDump):
        return expected == value.type or expected in value.bases
    if isinstance(value, SequenceDump) and expected != structure_of(value):
        wanted = _elements(expected, "(" if value.type == "tuple" else "[")
        return (
            wanted is not None
            and len(wanted) == len(value.items)
            and all(has_structure(item, want) for item, want in zip(value.items, wanted, strict=True))
        )
    return structure_of(value) == expected


def _elements(structure: str, opening: str) -> list[str] | None:
    """The elements of ``(a, (b, c), d)`` at its outermost level, or None where it is no such sequence."""
    if not structure.startswith(opening) or "..." in structure.split(",")[-1]:
        return None
    parts, depth = [""], 0
    for character in structure[1:-1]:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
