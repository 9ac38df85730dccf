"""Varies the plain sample of an API: what PyTorch's own inputs seldom hold, and ports meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from apidiff.execute.extract.choosing import shape_of, tensors_of
from apidiff.model.probe import Layout
from apidiff.model.sample import Sample, SampleArgument, SampleInput
from apidiff.model.signature import Signature

_DIMENSIONS = ("dim", "axis", "dims")
_SPECIAL = ["nan", "inf", "-inf"]

Change = Callable[[SampleInput], SampleInput]


def variations(plain: Sample, signature: Signature) -> Iterator[tuple[str, Sample]]:
    """Every variation of ``plain`` that its arguments allow, with its name."""
    shapes = [shape_of(tensor) for tensor in tensors_of(plain)]
    if shapes and all(shape and 0 not in shape for shape in shapes):
        yield "empty", _with_tensors(plain, _emptied)
        yield "zero-dim", _with_tensors(plain, _without_dimensions)
        yield "strided", _with_tensors(plain, _laid(Layout.STRIDED))
        yield "part-of-larger", _with_tensors(plain, _laid(Layout.SLICE))
    yield from _special(plain)
    yield from _dimensions(plain, shapes, signature)
    yield from _second_tensor(plain)


def _emptied(tensor: SampleInput) -> SampleInput:
    return SampleInput(shape=[0, *shape_of(tensor)[1:]], dtype=tensor.dtype)


def _without_dimensions(tensor: SampleInput) -> SampleInput:
    values = tensor.values
    while isinstance(values, list | tuple):
        values = values[0]
    return SampleInput(values=values, dtype=tensor.dtype)


def _laid(layout: Layout) -> Change:
    return lambda tensor: msgspec.structs.replace(tensor, layout=layout)


def _special(plain: Sample) -> Iterator[tuple[str, Sample]]:
    """The first values of the first floating tensor are none that is finite."""
    first = next((tensor for tensor in tensors_of(plain) if _is_floating(tensor)), None)
    if first is None or (plain.dtype or "float32") != "float32":
        return
    left = list(_SPECIAL)

    def replaced(values: object) -> object:
        if isinstance(values, list | tuple):
            return [replaced(value) for value in values]
        return left.pop(0) if left else values

    def special(tensor: SampleInput) -> SampleInput:
        return msgspec.structs.replace(tensor, values=replaced(tensor.values)) if tensor is first else tensor

    yield "nan-inf", _with_tensors(plain, special)


def _is_floating(tensor: SampleInput) -> bool:
    return tensor.values is not None and tensor.dtype in {None, "float32", "float64"} and bool(shape_of(tensor))


def _dimensions(plain: Sample, shapes: list[tuple[int, ...]], signature: Signature) -> Iterator[tuple[str, Sample]]:
    """The dimension counted from the end, as a tuple, and two of them as a tuple where the signature speaks of several."""
    rank = max(map(len, shapes), default=0)
    annotations = {parameter.name: parameter.annotation or "" for parameter in signature.every_parameter}
    many = any("_size" in annotations.get(name, "") for name in _DIMENSIONS)
    for field in ("args", "kwargs"):
        for name, value in (getattr(plain, field) or {}).items():
            if name not in _DIMENSIONS or isinstance(value, bool) or not isinstance(value, int) or not rank:
                continue
            other = value - rank if value >= 0 else value + rank
            yield "other-sign-dim", _with(plain, field, name, other)
            yield "tuple-dim", _with(plain, field, name, SampleInput(tuple=[value]))
            if many and rank > 1:
                yield "two-dims", _with(plain, field, name, SampleInput(tuple=[0, rank - 1]))
            return


def _second_tensor(plain: Sample) -> Iterator[tuple[str, Sample]]:
    """Where two tensors are given, a Python number for the second, and another dtype of it."""
    given = [(field, name) for field in ("args", "kwargs") for name in (getattr(plain, field) or {})]
    tensors = [
        (field, name)
        for field, name in given
        if isinstance(value := getattr(plain, field)[name], SampleInput) and value.is_tensor and value.dtype is None
    ]
    if len(tensors) + (plain.receiver is not None) < 2:
        return
    field, name = tensors[-1]
    value = getattr(plain, field)[name]
    yield "python-number", _with(plain, field, name, 2)
    for dtype in ("float64", "int64"):
        if (plain.dtype or "float32") != dtype:
            yield f"mixed-{dtype}", _with(plain, field, name, msgspec.structs.replace(value, dtype=dtype))


def _with(plain: Sample, field: str, name: str, value: SampleArgument) -> Sample:
    return msgspec.structs.replace(plain, **{field: {**getattr(plain, field), name: value}})


def _with_tensors(plain: Sample, change: Change) -> Sample:
    """``plain`` with every tensor that it gives changed; the state of a module stays."""

    def changed(value: SampleArgument) -> SampleArgument:
        if not isinstance(value, SampleInput):
            return value
        if value.is_tensor:
            return change(value)
        parts = {key: getattr(value, key) for key in ("list", "tuple")}
        return msgspec.structs.replace(
            value, **{key: [changed(item) for item in items] for key, items in parts.items() if items is not None}
        )

    def each(given: dict[str, SampleArgument] | None) -> dict[str, SampleArgument] | None:
        return None if given is None else {name: changed(value) for name, value in given.items()}

    receiver = change(plain.receiver) if plain.receiver is not None else None
    return msgspec.structs.replace(plain, receiver=receiver, args=each(plain.args), kwargs=each(plain.kwargs))
