"""What samples that differ have in common: read off their calls, and chosen so that it tells them from those that agree."""

from typing import Any

import msgspec
import pytest

from apidiff.derive.plain_call_conditions import (
    Property,
    SampleCondition,
    conditions_of,
    possible_conditions,
    separate_samples,
    separating,
)
from apidiff.model.sample import Sample, SampleCall, SampleForm, call_of


def call(**written: Any) -> SampleCall:
    return call_of(msgspec.convert(written, Sample), "torch.f", SampleForm.FUNCTION)


MATRIX = {"shape": [2, 3]}
PLAIN = call(args={"input": MATRIX, "other": MATRIX})
CALLS = [
    (
        call(args={"input": MATRIX, "other": MATRIX}, dtype="bfloat16"),
        SampleCondition(Property.DTYPE, value="bfloat16"),
    ),
    (call(args={"input": MATRIX, "other": {"shape": [2, 3], "dtype": "int64"}}), SampleCondition(Property.MIXED)),
    (call(args={"input": {"values": ["nan", 1.0]}, "other": MATRIX}), SampleCondition(Property.NOT_FINITE)),
    (call(args={"input": {"shape": [0, 3]}, "other": MATRIX}), SampleCondition(Property.EMPTY)),
    (call(args={"input": {"values": 2.5}, "other": MATRIX}), SampleCondition(Property.SCALAR)),
    (call(args={"input": {"shape": []}, "other": MATRIX}), SampleCondition(Property.SCALAR)),
    (
        call(args={"input": {"list": [{"shape": [2], "layout": "strided"}]}, "other": MATRIX}),
        SampleCondition(Property.STRIDED),
    ),
    (call(args={"input": MATRIX, "other": 2}), SampleCondition(Property.NUMBER, "other")),
    (
        call(args={"input": MATRIX, "other": MATRIX}, kwargs={"dim": {"tuple": [0, 1]}}),
        SampleCondition(Property.TUPLE, "dim"),
    ),
    (
        call(args={"input": MATRIX, "other": MATRIX}, kwargs={"dim": {"list": [0]}}),
        SampleCondition(Property.LIST, "dim"),
    ),
    (
        call(args={"input": MATRIX, "other": MATRIX}, kwargs={"mode": "fast"}),
        SampleCondition(Property.VALUE, "mode", "'fast'"),
    ),
    (call(args={"input": MATRIX, "other": MATRIX}, kwargs={"dim": 0}), SampleCondition(Property.GIVEN, "dim")),
    (call(args={"input": MATRIX}), SampleCondition(Property.LEFT_OUT, "other")),
]


@pytest.mark.parametrize(("made", "condition"), CALLS)
def test_a_call_meets_what_the_plain_one_does_not(made: SampleCall, condition: SampleCondition) -> None:
    assert condition in conditions_of(made, PLAIN) - conditions_of(PLAIN, PLAIN)


BF16, EMPTY, DIM = (
    SampleCondition(Property.DTYPE, value="bfloat16"),
    SampleCondition(Property.EMPTY),
    SampleCondition(Property.TUPLE, "dim"),
)
F32 = SampleCondition(Property.DTYPE, value="float32")
SAMPLES = [
    ([{BF16}], [{F32}], [BF16]),
    ([{BF16, DIM}, {BF16}], [{F32}], [BF16]),  # one that both meet before two
    ([{F32, DIM}, {F32, EMPTY}], [{F32}], [EMPTY, DIM]),
    ([{BF16, EMPTY}], [{F32}], [BF16]),  # of two that fit alike the first property
    ([{F32}], [{F32}], None),  # nothing tells them apart
    ([{BF16}, {F32}], [{F32}], None),  # not all of them
    ([{BF16}], [], None),  # none agrees
    ([], [{F32}], None),  # none differs
]


@pytest.mark.parametrize(("differing", "agreeing", "told"), SAMPLES)
def test_the_fewest_conditions_that_tell_samples_apart(
    differing: list[set[SampleCondition]], agreeing: list[set[SampleCondition]], told: list[SampleCondition] | None
) -> None:
    assert separating([frozenset(met) for met in differing], [frozenset(met) for met in agreeing]) == told


def test_of_a_sample_that_nothing_could_check_all_that_it_has_alone_may_be_the_cause() -> None:
    agreeing = [frozenset({F32, EMPTY}), frozenset({F32})]
    separation = separate_samples([frozenset({BF16, DIM, EMPTY})], agreeing)
    assert separation.found == [BF16]
    assert possible_conditions(separation, agreeing) == [BF16, DIM]
