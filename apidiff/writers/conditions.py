"""Writes how conditions under which samples differ were checked, as text in either language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.lookup.condition_figures import ConditionFigures
from apidiff.messages.labels import label
from apidiff.model.base import Language

_TITLES = {"written": "conditions.written", "extracted": "conditions.extracted"}  # by the origin of samples


def conditions_text(figures: Iterable[ConditionFigures], language: Language) -> str:
    """Return a paragraph for each origin of samples."""
    return "".join(f"{line}\n" for group in figures for line in _lines(group, language))


def _lines(figures: ConditionFigures, language: Language) -> Iterator[str]:
    yield label(_TITLES[figures.inputs], language, differences=figures.differences)
    share = f"{100 * figures.right / figures.held_back:.1f}" if figures.held_back else "-"
    yield "  " + label("conditions.checked", language, count=figures.rule, share=share, held_back=figures.held_back)
    yield "  " + label("conditions.seen", language, count=figures.seen, alone=figures.alone)
    yield "  " + label("conditions.some_inputs", language, count=figures.some_inputs, refuted=figures.refuted)
