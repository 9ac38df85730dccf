"""The table of all mappings, as the server writes it: complete without script."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from entry_fixture import COMPOSED, NEW, OLD, SOURCE, USED, content
from factories import claim_entry
from small_site import Built, Site

from apidiff.derive.index_rows import AnswerRow, mapping_index
from apidiff.errors import Damage
from apidiff.model.version import Version
from apidiff.model.views import Entry, ExampleEntry, ObservedSummary, RangeEntry, RunsOnEntry
from apidiff.sphinxext.site_content import DamagedFile

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


def _with_devices(entry: Entry) -> Entry:
    """The entry whose new target is documented for two devices and was run on one of them, and its old one on none."""
    places = [
        RunsOnEntry(device="npu", documented=True, outcome="not run", documented_in=["2.10.0", "2.7.1"]),
        RunsOnEntry(device="cuda", documented=False, outcome="not run"),
        RunsOnEntry(
            device="cpu",
            documented=False,
            outcome="holds",
            documented_in=["2.7.1"],
            outcomes={"2.10.0": "holds", "2.7.0": "unsupported"},
        ),
    ]
    new = msgspec.structs.replace(
        entry.targets[0],
        runs_on=places,
        signatures={"2.10.0": "a", "2.7.1": "a"},
        ranges=[RangeEntry(since="2.7", until=None, range="≥ 2.7", status="current")],
    )
    return msgspec.structs.replace(entry, targets=[new])


# release, whether documents list a device and how runs on it ended
DEVICES = [
    ("2.10.0", [("npu", True, "not run"), ("cpu", False, "holds")]),
    ("2.8.0", [("npu", True, "not run"), ("cpu", True, "not run")]),  # the nearest older documents that were read
    ("2.7.0", [("cpu", False, "unsupported")]),  # no older documents were read
    ("2.3.0", []),
]


@pytest.mark.parametrize(("release", "expected"), DEVICES)
def test_devices_of_each_release(tmp_path: Path, release: str, expected: list[tuple[str, bool, str]]) -> None:
    entry = _with_devices(content(tmp_path).entries[SOURCE])
    answers = mapping_index([entry], RELEASES).rows[0].answers
    (answer,) = (one for one in answers if Version(one.first) <= Version(release) <= Version(one.last))
    assert [(one.device, one.documented, one.outcome) for one in answer.devices] == expected


def test_a_recipe_that_was_run_counts_for_its_device(tmp_path: Path) -> None:
    entry = content(tmp_path).entries[COMPOSED]
    claim = claim_entry(
        f"{COMPOSED}#prints",
        summary=[
            ObservedSummary(
                outcome="holds",
                framework="mindspore",
                framework_version="2.10.0",
                backend="mccl",
                device="cpu",
                world_sizes=[2],
                runs=["run"],
            )
        ],
    )
    recipe = ExampleEntry(framework="mindspore", path="a.py", command="a", code="a", expected="a", claim=claim.id)
    otherwise = [msgspec.structs.replace(one, recipe=recipe) for one in entry.otherwise]
    entry = msgspec.structs.replace(entry, otherwise=otherwise, claims=[claim])
    answer = mapping_index([entry], RELEASES).rows[0].answers[0]
    assert [(one.device, one.documented, one.outcome) for one in answer.devices] == [("cpu", False, "holds")]


def test_rows_stand_by_use(tmp_path: Path) -> None:
    entry = content(tmp_path).entries[SOURCE]
    used = {"torch.c": 5, "torch.a": 0, "torch.b": 5}
    entries = [msgspec.structs.replace(entry, id=name, source=name, uses=count) for name, count in used.items()]
    rows = mapping_index(entries, RELEASES).rows
    assert [(row.id, row.uses) for row in rows] == [("torch.b", 5), ("torch.c", 5), ("torch.a", 0)]


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
    ("en", f"{SOURCE} {NEW} documented – run silent recommended 36"),
    ("en", f"{COMPOSED} {USED}, mindspore.Tensor – – – error composed 0"),
    ("zh_CN", f"{SOURCE} {NEW} 据文档 – 已实测 无提示出错 推荐 36"),
]


@pytest.mark.parametrize(("language", "row"), ROWS)
def test_the_table_shows_the_newest_answer_without_script(make_site: MakeSite, language: str, row: str) -> None:
    site = make_site("devices", language)
    entry = _with_devices(site.content.entries[SOURCE])
    site.content.entries[SOURCE] = msgspec.structs.replace(entry, uses=36)
    html = site.build().html("mappings")
    table = html[html.index("<apidiff-table") : html.index("</apidiff-table>")]
    assert row in [one.strip() for one in Shown(table).rows]


def test_other_answers_are_there_and_hidden(make_site: MakeSite, plain: Plain) -> None:
    html = plain("en").html("mappings")
    assert f'<span data-mindspore="2.4.0..2.8.0" data-target="{OLD}" hidden>' in html
    assert f'href="mappings/{SOURCE}.html#{OLD}"' in html
    assert '<script defer="defer" src="_static/elements/table.js' in html
    assert ">no target recorded</span>" in html
    assert ">not recorded</span>" in html
    assert "MindSpore 2.10.0 was not run" in html
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


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Damaged files", "Was changed after it was written", "Line 7: Does not have the keys and types"]),
        ("zh_CN", ["损坏的文件", "写入后被改动：摘要不一致", "第 7 行：键或值的类型不符合此类文件的格式"]),
    ],
)
def test_damaged_files_are_listed_among_the_runs(
    make_site: Callable[..., Site], language: str, expected: list[str]
) -> None:
    site = make_site(language=language)
    damaged = {
        "runs/torch-2.13.0/gloo-cpu-2-0a1b2c3d4e5f.json": DamagedFile(damage=Damage.CHANGED),
        "mappings/torch/<script>\u202e.yaml": DamagedFile(damage=Damage.FORM, line=7),
    }
    site.content = msgspec.structs.replace(site.content, damaged=damaged)
    page = site.build().html("runs")
    for text in (
        *expected,
        "gloo-cpu-2-0a1b2c3d4e5f.json",
        "mappings/torch/&lt;script&gt;\\u202e.yaml",
        "apidiff check",
    ):
        assert text in page
