"""Every link of the built site leads somewhere, and both languages have the same pages and anchors."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from page_types import LANGUAGES


@dataclass
class Html(HTMLParser):
    """Anchors and goals of one page. ``held``: anchors that its script brings to it from its parts."""

    ids: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    goals: list[str] = field(default_factory=list)
    languages: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(found["id"] or "")
        goal = found.get("href") if tag in {"a", "link"} else found.get("src") if tag in {"script", "img"} else None
        if goal:
            self.goals.append(goal)
        if tag == "link" and found.get("hreflang") not in {None, "x-default"}:
            self.languages[found["hreflang"] or ""] = goal or ""


def read(site: Path) -> dict[str, Html]:
    """All pages below ``site``, by path; the theme ships a template among its static files, which is no page."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        if "_static" in path.parts:
            continue
        html = Html()
        html.feed(path.read_text("utf-8"))
        table = path.with_suffix(".parts.json")
        html.held = list(json.loads(table.read_text("utf-8"))["anchors"]) if table.is_file() else []
        pages[path.relative_to(site).as_posix()] = html
    return pages


def is_part(name: str) -> bool:
    """Whether it is a part of a heavy page, which shows it where it belongs."""
    return re.search(r"\.part-\d+\.html$", name) is not None


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Html]:
    """All pages of the built site."""
    return read(site)


def broken(site: Path, pages: dict[str, Html]) -> list[str]:
    """Every goal that is not there: a file, an anchor in what is written of a page, which no script has to bring."""
    found = []
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    anchors = {name: set(html.ids) for name, html in pages.items()}
    for name, html in pages.items():
        for goal in html.goals:
            parts = urlsplit(goal)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(urlsplit(urljoin(f"/{name}", goal)).path).lstrip("/") if parts.path else name
            path += "index.html" if path.endswith("/") or not path else ""
            anchor = unquote(parts.fragment)
            if name != "404.html" and (goal.startswith("/") or goal.endswith("/")):
                found.append(f"{name}: {goal} (not from a folder)")
            elif path not in files:
                found.append(f"{name}: {goal}")
            elif anchor and path in pages and anchor not in anchors[path] and anchor != "top":
                found.append(f"{name}: {goal} (no such anchor)")
    return found


def test_every_link_leads_somewhere(site: Path, pages: dict[str, Html]) -> None:
    assert len(pages) > 20
    assert broken(site, pages) == []


def test_every_result_leads_somewhere(site: Path, pages: dict[str, Html], shown: list[str]) -> None:
    for language in LANGUAGES:
        script = (site / language / "_search" / "index.js").read_text("utf-8")
        entries = json.loads(script.removeprefix("window.apidiffSearch=").rstrip(";\n"))["entries"]
        lost = []
        for entry in entries:
            page, _, anchor = entry["address"].partition("#")
            anchors = [anchor, *(passage.get("anchor", "") for passage in entry.get("passages", []))]
            name = f"{language}/{unquote(page)}"
            ids = {*pages[name].ids, *pages[name].held} if name in pages else set()
            lost += [f"{page}#{one}" for one in anchors if one not in ids and (one or not ids)]
        assert lost == []
        assert {f"mappings/{mapping}.html" for mapping in shown} <= {
            entry["address"].partition("#")[0] for entry in entries
        }


BAD = [
    ('<a href="gone.html">x</a>', "index.html: gone.html"),
    ('<a href="#gone">x</a>', "index.html: #gone (no such anchor)"),
    ('<a href="other.html#gone">x</a>', "index.html: other.html#gone (no such anchor)"),
    ('<script src="gone.js"></script>', "index.html: gone.js"),
    ('<a href="/other.html">x</a>', "index.html: /other.html (not from a folder)"),
    ('<a href="./">x</a>', "index.html: ./ (not from a folder)"),
]


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_broken_links_are_found(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "index.html").write_text(text)
    (tmp_path / "other.html").write_text('<p id="here"></p>')
    assert broken(tmp_path, read(tmp_path)) == [expected]


def test_an_anchor_that_a_script_would_bring_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="heavy.html#deep">x</a><a href="heavy.part-1.html#deep">y</a>')
    (tmp_path / "heavy.html").write_text('<p class="apidiff-part"><a href="heavy.part-1.html#part-1">z</a></p>')
    (tmp_path / "heavy.part-1.html").write_text('<section id="part-1"><b id="deep"></b></section>')
    (tmp_path / "heavy.parts.json").write_text('{"anchors": {"deep": 1}, "inside": {}}')
    assert broken(tmp_path, read(tmp_path)) == ["index.html: heavy.html#deep (no such anchor)"]


def test_both_languages_have_the_same_pages_and_anchors(pages: dict[str, Html]) -> None:
    # Which part of a heavy page holds what may differ: Chinese weighs less.
    english, chinese = (
        {
            name.removeprefix(folder): {*html.ids, *html.held}
            for name, html in pages.items()
            if name.startswith(folder) and not is_part(name)
        }
        for folder in ("en/", "zh-cn/")
    )
    assert english.keys() == chinese.keys()
    assert {name: ids for name, ids in english.items() if ids != chinese[name]} == {}


def one_sided(pages: dict[str, Html]) -> list[str]:
    """Pages that are not named by each page in another language that they name, or that do not name themselves."""
    found = []
    for name, html in pages.items():
        there = {urlsplit(urljoin(f"/{name}", goal)).path.lstrip("/") for goal in html.languages.values()}
        if there and name != "index.html" and name not in there:
            found.append(f"{name} does not name itself")
        found += [f"{name} -> {one}" for one in there - {name} if name.count("/") and name not in _named_by(pages, one)]
    return found


def _named_by(pages: dict[str, Html], name: str) -> set[str]:
    html = pages.get(name, Html())
    return {urlsplit(urljoin(f"/{name}", goal)).path.lstrip("/") for goal in html.languages.values()}


def test_languages_name_each_other(pages: dict[str, Html]) -> None:
    whole = {name: html for name, html in pages.items() if not is_part(name)}
    assert {name for name, html in whole.items() if set(html.languages) != {"en", "zh-CN"}} <= {"404.html"}
    assert one_sided(whole) == []


def test_one_sided_languages_are_found(tmp_path: Path) -> None:
    for folder in ("en", "zh-cn"):
        (tmp_path / folder).mkdir()
    here = '<link rel="alternate" hreflang="en" href="../en/a.html"/>'
    there = '<link rel="alternate" hreflang="zh-CN" href="../zh-cn/a.html"/>'
    (tmp_path / "en" / "a.html").write_text(here + there)
    (tmp_path / "zh-cn" / "a.html").write_text(there)
    assert one_sided(read(tmp_path)) == ["en/a.html -> zh-cn/a.html"]


def test_no_anchor_stands_twice(pages: dict[str, Html]) -> None:
    twice = {name: [one for one, count in Counter(html.ids).items() if count > 1] for name, html in pages.items()}
    assert {name: ids for name, ids in twice.items() if ids} == {}


def test_no_page_names_another_origin_for_what_it_loads(pages: dict[str, Html]) -> None:
    for name, html in pages.items():
        assert not [goal for goal in html.goals if goal.endswith((".js", ".css")) and urlsplit(goal).netloc], name


def test_no_page_has_a_sidebar_with_nothing_in_it(site: Path) -> None:
    empty = [
        path.name for path in sorted((site / "en").glob("*.html")) if "Collapse Sidebar" in path.read_text("utf-8")
    ]
    assert empty == [], "name the page in html_sidebars of conf/conf.py"
