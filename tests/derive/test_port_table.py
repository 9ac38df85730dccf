"""The table for porting a snippet: what a difference is about, which answer stands where, and how the script is written."""

from __future__ import annotations

import json

import msgspec
import pytest

from apidiff.database import Data
from apidiff.model.base import Text
from apidiff.model.views import DifferenceEntry, Entry, OtherwiseEntry, ParameterEntry, RangeEntry, TargetEntry
from apidiff.porting.port import PortFacts, SourceFacts, port_facts, port_script

SOURCE, TARGET = "torch.distributed.reduce", "mindspore.mint.distributed.reduce"
TEXT = Text(en="Text </script>.", zh="文本。")
ROWS = [
    ParameterEntry(source="dst", target="dst", relations=["default_differs"], risk="error", text=TEXT),
    ParameterEntry(source="async_op", target="asynchronous", relations=["renamed"], risk="rewrite", text=TEXT),
    ParameterEntry(source=None, target="extra", relations=["only_in_target"], risk="error", text=TEXT),
]
SUBJECTS = {
    f"{SOURCE}#async": ["async_op"],
    f"{SOURCE}#group": ["group"],
    f"{TARGET}#async": ["asynchronous"],
    f"{TARGET}#extra": ["extra"],
}


def difference(claims: list[str], parameter: str | None = None) -> DifferenceEntry:
    return DifferenceEntry(id="d", kind="parameter", risk="error", text=TEXT, claims=claims, parameter=parameter)


def entry(*differences: DifferenceEntry) -> Entry:
    spans = [("2.4", "2.4", "current"), ("2.5", None, "available")]
    old = TargetEntry(
        name="mindspore.old",
        kind="function",
        ranges=[RangeEntry(since=since, until=until, range="", status=status) for since, until, status in spans],
        parameters=[],
        differences=[],
        risk="none",
    )
    new = TargetEntry(
        name=TARGET,
        kind="function",
        ranges=[RangeEntry(since="2.5", until=None, range="", status="current")],
        parameters=ROWS,
        differences=list(differences),
        risk="error",
    )
    nothing = OtherwiseEntry(answer="no_counterpart", since=None, until="2.3", range="", why=TEXT, risk="rewrite")
    return Entry(
        id=SOURCE,
        category="collective",
        summary=TEXT,
        aliases=["torch.elsewhere.reduce"],
        source=SOURCE,
        signatures={},
        risk="error",
        targets=[old, new],
        otherwise=[nothing],
        claims=[],
    )


def table(found: Entry, language: str = "en") -> dict:
    facts = PortFacts(
        releases={"torch": ["2.6.0"], "mindspore": ["2.10.0", "2.5.0", "2.4.1", "2.3.0", "2.0.0"]},
        sources={SOURCE: SourceFacts(kind="function", calls=[("2.6.0", [["tensor", "dst"]])])},
        subjects=SUBJECTS,
    )
    text = port_script([found], facts, "zh" if language == "zh" else "en").decode()
    assert "<" not in text
    return json.loads(text.removeprefix("window.apidiffPort=").removesuffix(";\n"))


# A difference, what it is about, and whether it matters where none of that is passed.
ABOUT = [
    (difference([], "dst"), ["dst"], 1),
    (difference([], "async_op"), ["async_op"], 0),
    (difference([], "extra"), ["extra"], 1),
    (difference([f"{SOURCE}#async", f"{TARGET}#async"]), ["async_op"], 0),
    (difference([f"{SOURCE}#async", f"{SOURCE}#group"]), ["async_op", "group"], 0),
    (difference([f"{SOURCE}#async", f"{SOURCE}#every-call"]), [], 0),
    (difference([f"{TARGET}#async"]), ["async_op"], 0),
    (difference([f"{TARGET}#extra"]), [], 0),
    (difference([]), [], 0),
]


@pytest.mark.parametrize(("one", "about", "always"), ABOUT)
def test_what_a_difference_is_about(one: DifferenceEntry, about: list[str], always: int) -> None:
    assert table(entry(one))["differences"] == [["parameter", "error", TEXT.en, about, always]]


def test_answers_stand_by_version() -> None:
    api = table(entry())["apis"][SOURCE]
    assert api["spans"] == [[2, 1, [["mindspore.old", "available"]]], [1, 0, []], [2, 2, []]]
    assert [one.get("target") or one["answer"] for one in api["answers"]] == ["mindspore.old", TARGET, "no_counterpart"]


def test_a_difference_stands_once_and_in_the_language() -> None:
    same = difference([])
    found = table(entry(same, same), "zh")
    assert found["differences"] == [["parameter", "error", TEXT.zh, [], 0]]
    assert found["apis"][SOURCE]["answers"][1]["differences"] == [0, 0]


# A row of members, and what the panel is given of it: its name in the target, spans of the versions that have it on each side.
MEMBERS = [
    (("SUM", None, "SUM", None), ["SUM", "", ""]),
    (("PRODUCT", None, "PROD", None), ["PROD", "", ""]),
    (("AVG", "≥ 2.6", "AVG", "≥ 2.5"), ["AVG", "2.6.0", "2.5.0..2.10.0"]),
    (("OLD", None, "OLD", "≤ 2.3, 2.10"), ["OLD", "", "2.10.0 2.0.0..2.3.0"]),
    (("BAND", None, None, None), [None, "", ""]),
]


@pytest.mark.parametrize(("row", "given"), MEMBERS)
def test_members_come_with_their_versions(row: tuple[str, ...], given: list[str | None]) -> None:
    source, source_range, target, target_range = row
    member = ParameterEntry(
        source=source,
        target=target,
        source_range=source_range,
        target_range=target_range,
        relations=["same"],
        risk="none",
        text=TEXT,
    )
    found = entry()
    found = msgspec.structs.replace(found, targets=[msgspec.structs.replace(found.targets[1], members=[member])])
    assert table(found)["apis"][SOURCE]["answers"][0]["members"] == {source: given}


def test_facts_of_the_shipped_data(database: Data) -> None:
    facts = port_facts(database)
    assert facts.sources.keys() == database.mappings.keys()
    assert facts.releases["mindspore"][0] == "2.10.0"
    calls = facts.sources["torch.distributed.all_reduce"].calls
    assert calls[0][1] == [["tensor", "op", "group", "async_op"]]
    assert facts.sources["torch.distributed.all_gather_single"].calls[0][1] is None
    assert facts.sources["torch.distributed.ReduceOp"].kind == "class"
    assert facts.subjects["torch.distributed.all_reduce#async-returns-work"] == ["async_op"]
    assert "torch.distributed.all_reduce#writes-tensor" not in facts.subjects
    assert facts.subjects["torch.distributed.ReduceOp#has-product"] == ["PRODUCT"]
