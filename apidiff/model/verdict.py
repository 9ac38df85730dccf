"""Verdicts: what follows for a claim from run records."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from apidiff.model.base import Record


class Outcome(Enum):
    """What a run says of a claim; never folded together."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASH = "crash"
    FLAKY = "flaky"
    NOT_RUN = "not run"


# Worst first: what one word says of several observations.
WORST_FIRST = [
    Outcome.FLAKY,
    Outcome.REFUTED,
    Outcome.CRASH,
    Outcome.TIMEOUT,
    Outcome.ERROR,
    Outcome.UNSUPPORTED,
    Outcome.NOT_RUN,
    Outcome.HOLDS,
]


def worst_outcome(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome that stands for several: flaky before refuted before … before holds; ``not run`` for none."""
    found = set(outcomes)
    return next((outcome for outcome in WORST_FIRST if outcome in found), Outcome.NOT_RUN)


class Observation(Record, frozen=True, kw_only=True):
    """The verdict on one claim from one probe in one run record.

    ``evidence``: short facts in neutral notation, one a line, e.g. ``rank 1: tensor [10, 20] → [110, 220]`` or
    ``rank 0: RuntimeError: …``; empty for ``holds`` where there is nothing to point at. ``measured_by``: who made the record,
    in their own words; None for this project.
    """

    outcome: Outcome
    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    probe: str
    run: str  # ID of the run record
    evidence: list[str] = []
    measured_by: str | None = None
