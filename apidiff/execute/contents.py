"""The numbers that tensors of probes are filled with: other ones on every rank, exact in every dtype and world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from apidiff.model.dtypes import carrier
from apidiff.model.probe import MAX_ELEMENTS, Fill


def filled(shape: list[int], dtype: str, rank: int, first: int, fill: Fill, *, world_size: int) -> npt.NDArray[Any]:
    """The contents of a tensor on ``rank``, as `Fill` says; ``first``: how many elements its argument has before it."""
    count = math.prod(shape)
    numbers = np.arange(first, first + count)
    if fill is Fill.SENTINEL:
        flat = np.full(count, -1)
    elif fill is Fill.RANK:
        flat = _of_rank(numbers + 1, rank, world_size)
    elif dtype == "bool":
        flat = numbers % 4 == rank % 4
    else:
        flat = (numbers + 1) * 2**rank * (1 - 2j if dtype.startswith("complex") else 1)
    return flat.astype(carrier(dtype)).reshape(shape)


def filled_around(count: int, dtype: str, rank: int, *, world_size: int) -> npt.NDArray[Any]:
    """The contents of what lies around a tensor: the negatives of 2, 3, … of its rank, which no input and no output holds."""
    return (-_of_rank(np.arange(count) + 2, rank, world_size)).astype(carrier(dtype))


# The sums of (i + 1) * 10**rank are exact in float32 up to this world size, whichever probe it is.
_LARGEST_WORLD_OF_POWERS = 6


def _of_rank(numbers: npt.NDArray[np.int64], rank: int, world_size: int) -> npt.NDArray[np.int64]:
    """``numbers`` as ``rank`` writes them. No two ranks write the same; sums of 64 ranks stay below 2**24."""
    if world_size <= _LARGEST_WORLD_OF_POWERS:
        power: int = 10**rank
        return numbers * power
    return numbers + MAX_ELEMENTS * (rank + 1)
