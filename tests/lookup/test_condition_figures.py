"""Figures of how conditions were checked: what was held back, what was refuted, what nothing could check."""

from apidiff.derive.sample_conditions import Checked, Observed, check_description, describe, traits_of
from apidiff.lookup.condition_figures import counted
from apidiff.messages.labels import LANGUAGES
from apidiff.model.sample import Arguments, SampleCall, SampleForm, SampleInput
from apidiff.writers.conditions import conditions_text


def observed(dtype: str, differs: bool) -> Observed:
    given = Arguments(args={"input": SampleInput(shape=[2])})
    call = SampleCall(api="torch.f", form=SampleForm.FUNCTION, dtype=dtype, given=given)
    return Observed(traits_of(call), differs)


def test_a_condition_that_fails_on_samples_held_back_falls_back_and_is_counted_so() -> None:
    bears_out = [observed("bfloat16", True)] * 4 + [observed("float32", False)] * 4
    # Learnt from the first and the third of each; the fourth that differs, held back, has the dtype of those that do not.
    refutes = [*[observed("bfloat16", True)] * 3, observed("float32", True), *[observed("float32", False)] * 4]
    assert describe(bears_out) not in {None, ((),)}
    assert describe(refutes) is None
    checks = [check for samples in (bears_out, refutes) if (check := check_description(samples)) is not None]
    assert checks == [Checked(True, 4, 4), Checked(False, 4, 3)]
    figures = counted("extracted", [*checks, Checked(True, 0, 0), Checked(False, 0, 0)])
    assert (figures.checked, figures.unchecked, figures.some_inputs, figures.refuted) == (1, 1, 2, 1)
    assert (figures.held_back, figures.right) == (8, 7)
    for language in LANGUAGES:
        assert "87.5 %" in conditions_text([figures], language)


def test_a_difference_on_all_samples_has_no_condition_to_check() -> None:
    assert check_description([observed("float32", True)] * 3) is None
