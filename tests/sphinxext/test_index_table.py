"""The table of all mappings, as the server writes it: complete without script."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from entry_fixture import COMPOSED, NEW, OLD, SOURCE, USED, content
from small_site import Built, Site

from apidiff.derive.index_rows import AnswerRow, mapping_index
from apidiff.model.version import Version
from apidiff.model.views import Entry, ObservedSummary

MakeSite = Callable[..., Site]
Plain = Callable[[str], Built]
RELEASES = ["2.3.0", "2.10.0", "2.4.0", "2.7.0", "2.8.0", "2.9.0"]


def _rows(entries: dict[str, Entry]) -> dict[str, list[AnswerRow]]:
    return {row.id: row.answers for row in mapping_index(entries.values(), RELEASES).rows}


def test_answers_of_neighbouring_releases_are_one(tmp_path: Path) -> None:
    rows = _rows(content(tmp_path).entries)
    assert [(one.spans, one.status, one.risk, one.target) for one in rows[SOURCE]] == [
        ("2.9.0..2.10.0", "current", "silent", NEW),
        ("2.4.0..2.8.0", "current", "rewrite", OLD),
        ("2.3.0..2.3.0", None, None, None),
    ]
    assert [(one.spans, one.status, one.risk, one.uses) for one in rows[COMPOSED]] == [
        ("2.8.0..2.10.0", "composed", "error", [USED, "mindspore.Tensor"]),
        ("2.3.0..2.7.0", "no_counterpart", "rewrite", []),
    ]


def test_a_target_that_merely_works_stands_where_no_other_answer_is(tmp_path: Path) -> None:
    entry = content(tmp_path).entries[SOURCE]
    old = msgspec.structs.replace(entry, targets=entry.targets[1:])
    assert _rows({SOURCE: old})[SOURCE][0].status == "deprecated"


def test_releases_stand_newest_first(tmp_path: Path) -> None:
    index = mapping_index(content(tmp_path).entries.values(), RELEASES)
    assert index.mindspore == sorted(RELEASES, key=Version, reverse=True)
    assert index.torch == ["2.13.0"]


def test_runs_of_a_row(tmp_path: Path) -> None:
    rows = {row.id: row for row in mapping_index(content(tmp_path).entries.values(), RELEASES).rows}
    assert [(one.framework, one.backend, one.outcome, one.versions) for one in rows[SOURCE].runs] == [
        ("torch", "gloo", "refuted", ["2.13.0"])
    ]
    assert rows[COMPOSED].runs == []


def _summary(framework: str, version: str, backend: str, outcome: str) -> ObservedSummary:
    return ObservedSummary(
        outcome=outcome,
        framework=framework,
        framework_version=version,
        backend=backend,
        device="cpu",
        world_sizes=[2],
        runs=["run"],
    )


# chosen torch and MindSpore, backends and outcomes that count
CHOSEN = [
    ("2.13.0", "2.10.0", [("gloo", "refuted"), ("mccl", "holds")]),
    ("2.13.0", "2.9.0", [("gloo", "refuted"), ("mccl", "error")]),
    ("2.13.0", "2.3.0", [("gloo", "refuted")]),  # never run: what another MindSpore showed is not said of it
    ("2.14.0", "2.10.0", [("gloo", "refuted"), ("mccl", "holds")]),  # never run: the runs of other versions stand
    ("2.9.0", "2.3.0", []),  # run, but not this row
]


@pytest.mark.parametrize(("torch", "mindspore", "expected"), CHOSEN)
def test_runs_count_by_version(tmp_path: Path, torch: str, mindspore: str, expected: list[tuple[str, str]]) -> None:
    entries = content(tmp_path).entries
    entry, other = entries[SOURCE], entries[COMPOSED]
    new = [
        _summary("mindspore", "2.10.0", "mccl", "holds"),
        _summary("mindspore", "2.9.0", "mccl", "holds"),
        _summary("mindspore", "2.9.0", "mccl", "error"),
    ]
    claims = [*entry.claims[:2], msgspec.structs.replace(entry.claims[2], summary=new)]
    entry = msgspec.structs.replace(entry, claims=claims)
    elsewhere = msgspec.structs.replace(claims[0], summary=[_summary("torch", "2.9.0", "gloo", "holds")])
    other = msgspec.structs.replace(other, claims=[elsewhere])
    index = mapping_index([entry, other], RELEASES)
    row = next(row for row in index.rows if row.id == SOURCE)
    found = index.runs_of(row, {"torch": torch, "mindspore": mindspore})
    assert sorted((one.backend, one.outcome) for one in found) == expected


def test_names_of_an_answer_stand_where_they_are_there(tmp_path: Path) -> None:
    entries = content(tmp_path).entries
    otherwise = [msgspec.structs.replace(one, uses=[NEW, "mindspore.Tensor"]) for one in entries[COMPOSED].otherwise]
    composed = msgspec.structs.replace(entries[COMPOSED], otherwise=otherwise)
    rows = _rows({SOURCE: entries[SOURCE], COMPOSED: composed})[COMPOSED]
    named = [(one.last, one.uses) for one in rows if one.status == "composed"]
    assert named == [("2.10.0", [NEW, "mindspore.Tensor"]), ("2.8.0", ["mindspore.Tensor"])]


class Shown(HTMLParser):
    """The rows of a page as text, without what is hidden."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[str] = []
        self.hidden: list[bool] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append("")
        if tag in {"tr", "th", "td", "span", "a", "code"}:
            self.hidden.append(any(self.hidden) or "hidden" in dict(attrs))
            if tag in {"th", "td"}:
                self.rows[-1] += " "

    def handle_endtag(self, tag: str) -> None:
        if tag in {"tr", "th", "td", "span", "a", "code"}:
            self.hidden.pop()

    def handle_data(self, data: str) -> None:
        if self.hidden and not any(self.hidden):
            self.rows[-1] += data


# language, a row in text
ROWS = [
    ("en", f"{SOURCE} {NEW} Collective communication silent current gloo refuted"),
    ("en", f"{COMPOSED} {USED}, mindspore.Tensor Debugging and logging error composed  not run"),
    ("zh_CN", f"{SOURCE} {NEW} 集合通信 无提示出错 推荐 gloo 不成立"),
]


@pytest.mark.parametrize(("language", "row"), ROWS)
def test_the_table_shows_the_newest_answer_without_script(plain: Plain, language: str, row: str) -> None:
    html = plain(language).html("mappings")
    table = html[html.index("<apidiff-table") : html.index("</apidiff-table>")]
    assert row in [one.strip() for one in Shown(table).rows]


def test_other_answers_are_there_and_hidden(make_site: MakeSite, plain: Plain) -> None:
    html = plain("en").html("mappings")
    assert f'<span data-mindspore="2.4.0..2.8.0" data-target="{OLD}" hidden>' in html
    assert f'href="mappings/{SOURCE}.html#{OLD}"' in html
    assert '<script defer="defer" src="_static/elements/table.js' in html
    assert ">no target recorded</span>" in html
    assert ">not recorded</span>" in html
    assert "PyTorch 2.14.0 was not run; the verdicts on PyTorch APIs are from PyTorch 2.13.0." in html
    assert "elements/table.js" not in make_site("other").build().html("risks")


def test_text_of_a_record_is_escaped(make_site: MakeSite) -> None:
    site = make_site()
    entry = site.content.entries[SOURCE]
    hostile = '"><img src=x onerror=alert(1)>'
    target = msgspec.structs.replace(entry.targets[0], name=hostile)
    site.content.entries[SOURCE] = msgspec.structs.replace(entry, targets=[target])
    html = site.build().html("mappings")
    assert "<img" not in html
    assert hostile in unescape(html)
