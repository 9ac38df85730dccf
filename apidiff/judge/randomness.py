"""Compares what two calls draw: the moments over many calls, and what a seed does."""

from __future__ import annotations

import math
from collections.abc import Iterator

from apidiff.model.sample_run import Draws, Moments
from apidiff.model.verdict import Evidence, EvidenceCode, evidence

ERRORS = 5.0
"""How many standard errors two moments of the same distribution are hardly ever apart: once in two million."""
_ROUNDING = 1e-3  # of float16 and bfloat16, as a part of the root of the mean square


def unlike_draws(source: Draws, target: Draws) -> Iterator[Evidence]:
    """Evidence where ``target`` draws otherwise than ``source``; of moments only where every try shows it."""
    if source.advances and not target.advances:
        yield evidence(EvidenceCode.DRAWS_ALIKE)
        return
    if source.repeats and not target.repeats:
        yield evidence(EvidenceCode.SEED_REPEATS)
    pairs = list(zip(source.tries, target.tries, strict=False))
    for apart, told in ((_means_apart, _mean), (_squares_apart, _spread)):
        if all(apart(*pair) for pair in pairs):
            mine, theirs = pairs[0]
            yield evidence(
                EvidenceCode.MOMENTS_DIFFER,
                moment="mean" if told is _mean else "standard_deviation",
                source=f"{told(mine):.3g}",
                target=f"{told(theirs):.3g}",
                calls=theirs.calls,
            )
            return


def _means_apart(mine: Moments, theirs: Moments) -> bool:
    error = math.hypot(mine.mean_error, theirs.mean_error)
    return abs(mine.mean - theirs.mean) > ERRORS * error + _ROUNDING * math.sqrt(max(mine.square, theirs.square))


def _squares_apart(mine: Moments, theirs: Moments) -> bool:
    error = math.hypot(mine.square_error, theirs.square_error)
    return abs(mine.square - theirs.square) > ERRORS * error + 2 * _ROUNDING * max(mine.square, theirs.square)


def _mean(moments: Moments) -> float:
    return moments.mean


def _spread(moments: Moments) -> float:
    return math.sqrt(max(moments.square - moments.mean**2, 0.0))
