"""Finds what samples that differ have in common and samples that agree lack: a dtype, no element, a tuple as an argument."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from apidiff.derive.condition_check import Learner, Separation, separate
from apidiff.model.kept_for import KeptFor
from apidiff.model.probe import Layout
from apidiff.model.sample import SampleArgument, SampleCall, SampleForm, SampleInput

_NUMBERED = re.compile(r"_[0-9]+$")
_MOST = 3  # properties that one sentence names; all dtypes are one


class Property(Enum):
    """What a call may have that others lack; of two that tell the same samples apart the first is named."""

    DTYPE = "dtype"  # of all its tensors
    MIXED = "mixed"  # dtypes
    NOT_FINITE = "not_finite"  # nan or infinity among the values
    EMPTY = "empty"  # a tensor without elements
    SCALAR = "scalar"  # a tensor without dimensions
    STRIDED = "strided"  # a tensor whose elements do not lie one after another
    TUPLE = "tuple"  # as an argument
    LIST = "list"
    NUMBER = "number"  # where the plain call has a tensor
    TENSOR = "tensor"  # where the plain call has a number
    VALUE = "value"  # of an argument, written as code
    GIVEN = "given"  # an argument that the plain call leaves out
    LEFT_OUT = "left_out"


@dataclass(frozen=True)
class SampleCondition:
    """A property of a call. ``argument``: the one it is about; ``value``: the dtype, or the argument as code."""

    property: Property
    argument: str = ""
    value: str = ""


def conditions_of(call: SampleCall, plain: SampleCall) -> frozenset[SampleCondition]:
    """The conditions that ``call`` meets. ``plain``: the ordinary call, of which it may give other arguments."""
    kept = _kept(plain)
    if id(call) not in kept:  # what is kept holds its call, whose identity is no other's therefore
        kept[id(call)] = call, frozenset([*_of_tensors(call), *_of_arguments(call, plain)])
    return kept[id(call)][1]


# Of each facet, version and device in which some differ all calls of a mapping are asked about.
_kept: KeptFor[SampleCall, dict[int, tuple[SampleCall, frozenset[SampleCondition]]]] = KeptFor(lambda _plain: {})


Met = frozenset[SampleCondition]
"""What a sample meets."""


def separate_samples(
    differing: Iterable[Met], agreeing: Iterable[Met], elsewhere: Sequence[tuple[Met, bool]] = ()
) -> Separation[Met, list[SampleCondition]]:
    """Find the fewest conditions of the samples that differ, and how they may be told; see `condition_check.separate`."""
    return separate(differing, agreeing, _LEARNER, elsewhere)


def possible_conditions(
    separation: Separation[Met, list[SampleCondition]], agreeing: Iterable[Met]
) -> list[SampleCondition]:
    """What samples that nothing could check meet and none of ``agreeing`` does, beside what was found: any may be the cause."""
    lone = frozenset[SampleCondition]().union(*separation.alone) - frozenset[SampleCondition]().union(*agreeing)
    return sorted(lone.union(separation.found or ()), key=_place)


def separating(differing: Sequence[Met], agreeing: Sequence[Met]) -> list[SampleCondition] | None:
    """The fewest conditions that each of ``differing`` meets one of and none of ``agreeing`` meets any of; None without such.

    Nothing separates samples where none agrees: then no condition is known to matter.
    """
    if not agreeing:
        return None
    harmless = frozenset[SampleCondition]().union(*agreeing)
    left = list(differing)
    chosen: list[SampleCondition] = []
    while left and len({Property.DTYPE if one.property is Property.DTYPE else one for one in chosen}) < _MOST:
        telling = {condition for met in left for condition in met} - harmless
        if not telling:
            return None
        best = max(sorted(telling, key=_place), key=lambda condition: sum(condition in met for met in left))
        chosen.append(best)
        left = [met for met in left if best not in met]
    return None if left else sorted(chosen, key=_place) or None


_LEARNER: Learner[Met, list[SampleCondition]] = Learner(
    separating,
    parts=lambda conditions: [[condition] for condition in conditions],
    holds=lambda conditions, met: not met.isdisjoint(conditions),
)


def _place(condition: SampleCondition) -> tuple[int, str, str]:
    return list(Property).index(condition.property), condition.argument, condition.value


def _of_tensors(call: SampleCall) -> Iterator[SampleCondition]:
    tensors = [tensor for value in _values(call) for tensor in _tensors(value)]
    dtypes = {tensor.dtype or call.dtype for tensor in tensors if not _is_index(tensor, call)}
    if len(dtypes) == 1:
        yield SampleCondition(Property.DTYPE, value=dtypes.pop())
    elif dtypes:
        yield SampleCondition(Property.MIXED)
    for tensor in tensors:
        if tensor.shape is not None and 0 in tensor.shape:
            yield SampleCondition(Property.EMPTY)
        if (tensor.shape is not None and not tensor.shape) or isinstance(tensor.values, int | float | str):
            yield SampleCondition(Property.SCALAR)
        if tensor.layout is Layout.STRIDED:
            yield SampleCondition(Property.STRIDED)
        if any(isinstance(number, str) for number in _flat(tensor.values)):
            yield SampleCondition(Property.NOT_FINITE)


def _is_index(tensor: SampleInput, call: SampleCall) -> bool:
    """Whether a tensor of integers or truth values stands beside floats: an index or a mask, whose dtype is no mixture."""
    kinds = {(one.dtype or call.dtype).rstrip("0123456789") for value in _values(call) for one in _tensors(value)}
    floating = {"float", "bfloat", "complex"}
    own = (tensor.dtype or call.dtype).rstrip("0123456789")
    return own == "bool" and bool(kinds & floating)


def _of_arguments(call: SampleCall, plain: SampleCall) -> Iterator[SampleCondition]:
    usual = {**plain.constructor.args, **plain.constructor.kwargs, **plain.given.args, **plain.given.kwargs}
    given = {**call.constructor.args, **call.constructor.kwargs, **call.given.args, **call.given.kwargs}
    in_code = SampleForm.CODE in {call.form, plain.form}  # what it is given are variables, not arguments
    for name, value in given.items():
        if _NUMBERED.search(name):
            continue  # one of any number: which call it is says more
        if name not in usual and not in_code:
            yield SampleCondition(Property.GIVEN, name)
        yield from _of_argument(name, value, usual.get(name))
    for name in () if in_code else usual.keys() - given.keys():
        yield SampleCondition(Property.LEFT_OUT, name)


def _of_argument(name: str, value: SampleArgument, usual: SampleArgument) -> Iterator[SampleCondition]:
    is_tensor = isinstance(value, SampleInput) and value.is_tensor
    was_tensor = isinstance(usual, SampleInput) and usual.is_tensor
    if isinstance(value, SampleInput):
        if value.tuple is not None:
            yield SampleCondition(Property.TUPLE, name)
        if value.list is not None:
            yield SampleCondition(Property.LIST, name)
        if value.framework_dtype is not None:
            yield SampleCondition(Property.VALUE, name, value.framework_dtype)
    else:
        yield SampleCondition(Property.VALUE, name, repr(value))
    if was_tensor and isinstance(value, int | float):
        yield SampleCondition(Property.NUMBER, name)
    if is_tensor and isinstance(usual, int | float):
        yield SampleCondition(Property.TENSOR, name)


def _values(call: SampleCall) -> Iterator[SampleArgument]:
    if call.receiver is not None:
        yield call.receiver
    yield from call.given.args.values()
    yield from call.given.kwargs.values()


def _tensors(value: SampleArgument) -> Iterator[SampleInput]:
    if not isinstance(value, SampleInput):
        return
    if value.is_tensor:
        yield value
    for item in value.list or value.tuple or ():
        yield from _tensors(item)


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list | tuple):
        for item in values:
            yield from _flat(item)
    else:
        yield values
