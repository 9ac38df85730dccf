"""Chooses, of many samples of one API, few that are unlike each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from apidiff.execute.single.arrays import Arrays
from apidiff.model.sample import Sample, SampleArgument, SampleInput

_LONGEST = 3  # a list is told from another by its length up to this


@dataclass(frozen=True)
class Candidate:
    """A sample that may be chosen, and how many elements its tensors hold."""

    sample: Sample
    elements: int


def choose(
    candidates: Sequence[Candidate], most: int, works: Callable[[Sample], bool] = lambda _: True
) -> list[Sample]:
    """At most ``most`` of ``candidates`` that work: at each step the one with most that no chosen one has, the smallest first.

    What a sample has: for each argument its kind, number of dimensions, emptiness, sign …, and all of that together. Of
    samples that have the same one is chosen. They come in the order they are chosen in.
    """
    left = {index: traits(candidate.sample) for index, candidate in enumerate(candidates)}
    seen: set[str] = set()
    chosen: list[int] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda index: (len(left[index] - seen), -candidates[index].elements, -index))
        own = left.pop(best)
        if not own - seen:
            break
        if works(candidates[best].sample):
            seen |= own
            chosen.append(best)
    return [candidates[index].sample for index in chosen]


def traits(sample: Sample) -> set[str]:
    """What can be told of a sample: a word for each argument, and one for all together."""
    words = sorted(_of_sample(sample))
    return {*words, " ".join(words)}


def _of_sample(sample: Sample) -> Iterator[str]:
    yield f"dtype {sample.dtype}"
    if sample.receiver is not None:
        yield f"self {_kind(sample.receiver)}"
    parts = [("", sample.args or {}), ("", sample.kwargs or {})]
    if sample.constructor is not None:
        parts += [("of ", sample.constructor.args), ("of ", sample.constructor.kwargs)]
    for prefix, given in parts:
        for name, value in given.items():
            yield f"{prefix}{name} {_kind(value)}"
    shapes = {shape_of(value) for value in tensors_of(sample)}
    yield "one shape" if len(shapes) < 2 else "several shapes"


def _kind(value: SampleArgument) -> str:
    match value:
        case SampleInput() if value.is_tensor:
            shape = shape_of(value)
            ones = " with ones" if 1 in shape else ""
            return f"tensor {value.dtype or ''} {len(shape)}{' empty' if 0 in shape else ones} {value.layout.value}"
        case SampleInput(list=items) if items is not None:
            return f"list {len(items[:_LONGEST])} {'/'.join(sorted({_kind(item) for item in items}))}"
        case SampleInput(tuple=items) if items is not None:
            return f"tuple {len(items[:_LONGEST])} {'/'.join(sorted({_kind(item) for item in items}))}"
        case SampleInput():
            return str(value.framework_dtype or value.number)
        case bool() | str() | None:
            return repr(value)
        case _:
            return f"{type(value).__name__} {'below' if value < 0 else 'zero' if value == 0 else 'above'}"


def tensors_of(sample: Sample) -> Iterator[SampleInput]:
    """The tensors that a sample gives, those in lists too, and not the state of a module."""
    given: list[SampleArgument] = [sample.receiver] if sample.receiver is not None else []
    given += [*(sample.args or {}).values(), *(sample.kwargs or {}).values()]
    while given:
        value = given.pop(0)
        if isinstance(value, SampleInput):
            if value.is_tensor:
                yield value
            given = [*(value.list or value.tuple or ()), *given]


def shape_of(tensor: SampleInput) -> tuple[int, ...]:
    """The shape of a tensor."""
    if tensor.shape is not None:
        return tuple(tensor.shape)
    return tuple(Arrays("float64", 0).make(_plain(tensor))[0].shape)


def _plain(tensor: SampleInput) -> SampleInput:
    return SampleInput(values=tensor.values, dtype="complex128")
