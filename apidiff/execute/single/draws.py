"""Makes a call that draws random values many times, and notes their moments and what a seed does."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from apidiff.model.sample_run import Draws, Moments

CALLS = 500
"""After each seed; fewer where they take long, so that a call stays within its deadline."""
_FEWEST = 20
_SECONDS = 4.0
_COMPARED = 10  # calls after a seed: few values can be the same by chance, as those of one coin
_SEEDS = 2  # of each process; what only one of them shows is chance

Values = npt.NDArray[np.float64]


def draws(call: Callable[[], Values], seed: Callable[[int], None], first: int) -> Draws:
    """The draws of ``call``, which returns the values of one call.

    ``seed`` starts the random numbers; ``first``: the first seed.
    """
    tries, starts = [], []
    for number in range(first, first + _SEEDS):
        seed(number)
        made = _many(call)
        starts.append(made[:_COMPARED])
        tries.append(_moments(made))
    seed(first)
    repeats = all(_same(call(), former) for former in starts[0])
    return Draws(
        repeats=repeats, advances=not all(_same(start[0], one) for start in starts for one in start), tries=tries
    )


def _many(call: Callable[[], Values]) -> list[Values]:
    until = time.monotonic() + _SECONDS
    made: list[Values] = []
    while len(made) < CALLS and (len(made) < _FEWEST or time.monotonic() < until):
        made.append(call())
    return made


def _moments(made: list[Values]) -> Moments:
    """The moments over calls, each of which is drawn apart from the others."""
    means = np.array([values.mean() if values.size else 0.0 for values in made])
    squares = np.array([np.square(values).mean() if values.size else 0.0 for values in made])
    return Moments(
        calls=len(made),
        elements=sum(values.size for values in made),
        mean=_short(means.mean()),
        mean_error=_short(_error(means)),
        square=_short(squares.mean()),
        square_error=_short(_error(squares)),
    )


def _error(values: Values) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _same(one: Values, other: Values) -> bool:
    """Whether two calls drew the same; their last digits may depend on where in memory the values lie."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-3, atol=1e-5, equal_nan=True))
