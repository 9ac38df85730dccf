"""The words of pages: every key in both languages, every value of an enumeration with words."""

from __future__ import annotations

import re
import string
from enum import Enum
from pathlib import Path

import pytest

from apidiff.derive.official import Standing
from apidiff.messages.labels import LABELS, label
from apidiff.model import (
    AliasKind,
    AnswerKind,
    ClaimKind,
    DifferenceKind,
    EvidenceCode,
    Framework,
    ListedAs,
    Outcome,
    Relation,
    Risk,
    Status,
)
from apidiff.model.coverage import NotRun
from apidiff.model.signed import State

CHINESE = re.compile("[一-鿿]")
# The same in both languages: names and signs.
NAMES = {
    "column.mindspore_api",
    "framework.torch",
    "framework.mindspore",
    "column.api",
    "run.python",
    "run.rank",
    "search.api",
    "search.mapping",
    "trace.ranks",
    "trace.rank",
    "site.title",
    "table.column.api",
}
SIGNS = {
    "change.end",
    "change.then",
    "changed.place",
    "coverage.place",
    "coverage.waiting",
    "evidence.where",
    "evidence.rank",
    "machines.changed",
    "otherwise.title",
    "site.colon",
    "site.pause",
    "site.region.again",
    "changed.at",
    "site.comma",
    "site.semicolon",
}
ENUMERATIONS: list[tuple[str, type[Enum]]] = [
    ("risk", Risk),
    ("risk_meaning", Risk),
    ("status", Status),
    ("outcome", Outcome),
    ("relation", Relation),
    ("difference", DifferenceKind),
    ("claim", ClaimKind),
    ("framework", Framework),
    ("answer", AnswerKind),
    ("listed", ListedAs),
    ("standing", Standing),
    ("answer_meaning", AnswerKind),
    ("signed", State),
    ("not_run", NotRun),
    ("not_run_meaning", NotRun),
    ("fact", EvidenceCode),
    ("sharing", AliasKind),
]


@pytest.mark.parametrize("key", sorted(LABELS))
def test_every_label_is_in_both_languages(key: str) -> None:
    text = LABELS[key]
    assert text.en
    assert not CHINESE.search(text.en)
    assert text.zh
    if not key.startswith(("fact.", "condition.", "change.", "place.", "sentence.", "clause.")):  # signs, in part
        assert bool(CHINESE.search(text.zh)) == (key not in NAMES | SIGNS)


@pytest.mark.parametrize("key", sorted(LABELS))
def test_both_languages_fill_in_the_same_values(key: str) -> None:
    fields = [
        {name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (LABELS[key].en, LABELS[key].zh)
    ]
    assert fields[0] == fields[1]


@pytest.mark.parametrize(("prefix", "enumeration"), ENUMERATIONS)
def test_every_value_has_words(prefix: str, enumeration: type[Enum]) -> None:
    for value in enumeration:
        assert label(f"{prefix}.{value.value}", "zh")


def test_every_key_is_used() -> None:
    """A key that nothing names is dead, unless it belongs to an enumeration that is read by value."""
    package = Path(__file__).resolve().parents[2]
    sources = [
        *package.glob("apidiff/**/*.py"),
        *package.glob("apidiff/**/*.html"),
        *package.glob("conf/**/*.py"),
        *package.glob("conf/templates/*.html"),
        *package.glob("conf/elements/src/**/*.ts"),
    ]
    text = "\n".join(path.read_text("utf-8") for path in sources if path.name != "labels.py")
    by_value = (
        "risk.",
        "fact.",
        "change.",
        "formula.",
        "ranks.",
        "some_ranks.",
        "clause.",
        "sharing.",
        "risk_meaning.",
        "status.",
        "outcome.",
        "relation.",
        "difference.",
        "claim.",
        "framework.",
        "end.",
        "answer.",
        "listed.",
        "standing.",
        "answer_meaning.",
        "role.",
        "not_run.",
        "not_run_meaning.",
        "port.member.",
        "port.note.",
        "port.role.",
        "table.column.",
    )
    by_prefix = (
        *("change.", "changed.", "chooser.", "column.", "fold.", "official.", "others.", "picture.", "port.", "run."),
        *("fact.", "search.", "side.", "signed.", "site.", "table.", "trace."),
    )
    unused = [
        key
        for key in LABELS
        if not re.search(rf"""["']{re.escape(key)}["']""", text)
        and not key.startswith(by_value)
        and not (key.startswith(by_prefix) and re.search(rf"""["']{re.escape(key.split(".", 1)[1])}["']""", text))
    ]
    assert not unused, unused
