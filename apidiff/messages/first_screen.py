"""Puts what a porter reads first in order, and says where a target runs: one answer for page, terminal and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from apidiff.messages.labels import LABELS, filled, joined
from apidiff.model.base import Text
from apidiff.model.views import DifferenceEntry, RunsOnEntry
from apidiff.model.vocabulary import Reach, Risk

_SHOWN_VERSIONS = 2


class FirstScreen(NamedTuple):
    """The differences of an answer by what a porter does about them.

    ``must``: everyday code fails until it is edited. ``watch``: everyday code raises, hangs or gives another result.
    ``edge``: few meet it, or nothing happens. ``source_only``: facts about PyTorch that porting does not change.
    """

    must: list[DifferenceEntry]
    watch: list[DifferenceEntry]
    edge: list[DifferenceEntry]
    source_only: list[DifferenceEntry]


def first_screen(differences: Sequence[DifferenceEntry]) -> FirstScreen:
    """Sort ``differences``, which stand worst first."""
    screen = FirstScreen([], [], [], [])
    for difference in differences:
        if difference.reach == Reach.SOURCE_ONLY.value:
            screen.source_only.append(difference)
        elif difference.reach == Reach.EDGE.value or difference.risk == Risk.NONE.value:
            screen.edge.append(difference)
        elif difference.risk == Risk.REWRITE.value:
            screen.must.append(difference)
        else:
            screen.watch.append(difference)
    return screen


def where_text(places: Sequence[RunsOnEntry], limits: Sequence[str] = ()) -> Text | None:
    """Where a target runs: each device with what documents say and runs showed, and what documents limit it to.

    None where neither says anything.
    """
    told = [text for place in places if (text := _place_text(place)) is not None]
    told += [LABELS[f"limit.{limit}"] for limit in limits]
    return joined("site.semicolon", told) if told else None


def _place_text(place: RunsOnEntry) -> Text | None:
    if not place.documented and place.outcome == "not run":
        return None
    parts = [filled("where.documented")] if place.documented else []
    versions = joined("site.comma", place.versions[:_SHOWN_VERSIONS])
    if place.outcome == "not run":
        parts.append(filled("where.not_run"))
    elif place.outcome == "holds":
        parts.append(filled("where.run", versions=versions))
    else:
        parts.append(filled(f"where.{place.outcome}", versions=versions))
    return filled("where.place", device=filled(f"device.{place.device}"), facts=joined("site.pause", parts))
