"""Rows of (torch's parameters, MindSpore's, what differs, what is not decided): every criterion and every exception.

Parameters are written as in a signature: ``group: ProcessGroup = None``; ``default / other text`` gives a default two texts.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from apidiff.judge.correspondence import Given, side_by_side
from apidiff.messages.evidence import evidence_lines
from apidiff.model.verdict import Evidence


def lines(facts: list[Evidence]) -> list[str]:
    return evidence_lines(facts, "en")


def given(text: str) -> list[Given]:
    found, keyword_only = [], False
    for part in filter(None, (one.strip() for one in text.split(";"))):
        if part == "*":
            keyword_only = True
            continue
        head, _, default = part.partition(" = ")
        name, _, written = head.partition(": ")
        texts = tuple(default.split(" / ")) if default else ()
        found.append(Given(name.lstrip("*"), texts, written or "Tensor", keyword_only, name.startswith("*")))
    return found


ROWS = [
    # The criteria.
    ("a; b", "a; b", [], []),
    ("a; b", "a", ["- b"], []),
    ("a", "a; b", ["+ b"], []),
    ("a; b", "a; c", ["- b", "+ c"], []),
    ("a; b", "b; a", ["order: a, b ≠ b, a"], []),
    ("a: int = 0", "a: int = 1", ["a: 0 ≠ 1"], []),
    ("a: int = 1", "a: int = True", ["a: 1 ≠ True"], []),
    ("a = None", "a", ["a: None ≠ required"], []),
    ("a", "a: Tensor = 0", ["a: required ≠ 0"], []),
    ("g: Optional[ProcessGroup]", "g: str", ["g: ProcessGroup ≠ str"], []),
    ("a: list[Tensor]", "a: Tensor", ["a: list[Tensor] ≠ Tensor"], []),
    # Defaults: the same text, the same value, values that nobody knows.
    ("op = ReduceOp.SUM", "op = 'sum' / ReduceOp.SUM", [], []),
    ("a = 1.0", "a = 1.00", [], []),
    ("op = ReduceOp.SUM", "op = 'sum'", [], ["op: ReduceOp.SUM ? 'sum'"]),
    ("a = None", "a = GlobalComm.WORLD / 'world'", ["a: None ≠ GlobalComm.WORLD"], []),
    ("a = ...", "a = None", [], ["a: ... ? None"]),
    # Types that nobody knows.
    ("a: Mystery", "a: str", [], ["a: Mystery ? str"]),
    ("*args", "a", [], ["args: *"]),
    ("a", "a; **kwargs", [], ["kwargs: *"]),
    # Exception 3: more parameters, with defaults, behind the shared ones or by keyword only.
    ("a", "a; extra = None", [], []),
    ("a; b", "a; extra = None; b", ["+ extra"], []),
    ("a; b", "a; b; *; extra = 1", [], []),
    ("a; *; b", "a; extra = 1; *; b", [], []),
]


@pytest.mark.parametrize(("source", "target", "differences", "undecided"), ROWS)
def test_side_by_side(source: str, target: str, differences: list[str], undecided: list[str]) -> None:
    found = side_by_side(given(source), given(target))
    assert lines(found.differences) == differences
    assert lines(found.undecided) == undecided


class Counted(list[Given]):
    """Parameters that count how often they were gone through."""

    times = 0

    def __iter__(self) -> Iterator[Given]:
        self.times += 1
        return super().__iter__()


def test_many_parameters_are_gone_through_as_often_as_few() -> None:
    times = set()
    for count in (3, 300):
        target = Counted(Given(f"p{number}", ("None",)) for number in range(count))
        assert len(side_by_side([Given("p0")], target).differences) == 1
        times.add(target.times)
    assert len(times) == 1


EXCUSED = [
    ("a; out = None", "a", ["out"], []),
    ("a; out = None", "a", [], ["- out"]),
    ("a; out = None", "a; out = 1", ["out"], ["out: None ≠ 1"]),  # the list is of parameters that MindSpore lacks
]


@pytest.mark.parametrize(("source", "target", "excused", "differences"), EXCUSED)
def test_general_parameters_may_be_missing(
    source: str, target: str, excused: list[str], differences: list[str]
) -> None:
    """Exception 2."""
    assert lines(side_by_side(given(source), given(target), excused).differences) == differences


OVERLOADED = [
    ("dim", "dim = None", True, []),
    ("dim", "dim = None", False, ["dim: required ≠ None"]),
    ("dim", "dim = 0", True, ["dim: required ≠ 0"]),
]


@pytest.mark.parametrize(("source", "target", "overloaded", "differences"), OVERLOADED)
def test_none_stands_for_an_overload(source: str, target: str, overloaded: bool, differences: list[str]) -> None:
    """Exception 4."""
    found = side_by_side(given(source), given(target), overloaded=overloaded)
    assert lines(found.differences) == differences


def test_a_narrower_range_of_dtypes_is_no_difference() -> None:
    """Exception 1: signatures say Tensor on both sides, whatever the dtypes are that a kernel takes."""
    assert side_by_side(given("a: Tensor"), given("a: mindspore.Tensor")).differences == []
