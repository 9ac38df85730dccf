"""The decoder of origins: against what truly went into each value, found by taking inputs away one at a time."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apidiff.derive import buffers
from apidiff.derive.buffers import Origins
from apidiff.judge.oracle import expected
from apidiff.model.claim import Formula
from apidiff.model.picture import Origin

ONE_TENSOR = [Formula.SUM, Formula.FROM_ROOT, Formula.INPUT, Formula.SENT]
JOINED = [Formula.CONCATENATED, Formula.STACKED, Formula.GATHERED]
IN_PARTS = [Formula.REDUCED_CHUNK, Formula.SCATTERED_CHUNK, Formula.EXCHANGED_CHUNKS]
LISTS = [Formula.REDUCED_SLOT, Formula.EXCHANGED, Formula.SCATTERED]
# More elements than this and the first of one rank reads like the tenth of the one before.
ELEMENTS = 9


def marked(rank: int, first: int, count: int) -> np.ndarray:
    """What a probe passes: see `apidiff.model.probe`."""
    return np.array([(first + i + 1) * 10**rank for i in range(count)], dtype="float64")


@st.composite
def calls(draw: st.DrawFn) -> tuple[Formula, int, list[list[np.ndarray]]]:
    """A formula, the root, and what every rank passes: a list of tensors, of one where it takes a tensor."""
    world = draw(st.integers(2, 4))
    formula = draw(st.sampled_from(ONE_TENSOR + JOINED + IN_PARTS + LISTS))
    if formula in LISTS:
        each = draw(st.integers(1, ELEMENTS // world))
        given = [[marked(rank, slot * each, each) for slot in range(world)] for rank in range(world)]
    else:
        count = draw(st.integers(1, ELEMENTS))
        count = world * max(1, count // world) if formula in IN_PARTS else count
        given = [[marked(rank, 0, count)] for rank in range(world)]
    return formula, draw(st.integers(0, world - 1)), given


def result(formula: Formula, given: list[list[np.ndarray]], rank: int, root: int) -> np.ndarray:
    operands = [one if formula in LISTS else one[0] for one in given]
    found = expected(formula, operands, rank, root)
    return np.concatenate([np.ravel(one) for one in found]) if isinstance(found, list) else np.ravel(found)


def name(slot: int) -> str:
    return f"input[{slot}]"


def truth(formula: Formula, given: list[list[np.ndarray]], rank: int, root: int) -> list[set[tuple[int, str, int]]]:
    """For each value of the result, the inputs without which it is another."""
    whole = result(formula, given, rank, root)
    made: list[set[tuple[int, str, int]]] = [set() for _ in whole]
    for source, slot in product(range(len(given)), range(len(given[0]))):
        for element in range(given[source][slot].size):
            less = [[one.copy() for one in tensors] for tensors in given]
            less[source][slot][element] = 0
            for index in np.flatnonzero(result(formula, less, rank, root) != whole):
                made[index].add((source, name(slot), element))
    return made


def noted(given: list[list[np.ndarray]]) -> Origins:
    origins = Origins()
    for rank, tensors in enumerate(given):
        for slot, tensor in enumerate(tensors):
            origins.add(rank, name(slot), tensor.tolist())
        origins.add(rank, "output", [-1.0] * 4)
    return origins


@given(calls())
def test_decoded_origins_are_what_went_in(call: tuple[Formula, int, list[list[np.ndarray]]]) -> None:
    formula, root, given = call
    origins = noted(given)
    for rank in range(len(given)):
        values = result(formula, given, rank, root)
        for value, inputs in zip(values.tolist(), truth(formula, given, rank, root), strict=True):
            found = origins.of(rank, "return", 0, value)
            assert found is not None
            assert {(one, found.buffer, found.element) for one in found.ranks} == inputs


@given(st.integers(2, 4), st.integers(1, 14), st.data())
def test_what_is_told_is_never_wrong(world: int, count: int, data: st.DataObject) -> None:
    """With more elements than digits some sums are ambiguous: those are not told, and all others are right."""
    ranks = sorted(data.draw(st.sets(st.integers(0, world - 1), min_size=1)))
    element = data.draw(st.integers(0, count - 1))
    given = [[marked(rank, 0, count)] for rank in range(world)]
    found = noted(given).of(world, "return", 0, float(sum(given[rank][0][element] for rank in ranks)))
    assert found in (None, Origin(ranks=ranks, buffer=name(0), element=element))


@given(calls(), st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_from_nowhere_has_no_origin(call: tuple[Formula, int, list[list[np.ndarray]]], value: float) -> None:
    given = call[2]
    sums = {
        sum(c)
        for slot in zip(*given, strict=True)
        for e in zip(*slot, strict=True)
        for c in product(*((0, v) for v in e))
    }
    if value not in sums:
        assert noted(given).of(0, "return", 0, value) is None


def of_many(world: int, count: int, kind: type = float) -> Origins:
    """What probes pass with more than 6 ranks."""
    origins = Origins()
    for rank in range(world):
        origins.add(rank, "input", [kind(i + 1 + 1000 * (rank + 1)) for i in range(count)])
    return origins


# ranks, value, the ranks and the element that it is told to come from
OF_MANY: list[tuple[int, float, tuple[list[int], int] | None]] = [
    (64, 64 * 1 + 1000 * 2080, (list(range(64)), 0)),
    (64, 64 * 3 + 1000 * 2080, (list(range(64)), 2)),
    (21, 21 * 2 + 1000 * 231, (list(range(21)), 1)),
    (64, 1001, ([0], 0)),
    (64, 20_001, ([19], 0)),
    (64, 3002, None),  # the second element of rank 2, or the first of ranks 0 and 1
    (64, 999, None),
    (64, 10**18, None),
    (64, 1001.5, None),
]


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize(("world", "value", "told"), OF_MANY)
def test_one_rank_and_all_of_many_are_found(
    monkeypatch: pytest.MonkeyPatch, world: int, value: float, told: tuple[list[int], int] | None, kind: type
) -> None:
    """The sums of 21 ranks took 2 GB."""
    monkeypatch.setattr(buffers, "_subsets", None)
    wanted = told and Origin(ranks=told[0], buffer="input", element=told[1])
    assert of_many(world, 3, kind).of(world, "return", 0, value) == wanted


def test_of_texts_of_many_ranks_each_is_found() -> None:
    origins = Origins()
    for rank in range(64):
        origins.add(rank, "obj", [f"rank {rank}"])
    assert origins.of(0, "list", 1, "rank 63") == Origin(ranks=[63], buffer="obj", element=0)


@given(st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=3), min_size=1, max_size=5), st.integers(1, 60))
def test_of_many_ranks_nothing_else_is_told_than_of_few(passed: list[list[int]], value: int) -> None:
    few, many = Origins(), Origins()
    for origins in (few, many):
        for rank, values in enumerate(passed):
            origins.add(rank, "input", values)
    told = few.of(9, "return", 0, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buffers, "_MOST_SUMS", 0)
        found = many.of(9, "return", 0, value)
    having = [rank for rank, values in enumerate(passed) if told and len(values) > told.element]
    assert found == (told if told and (len(told.ranks) == 1 or told.ranks == having) else None)


@pytest.mark.parametrize("beside", [1e300, 0.5, 2.0**40])
def test_where_it_is_not_known_what_makes_a_sum_nothing_is_told(beside: float) -> None:
    origins = of_many(21, 3)
    origins.add(0, "other", [beside])
    assert origins.of(21, "return", 0, 1001) is None


@pytest.mark.parametrize("value", [-1.0, 0, 0.0, None, "", "nan", "inf", True, False])
def test_fillings_have_no_origin(value: float | str | None) -> None:
    origins = Origins()
    origins.add(0, "output", [value, 1.0])
    assert origins.of(0, "output", 0, value) is None


def test_a_value_that_stayed_is_its_own_origin() -> None:
    origins = Origins()
    origins.add(0, "a", [10.0])
    origins.add(1, "a", [10.0])
    assert origins.of(1, "a", 0, 10.0) == Origin(ranks=[1], buffer="a", element=0)
    assert origins.of(1, "b", 0, 10.0) is None


def test_memory_that_is_passed_twice_counts_once() -> None:
    origins = Origins()
    for rank in (0, 1):
        origins.add(rank, "output", [10.0**rank])
        origins.add(rank, "input", [10.0**rank], twin=True)
    assert origins.of(0, "return", 0, 11.0) == Origin(ranks=[0, 1], buffer="output", element=0)


def test_texts_are_copied_and_never_added() -> None:
    origins = Origins()
    origins.add(0, "obj", ["rank 0"])
    origins.add(1, "obj", ["rank 1"])
    assert origins.of(0, "object_list", 1, "rank 1") == Origin(ranks=[1], buffer="obj", element=0)
    assert origins.of(0, "object_list", 1, "rank 0rank 1") is None
