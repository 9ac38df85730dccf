"""What is drawn: moments and seeds of both sides."""

import numpy as np
import pytest

from apidiff.execute.single.draws import CALLS, Values, draws
from apidiff.judge.randomness import unlike_draws
from apidiff.model.sample_run import Draws
from apidiff.model.verdict import EvidenceCode


class Source:
    """A framework's random numbers: ``seeded`` tells whether a seed has an effect."""

    def __init__(self, draw: str, *, seeded: bool = True) -> None:
        self._draw, self._seeded = draw, seeded
        self._random = np.random.RandomState(7)

    def seed(self, number: int) -> None:
        if self._seeded:
            self._random = np.random.RandomState(number)

    def call(self) -> Values:
        match self._draw:
            case "normal":
                return self._random.normal(0.0, 1.0, 6)
            case "shifted":
                return self._random.normal(0.3, 1.0, 6)
            case "wide":
                return self._random.normal(0.0, 1.2, 6)
            case "permutation":
                return self._random.permutation(5).astype(np.float64)
            case "together":  # whole channels of two: the elements of a call depend on each other
                return np.repeat(self._random.randint(0, 2, 3), 2).astype(np.float64)
            case _:
                return np.zeros(6)

    def draws(self, first: int = 1) -> Draws:
        return draws(self.call, self.seed, first)


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        ("normal", "shifted", EvidenceCode.MOMENTS_DIFFER),
        ("normal", "wide", EvidenceCode.MOMENTS_DIFFER),
        ("normal", "constant", EvidenceCode.DRAWS_ALIKE),
        ("normal", "normal", None),
        ("permutation", "permutation", None),
        ("together", "together", None),
        ("constant", "constant", None),
    ],
)
def test_distributions_are_told_apart_by_their_moments(source: str, target: str, code: EvidenceCode | None) -> None:
    found = list(unlike_draws(Source(source).draws(), Source(target).draws(first=40)))
    assert [fact.code for fact in found] == ([code] if code else [])


def test_the_same_distribution_is_hardly_ever_told_apart() -> None:
    """In 200 comparisons none: five standard errors in two tries of either moment."""
    tries = [Source("together").draws(first=100 * number) for number in range(21)]
    assert not [pair for one in tries[:10] for pair in tries[11:] if list(unlike_draws(one, pair))]


def test_a_seed_without_effect_is_a_difference() -> None:
    found = list(unlike_draws(Source("normal").draws(), Source("normal", seeded=False).draws()))
    assert [fact.code for fact in found] == [EvidenceCode.SEED_REPEATS]
    assert not list(unlike_draws(Source("normal", seeded=False).draws(), Source("normal").draws()))


def test_what_only_one_try_shows_is_chance() -> None:
    plain, wide = Source("normal").draws(), Source("wide").draws()
    once = Draws(repeats=True, advances=True, tries=[wide.tries[0], plain.tries[1]])
    assert list(unlike_draws(plain, wide))
    assert not list(unlike_draws(plain, once))


def test_moments_are_those_of_all_calls() -> None:
    drawn = Source("normal").draws()
    assert drawn.repeats
    assert drawn.advances
    for moments in drawn.tries:
        assert (moments.calls, moments.elements) == (CALLS, 6 * CALLS)
        assert abs(moments.mean) < 5 * moments.mean_error
        assert moments.mean_error == pytest.approx(1 / np.sqrt(6 * CALLS), rel=0.1)
