"""The page for porting a snippet: what it loads and where, and that its table is that of the records."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from entry_fixture import COMPOSED, SOURCE
from small_site import Built, Site

MakeSite = Callable[..., Site]
PAGE = "---\norphan: true\n---\n# Port\n\n```{apidiff-port}\nWithout script, see {doc}`mappings`.\n```\n"
SCRIPT = "elements/port.js"


def _site(make_site: MakeSite, language: str = "en") -> Site:
    site = make_site(language=language)
    (site.src / "port.md").write_text(PAGE)
    return site


def _table(built: Built) -> dict[str, Any]:
    text = (built.out / "_port" / "data.js").read_text("utf-8")
    found: dict[str, Any] = json.loads(text.removeprefix("window.apidiffPort=").removesuffix(";\n"))
    return found


def _panel(built: Built) -> dict[str, str]:
    tag = re.search(r"<apidiff-port[^>]*>", built.html("port"))
    assert tag
    return {key: html.unescape(value) for key, value in re.findall(r'([\w-]+)="([^"]*)"', tag[0])}


@pytest.mark.parametrize(("language", "word"), [("en", "Clear"), ("zh_CN", "清空")])
def test_panel_holds_its_words_and_what_stands_without_script(make_site: MakeSite, language: str, word: str) -> None:
    built = _site(make_site, language).build()
    assert built.warnings == ""
    panel = _panel(built)
    words = json.loads(panel["data-words"])
    assert words["clear"] == word
    assert {"risk.silent", "answer.composed", "difference.in_place"} <= words.keys()
    assert panel["data-table"] == "_port/data.js"
    assert 'href="mappings.html"' in built.html("port").split("<apidiff-port")[1].split("</apidiff-port>")[0]


@pytest.mark.parametrize("parallel", [1, 4])
def test_only_its_page_loads_the_script(make_site: MakeSite, parallel: int) -> None:
    site = _site(make_site)
    site.build(parallel)
    (site.src / "port.md").write_text(PAGE.replace("Without script", "Without it"))
    site.content.entries.pop(COMPOSED)
    built = site.build(parallel)
    assert [name for name, text in built.pages().items() if SCRIPT in text] == ["port.html"]
    (site.src / "port.md").write_text("---\norphan: true\n---\n# Port\n")
    assert SCRIPT not in site.build(parallel).html("port")


def test_table_follows_the_records(make_site: MakeSite) -> None:
    site = _site(make_site)
    assert _table(site.build())["apis"].keys() == site.content.entries.keys()
    site.content.entries.pop(COMPOSED)
    built = site.build()
    assert "port" not in built.written
    assert _table(built)["apis"].keys() == site.content.entries.keys()
    assert SOURCE in _table(built)["apis"]


def test_unchanged_table_is_not_written_again(make_site: MakeSite) -> None:
    site = _site(make_site)
    path = site.build().out / "_port" / "data.js"
    before = path.stat().st_mtime_ns
    site.build()
    assert path.stat().st_mtime_ns == before
