"""Figures of how conditions were checked: what was held back, what was refuted, what nothing could check."""

from apidiff.derive.condition_check import Checked, Told
from apidiff.lookup.condition_figures import counted
from apidiff.messages.labels import LANGUAGES
from apidiff.writers.conditions import conditions_text


def test_conditions_are_counted_by_how_they_are_told() -> None:
    checks = [
        Checked(Told.RULE, 4, 4),
        Checked(Told.SOME_INPUTS, 4, 3),
        Checked(Told.SOME_INPUTS),
        Checked(Told.SEEN, 2, 2, alone=1),
        Checked(Told.SEEN, alone=2),
    ]
    figures = counted("extracted", checks)
    assert (figures.differences, figures.rule, figures.seen, figures.alone) == (5, 1, 2, 3)
    assert (figures.some_inputs, figures.refuted) == (2, 1)
    assert (figures.held_back, figures.right) == (10, 9)
    for language in LANGUAGES:
        assert "90.0 %" in conditions_text([figures], language)
