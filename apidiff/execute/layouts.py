"""Tensors that are parts of a larger one: which part each layout takes, and what lies around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from apidiff.model.probe import Layout

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class View:
    """A tensor made from the larger ``buffer``; ``places``: where in that, counted row by row, its elements lie."""

    tensor: Any
    buffer: Any
    places: list[int]


def make_view(array: Array, layout: Layout, around: Array, to_tensor: Callable[[Array], Any]) -> View:
    """Makes a tensor of the values of ``array`` that is a part of a larger one.

    Args:
        array: the values, of the dtype that ``to_tensor`` takes.
        layout: which part; not CONTIGUOUS.
        around: the values that the rest of the buffer takes, in their order; at least as many as the buffer has.
        to_tensor: makes the buffer of the framework under test.
    """
    shape = buffer_shape(layout, array.shape)
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    places = carve(numbers, layout, array.shape).ravel()
    values = around[: numbers.size].copy()
    values[places] = array.ravel()
    buffer = to_tensor(values.reshape(shape))
    return View(carve(buffer, layout, array.shape), buffer, places.tolist())


def make_parts(arrays: Sequence[Array], layout: Layout, around: Array, to_tensor: Callable[[Array], Any]) -> list[View]:
    """Makes tensors of the values of ``arrays`` that are all parts of the same larger one.

    Args:
        arrays: the values, of one shape and of the dtype that ``to_tensor`` takes.
        layout: one of PARTS_OF_ONE.
        around: the values that the rest of the buffer takes; at least as many as the buffer has.
        to_tensor: makes the buffer of the framework under test.
    """
    count, shape = len(arrays), arrays[0].shape
    if not shape or any(array.shape != shape for array in arrays):
        raise ValueError(
            f"tensors of shapes {[list(array.shape) for array in arrays]} cannot have the layout {layout.value!r}"
        )
    whole = (count + 1, *shape) if layout is Layout.ROWS else (count * shape[0], *shape[1:])
    places = [part.ravel() for part in _divide(np.arange(int(np.prod(whole))).reshape(whole), layout, count)]
    values = around[: int(np.prod(whole))].copy()
    for place, array in zip(places, arrays, strict=True):
        values[place] = array.ravel()
    buffer = to_tensor(values.reshape(whole))
    parts = _divide(buffer, layout, count)
    return [View(part, buffer, place.tolist()) for part, place in zip(parts, places, strict=True)]


def _divide(buffer: Any, layout: Layout, count: int) -> list[Any]:
    if layout is Layout.ROWS:
        return [buffer[row] for row in range(count)]
    return list(np.split(buffer, count) if isinstance(buffer, np.ndarray) else buffer.chunk(count))


def buffer_shape(layout: Layout, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the larger tensor. Raises ValueError where a tensor of ``shape`` cannot be such a part."""
    if not shape or (layout is Layout.TRANSPOSED and len(shape) != 2):
        raise ValueError(f"a tensor of shape {list(shape)} cannot have the layout {layout.value!r}")
    match layout:
        case Layout.STRIDED:
            return (*shape[:-1], 2 * shape[-1])
        case Layout.ROW | Layout.FIRST_ROW:
            return (3, *shape)
        case Layout.TRANSPOSED:
            return shape[::-1]
    return (3 * shape[0], *shape[1:])


def carve(buffer: Any, layout: Layout, shape: tuple[int, ...]) -> Any:
    """Takes the part out of ``buffer``: a tensor of either framework, or a NumPy array."""
    length = shape[0]
    match layout:
        case Layout.STRIDED:
            return buffer[..., ::2]
        case Layout.SLICE:
            return buffer[length : 2 * length]
        case Layout.HEAD:
            return buffer[0:length]
        case Layout.ROW:
            return buffer[1]
        case Layout.FIRST_ROW:
            return buffer[0]
        case Layout.CHUNK:
            return np.split(buffer, 3)[1] if isinstance(buffer, np.ndarray) else buffer.chunk(3)[1]
        case Layout.TRANSPOSED:
            return buffer.T
        case Layout.HEAD_CONTIGUOUS:
            part = buffer[0:length]
            return part if isinstance(buffer, np.ndarray) else part.contiguous()
        case Layout.SLICE_COPIED:
            part = buffer[length : 2 * length]
            return part.copy() if hasattr(part, "copy") else part.clone()  # MindSpore's clone has no kernel on the CPU
    raise ValueError(f"no part has the layout {layout.value!r}")
