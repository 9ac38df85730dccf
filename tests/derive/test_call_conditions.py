"""What the text of a call says of the condition of a difference: that it holds, that it cannot, or nothing."""

from collections.abc import Mapping

import pytest

from apidiff.derive.call_conditions import (
    ON_SOME_INPUTS,
    Standing,
    of_description,
    of_sample_conditions,
    standing,
    standing_of_any,
)
from apidiff.derive.plain_call_conditions import Property, SampleCondition
from apidiff.derive.sample_conditions import Trait
from apidiff.model.condition import Condition

HOLDS, CANNOT, UNKNOWN = Standing.HOLDS, Standing.CANNOT_HOLD, Standing.UNKNOWN
KNOWN = frozenset({"input", "dim", "dtype"})

# (test, code, what is passed for `dim`, what follows)
WRITTEN = [
    ("passed", "", "=0", HOLDS),
    ("passed", "", "?", HOLDS),
    ("passed", "", None, CANNOT),
    ("omitted", "", None, HOLDS),
    ("omitted", "", "=0", CANNOT),
    ("omitted", "", "?", UNKNOWN),  # what it holds may be the default
    ("is", "1", "=1", HOLDS),
    ("is", "1", "=2", CANNOT),
    ("is", "1", "?", UNKNOWN),
    ("is", "None", None, UNKNOWN),
    ("is", "0", None, UNKNOWN),
    ("is", "'trunc'", None, CANNOT),
    ("is", "float16", ":torch.float16", HOLDS),
    ("is", "float16", ":torch.int64", CANNOT),
    ("is", "1", "tensor", UNKNOWN),
    ("is", "x + 1", "=2", UNKNOWN),
    ("sequence", "", "=(0, 1)", HOLDS),
    ("sequence", "", "tuple", HOLDS),
    ("sequence", "", "several", HOLDS),
    ("sequence", "", "=0", CANNOT),
    ("sequence", "", "tensor", CANNOT),
    ("sequence", "", "?", UNKNOWN),
    ("negative", "", "=-1", HOLDS),
    ("negative", "", "=1", CANNOT),
    ("negative", "", "=True", CANNOT),
    ("number", "", "=2.5", HOLDS),
    ("number", "", "=False", CANNOT),
    ("number", "", "tensor", CANNOT),
    ("tensor", "", "tensor", HOLDS),
    ("tensor", "", "=2.5", CANNOT),
    ("tensor", "", None, CANNOT),
]


@pytest.mark.parametrize(("test", "code", "passed", "follows"), WRITTEN)
def test_a_condition_of_one_argument(test: str, code: str, passed: str | None, follows: Standing) -> None:
    call = {"input": "tensor"} | ({"dim": passed} if passed is not None else {})
    assert standing(Condition(test=test, name="dim", code=code), call, known=KNOWN, more=False) is follows


@pytest.mark.parametrize("test", ["passed", "omitted", "is", "sequence", "number"])
def test_what_may_come_from_elsewhere_is_unknown(test: str) -> None:
    condition = Condition(test=test, name="dim", code="1")
    assert standing(condition, {}, known=KNOWN, more=True) is UNKNOWN
    assert standing(condition, {}, known=frozenset(), more=False) is UNKNOWN


DIM, DTYPE = Condition(test="passed", name="dim"), Condition(test="is", name="dtype", code="float16")
EMPTY = Condition(test="input", name="", code="empty")
TOGETHER: list[tuple[list[list[Condition]], Mapping[str, str], Standing]] = [
    ([], {}, HOLDS),
    ([[ON_SOME_INPUTS]], {"dim": "=0"}, UNKNOWN),
    ([[DIM, DTYPE]], {"dim": "=0", "dtype": ":torch.float16"}, HOLDS),
    ([[DIM, DTYPE]], {"dim": "=0"}, CANNOT),
    ([[DIM, EMPTY]], {"dim": "=0"}, UNKNOWN),
    ([[DIM, EMPTY]], {}, CANNOT),
    ([[DIM], [DTYPE]], {"dim": "=0"}, HOLDS),
    ([[DIM], [DTYPE]], {}, CANNOT),
    ([[DIM], [EMPTY]], {}, UNKNOWN),
]


@pytest.mark.parametrize(("alternatives", "call", "follows"), TOGETHER)
def test_alternatives_of_conditions(
    alternatives: list[list[Condition]], call: Mapping[str, str], follows: Standing
) -> None:
    assert standing_of_any(alternatives, call, known=KNOWN, more=False) is follows


def test_every_trait_and_property_is_a_condition() -> None:
    from apidiff.derive.sample_conditions import _atom

    known = {"input", "passed", "omitted", "is", "sequence", "negative", "number", "tensor"}
    for trait in Trait:
        [[condition]] = of_description(((_atom(trait, "dim", ("1",)),),))
        assert condition.test in known
        assert (condition.test == "input") == (condition.name == "")
    for one in Property:
        [[condition]] = of_sample_conditions([SampleCondition(one, "dim", "1")], everywhere=False)
        assert condition.test in known
    assert of_description((), certain=False) == of_sample_conditions([], everywhere=False) == [[ON_SOME_INPUTS]]
    assert of_description(((),)) == of_sample_conditions([], everywhere=True) == []


def test_a_condition_that_is_not_certain_rules_no_call_out() -> None:
    """What samples held back refute may meet any call: it holds where the text shows it, and is possible where not."""
    from apidiff.derive.sample_conditions import _atom

    refuted = of_description(((_atom(Trait.TUPLE, "dim"),),), certain=False)
    assert refuted == of_sample_conditions([SampleCondition(Property.TUPLE, "dim")], everywhere=False, certain=False)
    known = frozenset({"dim"})
    assert standing_of_any(refuted, {"dim": "tuple"}, known=known, more=False) is HOLDS
    assert standing_of_any(refuted, {"dim": "=0"}, known=known, more=False) is UNKNOWN
