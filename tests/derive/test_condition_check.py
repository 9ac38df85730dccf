"""What is told as a rule, as seen, or as on some inputs, by what samples held back say of it."""

import pytest

from apidiff.derive.condition_check import Checked, Learner, Told, separate, without_chance

# Samples are words: what separates them is the first letter that all that differ have and none that agrees.
LETTERS: Learner[str, str] = Learner(
    learn=lambda differing, agreeing: (
        next(
            (
                letter
                for letter in "abcdefgh"
                if all(letter in one for one in differing) and letter not in "".join(agreeing)
            ),
            None,
        )
        if differing
        else None
    ),
    parts=lambda letter: [letter],
    holds=lambda letter, word: letter in word,
)
CHECKS = [
    (["ax", "ay"], ["x", "y"], Checked(Told.RULE, 4, 4)),
    (["ax", "ax"], ["x", "x"], Checked(Told.RULE, 4, 4)),  # one of the same is held back, one is learnt from
    (["ax"], ["x", "y"], Checked(Told.SEEN, 2, 2, 1)),  # nothing is left to learn from: not asked
    (["bx", "by"], ["x", "ay"], Checked(Told.RULE, 4, 4)),
    (
        ["abx", "aby"],
        ["x", "ay"],
        Checked(Told.SOME_INPUTS, 4, 3),
    ),  # without `ay`, `a` is what tells, and `ay` is told wrongly
    (["abx", "aby"], ["ay", *("xyz" * 9)], Checked(Told.RULE, 30, 29)),  # wrong once in 30
    (["acx", "bcx", "bcy"], ["x", "a"], Checked(Told.SOME_INPUTS, 5, 4)),  # without `acx`, `b` is what tells
    (["acx", *["bcx"] * 2], ["a", *["x"] * 40], Checked(Told.SOME_INPUTS, 44, 43)),  # of 2 in 3 that differ
    (["x"], ["x"], Checked(Told.SOME_INPUTS)),
]


@pytest.mark.parametrize(("differing", "agreeing", "checked"), CHECKS)
def test_each_sample_is_held_back_once(differing: list[str], agreeing: list[str], checked: Checked) -> None:
    assert separate(differing, agreeing, LETTERS).checked == checked


ELSEWHERE = [
    ([("az", True)], Checked(Told.RULE, 4, 4)),  # learnt from too: each of two is held back
    ([("az", False)], Checked(Told.SOME_INPUTS, 3, 2)),
    ([("az", True), ("a", False)], Checked(Told.SOME_INPUTS, 4, 3)),
    ([("z", False)], Checked(Told.SEEN, 3, 3, 1)),  # meets nothing of it
    ([("z", True)], Checked(Told.SOME_INPUTS, 3, 2, 1)),  # differs without it
]


@pytest.mark.parametrize(("outcomes", "checked"), ELSEWHERE)
def test_samples_of_another_origin_tell_of_one_that_is_alone(
    outcomes: list[tuple[str, bool]], checked: Checked
) -> None:
    assert separate(["ax"], ["x", "y"], LETTERS, outcomes).checked == checked


CHANCE = [  # those with an `e` are empty
    (["e"], ["x", "ex"], [("y", False), ("ey", False), ("ez", True)], ["x"], [("y", False), ("ez", True)]),
    (["e", "a"], ["x", "ex"], [("ey", False)], ["x", "ex"], [("ey", False)]),  # `a` differs and is not: no chance
]


@pytest.mark.parametrize(("differing", "agreeing", "elsewhere", "left", "left_elsewhere"), CHANCE)
def test_samples_that_agree_by_chance_tell_nothing(
    differing: list[str],
    agreeing: list[str],
    elsewhere: list[tuple[str, bool]],
    left: list[str],
    left_elsewhere: list[tuple[str, bool]],
) -> None:
    kept = without_chance(differing, agreeing, elsewhere, lambda word: "e" in word)
    assert kept == (left, left_elsewhere)
