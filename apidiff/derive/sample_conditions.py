"""Finds when samples differ: the smallest description that separates those that do from those that do not.

It is learnt on one part of the samples and checked on the other.
"""

from __future__ import annotations

import cmath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import Any

from apidiff.execute.single.arrays import number_of
from apidiff.model.kept_for import KeptFor
from apidiff.model.probe import Layout
from apidiff.model.sample import SampleArgument, SampleCall, SampleForm, SampleInput

RIGHT = 0.95
"""The part of the samples not learnt from that a description must tell rightly."""
_RECEIVER = "self"


class Trait(Enum):
    """What can be said of one call. Of descriptions that separate equally well the one that comes first here is taken."""

    EMPTY = "empty"  # a tensor without elements is given
    ZERO_DIM = "zero_dim"
    SPECIAL = "special"  # nan or inf is among the values
    STRIDED = "strided"
    PART = "part"  # of a larger tensor
    DTYPE = "dtype"  # of the tensors: one of `values`
    ARGUMENT = "argument"  # `parameter` is given
    VALUE = "value"  # `parameter` is `values`
    TUPLE = "tuple"  # a tuple or a list is given for `parameter`
    NEGATIVE = "negative"
    NUMBER = "number"  # a Python number is given for `parameter`, not a tensor
    TENSOR = "tensor"  # a tensor is given for `parameter`
    MIXED = "mixed"  # tensors of several dtypes
    SEVERAL_SHAPES = "several_shapes"


_ORDER = list(Trait)


@dataclass(frozen=True, order=True)
class Atom:
    """One trait, of a parameter where it is about one. ``values``: dtypes, or a value as Python writes it."""

    rank: int
    parameter: str = ""
    values: tuple[str, ...] = ()

    @property
    def trait(self) -> Trait:
        """What it says."""
        return _ORDER[self.rank]

    def holds(self, traits: frozenset[Atom]) -> bool:
        """Whether a call with ``traits`` is one of those it speaks of."""
        if len(self.values) < 2:
            return self in traits
        return any(Atom(self.rank, self.parameter, (value,)) in traits for value in self.values)


Description = tuple[tuple[Atom, ...], ...]
"""Of the calls of which all atoms of one of its parts hold. Empty: of none; an empty part holds of all."""


@dataclass(frozen=True)
class Observed:
    """A call, and whether it differs."""

    traits: frozenset[Atom]
    differs: bool


@dataclass(frozen=True)
class Checked:
    """What was learnt of when samples differ. ``described``: whether a description is kept: else it is "on some inputs".

    ``held_back``: how many samples it was checked on, 0 where none of them differs; ``right``: how many it tells rightly.
    """

    described: bool
    held_back: int
    right: int


def describe(observed: Sequence[Observed]) -> Description | None:
    """The smallest description of the samples that differ; None where none tells enough of those not learnt from rightly."""
    if all(one.differs for one in observed):
        return ((),)
    learnt, held_back = _dealt(observed)
    description = _learn(learnt)
    return description if description is not None and is_right(_right(description, held_back), held_back) else None


def check_description(observed: Sequence[Observed]) -> Checked | None:
    """Count on how many samples the description of those that differ was checked; None where all differ."""
    if all(one.differs for one in observed):
        return None
    learnt, held_back = _dealt(observed)
    description = _learn(learnt)
    right = 0 if description is None else _right(description, held_back)
    if description is None or not any(one.differs for one in held_back):
        return Checked(description is not None and is_right(right, held_back), 0, 0)
    return Checked(is_right(right, held_back), len(held_back), right)


def is_right(right: int, held_back: Sequence[object]) -> bool:
    """Whether so many of the samples that are held back suffice to keep what was learnt of the others."""
    return right >= RIGHT * len(held_back)


def _right(description: Description, held_back: Sequence[Observed]) -> int:
    return sum(_told(description, one.traits) is one.differs for one in held_back)


def _dealt(observed: Sequence[Observed]) -> tuple[list[Observed], list[Observed]]:
    """The part to learn from, and the part to check with; of samples that differ, and of others, each gets as many.

    What a single sample has, say a dtype, no other can tell of: such samples are learnt from.
    """
    counts = Counter(atom for one in observed for atom in one.traits)
    parts: tuple[list[Observed], list[Observed]] = ([], [])
    turns = {True: 0, False: 0}
    for one in observed:
        if any(counts[atom] == 1 for atom in one.traits):
            parts[0].append(one)
            continue
        parts[turns[one.differs] % 2].append(one)
        turns[one.differs] += 1
    return parts


def _learn(learnt: Sequence[Observed]) -> Description | None:
    """The first of the smallest descriptions of all that differ and of none that does not: one part, else two."""
    differing = [one.traits for one in learnt if one.differs]
    others = [one.traits for one in learnt if not one.differs]
    atoms = sorted({*(atom for traits in differing for atom in traits), *_dtypes(differing, others)})
    parts = [part for size in (1, 2) for part in combinations(atoms, size)]
    clean = [part for part in parts if not any(_holds(part, traits) for traits in others)]
    for part in clean:
        if all(_holds(part, traits) for traits in differing):
            return (part,)
    single = [part for part in clean if len(part) == 1]
    for pair in combinations(single, 2):
        if all(_told(pair, traits) for traits in differing):
            return pair
    return None


def _dtypes(differing: Sequence[frozenset[Atom]], others: Sequence[frozenset[Atom]]) -> Iterator[Atom]:
    """The dtypes that only calls have that differ, as one atom."""
    rank = _ORDER.index(Trait.DTYPE)
    seen = [{atom.values[0] for traits in part for atom in traits if atom.rank == rank} for part in (differing, others)]
    if len(only := seen[0] - seen[1]) > 1:
        yield Atom(rank, values=tuple(sorted(only)))


def _holds(part: Sequence[Atom], traits: frozenset[Atom]) -> bool:
    return all(atom.holds(traits) for atom in part)


def _told(description: Description, traits: frozenset[Atom]) -> bool:
    return any(_holds(part, traits) for part in description)


def traits_of(call: SampleCall) -> frozenset[Atom]:
    """What can be said of a call."""
    return _traits(call)


# Of each facet, version and device in which some differ all calls of a mapping are asked about.
_traits: KeptFor[SampleCall, frozenset[Atom]] = KeptFor(lambda call: frozenset(_of_call(call)), 4096)


def _of_call(call: SampleCall) -> Iterator[Atom]:
    given = {**call.given.args, **call.given.kwargs}
    tensors = [
        tensor for value in (*([call.receiver] if call.receiver else []), *given.values()) for tensor in _tensors(value)
    ]
    for tensor in tensors:
        yield from _of_tensor(tensor)
    dtypes = {tensor.dtype or call.dtype for tensor in tensors} or {call.dtype}
    if len(dtypes) > 1:
        yield _atom(Trait.MIXED)
    yield _atom(Trait.DTYPE, values=(call.dtype,))
    if len({tensor.sizes for tensor in tensors}) > 1:
        yield _atom(Trait.SEVERAL_SHAPES)
    arguments: Mapping[str, SampleArgument] = given
    if call.form is SampleForm.MODULE:
        arguments = {**call.constructor.args, **call.constructor.kwargs}
    for name, value in arguments.items():
        yield from _of_argument(name, value)


def _of_tensor(tensor: SampleInput) -> Iterator[Atom]:
    shape = tensor.sizes
    if 0 in shape:
        yield _atom(Trait.EMPTY)
    if not shape:
        yield _atom(Trait.ZERO_DIM)
    if tensor.layout is Layout.STRIDED:
        yield _atom(Trait.STRIDED)
    if tensor.layout is Layout.SLICE:
        yield _atom(Trait.PART)
    if tensor.values is not None and not _is_finite(tensor.values):
        yield _atom(Trait.SPECIAL)


def _of_argument(name: str, value: SampleArgument) -> Iterator[Atom]:
    yield _atom(Trait.ARGUMENT, name)
    match value:
        case SampleInput() if value.is_tensor:
            yield _atom(Trait.TENSOR, name)
        case SampleInput() if value.list is not None or value.tuple is not None:
            yield _atom(Trait.TUPLE, name)
        case SampleInput():
            yield _atom(Trait.VALUE, name, (str(value.framework_dtype or value.number),))
        case bool() | str() | None:
            yield _atom(Trait.VALUE, name, (repr(value),))
        case _:
            yield _atom(Trait.NUMBER, name)
            if value < 0:
                yield _atom(Trait.NEGATIVE, name)


def _atom(trait: Trait, parameter: str = "", values: tuple[str, ...] = ()) -> Atom:
    return Atom(_ORDER.index(trait), parameter, values)


def _tensors(value: SampleArgument) -> Iterator[SampleInput]:
    if isinstance(value, SampleInput):
        if value.is_tensor:
            yield value
        for item in value.list or value.tuple or ():
            yield from _tensors(item)


def _is_finite(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return all(map(_is_finite, values))
    return cmath.isfinite(number_of(values) if isinstance(values, str) else values)
