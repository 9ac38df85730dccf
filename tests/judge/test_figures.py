"""How far apart two recorded tensors are, also where that is beyond all numbers."""

from __future__ import annotations

import pytest

from apidiff.judge.figures import distance
from apidiff.model.extracted_samples import Tolerance
from apidiff.model.trace import TensorDump

WIDE = {"float64": Tolerance(atol=1e-7, rtol=1e-7)}


def tensor(*values: float) -> TensorDump:
    return TensorDump(type="Tensor", dtype="float64", shape=[len(values)], values=[*values], storage=0, object=0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("mine", "theirs"),
    [((1.7e308, 1.0), (-1.7e308, 1.0)), ((5e-324, 0.0), (1.7e308, 0.0)), ((0.0, 0.0), (5e-324, 1.7e308))],
)
def test_extremes_are_far_apart_and_no_warning(mine: tuple[float, ...], theirs: tuple[float, ...]) -> None:
    """With PYTHONWARNINGS=error a signer's record that holds them was told as damaged, later without it too."""
    found = distance(tensor(*mine), tensor(*theirs), WIDE, 1.0)
    assert found is not None
    assert (found.special, found.beyond) == (False, True)
    assert found.ulps == 1e9  # no more is told
