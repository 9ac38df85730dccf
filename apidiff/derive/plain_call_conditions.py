"""Finds what samples that differ have in common and samples that agree lack: a dtype, no element, a tuple as an argument.

It is learnt on one part of the samples and checked on the other, where there are enough of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import Any

from apidiff.derive.sample_conditions import Checked, is_right
from apidiff.model.probe import Layout
from apidiff.model.sample import SampleArgument, SampleCall, SampleForm, SampleInput

_NUMBERED = re.compile(r"_[0-9]+$")
_MOST = 3  # properties that one sentence names


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


def conditions_of(call: SampleCall, plain: SampleCall) -> set[SampleCondition]:
    """The conditions that ``call`` meets. ``plain``: the ordinary call, of which it may give other arguments."""
    return {*_of_tensors(call), *_of_arguments(call, plain)}


Met = Mapping[str, set[SampleCondition]]
"""What samples meet, by their names."""


@dataclass(frozen=True)
class Separation:
    """The conditions that separate samples, [] where none do or samples held back refute them, and how they were checked."""

    conditions: list[SampleCondition]
    checked: Checked


def separate(differing: Met, agreeing: Met) -> Separation:
    """Find the fewest conditions of ``differing`` that none of ``agreeing`` meets, and check them on samples held back.

    A third of the samples is held back, by a digest of their names. Where these are too few, all are learnt from.
    """
    kept_differing, kept_agreeing = _held_back(differing, agreeing)
    learnt = [met for name, met in differing.items() if name not in kept_differing]
    conditions = separating(learnt, [met for name, met in agreeing.items() if name not in kept_agreeing])
    held_back = [(differing[name], True) for name in kept_differing] + [
        (agreeing[name], False) for name in kept_agreeing
    ]
    if not conditions:
        return Separation([], Checked(described=False, held_back=0, right=0))
    right = sum(bool(met.intersection(conditions)) is differs for met, differs in held_back)
    described = is_right(right, held_back)
    return Separation(conditions if described else [], Checked(described, len(held_back), right))


def _held_back(differing: Met, agreeing: Met) -> tuple[list[str], list[str]]:
    """The samples to check with: ([], []) unless some differ, some agree, and some of each are left to learn from.

    Of a sample that differs and meets nothing which another such sample meets no other can tell: it is learnt from.
    """
    counts = Counter(condition for met in differing.values() for condition in met)
    drawn = (
        [
            name
            for name, met in differing.items()
            if _is_drawn(name) and any(counts[condition] > 1 for condition in met)
        ],
        [name for name in agreeing if _is_drawn(name)],
    )
    if any(not names or len(names) == len(part) for names, part in zip(drawn, (differing, agreeing), strict=True)):
        return [], []
    return drawn


def _is_drawn(name: str) -> bool:
    return sha256(name.encode()).digest()[0] % 3 == 0


def separating(
    differing: Sequence[set[SampleCondition]], agreeing: Iterable[set[SampleCondition]]
) -> list[SampleCondition]:
    """The fewest conditions that each of ``differing`` meets one of and none of ``agreeing`` meets any of; [] without such.

    Nothing separates samples where none agrees: then no condition is known to matter.
    """
    others = list(agreeing)
    if not others:
        return []
    harmless = set().union(*others)
    left = list(differing)
    chosen: list[SampleCondition] = []
    while left and len(chosen) < _MOST:
        telling = {condition for met in left for condition in met} - harmless
        if not telling:
            return []
        best = max(sorted(telling, key=_place), key=lambda condition: sum(condition in met for met in left))
        chosen.append(best)
        left = [met for met in left if best not in met]
    return [] if left else sorted(chosen, key=_place)


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
