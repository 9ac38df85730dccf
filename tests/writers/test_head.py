"""What pages say of themselves: in both languages, with and without an address of the site, whatever records hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from entry_fixture import SOURCE
from published_site import HOSTILE
from small_site import Site

from apidiff.model.base import Text
from apidiff.sphinxext import site_content

ROOT = Path(__file__).resolve().parents[2]
URL = "https://example.org/docs/"
PAGE = f"mappings/{SOURCE}"
LANGUAGES = [("en", "en", "en"), ("zh_CN", "zh-cn", "zh")]


class Head(HTMLParser):
    """The facts in a page's head: metas by name, links, data, and the text of every other script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.links: list[dict[str, str]] = []
        self.data: list[dict] = []
        self.scripts: list[str] = []
        self._type: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "meta" and (name := found.get("property") or found.get("name")):
            assert name not in self.meta, name
            self.meta[name] = found["content"]
        if tag == "link":
            self.links.append(found)
        self._type = found.get("type", "") if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._type == "application/ld+json":
            self.data.append(json.loads(data))
        elif self._type is not None:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._type = None

    def link(self, **facts: str) -> list[str]:
        return [one["href"] for one in self.links if facts.items() <= one.items()]


@pytest.fixture
def make_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    """Make a small site with the templates of the real one."""

    def make(language: str, url: str = "") -> Site:
        folder = tmp_path / language
        folder.mkdir()
        site = Site(folder, language, lambda load: monkeypatch.setattr(site_content, "load", load))
        set_address(site, url)
        return site

    return make


def set_address(site: Site, url: str) -> None:
    conf = site.conf / "conf.py"
    lines = [line for line in conf.read_text().splitlines() if not line.startswith(("templates_path", "apidiff_site"))]
    lines += [f"templates_path = [{str(ROOT / 'conf' / 'templates')!r}]", f"apidiff_site_url = {url!r}"]
    conf.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(("language", "folder", "words"), LANGUAGES)
def test_page_of_a_mapping(make_site: Callable[..., Site], language: str, folder: str, words: str) -> None:
    built = make_site(language, URL).build()
    assert built.warnings == ""
    head = Head(built.html(PAGE))
    here = f"{URL}{folder}/{PAGE}.html"
    assert head.meta["og:title"] == SOURCE
    risk, summary = ("silent", "Reduces tensors") if words == "en" else ("无提示出错", "规约操作")
    for name in ("description", "og:description"):
        assert summary in head.meta[name]
        assert risk in head.meta[name]
    assert head.meta["og:type"] == "article"
    assert head.meta["og:locale"] == ("en_US" if words == "en" else "zh_CN")
    assert head.meta["og:url"] == here
    assert head.meta["twitter:card"] == "summary_large_image"
    assert head.meta["og:image"] == f"{URL}{folder}/_static/card-{words}.png"
    assert (ROOT / "conf" / "static" / f"card-{words}.png").is_file()
    assert head.link(rel="canonical") == [here]
    for tag, other in (("en", "en"), ("zh-CN", "zh-cn"), ("x-default", "en")):
        assert head.link(rel="alternate", hreflang=tag) == [f"{URL}{other}/{PAGE}.html"]
    assert head.link(type="application/atom+xml") == [f"{URL}{folder}/verdicts.xml"]
    assert head.link(type="application/json") == [f"{URL}api/v1/mappings/{SOURCE}.json"]
    assert head.link(type="text/markdown") == [f"{URL}{folder}/{PAGE}.md"]
    (data,) = head.data
    assert (data["@type"], data["url"], data["headline"]) == ("APIReference", here, SOURCE)
    assert data["inLanguage"] == ("en" if words == "en" else "zh-CN")
    assert "robots" not in head.meta


@pytest.mark.parametrize(("language", "folder", "words"), LANGUAGES)
def test_without_an_address_links_are_relative(
    make_site: Callable[..., Site], language: str, folder: str, words: str
) -> None:
    built = make_site(language).build()
    head = Head(built.html(PAGE))
    assert head.link(rel="canonical") == []
    assert not [name for name in head.meta if name.startswith(("og:", "twitter:"))]
    assert "规约操作" in head.meta["description"] or words == "en"
    assert "url" not in head.data[0]
    assert head.link(hreflang="zh-CN") == [f"../../zh-cn/{PAGE}.html"]
    assert head.link(type="application/json") == [f"../../api/v1/mappings/{SOURCE}.json"]
    front = Head(built.html("index"))
    assert front.link(hreflang="en") == ["../en/index.html"]
    assert front.link(type="application/json") == []
    assert "://" not in "".join(one["href"] for one in head.links)


def test_every_page_says_what_it_is(make_site: Callable[..., Site]) -> None:
    built = make_site("en", URL).build()
    pages = {name: Head(page) for name, page in built.pages().items()}
    assert len(pages) > 10
    for name, head in pages.items():
        for key in ("description", "og:title", "og:description", "og:image", "og:url", "twitter:card"):
            assert head.meta[key], (name, key)
        assert head.link(rel="canonical") == [head.meta["og:url"]], name
        assert len(head.data) == 1, name
    assert pages["notes.html"].meta["description"].startswith("See mindspore.ops.communication.reduce and")
    run = next(head for name, head in pages.items() if name.startswith("runs/"))
    assert run.meta["og:title"] == "PyTorch 2.13.0, gloo on cpu, 3 ranks, measured by “nobody named” (unsigned)"
    assert run.meta["description"].startswith("One run, as others made and sent it.")


def test_another_address_writes_every_page_again(make_site: Callable[..., Site]) -> None:
    site = make_site("en")
    first = site.build()
    assert site.build().written == set()
    set_address(site, URL)
    again = site.build()
    assert again.read == set()
    assert {name.removesuffix(".html") for name in first.pages()} <= again.written
    assert Head(again.html("runs")).link(rel="canonical") == [f"{URL}en/runs.html"]


def test_hostile_text_stays_text(make_site: Callable[..., Site]) -> None:
    site = make_site("en", URL)
    plain = Head(site.build().html(PAGE))
    entry = msgspec.structs.replace(site.content.entries[SOURCE], summary=Text(en=HOSTILE[:280], zh="x"))
    site.content = msgspec.structs.replace(site.content, entries={**site.content.entries, SOURCE: entry})
    head = Head(site.build().html(PAGE))
    assert head.meta.keys() == plain.meta.keys()
    assert len(head.links) == len(plain.links)
    assert head.scripts == plain.scripts
    assert "</script><script>alert(1)</script>" in head.data[0]["description"]
    assert head.meta["og:description"].startswith("</script><script>alert(1)</script>")
    assert head.meta["og:description"].isprintable()
