"""Which lines of a text differ from those of another: as `difflib` tells, without its time for texts that are long."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

import pytest

from apidiff.porting.changed_lines import Changed, differing_lines

_UNLIKE = [f"x{number}" for number in range(10_000)]
_ALIKE = [f"x{number % 150}" for number in range(10_000)]


def _edited(lines: Iterable[str], every: int) -> list[str]:
    return [f"{line} ported" if number % every == 1 else line for number, line in enumerate(lines)]


def _after(before: Sequence[str], after: Sequence[str], changes: Iterable[Changed]) -> list[str]:
    made, at = list[str](), 0
    for change in changes:
        made += [*before[at : change.start], *after[change.begin : change.until]]
        at = change.stop
    return [*made, *before[at:]]


TEXTS = {  # the lines before, those after, and how many changes are told
    "none": (_UNLIKE, _UNLIKE, 0),
    "every other": (_UNLIKE, _edited(_UNLIKE, 2), 5000),
    "every other of lines that are alike": (_ALIKE, _edited(_ALIKE, 2), 5000),
    "one in a hundred": (_ALIKE, _edited(_ALIKE, 100), 100),
    "the first and the last": (_UNLIKE, ["a", *_UNLIKE[1:-1], "b"], 2),
    "a line is put in above, and a far one changes": (_UNLIKE, ["a", *_UNLIKE[:9000], "b", *_UNLIKE[9001:]], 2),
    "all": (_UNLIKE, [f"y{line}" for line in _UNLIKE], 1),
    "more lines are put in than are compared at once": (["a", "b"], ["c", *_UNLIKE, "b", "d"], 1),
    "what comes before goes behind": (_UNLIKE, _UNLIKE[5000:] + _UNLIKE[:5000], 1),
    "nothing before": ([], _UNLIKE, 1),
}


@pytest.mark.parametrize(("before", "after", "told"), TEXTS.values(), ids=TEXTS)
def test_long_texts_are_compared_a_window_at_a_time(
    monkeypatch: pytest.MonkeyPatch, before: list[str], after: list[str], told: int
) -> None:
    compared, matcher = 0, difflib.SequenceMatcher

    def counted(junk: None, old: Sequence[str], new: Sequence[str]) -> difflib.SequenceMatcher[str]:
        nonlocal compared
        compared += len(old) * len(new)
        return matcher(junk, old, new)

    monkeypatch.setattr("apidiff.porting.changed_lines.difflib.SequenceMatcher", counted)
    changes = differing_lines(before, after)
    assert _after(before, after, changes) == after
    assert len(changes) == told
    assert compared <= 25_000_000  # a quarter of all pairs


SHORT = [
    ("abcd", "abcd"),
    ("abcd", "aXcd"),
    ("abcdefgh", "XabYdeghZ"),
    ("aabbab" * 50, "babbaa" * 50),
    ("abcde" * 50, "abXcde" * 50 + "Y"),
]


@pytest.mark.parametrize(("before", "after"), SHORT)
def test_short_texts_are_compared_as_difflib_does(before: str, after: str) -> None:
    told = difflib.SequenceMatcher(None, before, after).get_opcodes()
    assert differing_lines(list(before), list(after)) == [Changed(*one[1:]) for one in told if one[0] != "equal"]
