"""What returned tensors share with given ones, compared on both sides."""

from __future__ import annotations

import random

import pytest

from apidiff.judge.agreement import Pair, judge_pair
from apidiff.model.agreement import Facet
from apidiff.model.rule import Rule
from apidiff.model.sample_run import SampleRun, SampleTrace
from apidiff.model.trace import SequenceDump, TensorDump

# (object, storage)
Labels = tuple[int, int]


def _tensor(labels: Labels) -> TensorDump:
    return TensorDump(type="Tensor", dtype="int8", shape=[0], values=[], object=labels[0], storage=labels[1])


def _run(given: list[Labels], returned: list[Labels], first: int = 0) -> SampleRun:
    """A call with arguments ``a0``, ``a1`` and so on, the ``first`` of them before the others."""
    order = sorted(range(len(given)), key=lambda number: (number < first, number))
    after = {f"a{number}": _tensor(given[number]) for number in order}
    items = SequenceDump(type="tuple", items=[_tensor(labels) for labels in returned], object=-1)
    trace = SampleTrace(before={}, after=after, returned=items)
    return SampleRun(mapping="torch.f", api="torch.f", sample="plain", spec="0", end="completed", trace=trace)


def _told(source: SampleRun, target: SampleRun) -> list[tuple[str, ...]]:
    verdicts = {one.facet: one for one in judge_pair(Pair("plain", source, target, Rule()))}
    values = [fact.values for fact in verdicts[Facet.ALIAS].facts]
    return [tuple(str(one[key]) for key in ("slot", "other", "source", "target")) for one in values]


# (what the source was given and returned, what the target was, what is told)
TOLD: list[tuple[list[Labels], list[Labels], list[Labels], list[Labels], list[tuple[str, ...]]]] = [
    ([(0, 0)], [(0, 0)], [(7, 8)], [(7, 8)], []),
    ([(0, 0)], [(1, 0)], [(7, 8)], [(9, 8)], []),
    ([(0, 0)], [(1, 1)], [(7, 8)], [(9, 9)], []),
    ([(0, 0)], [(0, 0)], [(7, 8)], [(9, 8)], [("return[0]", "a0", "object", "storage")]),
    ([(0, 0)], [(0, 0)], [(7, 8)], [(9, 9)], [("return[0]", "a0", "object", "nothing")]),
    ([(0, 0)], [(1, 0)], [(7, 8)], [(9, 9)], [("return[0]", "a0", "storage", "nothing")]),
    ([(0, 0)], [(1, 1)], [(7, 8)], [(7, 9)], [("return[0]", "a0", "nothing", "object")]),
    ([(0, 0), (1, 1)], [(0, 0)], [(0, 0)], [(0, 0)], []),  # the other slot has the source alone
    (
        [(0, 0), (1, 0), (2, 2)],
        [(1, 0), (2, 2)],
        [(0, 0), (1, 1), (2, 1)],
        [(0, 0), (2, 1)],
        [
            ("return[0]", "a0", "storage", "object"),
            ("return[0]", "a1", "object", "nothing"),
            ("return[1]", "a1", "nothing", "storage"),
        ],
    ),
]


@pytest.mark.parametrize(("given", "returned", "given_there", "returned_there", "told"), TOLD)
def test_what_is_shared_otherwise_is_told(
    given: list[Labels],
    returned: list[Labels],
    given_there: list[Labels],
    returned_there: list[Labels],
    told: list[tuple[str, ...]],
) -> None:
    assert _told(_run(given, returned), _run(given_there, returned_there)) == told


def test_of_any_labels_the_first_four_that_differ_are_told_in_the_sources_order() -> None:
    drawn = random.Random(1)

    def labels(count: int) -> list[Labels]:
        return [(drawn.randrange(6), drawn.randrange(4)) for _ in range(count)]

    def shares(one: Labels, other: Labels) -> str:
        return "object" if one[0] == other[0] else "storage" if one[1] == other[1] else "nothing"

    for _ in range(50):
        given, returned, given_there, returned_there = labels(9), labels(5), labels(7), labels(5)
        expected: list[tuple[str, ...]] = []
        for place, (mine, theirs) in enumerate(zip(returned, returned_there, strict=True)):
            found = [
                (f"return[{place}]", f"a{number}", *both)
                for number in [*range(3, 7), *range(3)]
                for both in [(shares(mine, given[number]), shares(theirs, given_there[number]))]
                if both[0] != both[1]
            ]
            expected += found[:4]
        assert _told(_run(given, returned, first=3), _run(given_there, returned_there)) == expected


class _Counted(int):
    """A label that counts how often one is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        _Counted.compared += 1
        return int(self) == other

    __hash__ = int.__hash__


MANY = range(500)
# Of 500 tensors given and returned that share alike with each other: their objects and storages.
ALIKE = {
    "nothing in common": ([(n, n) for n in MANY], [(n + 500, n + 500) for n in MANY]),
    "each one's object": ([(n, n) for n in MANY], [(n, n) for n in MANY]),
    "one storage": ([(n, 0) for n in MANY], [(n + 500, 0) for n in MANY]),
    "one object": ([(0, 0)] * 500, [(0, 0)] * 500),
    "one object, as no call has": ([(0, n) for n in MANY], [(0, n + 500) for n in MANY]),
}


@pytest.mark.parametrize(("given", "returned"), ALIKE.values(), ids=ALIKE.keys())
def test_many_tensors_are_not_compared_each_with_each(
    given: list[Labels], returned: list[Labels], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For 390 samples of 500 it took minutes."""
    monkeypatch.setattr(_Counted, "compared", 0)
    counted = [[(_Counted(one), _Counted(other)) for one, other in some] for some in (given, returned)]
    run = _run(counted[0], counted[1])
    assert _told(run, run) == []
    assert _Counted.compared < 20 * (len(given) + len(returned))
