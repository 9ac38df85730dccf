"""Descriptions of when samples differ: found where there is one, the smallest, and none where the rest refutes it."""

import pytest

from apidiff.derive.condition_check import Told
from apidiff.derive.sample_conditions import Description, Trait, describe, learn, possible, traits_of
from apidiff.messages.extracted_differences import description_text
from apidiff.model.probe import Layout
from apidiff.model.sample import Arguments, SampleArgument, SampleCall, SampleForm, SampleInput

TENSOR = SampleInput(values=[1.0, 2.0])


def call(*, dtype: str = "float32", tensor: SampleInput = TENSOR, **kwargs: SampleArgument) -> SampleCall:
    given = Arguments(args={"input": tensor}, kwargs=kwargs)
    return SampleCall(api="torch.f", form=SampleForm.FUNCTION, dtype=dtype, given=given)


def english(differing: list[SampleCall], others: list[SampleCall]) -> str | None:
    found = learn([traits_of(one) for one in differing], [traits_of(one) for one in others])
    return None if found is None else description_text(found).en if found != ((),) else "always"


PLAIN = [call(), call(dim=0), call(dim=1), call(dtype="float64"), call(dtype="int64"), call(keepdim=True)]
EMPTY = SampleInput(shape=[0, 2])
MATRIX, IMAGE, VOLUME = (SampleInput(shape=shape) for shape in ([2, 3], [2, 3, 4], [2, 3, 4, 5]))
PAIR, SQUARE, NDIMS = SampleInput(shape=[1]), SampleInput(shape=[2, 2]), "`ndim` differs between inputs"


@pytest.mark.parametrize(
    ("differing", "others", "told"),
    [
        ([call(), call(dim=1)], [], "always"),
        ([call(tensor=EMPTY)], PLAIN, "an input is empty"),
        ([call(tensor=SampleInput(values=2.0))], PLAIN, "an input is 0-d"),
        ([call(tensor=SampleInput(values=["nan", 1.0]))], PLAIN, "an input has nan or inf"),
        ([call(tensor=SampleInput(values=[1.0], layout=Layout.STRIDED))], PLAIN, "an input is not contiguous"),
        ([call(dtype="bfloat16")], PLAIN, "the dtype is bfloat16"),
        ([call(dtype="bfloat16"), call(dtype="bool")], PLAIN, "the dtype is one of bfloat16, bool"),
        ([call(out=TENSOR), call(out=TENSOR, dim=1)], PLAIN, "`out` is given"),
        ([call(dim=SampleInput(tuple=[0]))], PLAIN, "`dim` is a tuple or list"),
        ([call(dim=-1), call(dim=-2)], PLAIN, "`dim` is negative"),
        ([call(dim=0), call(dim=0, keepdim=True)], [call(), call(dim=1), call(dim=-1)], "`dim` is 0"),
        ([call(tensor=IMAGE), call(tensor=VOLUME)], [call(tensor=MATRIX)], "`ndim` exceeds 2"),
        ([call(tensor=MATRIX), call(tensor=IMAGE)], PLAIN, "`ndim` exceeds 1"),
        ([call(), call(dim=0)], [call(tensor=MATRIX)], "`ndim` is below 2"),
        ([call(other=MATRIX), call(other=IMAGE)], [call(other=PAIR), call(tensor=MATRIX, other=SQUARE)], NDIMS),
        ([call(rounding_mode="trunc")], [*PLAIN, call(rounding_mode="floor")], "`rounding_mode` is `'trunc'`"),
        ([call(tensor=EMPTY, dim=0)] * 2, [*PLAIN, *[call(tensor=EMPTY)] * 2], "an input is empty and `dim` is given"),
        ([call(tensor=EMPTY)] * 2 + [call(dtype="bool")] * 2, PLAIN, "an input is empty, or the dtype is bool"),
    ],
)
def test_the_smallest_description_is_found(differing: list[SampleCall], others: list[SampleCall], told: str) -> None:
    assert english(differing, others) == told


def test_zero_is_no_half_of_a_description() -> None:
    """Too many calls pass 0: that all that differ do, and are empty, tells of nothing that the others lack."""
    assert english([call(tensor=EMPTY, dim=0)] * 2, [call(tensor=EMPTY, dim=1), call(dim=0)]) is None


def test_what_nothing_separates_has_no_description() -> None:
    assert english([call()] * 3, PLAIN) is None


FLOAT16, BOOL = call(dtype="float16"), call(dtype="bool")
CHECKED = [
    ([call(tensor=EMPTY), call(tensor=EMPTY, dim=0)], PLAIN, Told.RULE),
    ([call(tensor=EMPTY)], PLAIN, Told.SEEN),
    ([FLOAT16, BOOL], PLAIN, Told.SEEN),  # one sample of each dtype: neither tells of the other
    ([FLOAT16, FLOAT16, BOOL, BOOL], PLAIN, Told.RULE),
    ([FLOAT16, FLOAT16, BOOL], PLAIN, Told.SEEN),
    ([call(dim=-1), call(dim=-2)], [call(dim=1)], Told.SOME_INPUTS),  # without the last one `dim` itself would tell
    ([call()] * 3, PLAIN, Told.SOME_INPUTS),
]


@pytest.mark.parametrize(("differing", "agreeing", "told"), CHECKED)
def test_a_description_is_a_rule_where_other_samples_bear_it_out(
    differing: list[SampleCall], agreeing: list[SampleCall], told: Told
) -> None:
    separation = describe([traits_of(one) for one in differing], [traits_of(one) for one in agreeing])
    assert separation.checked.told is told


def test_of_a_sample_that_nothing_could_check_all_that_it_has_alone_may_be_the_cause() -> None:
    agreeing = [traits_of(one) for one in PLAIN]
    separation = describe([traits_of(call(dtype="float16", out=TENSOR))], agreeing)
    assert description_text(separation.found or ()).en == "the dtype is float16"
    assert description_text(possible(separation, agreeing)).en == (
        "the dtype is float16, or `out` is given, or `out` is a tensor"
    )


def test_every_trait_has_words() -> None:
    from apidiff.derive.sample_conditions import _atom

    for trait in Trait:
        description: Description = ((_atom(trait, "dim", ("1",)),),)
        text = description_text(description)
        assert text.en
        assert text.zh
