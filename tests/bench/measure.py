"""One measured ratio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """``seconds`` of what is measured and of what it is compared with, and how the ratio of the two is limited.

    ``ratio`` is ``seconds / baseline_seconds``; it may be at most ``limit``. ``unit``: of both, where they are no seconds.
    """

    what: str
    baseline: str
    seconds: float
    baseline_seconds: float
    limit: float
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.seconds / self.baseline_seconds

    @property
    def met(self) -> bool:
        return self.ratio <= self.limit
