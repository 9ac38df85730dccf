"""How far values are from exact ones, in units in the last place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from apidiff.model.trace import Number

# Of a number of magnitude 1: what the last bit of each dtype is worth.
EPSILON = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
_SMALL = 1e-3
_MOST = 1e9


def furthest(values: npt.NDArray[np.float64], exact: npt.NDArray[np.float64], dtype: str) -> float:
    """The greatest distance of ``values`` from ``exact`` where both are finite, in units in the last place of ``dtype``.

    Next to a large element a small one is allowed the error of one a thousand times smaller than that: a sum that cancels out
    has no more digits than what was summed.
    """
    finite = np.isfinite(values) & np.isfinite(exact)
    mine, theirs = values[finite], exact[finite]
    if not mine.size or np.array_equal(mine, theirs):
        return 0.0
    unit = EPSILON[dtype] * np.maximum(np.abs(theirs), _SMALL * np.abs(theirs).max())
    with np.errstate(all="ignore"):  # 1.7e308 against its opposite is beyond all numbers
        distances = np.where(mine == theirs, 0.0, np.abs(mine - theirs) / unit)
    return float(f"{min(float(distances.max()), _MOST):.3g}")


def floats(values: Sequence[Number]) -> npt.NDArray[np.float64]:
    """Recorded values of a floating tensor, "nan" and "inf" among them."""
    return np.array([float(value) for value in values], np.float64)
