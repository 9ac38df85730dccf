"""Finds when extracted samples differ: the smallest description that separates those that do from those that do not."""

from __future__ import annotations

import cmath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, product
from typing import Any

from apidiff.derive.condition_check import Learner, Separation, separate
from apidiff.model.kept_for import KeptFor
from apidiff.model.probe import Layout
from apidiff.model.sample import SampleArgument, SampleCall, SampleForm, SampleInput, number_of

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
    SEVERAL_NDIMS = "several_ndims"
    MORE_DIMENSIONS = "more_dimensions"  # a tensor has more than `values`
    FEWER_DIMENSIONS = "fewer_dimensions"
    ZERO = "zero"


_ORDER = list(Trait)
_ALONE = {Trait.FEWER_DIMENSIONS, Trait.ZERO}  # too common to tell something as one of two
_MOST_DIMENSIONS = 5  # that an API may ask for: three of space, the channels and the batch


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


Traits = frozenset[Atom]
"""What a sample meets."""


def describe(
    differing: Iterable[Traits],
    agreeing: Iterable[Traits],
    elsewhere: Sequence[tuple[Traits, bool]] = (),
) -> Separation[Traits, Description]:
    """Find the smallest description of the samples that differ, and how it may be told; see `condition_check.separate`."""
    return separate(differing, agreeing, _LEARNER, elsewhere)


def learn(differing: Sequence[Traits], agreeing: Sequence[Traits]) -> Description | None:
    """The first of the smallest descriptions of all that differ and of none that agrees: one atom, two of both, two of either.

    Where none agrees it is of all, where none differs nothing is known.
    """
    if not differing or not agreeing:
        return ((),) if differing else None
    harmless = frozenset[Atom]().union(*agreeing)
    dtypes = [*_dtypes(differing, harmless)]
    telling = sorted({*(atom for traits in differing for atom in traits - harmless), *dtypes})
    for atom in telling:
        if all(atom.holds(traits) for traits in differing):
            return ((atom,),)
    shared = sorted(atom for atom in frozenset.intersection(*differing) if atom.trait not in _ALONE)
    for both in combinations(shared, 2):
        if not any(_holds(both, traits) for traits in agreeing):
            return (both,)
    for one, other in combinations(telling, 2):
        if all(one.holds(traits) or other.holds(traits) for traits in differing):
            return ((one,), (other,))
    return None


def _dtypes(differing: Sequence[Traits], harmless: Traits) -> Iterator[Atom]:
    """The dtypes that only calls have that differ, as one atom."""
    only = {atom for traits in differing for atom in traits if atom.trait is Trait.DTYPE} - harmless
    if len(only) > 1:
        yield Atom(_ORDER.index(Trait.DTYPE), values=tuple(sorted(atom.values[0] for atom in only)))


def possible(separation: Separation[Traits, Description], agreeing: Iterable[Traits]) -> Description:
    """What samples that nothing could check meet and none of ``agreeing`` does, beside the description: any may be the cause."""
    harmless = frozenset[Atom]().union(*agreeing)
    lone = sorted({atom for traits in separation.alone for atom in traits} - harmless)
    return tuple(dict.fromkeys([*(separation.found or ()), *((atom,) for atom in lone)]))


def _parts(description: Description) -> list[Description]:
    """Its parts; of one that is about several dtypes one for each."""
    return [
        (tuple(chosen),)
        for part in description
        for chosen in product(
            *([Atom(atom.rank, atom.parameter, (value,)) for value in atom.values] or [atom] for atom in part)
        )
    ]


def _holds(part: Sequence[Atom], traits: Traits) -> bool:
    return all(atom.holds(traits) for atom in part)


def _told(description: Description, traits: Traits) -> bool:
    return any(_holds(part, traits) for part in description)


_LEARNER = Learner(learn, _parts, _told)


def is_empty(traits: Traits) -> bool:
    """Whether a call is given a tensor without elements."""
    return _atom(Trait.EMPTY) in traits


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
    yield from _of_shapes({tensor.sizes for tensor in tensors})
    arguments: Mapping[str, SampleArgument] = given
    if call.form is SampleForm.MODULE:
        arguments = {**call.constructor.args, **call.constructor.kwargs}
    for name, value in arguments.items():
        yield from _of_argument(name, value)


def _of_shapes(shapes: AbstractSet[tuple[int, ...]]) -> Iterator[Atom]:
    if len(shapes) > 1:
        yield _atom(Trait.SEVERAL_SHAPES)
    ndims = {len(shape) for shape in shapes}
    if len(ndims) > 1:
        yield _atom(Trait.SEVERAL_NDIMS)
    for ndim in range(1, max(ndims, default=0)):
        yield _atom(Trait.MORE_DIMENSIONS, values=(str(ndim),))
    for ndim in range(min(ndims, default=_MOST_DIMENSIONS) + 1, _MOST_DIMENSIONS + 1):
        if ndim > 1:  # without dimensions it is 0-d, which has its own words
            yield _atom(Trait.FEWER_DIMENSIONS, values=(str(ndim),))


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
            if value == 0:
                yield _atom(Trait.ZERO, name, ("0",))
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
