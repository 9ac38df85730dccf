"""How values are written for evidence."""

from __future__ import annotations

import numpy as np
import pytest

from apidiff.errors import shortened
from apidiff.judge.recorded_values import show_plain

# Shapes of arrays whose text is longer than evidence keeps, and of some that are not.
SHAPES = [
    (7,),
    (801,),
    (50_000,),
    (3, 4000),
    (4000, 3),
    (100, 100, 3),
    (1000, 1, 40),
    (2,) * 12,
    (*(1,) * 15, 3000),
    (20_000, *(1,) * 15),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_of_a_large_array_no_more_is_written_than_evidence_keeps(shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape)).reshape(shape)
    whole = str(values.tolist())
    shown = show_plain(values)
    assert shortened(shown) == shortened(whole)
    assert len(shown) <= min(len(whole), 50_000)
