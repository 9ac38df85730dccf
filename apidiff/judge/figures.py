"""Compares the values of two tensors apart: those that are not finite, and how far the others are from each other.

A target is less accurate only where it is much further from PyTorch than PyTorch is from the exact result: then its own error
is that large.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from apidiff.execute.single.accuracy import EPSILON, floats, furthest
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.trace import TensorDump

FAR = 64.0
"""How many times PyTorch's own error, and at least the last place, is far."""
# Beyond this part of the largest value another result is returned, not the same less accurately.
_ANOTHER = {"float64": 1e-2, "float32": 1e-2, "float16": 1e-1, "bfloat16": 1e-1}


@dataclass(frozen=True)
class Distance:
    """How two tensors of one shape differ.

    ``special``: nan or inf in other places. ``beyond``: further apart than the tolerance; ``another``: so far that it is
    another result. ``ulps``: the greatest distance of finite values, ``own``: PyTorch's distance from the exact result.
    """

    special: bool
    beyond: bool
    another: bool
    ulps: float
    own: float

    @property
    def less_accurate(self) -> bool:
        """Whether the values are beyond the tolerance and far, and yet the same result."""
        return self.beyond and not self.another and self.ulps > FAR * max(self.own, 1.0)


def distance(
    source: TensorDump, target: TensorDump, tolerances: Mapping[str, Tolerance], own: float
) -> Distance | None:
    """How far apart two tensors are; None where they are not both of one floating dtype and one shape."""
    if source.shape != target.shape or source.dtype != target.dtype or source.dtype not in EPSILON:
        return None
    if source.values == target.values:
        return Distance(special=False, beyond=False, another=False, ulps=0.0, own=own)
    mine, theirs = floats(source.values), floats(target.values)
    finite = np.isfinite(mine) & np.isfinite(theirs)
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    special = bool((~finite & ~same).any())
    mine, theirs = mine[finite], theirs[finite]
    wide = tolerances[source.dtype]
    with np.errstate(all="ignore"):
        apart = np.abs(mine - theirs)
        beyond = bool((apart > wide.atol + wide.rtol * np.abs(mine)).any())
        another = bool(beyond and apart.max() > _ANOTHER[source.dtype] * np.abs(mine).max())
    return Distance(special, beyond, another, furthest(theirs, mine, source.dtype), own)
