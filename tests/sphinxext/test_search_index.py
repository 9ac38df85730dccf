"""What can be found by searching, and that it follows what is built."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

import msgspec
import pytest
from entry_fixture import COMPOSED, NEW, OLD, SOURCE, UNMATCHED, USED, reduce_entry
from small_site import Built, Site

from apidiff.model.base import Text
from apidiff.model.signed import Signed, State
from apidiff.sphinxext.search_entries import SearchEntry

MakeSite = Callable[..., Site]
Plain = Callable[[str], Built]


def _named(built: Built, kind: str, name: str) -> SearchEntry:
    (found,) = [one for one in built.search().entries if (one.kind, one.name) == (kind, name)]
    return found


def test_a_mapping_is_found_by_all_that_is_said_of_it(plain: Plain) -> None:
    found = _named(plain("en"), "mapping", SOURCE)
    assert found.address == f"mappings/{SOURCE}.html"
    assert (found.names, found.targets) == (["dist.reduce"], [NEW, OLD])
    assert found.risk == "silent"
    assert found.status is None
    assert found.parameters == ["tensor", "async_op", "group_dst", "wait"]
    assert [(one.anchor, one.risk, one.words) for one in found.passages] == [
        ("difference-others", "silent", ["difference.in_place", "risk.silent"]),
        ("difference-group-dst", "rewrite", ["difference.parameter", "risk.rewrite"]),
        (NEW, None, []),
        (f"{NEW}--members", None, []),
    ]


def test_what_is_told_by_a_label_is_found(plain: Plain) -> None:
    data = plain("en").search()
    found = {one.name: one for one in data.entries}
    assert {"outcome.refuted", "status.deprecated"} <= set(found[SOURCE].words)
    assert {"answer.composed"} <= set(found[COMPOSED].words)
    assert {"silent", "静默"} <= set(data.words["risk.silent"].split())
    assert data.everyday["广播"] == ["broadcast"]
    assert "the" in data.empty


def test_other_answers_are_found(plain: Plain) -> None:
    found = _named(plain("en"), "mapping", COMPOSED)
    assert (found.status, found.risk) == ("composed", "error")
    assert USED in found.uses
    assert [one.anchor for one in found.passages] == [
        "otherwise--2.8",
        "otherwise--first",
        "otherwise--first",
        "difference-hangs",
    ]


# language, words of a mapping, words that its behaviour is found by
LANGUAGES = [
    ("en", "Reduces tensors of all ranks to one rank.", "have their tensor overwritten by gloo"),
    ("zh_CN", "规约操作：将所有进程的张量规约到一个进程。", "原地修改"),
]


@pytest.mark.parametrize(("language", "summary", "behaviour"), LANGUAGES)
def test_texts_are_those_of_the_language(plain: Plain, language: str, summary: str, behaviour: str) -> None:
    built = plain(language)
    found = _named(built, "mapping", SOURCE)
    assert found.text == summary
    assert behaviour in found.passages[0].text
    assert "`" not in found.passages[0].text
    # Kinds are found by words of both languages.
    assert {"overwrites", "原地"} <= set(built.search().words["difference.in_place"].split())


def test_apis_of_mindspore_lead_to_what_they_serve(plain: Plain) -> None:
    built = plain("en")
    assert _named(built, "api", NEW).text == f"Answers {SOURCE}."
    assert _named(built, "api", NEW).address == f"counterparts.html#{NEW}"
    assert "It names a communicator." in _named(built, "api", UNMATCHED).text


def test_sections_of_pages_are_found(make_site: MakeSite) -> None:
    site = make_site("zh", "zh_CN")
    site.content = msgspec.structs.replace(
        site.content, signed=dict.fromkeys(site.content.runs, Signed(state=State.LISTED))
    )
    (site.src / "notes.md").write_text("# 说明\n\n开头。\n\n(deep)=\n## 约\n\n第一行，\n第二行。\n", "utf-8")
    built = site.build()
    assert _named(built, "page", "说明").text == "开头。"
    found = _named(built, "page", "约")
    assert (found.address, found.text, found.within) == ("notes.html#deep", "第一行，第二行。", "说明")
    (site.src / "notes.md").write_text(
        "# 说明\n\n见 {ref}`列表 <twin>`、{ref}`twin` 和 {doc}`risks`。\n\n(twin)=\n## 双胞胎\n\n文字。\n", "utf-8"
    )
    built = site.build()
    assert _named(built, "page", "说明").text == "见 列表、双胞胎 和 Risks。"
    assert _named(built, "run", "PyTorch 2.13.0，gloo（cpu），3 个 rank").address.startswith(
        "runs/torch-2.13.0/gloo-cpu-3-"
    )


def test_the_index_follows_what_is_edited_and_deleted(make_site: MakeSite) -> None:
    site = make_site()
    (site.src / "notes.md").write_text("# Notes\n\nFirst words.\n", "utf-8")
    assert _named(site.build(), "page", "Notes").text == "First words."
    run = next(iter(site.content.runs))
    site.content.entries[SOURCE] = reduce_entry(run, summary="Another summary.")
    del site.content.entries[COMPOSED]
    (site.src / "notes.md").unlink()
    (site.src / "index.md").write_text(
        "# Index\n\n```{toctree}\nmappings\nrisks\nstatements\nruns\nglance\ncounterparts\n```\n"
    )
    built = site.build(parallel=2)
    assert _named(built, "mapping", SOURCE).text == "Another summary."
    names = {one.name for one in built.search().entries}
    assert COMPOSED not in names
    assert "Notes" not in names


def test_text_of_a_record_stays_text(make_site: MakeSite) -> None:
    site = make_site()
    hostile = "</script><script>alert(1)</script> \u2028"
    entry = site.content.entries[SOURCE]
    summary = Text(en=hostile, zh="规约")
    site.content.entries[SOURCE] = msgspec.structs.replace(entry, summary=summary)
    assert _named(site.build(), "mapping", SOURCE).text == hostile


def lost(built: Built) -> list[str]:
    """Addresses of entries and passages that no page has."""
    ids: dict[str, set[str]] = {}
    found = []
    for entry in built.search().entries:
        page, _, anchor = entry.address.partition("#")
        if page not in ids:
            file = built.out / unquote(page)
            ids[page] = set(re.findall(r'\sid="([^"]+)"', file.read_text("utf-8"))) if file.is_file() else set()
        anchors = [anchor, *(passage.anchor for passage in entry.passages)]
        found += [f"{page}#{one}" for one in anchors if one and one not in ids[page]]
    return found


def test_every_address_leads_somewhere(plain: Plain) -> None:
    built = plain("en")
    assert lost(built) == []
    (built.out / "mappings" / f"{SOURCE}.html").write_text("")
    assert f"mappings/{SOURCE}.html#difference-others" in lost(built)
