"""Finds under which conditions a claim's probes observe it: what they set that the API's plain call does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from apidiff.derive.calls import is_code, written_argument
from apidiff.model.claim import Claim, ClaimKind
from apidiff.model.mapping import Api
from apidiff.model.probe import Argument, Input, Layout
from apidiff.model.probe_resolution import caller_ranks, inplace_switch, partner, resolve


class Change(Enum):
    """How an argument differs from the one of the plain call. ``…_of_elements``: the argument is a list of tensors."""

    CODE = "code"  # best told by its code
    EMPTY_LIST = "empty_list"
    OTHER_FORM = "other_form"
    EMPTY = "empty"
    EMPTY_ELEMENTS = "empty_elements"
    TENSORS = "tensors"
    MIXED_DTYPES = "mixed_dtypes"
    DTYPE = "dtype"
    DTYPE_OF_ELEMENTS = "dtype_of_elements"
    STRIDED = "strided"
    STRIDED_ELEMENTS = "strided_elements"
    UNEQUAL_SHAPES = "unequal_shapes"
    LENGTH = "length"
    SHAPE = "shape"
    SHAPE_OF_ELEMENTS = "shape_of_elements"
    SHAPE_UNLIKE_OTHERS = "shape_unlike_others"  # the other ranks pass the one of the plain call
    SHAPE_OF_ELEMENTS_UNLIKE_OTHERS = "shape_of_elements_unlike_others"


@dataclass(frozen=True)
class Callers:
    """Only ``ranks`` make the call (all if empty); meanwhile ``partners`` call ``partner``, where there is one."""

    ranks: list[int]
    partners: list[int] = field(default_factory=list)
    partner: str | None = None


@dataclass(frozen=True)
class Without:
    """The argument ``name`` is left out."""

    name: str


@dataclass(frozen=True)
class With:
    """The argument ``name`` is what ``code`` says. ``next_rank``: the number of the rank that comes next."""

    name: str
    code: str
    next_rank: bool = False


@dataclass(frozen=True)
class OwnGroup:
    """A group is passed as ``name``: of ``ranks`` (all if empty), as a string if ``by_name``."""

    name: str
    ranks: list[int]
    by_name: bool


@dataclass(frozen=True)
class Passes:
    """The argument ``name`` differs from the plain call's as ``change`` says.

    ``who`` passes it so: every rank, every rank but the root, or one rank. ``detail``: the code, the dtype or the length.
    """

    who: Literal["everyone", "others"] | int
    name: str
    change: Change
    detail: str = ""
    next_rank: bool = False


@dataclass(frozen=True)
class OthersPassToo:
    """Every rank but the root passes the argument ``name`` too, which the plain call needs on the root alone."""

    name: str


@dataclass(frozen=True)
class Disagree:
    """The ranks pass different ``name``; ``in_shape``: tensors that differ in nothing but the shape."""

    name: str
    in_shape: bool


@dataclass(frozen=True)
class Switched:
    """``set_comm_ops_inplace`` was called with ``value`` before."""

    value: bool


Condition = Callers | Without | With | OwnGroup | Passes | OthersPassToo | Disagree | Switched


def conditions(claim: Claim, api: Api) -> list[Condition]:
    """What all probes of the claim have in common that the plain call lacks."""
    probes = [probe for probe in claim.probes if probe in api.probes]
    if not probes:
        return []
    shared = _shared([probe_conditions(api, probe) for probe in probes])
    if not shared and claim.kind in {ClaimKind.RAISES, ClaimKind.COMPLETES}:
        plain = _plain(api, api.canonical or probes[0])
        shared = _shared([probe_conditions(api, probe, plain) for probe in probes])
        shared = [condition for condition in shared if not _is_incidental(condition)] or shared
    if not shared and claim.kind in {ClaimKind.RETURNS, ClaimKind.ALIASES} and _has_async(api):
        modes = {resolve(api, probe)[0].get("async_op") is True for probe in probes}
        shared = [With("async_op", "False")] if modes == {False} else []
    return shared


def probe_conditions(api: Api, probe: str, basis: str | None = None) -> list[Condition]:
    """How ``probe`` differs from the probe ``basis``, or else from the one that it is made from."""
    return list(_conditions(api, probe, basis or _plain(api, probe)))


def _shared(found: list[list[Condition]]) -> list[Condition]:
    return [condition for condition in found[0] if all(condition in other for other in found)]


def _is_incidental(condition: Condition) -> bool:
    """Whether a condition only comes of comparing probes that are not made from each other: a shape, the next rank."""
    match condition:
        case With(next_rank=next_rank):
            return next_rank
        case Passes(change=change, next_rank=next_rank):
            return next_rank or change in {Change.SHAPE, Change.SHAPE_OF_ELEMENTS, *_UNLIKE_OTHERS.values()}
    return False


def _has_async(api: Api) -> bool:
    return any(resolve(api, probe)[0].get("async_op") is True for probe in api.probes)


def _plain(api: Api, probe: str) -> str:
    """The probe at the end of the chain of ``like``."""
    while (before := api.probes[probe].like) is not None:
        probe = before
    return probe


def _conditions(api: Api, probe: str, basis: str) -> Iterator[Condition]:
    plain, _ = resolve(api, basis)
    arguments, overrides = resolve(api, probe)
    ranks, other = caller_ranks(api, probe), partner(api, probe)
    if ranks or other:
        yield Callers(ranks, other.ranks if other else [], other.api if other else None)
    for name in plain:
        if name not in arguments:
            yield Without(name)
    smaller_group = any(isinstance(value, Input) and value.group for value in arguments.values())
    for name, value in arguments.items():
        unchanged = name in plain and plain[name] == value
        if not unchanged and not (name in plain and smaller_group and _shortened(plain[name], value)):
            yield _changed(name, plain.get(name), value)
    uneven = [name for name in arguments if sum(name in changes for changes in overrides.values()) > 1]
    for name in uneven:
        yield Disagree(name, _differ_in_shape([changes[name] for changes in overrides.values() if name in changes]))
    for rank, changes in overrides.items():
        for name, value in changes.items():
            if name in uneven:
                continue
            if rank == "others" and _same_list(arguments.get(name), value):
                yield OthersPassToo(name)
            else:
                yield _passes("others" if rank == "others" else int(rank), name, arguments.get(name), value)
    if (switch := inplace_switch(api, probe)) is not None:
        yield Switched(switch)


def _changed(name: str, before: Argument, value: Argument) -> Condition:
    if isinstance(value, Input) and value.group is not None:
        return OwnGroup(name, [*value.group], value.by_name)
    passes = _passes("everyone", name, before, value)
    return With(name, passes.detail, passes.next_rank) if passes.change is Change.CODE else passes


def _passes(who: Literal["everyone", "others"] | int, name: str, before: Argument, value: Argument) -> Passes:
    change = change_of(before, value, one_rank=isinstance(who, int))
    match change:
        case Change.CODE:
            next_rank = isinstance(value, Input) and value.rank_plus == 1
            return Passes(who, name, change, written_argument(name, value), next_rank)
        case Change.DTYPE | Change.DTYPE_OF_ELEMENTS:
            tensor = tensor_of(value)
            return Passes(who, name, change, tensor.dtype if tensor else "")
        case Change.LENGTH:
            return Passes(who, name, change, str(len(elements_of(value))))
    return Passes(who, name, change)


def change_of(before: Argument, value: Argument, *, one_rank: bool = False) -> Change:
    """How an argument differs from ``before``: in form, dtype, layout, emptiness, length or shape.

    ``one_rank``: the other ranks pass ``before``.
    """
    # An empty list says more in words than as code; tensors cannot be written as code.
    if not isinstance(value, Input) or (is_code(value) and (value.list is None or len(value.list) > 0)):
        return Change.CODE
    inner, old, listed = tensor_of(value), tensor_of(before), value.shape is None
    elements = elements_of(value)
    if value.list is not None and not elements:
        return Change.EMPTY_LIST
    if inner is None or (old is None and not listed and 0 not in (inner.shape or [])):
        return Change.OTHER_FORM
    if inner.shape is not None and 0 in inner.shape:
        return Change.EMPTY_ELEMENTS if listed else Change.EMPTY
    if old is None:
        return Change.TENSORS
    if len({element.dtype for element in elements}) > 1:
        return Change.MIXED_DTYPES
    if inner.dtype != old.dtype:
        return Change.DTYPE_OF_ELEMENTS if listed else Change.DTYPE
    if inner.layout is Layout.STRIDED and old.layout is not Layout.STRIDED:
        return Change.STRIDED_ELEMENTS if listed else Change.STRIDED
    if len({tuple(element.shape or ()) for element in elements}) > 1:
        return Change.UNEQUAL_SHAPES
    if isinstance(before, Input) and before.each is not None and value.list is not None:
        return Change.LENGTH
    shape = Change.SHAPE_OF_ELEMENTS if listed else Change.SHAPE
    return _UNLIKE_OTHERS[shape] if one_rank else shape


_UNLIKE_OTHERS = {
    Change.SHAPE: Change.SHAPE_UNLIKE_OTHERS,
    Change.SHAPE_OF_ELEMENTS: Change.SHAPE_OF_ELEMENTS_UNLIKE_OTHERS,
}


def tensor_of(value: Argument) -> Input | None:
    """The tensor that an argument is, or that its elements are."""
    if not isinstance(value, Input):
        return None
    if value.shape is not None:
        return value
    if value.each is not None:
        return tensor_of(value.each)
    return tensor_of(value.list[0]) if value.list else None


def elements_of(value: Argument) -> list[Input]:
    """The tensors of a list that is written out."""
    listed = (value.list or []) if isinstance(value, Input) else []
    return [tensor for tensor in map(tensor_of, listed) if tensor]


def _differ_in_shape(values: list[Argument]) -> bool:
    """Whether all are tensors that can differ in nothing but the shape."""
    tensors = [tensor_of(value) for value in values]
    return all(tensors) and len({(tensor.dtype, tensor.layout) for tensor in tensors if tensor}) == 1


def _same_list(before: Argument, value: Argument) -> bool:
    """Whether both are lists with one tensor per rank that differ in the numbers at most."""
    if not (
        isinstance(before, Input) and isinstance(value, Input) and before.each is not None and value.each is not None
    ):
        return False
    old, new = tensor_of(before), tensor_of(value)
    if old is None or new is None:
        return False
    return (old.shape, old.dtype, old.layout) == (new.shape, new.dtype, new.layout)


def _shortened(before: Argument, value: Argument) -> bool:
    """Whether a list with one element per rank only became a list written out, as a smaller group needs it."""
    if not isinstance(before, Input) or not isinstance(value, Input):
        return False
    return before.each is not None and value.list is not None and tensor_of(value) == before.each
