"""Tells how an argument of a probe differs from the one of the plain call: form, dtype, layout, emptiness, length, shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import msgspec

from apidiff.derive.calls import is_code, written_argument
from apidiff.model.probe import Argument, Input, Layout, tensors_in


class Change(Enum):
    """How an argument differs. ``…_of_elements``: the argument is a list of tensors."""

    CODE = "code"  # best told by its code
    EMPTY_LIST = "empty_list"
    OTHER_FORM = "other_form"
    TENSOR = "tensor"  # where the plain call passes no tensor
    TENSORS = "tensors"
    TUPLE = "tuple"  # where the plain call passes a list
    LIST = "list"
    EMPTY = "empty"
    EMPTY_ELEMENTS = "empty_elements"
    MIXED_DTYPES = "mixed_dtypes"
    DTYPE = "dtype"
    DTYPE_OF_ELEMENTS = "dtype_of_elements"
    STRIDED = "strided"
    STRIDED_ELEMENTS = "strided_elements"
    VIEW = "view"  # part of a larger tensor
    VIEW_OF_ELEMENTS = "view_of_elements"
    LENGTH = "length"
    UNEQUAL_SHAPES = "unequal_shapes"
    SHAPE = "shape"
    SHAPE_OF_ELEMENTS = "shape_of_elements"


@dataclass(frozen=True)
class ArgumentChange:
    """One way in which an argument differs. ``detail``: the code, dtype, layout, length or shape, or those of each element.

    ``usual``: the shape that the plain call passes, where it is the shape that differs. ``next_rank``: the code is the
    number of the rank that comes next.
    """

    change: Change
    detail: str = ""
    usual: str = ""
    next_rank: bool = False


def changes_of(name: str, before: Argument, value: Argument) -> list[ArgumentChange]:
    """Every way in which ``value``, passed as ``name``, differs from ``before``; None where there is no such argument.

    What a tensor is filled with is no difference.
    """
    if (
        isinstance(value, Input)
        and _holds_calls(value)
        and value != before
        and _without_tensors(before) == _without_tensors(value)
    ):
        tensor = tensor_of(value)
        return list(_changes_of_tensors(before, value, tensor)) if tensor else []
    # An empty list says more in words than as code; tensors cannot be written as code.
    if not isinstance(value, Input) or (is_code(value) and (value.list is None or len(value.list) > 0)):
        next_rank = isinstance(value, Input) and value.rank_plus == 1
        return [ArgumentChange(Change.CODE, written_argument(name, value), next_rank=next_rank)]
    if value.list is not None and not value.list:
        return [ArgumentChange(Change.EMPTY_LIST)]
    if (tensor := tensor_of(value)) is None:
        return [ArgumentChange(Change.OTHER_FORM)]
    return list(_changes_of_tensors(before, value, tensor))


def _changes_of_tensors(before: Argument, value: Input, tensor: Input) -> Iterator[ArgumentChange]:
    old, listed, elements = tensor_of(before), value.shape is None, elements_of(value)
    if old is None or listed is not _is_listed(before):
        yield ArgumentChange(Change.TENSORS if listed else Change.TENSOR, shape_code(tensor.shape or ()))
        old, before = Input(shape=tensor.shape), None
    elif listed and value.as_tuple is not _is_tuple(before):
        yield ArgumentChange(Change.TUPLE if value.as_tuple else Change.LIST)
    if len({element.dtype for element in elements}) > 1:
        yield ArgumentChange(Change.MIXED_DTYPES, ", ".join(element.dtype for element in elements))
    elif tensor.dtype != old.dtype:
        yield ArgumentChange(Change.DTYPE_OF_ELEMENTS if listed else Change.DTYPE, tensor.dtype)
    if tensor.layout is not old.layout and tensor.layout is Layout.STRIDED:
        yield ArgumentChange(Change.STRIDED_ELEMENTS if listed else Change.STRIDED)
    elif tensor.layout is not old.layout and tensor.layout is not Layout.CONTIGUOUS:
        yield ArgumentChange(Change.VIEW_OF_ELEMENTS if listed else Change.VIEW, tensor.layout.value)
    if _is_empty(tensor) and not _is_empty(old):
        yield ArgumentChange(Change.EMPTY_ELEMENTS if listed else Change.EMPTY)
    elif len({_shape(element) for element in elements}) > 1:
        yield ArgumentChange(Change.UNEQUAL_SHAPES, ", ".join(shape_code(element.shape or ()) for element in elements))
    else:
        yield from _changes_of_size(before, value, old, tensor)


def _changes_of_size(before: Argument, value: Input, old: Input, tensor: Input) -> Iterator[ArgumentChange]:
    if before is not None and value.list is not None and _length(before) != len(value.list):
        yield ArgumentChange(Change.LENGTH, str(len(value.list)))
    if _shape(tensor) != _shape(old):
        change = Change.SHAPE if value.shape is not None else Change.SHAPE_OF_ELEMENTS
        yield ArgumentChange(change, shape_code(tensor.shape or ()), shape_code(old.shape or ()))


def shape_code(shape: Sequence[int | str]) -> str:
    """A shape as a reader writes it, ``n`` for the number of ranks: ``(3,)``, ``(2·n, 3)``."""
    sizes = ["n" if size == "1*world" else str(size).replace("*world", "·n") for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def tensor_of(value: Argument) -> Input | None:
    """The tensor that an argument is, or that its elements are."""
    return next(tensors_in(value), None)


def _holds_calls(value: Input) -> bool:
    """Whether an argument is a list of what calls return, such as of P2POps."""
    return any(isinstance(item, Input) and item.call for item in value.list or ())


def _without_tensors(value: Argument) -> Argument:
    """An argument with None for each tensor in it: what it is beside its tensors."""
    if not isinstance(value, Input):
        return value
    if value.shape is not None:
        return None
    if value.call is not None:
        given = {name: _without_tensors(item) for name, item in value.call.set.items()}
        return msgspec.structs.replace(value, call=msgspec.structs.replace(value.call, set=given))
    if value.list is not None:
        return msgspec.structs.replace(value, list=[_without_tensors(item) for item in value.list])
    return value


def elements_of(value: Argument) -> list[Input]:
    """The tensors of a list that is written out."""
    listed = (value.list or []) if isinstance(value, Input) else []
    return [tensor for tensor in map(tensor_of, listed) if tensor]


def is_same_list(before: Argument, value: Argument) -> bool:
    """Whether both are lists with one tensor per rank that differ in the numbers at most."""
    if not (isinstance(before, Input) and isinstance(value, Input)) or before.each is None or value.each is None:
        return False
    return tensor_of(before) is not None and not changes_of("", before, value)


def is_shortened(before: Argument, value: Argument, size: int) -> bool:
    """Whether an argument is what the plain call passes, written out for a group of ``size`` ranks."""
    if not isinstance(before, Input) or not isinstance(value, Input):
        return False
    if before.each is not None and value.list is not None:
        element = None if isinstance(before.each, Input) and before.each.none else before.each
        return len(value.list) == size and all(item in (before.each, element) for item in value.list)
    if before.shape is None or value.shape is None:
        return False
    return value == msgspec.structs.replace(before, shape=[_of_group(length, size) for length in before.shape])


def _of_group(length: int | str, size: int) -> int:
    return length if isinstance(length, int) else int(length.removesuffix("*world")) * size


def _is_empty(tensor: Input) -> bool:
    return tensor.shape is not None and 0 in tensor.shape


def _is_listed(value: Argument) -> bool:
    return isinstance(value, Input) and value.shape is None


def _is_tuple(value: Argument) -> bool:
    return isinstance(value, Input) and value.as_tuple


def _shape(tensor: Input) -> tuple[int | str, ...]:
    return tuple(tensor.shape or ())


def _length(value: Argument) -> int | None:
    """How many elements a list that is written out has; None for one element per rank, and for what is no list."""
    return len(value.list) if isinstance(value, Input) and value.list is not None else None
