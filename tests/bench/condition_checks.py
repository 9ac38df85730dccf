"""How many of the samples that were held back the found conditions tell wrongly, as `apidiff report conditions` counts them."""

from __future__ import annotations

from collections.abc import Callable

from apidiff.database import load
from apidiff.lookup.condition_figures import condition_figures
from apidiff.writers.conditions import conditions_text
from tests.bench.measure import Measure

_WRONG = 0.05


def measure_conditions(tell: Callable[[str], None]) -> list[Measure]:
    """Return a ratio for each origin of samples; those of conditions that the check refuted count too."""
    figures = condition_figures(load())
    tell(conditions_text(figures, "en").rstrip())
    return [
        Measure(
            f"{group.inputs} samples held back that conditions tell wrongly",
            "all that were held back",
            group.held_back - group.right,
            group.held_back,
            _WRONG,
            unit="",
        )
        for group in figures
        if group.held_back
    ]
