"""Descriptions of when samples differ: found where there is one, the smallest, and none where the rest refutes it."""

import pytest

from apidiff.derive.sample_conditions import Description, Observed, Trait, describe, traits_of
from apidiff.messages.extracted_differences import description_text
from apidiff.model.probe import Layout
from apidiff.model.sample import Arguments, SampleArgument, SampleCall, SampleForm, SampleInput

TENSOR = SampleInput(values=[1.0, 2.0])


def call(*, dtype: str = "float32", tensor: SampleInput = TENSOR, **kwargs: SampleArgument) -> SampleCall:
    given = Arguments(args={"input": tensor}, kwargs=kwargs)
    return SampleCall(api="torch.f", form=SampleForm.FUNCTION, dtype=dtype, given=given)


def english(differing: list[SampleCall], others: list[SampleCall]) -> str | None:
    found = describe(
        [Observed(traits_of(one), differs) for part, differs in ((differing, True), (others, False)) for one in part]
    )
    return None if found is None else description_text(found).en if found != ((),) else "always"


PLAIN = [call(), call(dim=0), call(dim=1), call(dtype="float64"), call(dtype="int64"), call(keepdim=True)]
EMPTY = SampleInput(shape=[0, 2])


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
        ([call(rounding_mode="trunc")], [*PLAIN, call(rounding_mode="floor")], "`rounding_mode` is `'trunc'`"),
        ([call(tensor=EMPTY, dim=0)] * 2, [*PLAIN, *[call(tensor=EMPTY)] * 2], "an input is empty and `dim` is given"),
        ([call(tensor=EMPTY)] * 2 + [call(dtype="bool")] * 2, PLAIN, "an input is empty, or the dtype is bool"),
    ],
)
def test_the_smallest_description_is_found(differing: list[SampleCall], others: list[SampleCall], told: str) -> None:
    assert english(differing, others) == told


def test_what_nothing_separates_has_no_description() -> None:
    assert english([call()] * 3, PLAIN) is None


def test_a_description_that_the_rest_refutes_is_none() -> None:
    """Of samples dealt in turn, the second and fourth are held back: they differ and are not empty."""
    differing = [call(tensor=EMPTY), call(dim=-1), call(tensor=EMPTY), call(dim=-1)]
    assert english(differing, [*PLAIN, call(dim=-2)]) is None
    assert english([call(tensor=EMPTY)] * 4, [*PLAIN, call(tensor=EMPTY)]) is None


def test_every_trait_has_words() -> None:
    from apidiff.derive.sample_conditions import _atom

    for trait in Trait:
        description: Description = ((_atom(trait, "dim", ("1",)),),)
        text = description_text(description)
        assert text.en
        assert text.zh
