"""Reads values from traces: at a slot, as arrays to compute with, as text, and as the structure that claims name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from apidiff.model.dtypes import carrier
from apidiff.model.trace import Number, ObjectDump, RankTrace, ScalarDump, SequenceDump, TensorDump, Value

Array = npt.NDArray[np.generic]

_LONGEST = 4000  # characters of a value's text: more than `evidence` keeps of it


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


def content_of(value: object) -> object:
    """What must stay equal for an argument to be untouched: shapes, dtypes and values of all tensors, and the structure."""
    if isinstance(value, TensorDump):
        return (value.dtype, tuple(value.shape), tuple(value.values))
    if isinstance(value, SequenceDump):
        return [content_of(item) for item in value.items]
    return msgspec.json.encode(value)


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

    Of a value that would fill pages the beginning and the end.
    """
    return _written(_text(value, types=False))


def show_numbers(numbers: list[Number]) -> str:
    """Numbers as ``show`` writes those of a tensor."""
    return _written(_List("[", numbers, _number, "]"))


def show_plain(value: Operand) -> str:
    """The same for a computed value."""
    return _written(_plain_text(value, types=False))


def typed(value: Value | None) -> str:
    """A recorded value with its type, for where the values alone look alike: ``int32 [1, 2]``, ``tuple (1, 2)``."""
    return _written(_text(value, types=True))


def typed_plain(value: Operand) -> str:
    """The same for a computed value."""
    return _written(_plain_text(value, types=True))


@dataclass(frozen=True)
class _List:
    """A list of which each item is put into words, by ``write``, only once it is reached."""

    opening: str
    items: Sequence[Any] | Array
    write: Callable[[Any], _Text]
    closing: str


_Text: TypeAlias = str | _List


def _text(value: Value | None, *, types: bool) -> _Text:
    match value:
        case TensorDump():
            kind = f"{value.dtype} " if types else ""
            return _array_text(array(value), kind) if value.values else f"{kind}empty{value.shape}"
        case SequenceDump(type=name, items=items):
            opening, closing = ("(", ")") if name == "tuple" else ("[", "]")
            return _List(f"{name} {opening}" if types else opening, items, partial(_text, types=types), closing)
        case ScalarDump(value=scalar):
            return _scalar(scalar, types=types)
    return "nothing" if value is None else value.type


def _plain_text(value: Operand, *, types: bool) -> _Text:
    if isinstance(value, np.ndarray):
        kind = f"{value.dtype} " if types else ""
        return _array_text(value, kind) if value.size else f"{kind}empty{list(value.shape)}"
    if isinstance(value, list):
        return _List("list [" if types else "[", value, partial(_plain_text, types=types), "]")
    return value.text if isinstance(value, Opaque) else _scalar(value, types=types)


def _array_text(values: Array | np.generic, kind: str = "") -> _Text:
    if isinstance(values, np.ndarray) and values.ndim:
        return _List(f"{kind}[", values, _array_text, "]")
    return kind + _number(values.item())


def _scalar(value: object, *, types: bool) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return f"{type(value).__name__} {text}" if types and value is not None else text


def _number(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _written(text: _Text) -> str:
    """The whole text; of a long one, of which evidence keeps no more, its beginning and its end, and only these are made."""
    start = "".join(_taken(_pieces(text)))
    if len(start) <= _LONGEST:
        return start
    end = "".join(reversed(_taken(_pieces(text, backwards=True))))
    return f"{start[: _LONGEST // 2]} … {end[-_LONGEST // 2 :]}"


def _taken(pieces: Iterator[str]) -> list[str]:
    """The first pieces: more than `_LONGEST` characters of them, or all."""
    taken: list[str] = []
    length = 0
    while length <= _LONGEST and (piece := next(pieces, None)) is not None:
        taken.append(piece)
        length += len(piece)
    return taken


def _pieces(text: _Text, *, backwards: bool = False) -> Iterator[str]:
    if isinstance(text, str):
        yield text
        return
    yield text.closing if backwards else text.opening
    for place, item in enumerate(reversed(text.items) if backwards else text.items):
        if place:
            yield ", "
        yield from _pieces(text.write(item), backwards=backwards)
    yield text.opening if backwards else text.closing


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
