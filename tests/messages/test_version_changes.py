"""Which version changed a behaviour: rows of (what runs showed, what is said), and records that disagree."""

from __future__ import annotations

import msgspec
import pytest

from apidiff.derive.verdicts_by_run import telling_observation
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries, dispute_entries
from apidiff.model.trust import Trust
from apidiff.model.verdict import Observation, Outcome
from apidiff.model.views import ObservedEntry
from tests.factories import claim_entry

KNOWN = {"mindspore": ["2.7.1", "2.8.0", "2.9.0", "2.10.0"]}
Seen = tuple[str, str, int, str]  # version, outcome, world size, who measured


def seen(rows: list[Seen]) -> list[Observation]:
    return [
        Observation(
            outcome=Outcome(outcome),
            framework="mindspore",
            framework_version=version,
            backend="mccl",
            device="cpu",
            world_size=size,
            probe="sync",
            run=f"mindspore-{version}/mccl-cpu-{size}-{by or 'ours'}",
            measured_by=by or None,
            trust=Trust.UNSIGNED if by else Trust.PROJECT,
        )
        for version, outcome, size, by in rows
    ]


def at(size: int, **outcomes: str) -> list[Seen]:
    """``v2_7_1="holds"``: what a run of ours showed."""
    return [(version[1:].replace("_", "."), outcome, size, "") for version, outcome in outcomes.items()]


SAID = [
    ("the same", at(2, v2_7_1="holds", v2_10_0="holds"), [], []),
    ("one version", at(2, v2_7_1="holds"), [], []),
    (
        "neighbours",
        at(2, v2_7_1="holds", v2_8_0="refuted", v2_9_0="refuted", v2_10_0="refuted"),
        ["2 ranks: holds up to 2.7.1, refuted from 2.8.0 on."],
        ["2 个 rank：2.7.1 及更早版本成立，2.8.0 起不成立。"],
    ),
    (
        "versions between were not run",
        at(2, v2_7_1="holds", v2_10_0="error"),
        ["2 ranks: holds up to 2.7.1, error from 2.10.0 on; no verdict between 2.7.1 and 2.10.0: 2.8.0, 2.9.0."],
        ["2 个 rank：2.7.1 及更早版本成立，2.10.0 起执行出错；2.7.1 与 2.10.0 之间没有结论：2.8.0、2.9.0。"],
    ),
    (
        "versions, not text",
        at(2, v2_10_0="holds", v2_9_0="timeout", v2_8_0="timeout"),
        ["2 ranks: timeout up to 2.9.0, holds from 2.10.0 on."],
        ["2 个 rank：2.9.0 及更早版本超时，2.10.0 起成立。"],
    ),
    (
        "there and back",
        at(2, v2_7_1="holds", v2_8_0="refuted", v2_9_0="refuted", v2_10_0="holds"),
        ["2 ranks: holds up to 2.7.1, refuted from 2.8.0 to 2.9.0, holds from 2.10.0 on."],
        ["2 个 rank：2.7.1 及更早版本成立，2.8.0 至 2.9.0 不成立，2.10.0 起成立。"],
    ),
    (
        "for one version",
        at(2, v2_8_0="holds", v2_9_0="crash", v2_10_0="holds"),
        ["2 ranks: holds up to 2.8.0, crash in 2.9.0, holds from 2.10.0 on."],
        ["2 个 rank：2.8.0 及更早版本成立，2.9.0 中崩溃，2.10.0 起成立。"],
    ),
    (
        "world sizes that go the same way share a sentence",
        at(2, v2_9_0="holds", v2_10_0="error")
        + at(3, v2_9_0="holds", v2_10_0="refuted")
        + at(4, v2_9_0="holds", v2_10_0="error"),
        [
            "2, 4 ranks: holds up to 2.9.0, error from 2.10.0 on.",
            "3 ranks: holds up to 2.9.0, refuted from 2.10.0 on.",
        ],
        [
            "2、4 个 rank：2.9.0 及更早版本成立，2.10.0 起执行出错。",
            "3 个 rank：2.9.0 及更早版本成立，2.10.0 起不成立。",
        ],
    ),
    ("no world size in common", at(2, v2_9_0="holds") + at(3, v2_10_0="error"), [], []),
    (
        "a version whose records disagree decides nothing",
        [*at(2, v2_8_0="holds", v2_9_0="holds", v2_10_0="error"), ("2.9.0", "error", 2, "them")],
        ["2 ranks: holds up to 2.8.0, error from 2.10.0 on; records disagree between 2.8.0 and 2.10.0: 2.9.0."],
        ["2 个 rank：2.8.0 及更早版本成立，2.10.0 起执行出错；2.8.0 与 2.10.0 之间运行记录相互矛盾：2.9.0。"],
    ),
    (
        "records that agree do",
        [*at(2, v2_9_0="holds", v2_10_0="error"), ("2.9.0", "holds", 2, "them")],
        ["2 ranks: holds up to 2.9.0, error from 2.10.0 on."],
        ["2 个 rank：2.9.0 及更早版本成立，2.10.0 起执行出错。"],
    ),
]


@pytest.mark.parametrize(("rows", "english", "chinese"), [row[1:] for row in SAID], ids=[row[0] for row in SAID])
def test_what_is_said(rows: list[Seen], english: list[str], chinese: list[str]) -> None:
    found = change_entries(seen(rows), KNOWN)
    assert [one.text.en.removeprefix("MindSpore on mccl (cpu), ") for one in found] == english
    assert [one.text.zh.removeprefix("MindSpore，mccl（cpu），") for one in found] == chinese


def test_each_version_names_its_runs() -> None:
    rows = [("2.9.0", "holds", 2, ""), ("2.9.0", "holds", 2, "them"), ("2.10.0", "error", 2, "")]
    (found,) = change_entries(seen(rows + at(3, v2_9_0="holds", v2_10_0="error")), KNOWN)
    assert found.world_sizes == [2, 3]
    assert [one.runs for one in found.spans] == [
        {"2.9.0": [f"mindspore-2.9.0/mccl-cpu-{name}" for name in ("2-ours", "2-them", "3-ours")]},
        {"2.10.0": [f"mindspore-2.10.0/mccl-cpu-{size}-ours" for size in (2, 3)]},
    ]


def test_records_that_disagree_have_a_row_each() -> None:
    found = seen([*at(3, v2_10_0="holds"), ("2.10.0", "refuted", 3, "them"), *at(2, v2_10_0="holds")])
    assert [
        (one.outcome, one.world_sizes, [run.rpartition("-")[2] for run in one.runs]) for one in summarise(found)
    ] == [
        ("holds", [2, 3], ["ours", "ours"]),
        ("refuted", [3], ["them"]),
    ]


# Signed records of one version, each with its signer and number of ranks: rows of (signer, numbers of ranks).
SIGNED = [
    ([("Lab", 2), ("Lab", 3)], [("Lab", [2, 3])]),
    ([("Lab", 2), ("House", 2)], [("House", [2]), ("Lab", [2])]),
    ([("Lab", 2), ("Lab", 3), ("House", 3), ("House", 4)], [("Lab", [2, 3]), ("House", [3, 4])]),
    ([("", 2), ("Lab", 2), ("Lab", 3)], [("", [2]), ("Lab", [3])]),
]


@pytest.mark.parametrize(("records", "rows"), SIGNED)
def test_each_known_signer_has_rows_of_their_own(
    records: list[tuple[str, int]], rows: list[tuple[str, list[int]]]
) -> None:
    """But for those in which this project's records say the same."""
    found = [
        msgspec.structs.replace(one, signer=one.measured_by, trust=Trust.SIGNED) if one.measured_by else one
        for one in seen([("2.10.0", "holds", size, signer) for signer, size in records])
    ]
    assert [(row.signer, row.world_sizes) for row in summarise(found)] == rows


def test_records_that_disagree_are_told_with_who_made_them() -> None:
    rows = [*at(3, v2_10_0="holds"), ("2.10.0", "refuted", 3, "a \x1b[31mlab\nelsewhere"), *at(2, v2_10_0="holds")]
    (found,) = dispute_entries(seen(rows))
    assert (found.framework_version, found.world_size) == ("2.10.0", 3)
    assert sorted(found.outcomes.values()) == ["holds", "refuted"]
    assert "holds by mindspore-2.10.0/mccl-cpu-3-ours (this project)" in found.text.en
    assert "(“a \\x1b[31mlab elsewhere” (unsigned))" in found.text.en
    assert "3 个 rank：未签名的记录与其他记录相互矛盾（不影响结论）：" in found.text.zh
    assert dispute_entries(seen([*at(3, v2_10_0="holds"), ("2.10.0", "holds", 3, "them")])) == []


def test_a_row_is_told_by_a_record_of_whoever_it_names() -> None:
    """A known signer may choose a name for a record that comes first, and other values that give the same outcome."""
    ours, theirs = seen([("2.10.0", "refuted", 2, ""), ("2.10.0", "refuted", 3, "a signer")])
    theirs = msgspec.structs.replace(theirs, world_size=2, run="a-first-name", trust=Trust.SIGNED, signer="A signer")
    also_theirs = msgspec.structs.replace(theirs, world_size=3, run="another")
    both = [theirs, also_theirs, ours]
    rows = summarise(both)
    assert [(row.trust, row.world_sizes, row.runs) for row in rows] == [
        ("project", [2], [ours.run, "a-first-name"]),
        ("signed", [3], ["another"]),
    ]
    observed = [ObservedEntry(**{name: getattr(one, name) for name in one.__struct_fields__}) for one in both]
    entry = claim_entry("torch.one#returns", summary=rows, observed=observed)
    telling = [telling_observation(entry, row) for row in rows]
    assert [one and one.run for one in telling] == [ours.run, also_theirs.run]
