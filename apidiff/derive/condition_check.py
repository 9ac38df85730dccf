"""Checks what tells samples that differ from those that agree: each sample is held back once, and told by what the rest teaches.

What a sample meets (a dtype, that it is empty, an argument) is all that is learnt from: samples that meet the same are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

RIGHT = 0.95
"""The part of the samples held back, and of those of them that differ, that a condition must tell rightly."""

Met = TypeVar("Met", bound=Hashable)
Found = TypeVar("Found")


class Told(Enum):
    """How the condition under which samples differ is told."""

    RULE = "rule"  # as a condition: samples held back bear it out
    SEEN = "seen"  # as what samples that differ were seen with: no other such sample can bear it out
    SOME_INPUTS = (
        "some_inputs"  # as "on some inputs": nothing separates the samples, or samples held back refute what does
    )


@dataclass(frozen=True)
class Checked:
    """How a condition is told. ``held_back``: on how many samples it was checked; ``right``: how many it told rightly.

    ``alone``: how many samples that differ could not be held back, as no other one can tell of them.
    """

    told: Told
    held_back: int = 0
    right: int = 0
    alone: int = 0


@dataclass(frozen=True)
class Learner(Generic[Met, Found]):
    """How a condition is learnt and asked.

    Args:
        learn: finds what each of the first sequence meets and none of the second does, None where it finds nothing.
        parts: the parts of what is found; who differs meets at least one of them.
        holds: whether a sample meets what is found, or a part of it.
    """

    learn: Callable[[Sequence[Met], Sequence[Met]], Found | None]
    parts: Callable[[Found], Sequence[Found]]
    holds: Callable[[Found, Met], bool]


@dataclass(frozen=True)
class Separation(Generic[Met, Found]):
    """What separates samples, None where nothing does; how it was checked; what those meet that nothing could check."""

    found: Found | None
    checked: Checked
    alone: AbstractSet[Met] = frozenset()


def separate(
    differing: Iterable[Met],
    agreeing: Iterable[Met],
    learner: Learner[Met, Found],
    elsewhere: Sequence[tuple[Met, bool]] = (),
) -> Separation[Met, Found]:
    """Learn from all samples what separates them, and check it: each is held back once and told by what all others teach.

    A sample that differs and alone meets what tells of it cannot be told by the others: the condition was seen with it, and is no
    rule. ``elsewhere``: samples of another origin, each with whether it differs. They are learnt from too; where nothing
    separates all samples, they check what separates the others.
    """
    own = [*differing], [*agreeing]
    if elsewhere:
        every = [*own[0], *_those(elsewhere, True)], [*own[1], *_those(elsewhere, False)]
        if (separation := _separate(*every, learner, ())).found is not None:
            return separation
    return _separate(*own, learner, elsewhere)


def without_chance(
    differing: Sequence[Met],
    agreeing: Iterable[Met],
    elsewhere: Iterable[tuple[Met, bool]],
    are_lucky: Callable[[Met], bool],
) -> tuple[list[Met], list[tuple[Met, bool]]]:
    """Leave out samples that may agree by chance, where values come from memory that nothing wrote.

    ``are_lucky``: whether a sample is one of those. If not all ``differing`` are, chance is no reason and none is left out.

    Returns:
        Those of ``agreeing`` and of ``elsewhere`` that tell something.
    """
    if not all(map(are_lucky, differing)):
        return [*agreeing], [*elsewhere]
    return (
        [met for met in agreeing if not are_lucky(met)],
        [(met, differs) for met, differs in elsewhere if differs or not are_lucky(met)],
    )


def _those(outcomes: Sequence[tuple[Met, bool]], differ: bool) -> Iterator[Met]:
    return (met for met, differs in outcomes if differs is differ)


def _separate(
    differing: Sequence[Met], agreeing: Sequence[Met], learner: Learner[Met, Found], others: Sequence[tuple[Met, bool]]
) -> Separation[Met, Found]:
    counts = {True: Counter(differing), False: Counter(agreeing)}
    found = learner.learn([*counts[True]], [*counts[False]])
    if found is None:
        return Separation(None, Checked(Told.SOME_INPUTS))
    alone = _alone(counts[True], learner, found)
    held_back, right = Counter[bool](), Counter[bool]()
    for differs, samples in counts.items():
        for met, count in samples.items():
            if differs and met in alone:
                continue
            held_back[differs] += count
            if count > 1 or _is_told(
                counts, met, differs, learner
            ):  # the same as another: what is learnt stays the same
                right[differs] += count
    for met, differs in others:
        held_back[differs] += 1
        right[differs] += learner.holds(found, met) is differs
    alone = {met for met in alone if not any(_share_a_part(met, other, learner, found) for other, _ in others)}
    checked = held_back.total(), right.total(), len(alone)
    if alone and not held_back[True]:
        return Separation(found, Checked(Told.SEEN, *checked), alone)
    borne_out = right[True] >= RIGHT * held_back[True] and right.total() >= RIGHT * held_back.total()
    told = Told.SOME_INPUTS if not borne_out else Told.SEEN if alone else Told.RULE
    return Separation(found, Checked(told, *checked), alone)


def _is_told(counts: dict[bool, Counter[Met]], met: Met, differs: bool, learner: Learner[Met, Found]) -> bool:
    left = {side: [one for one in samples if side is not differs or one != met] for side, samples in counts.items()}
    found = learner.learn(left[True], left[False])
    return found is not None and learner.holds(found, met) is differs


def _alone(differing: Counter[Met], learner: Learner[Met, Found], found: Found) -> AbstractSet[Met]:
    """What single samples meet of which every part of the condition that holds holds of no other that differs."""
    having = [[met for met in differing if learner.holds(part, met)] for part in learner.parts(found)]
    shared = {met for mets in having if sum(differing[met] for met in mets) > 1 for met in mets}
    return {met for mets in having for met in mets} - shared


def _share_a_part(one: Met, other: Met, learner: Learner[Met, Found], found: Found) -> bool:
    return any(learner.holds(part, one) and learner.holds(part, other) for part in learner.parts(found))
