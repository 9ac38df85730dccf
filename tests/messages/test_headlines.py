"""Headlines, reach and risk of all differences: short, in both languages, and borne out by runs."""

from __future__ import annotations

import pytest

from apidiff.database import load
from apidiff.lookup.entry import entries
from apidiff.model.views import DifferenceEntry, Entry
from apidiff.model.vocabulary import Reach

WORDS = 10
CHARACTERS = 40


@pytest.fixture(scope="module")
def all_entries() -> dict[str, Entry]:
    return entries(load())


def differences(entry: Entry) -> list[DifferenceEntry]:
    answers = [*entry.targets, *entry.otherwise]
    return [difference for answer in answers for difference in answer.differences]


def test_every_difference_has_a_short_headline_in_both_languages(all_entries: dict[str, Entry]) -> None:
    wrong = [
        (entry.id, difference.id, difference.headline)
        for entry in all_entries.values()
        for difference in differences(entry)
        if difference.headline is None
        or len(difference.headline.en.split()) > WORDS
        or len(difference.headline.zh) > CHARACTERS + difference.headline.zh.count("`") * 12
    ]
    assert wrong == []


def test_everyday_differences_come_first_and_make_the_badge(all_entries: dict[str, Entry]) -> None:
    order = [reach.value for reach in Reach]
    for entry in all_entries.values():
        for target in entry.targets:
            reaches = [order.index(difference.reach) for difference in target.differences]
            assert reaches == sorted(reaches), (entry.id, target.name)
            everyday = [difference.risk for difference in target.differences if difference.reach == "everyday"]
            assert target.risk == (everyday[0] if everyday else "none"), (entry.id, target.name)


# (source, target, difference, its reach, its risk; None where it is no difference)
KNOWN = [
    ("all_reduce", "all_reduce", "strided-tensor", None, None),
    ("all_reduce", "all_reduce", "average", "everyday", "error"),
    ("all_reduce", "all_reduce", "outsiders", "everyday", "error"),
    ("all_reduce", "all_reduce", "empty-tensor", "edge", "error"),
    ("all_reduce", "all_reduce", "handle-type", "everyday", "none"),
    ("all_reduce", "all_reduce", "parameter-group", None, None),
    ("broadcast", "broadcast", "mismatched-tensors", "edge", "error"),
    ("reduce", "reduce", "partial-sums-on-other-ranks", "source-only", "silent"),
    ("gather", "gather", "list-on-every-rank", "everyday", "error"),
    ("isend", "isend", "parameter-dst", "edge", "silent"),
    ("barrier", "barrier", "first-barrier", "everyday", "silent"),
]


@pytest.mark.parametrize(("source", "target", "name", "reach", "risk"), KNOWN)
def test_reach_and_risk(
    all_entries: dict[str, Entry], source: str, target: str, name: str, reach: str | None, risk: str | None
) -> None:
    entry = all_entries[f"torch.distributed.{source}"]
    shown = next(one for one in entry.targets if one.name == f"mindspore.mint.distributed.{target}").differences
    found = next((difference for difference in shown if difference.id == name), None)
    assert (found and found.reach, found and found.risk) == (reach, risk)
