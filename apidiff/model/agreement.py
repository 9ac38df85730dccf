"""Agreements: what follows from two traces of the same sample, facet by facet."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from apidiff.model.base import Record
from apidiff.model.verdict import Evidence


class Facet(Enum):
    """One aspect in which a call of the source and a call of the target are compared."""

    ERROR = "error"  # does one refuse what the other takes
    STRUCTURE = "structure"  # of what is returned: a tensor, a tuple of two, None
    SHAPE = "shape"
    DTYPE = "dtype"
    VALUE = "value"  # of what is returned, and of what both have written
    IN_PLACE = "in_place"  # which arguments are written
    ALIAS = "alias"  # with which argument what is returned shares memory, or is the same object
    GRADIENT = "gradient"
    ACCURACY = "accuracy"  # of the same values: how far from the exact ones
    SPECIAL_VALUES = "special_values"  # where there is nan or inf
    LAYOUT = "layout"  # whether the elements of what is returned lie one after another
    RANDOMNESS = "randomness"  # of drawn values: their moments, and what a seed does
    GRAPH = "graph"  # whether the target does the same when it is compiled to a graph


FINE_FACETS = frozenset({Facet.ACCURACY, Facet.SPECIAL_VALUES, Facet.LAYOUT})
"""Facets that are told apart on extracted samples alone; on written ones the first two are part of the values."""


class Agreement(Enum):
    """What runs say of a facet; never folded together."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNSUPPORTED = "unsupported"
    ERROR = "error"  # the call could not be made as planned, so it shows nothing
    TIMEOUT = "timeout"
    CRASH = "crash"
    FLAKY = "flaky"
    NOT_RUN = "not run"


# Worst first: what one word says of several samples.
WORST_AGREEMENT = (
    Agreement.FLAKY,
    Agreement.DIFFERS,
    Agreement.CRASH,
    Agreement.TIMEOUT,
    Agreement.ERROR,
    Agreement.UNSUPPORTED,
    Agreement.NOT_RUN,
    Agreement.AGREES,
)


def worst_agreement(agreements: Iterable[Agreement]) -> Agreement:
    """The word that stands for several; ``not run`` for none."""
    seen = set(agreements)
    return next((one for one in WORST_AGREEMENT if one in seen), Agreement.NOT_RUN)


class FacetVerdict(Record, frozen=True, kw_only=True):
    """What two traces of one sample say of one facet. ``facts``: what shows it, nothing where they agree."""

    sample: str
    facet: Facet
    agreement: Agreement
    facts: list[Evidence] = []
