"""How values are written for evidence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from apidiff.errors import shortened
from apidiff.judge.recorded_values import Opaque, Operand, show, show_plain, typed
from apidiff.model.trace import SequenceDump, TensorDump, Value

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
    (2,) * 13,
    (*(1,) * 15, 3000),
    (20_000, *(1,) * 15),
]

# What stands in lists, the value that is listed, and how often.
LISTS: list[tuple[Operand, int]] = [
    (1, 10),
    (1, 100_000),
    ("text", 2_000),
    ([1, [2, 3]], 20_000),
    ([[]], 5_000),
    (Opaque("Work", "<Work>"), 5_000),
    (None, 1_000),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_of_a_large_array_no_more_is_written_than_evidence_keeps(shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape)).reshape(shape)
    whole = str(values.tolist())
    shown = show_plain(values)
    assert shortened(shown) == shortened(whole)
    assert len(shown) <= min(len(whole), 5_000)


@pytest.mark.parametrize(("item", "times"), LISTS)
def test_of_a_long_list_no_more_is_written_than_evidence_keeps(item: Operand, times: int) -> None:
    whole = f"[{', '.join([show_plain(item)] * times)}]"
    shown = show_plain([item] * times)
    assert shortened(shown) == shortened(whole)
    assert len(shown) <= min(len(whole), 5_000)


@pytest.mark.parametrize("write", [show, typed])
def test_of_a_list_of_recorded_tensors_no_more_is_written_than_evidence_keeps(write: Callable[[Value], str]) -> None:
    tensor = TensorDump(type="Tensor", dtype="float64", shape=[2, 2], values=[1e308] * 4, storage=1, object=1)
    kind = "list " if write is typed else ""
    whole = f"{kind}[{', '.join([write(tensor)] * 500)}]"
    shown = write(SequenceDump(type="list", items=[tensor] * 500, object=2))
    assert shortened(shown) == shortened(whole)
    assert len(shown) <= 5_000
