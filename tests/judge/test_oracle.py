"""The oracle against results written out by hand, and against properties that hold for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from apidiff.judge.oracle import NotComputable, expected, needed
from apidiff.model.claim import Formula

A, B = np.array([1, 2]), np.array([10, 20])
LISTS = [[A, B], [A + 2, B + 2]]


@pytest.mark.parametrize(
    ("formula", "inputs", "rank", "result"),
    [
        ("sum", [A, B], 1, [11, 22]),
        ("max", [A, B], 0, [10, 20]),
        ("min", [A, B], 0, [1, 2]),
        ("product", [A, B], 0, [10, 40]),
        ("average", [A.astype("float32"), B.astype("float32")], 0, [5.5, 11]),
        ("concatenated", [A, B], 0, [1, 2, 10, 20]),
        ("stacked", [A, B], 0, [[1, 2], [10, 20]]),
        ("gathered", [A, B], 0, [[1, 2], [10, 20]]),
        ("reduced-slot", LISTS, 0, [4, 6]),
        ("reduced-slot", LISTS, 1, [22, 42]),
        ("reduced-chunk", [A, B], 1, [22]),
        ("exchanged", LISTS, 1, [[10, 20], [12, 22]]),
        ("exchanged-chunks", [A, B], 1, [2, 20]),
        ("exchanged-parts", [[A, B], [A[:1], B[:0]]], 0, [1, 2, 1]),
        ("exchanged-parts", [[A, B], [A[:1], B[:0]]], 1, [10, 20]),
        ("input", [A, B], 1, [10, 20]),
        ("zeros", [A, B], 1, [0, 0]),
        ("zeros", [None, B], 1, [0, 0]),
        ("from-root", [A, B], 0, [10, 20]),
        ("from-root", [None, ["a", None]], 0, ["a", None]),
        ("sent", [A, B], 0, [10, 20]),
        ("scattered", [None, [A, B]], 0, [1, 2]),
        ("scattered", [None, ["a", "b"]], 1, "b"),
        ("scattered-chunk", [None, B], 1, [20]),
        ("gathered", ["a", "b"], 0, ["a", "b"]),
        ("gathered", [A, A[:1]], 0, [[1, 2], [1]]),
        ("exchanged", [["a", "b"], ["c", "d"]], 1, ["b", "d"]),
        ("rank", [None, None], 1, 1),
        ("world", [None, None], 1, 2),
    ],
)
def test_by_hand(formula: str, inputs: list, rank: int, result: object) -> None:
    """The root, or the rank at the other end, is rank 1."""
    assert listed(expected(Formula(formula), inputs, rank, 1)) == result


def listed(value: object) -> object:
    if isinstance(value, list):
        return [listed(one) for one in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize(
    ("formula", "places"),
    [
        ("sum", [0, 1, 2]),
        ("input", [2]),
        ("shape-same", [2]),
        ("from-root", [1]),
        ("scattered", [1]),
        ("scattered-chunk", [1]),
        ("sent", [1]),
        ("rank", []),
        ("world", []),
        ("length-world", []),
    ],
)
def test_whose_inputs_decide(formula: str, places: list) -> None:
    assert needed(Formula(formula), 3, 2, 1) == places


@pytest.mark.parametrize(
    ("formula", "inputs"),
    [
        ("sum", [A, np.array([1])]),
        ("sum", LISTS),
        ("reduced-slot", [A, B]),
        ("reduced-slot", [[A], [B]]),
        ("reduced-chunk", [np.arange(3), np.arange(3)]),
        ("length-world", [A, B]),
        ("sum", ["a", "b"]),
        ("sum", [A, None]),
        ("scattered", [A, B]),
        ("scattered", [[A], B]),
        ("scattered-chunk", [np.arange(3), None]),
        ("exchanged", [["a"], ["b"]]),
    ],
)
def test_inputs_that_do_not_fit_have_no_result(formula: str, inputs: list) -> None:
    with pytest.raises(NotComputable):
        expected(Formula(formula), inputs, 0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("formula", ["sum", "product", "average", "max"])
def test_what_overflows_is_told_by_no_warning(formula: str) -> None:
    inputs = [np.array([3e38, np.inf, np.nan], np.float32), np.array([3e38, -np.inf, 1], np.float32)]
    assert isinstance(expected(Formula(formula), inputs, 0), np.ndarray)
    expected(Formula(formula), [np.array([1.0]), np.array([1j])], 0)


worlds = st.integers(2, 4).flatmap(
    lambda n: st.lists(arrays(np.int64, (2 * n,), elements=st.integers(-99, 99)), min_size=n, max_size=n)
)


@given(worlds)
def test_reduce_scatter_then_gather_is_all_reduce(inputs: list) -> None:
    parts = [expected(Formula.REDUCED_CHUNK, inputs, rank) for rank in range(len(inputs))]
    assert np.array_equal(np.concatenate(parts), expected(Formula.SUM, inputs, 0))


@given(worlds)
def test_exchanging_twice_gives_the_input_back(inputs: list) -> None:
    once = [expected(Formula.EXCHANGED_CHUNKS, inputs, rank) for rank in range(len(inputs))]
    twice = [expected(Formula.EXCHANGED_CHUNKS, once, rank) for rank in range(len(inputs))]
    assert all(np.array_equal(a, b) for a, b in zip(twice, inputs, strict=True))
