"""Makes the traces that the ranks of a probe would leave, from its inputs alone: to judge what nobody has run."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
import numpy as np

from apidiff.execute.contents import filled, filled_around
from apidiff.execute.layouts import View, make_parts, make_view
from apidiff.judge.recorded_values import Array, Opaque, Operand, argument_of, array, steps_of, tensors
from apidiff.model.mapping import Api
from apidiff.model.probe import PARTS_OF_ONE, Argument, Input, Layout, tensors_in
from apidiff.model.probe_resolution import callers, partner, partners, resolve, root_rank
from apidiff.model.trace import BufferDump, ObjectDump, ProbeRun, RankTrace, ScalarDump, SequenceDump, TensorDump, Value


def untouched_run(api: Api, probe: str, world_size: int) -> ProbeRun:
    """The run of a ``probe`` whose call does nothing and returns None: arguments after it are those before it."""
    ranks = [_trace(api, probe, rank, world_size) for rank in range(world_size)]
    return ProbeRun(api=api.name, probe=probe, spec="", end="completed", ranks=ranks)


def _trace(api: Api, probe: str, rank: int, world_size: int) -> RankTrace:
    given: dict[str, Argument] = {}
    other = partner(api, probe)
    if other and rank in partners(api, probe, world_size):
        given = other.set
    elif rank in callers(api, probe, world_size):
        given, overrides = resolve(api, probe)
        if rank != (root_rank(api, probe) or 0):
            given = given | overrides.get("others", {})
        given = given | overrides.get(str(rank), {})
    before = {name: _argument(value, rank, world_size) for name, value in given.items()}
    return RankTrace(rank=rank, before=before, after=before, returned=ScalarDump(value=None))


def _argument(value: Argument, rank: int, world_size: int) -> Value:
    made = _made(value, rank, world_size, [0])
    layout = next((tensor.layout for tensor in tensors_in(value) if tensor.layout in PARTS_OF_ONE), None)
    if layout is None:
        return made
    arrays = [array(tensor) for tensor in tensors(made)]
    elements = sum(part.size for part in arrays)
    around = filled_around(2 * elements, tensors(made)[0].dtype, rank, world_size=world_size)
    views = iter(make_parts(arrays, layout, around, lambda whole: whole))
    return _as_parts(made, views)


def _as_parts(value: Value, views: Iterator[View]) -> Value:
    """``value`` with its tensors as parts of one larger one, whose ``views`` come in their order."""
    match value:
        case TensorDump():
            return msgspec.structs.replace(value, buffer=_buffer(next(views), value.storage))
        case SequenceDump(items=items):
            return msgspec.structs.replace(value, items=[_as_parts(item, views) for item in items])
        case ObjectDump(tensors=held):
            parts = {
                name: msgspec.structs.replace(t, buffer=_buffer(next(views), t.storage)) for name, t in held.items()
            }
            return msgspec.structs.replace(value, tensors=parts)
    return value


def _made(value: Argument, rank: int, world_size: int, counted: list[int]) -> Value:
    """The record of an argument; ``counted``: how many elements the tensors of this argument have so far."""
    if not isinstance(value, Input):
        return ScalarDump(value=value)
    if value.shape is not None:
        shape = [_length(size, world_size) for size in value.shape]
        numbers = filled(shape, value.dtype, rank, counted[0], value.fill, world_size=world_size)
        counted[0] += math.prod(shape)
        tensor = msgspec.structs.replace(recorded_tensor(numbers), dtype=value.dtype)
        whole = value.layout is Layout.CONTIGUOUS or value.layout in PARTS_OF_ONE
        return tensor if whole else _in_larger(tensor, numbers, value, rank, world_size)
    if value.each is not None:
        return _listed([_made(value.each, rank, world_size, counted) for _ in range(world_size)])
    if value.list is not None:
        items = [_made(item, rank, world_size, counted) for item in value.list]
        return _listed(items, "tuple" if value.as_tuple else "list")
    if value.tuple is not None:
        return _listed([ScalarDump(value=_length(size, world_size)) for size in value.tuple], "tuple")
    if value.call is not None:
        held = {name: _made(item, rank, world_size, counted) for name, item in value.call.set.items()}
        tensors = {name: item for name, item in held.items() if isinstance(item, TensorDump)}
        return ObjectDump(type=value.call.api.rpartition(".")[2], tensors=tensors, object=0)
    return _single(value, rank, world_size)


def _in_larger(tensor: TensorDump, numbers: Array, value: Input, rank: int, world_size: int) -> TensorDump:
    """The tensor as a part of a larger one, of which it shares the memory."""
    around = filled_around(3 * numbers.size, value.dtype, rank, world_size=world_size)
    view = make_view(numbers, value.layout, around, lambda whole: whole)
    return msgspec.structs.replace(tensor, buffer=_buffer(view, tensor.storage))


def _buffer(view: View, storage: int) -> BufferDump:
    return BufferDump(values=view.buffer.ravel().tolist(), places=view.places, storage=storage)


def _single(value: Input, rank: int, world_size: int) -> Value:
    if value.none is not None:
        return ScalarDump(value=None)
    if value.text is not None:
        return ScalarDump(value=value.text.replace("{rank}", str(rank)).replace("{world}", str(world_size)))
    if value.rank_plus is not None:
        return ScalarDump(value=(rank + value.rank_plus) % world_size)
    return ObjectDump(type="object", text=msgspec.json.encode(value).decode(), object=0)


def _length(size: int | str, world_size: int) -> int:
    return size if isinstance(size, int) else int(size.removesuffix("*world")) * world_size


def _listed(items: list[Value], kind: str = "list") -> SequenceDump:
    return SequenceDump(type=kind, items=items, object=0)


def recorded(value: Operand) -> Value:
    """A computed value as a trace records it."""
    if isinstance(value, np.ndarray):
        return recorded_tensor(value)
    if isinstance(value, list):
        return _listed([recorded(item) for item in value])
    if isinstance(value, Opaque):
        return ObjectDump(type=value.type, text=value.text, object=0)
    return ScalarDump(value=value)


def recorded_tensor(array: Array) -> TensorDump:
    """An array as a trace records a tensor of these values."""
    values, shape = array.ravel().tolist(), list(array.shape)
    return TensorDump(type="Tensor", dtype=str(array.dtype), shape=shape, values=values, storage=0, object=0)


def with_value(trace: RankTrace, slot: str, value: Value) -> RankTrace:
    """The trace with ``value`` at ``slot`` after the call; what leads there in a returned value is made where it is not."""
    name = argument_of(slot)
    if name == "return":
        return msgspec.structs.replace(trace, returned=_placed(trace.returned, steps_of(slot), value))
    after = {**trace.after, name: _placed(trace.after.get(name), steps_of(slot), value)}
    return msgspec.structs.replace(trace, after=after)


def _written(whole: Value | None, value: Value) -> Value:
    """``value`` where ``whole`` was: of the same dtype if that is one NumPy lacks, and in the same larger tensor."""
    if isinstance(whole, SequenceDump) and isinstance(value, SequenceDump) and len(whole.items) == len(value.items):
        items = [_written(*pair) for pair in zip(whole.items, value.items, strict=True)]
        return msgspec.structs.replace(value, items=items)
    if not isinstance(whole, TensorDump) or not isinstance(value, TensorDump):
        return value
    if whole.dtype == "bfloat16":
        value = msgspec.structs.replace(value, dtype=whole.dtype)
    if whole.buffer is None or value.buffer is not None or len(value.values) != len(whole.values):
        return value
    held = dict(zip(whole.buffer.places, value.values, strict=True))
    values = [held.get(place, number) for place, number in enumerate(whole.buffer.values)]
    return msgspec.structs.replace(value, buffer=msgspec.structs.replace(whole.buffer, values=values))


def _placed(whole: Value | None, steps: list[str], value: Value) -> Value:
    if not steps:
        return _written(whole, value)
    step, rest = steps[0], steps[1:]
    if not step.isdigit():
        held = whole if isinstance(whole, ObjectDump) else ObjectDump(type="object", object=0)
        inner = _placed(held.tensors.get(step), rest, value)
        return msgspec.structs.replace(held, tensors={**held.tensors, step: inner})
    items = [*whole.items] if isinstance(whole, SequenceDump) else []
    items += [ScalarDump(value=None)] * (int(step) + 1 - len(items))
    items[int(step)] = _placed(items[int(step)], rest, value)
    return _listed(items, whole.type if isinstance(whole, SequenceDump) else "tuple")
