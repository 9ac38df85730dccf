"""Chinese pages set a space between Chinese and Latin letters, digits or code, and none beside full-width punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from page_types import pages_of_today

BLOCKS = (
    "p",
    "li",
    "td",
    "th",
    "dt",
    "dd",
    "summary",
    "figcaption",
    "h1",
    "h2",
    "h3",
    "h4",
    "title",
    "label",
    "button",
)
# What Chinese pages quote as it is, what other versions show in its place, and rows of counts, which stand apart. Badges do too.
QUOTED = "pre, script, style, template, [lang='en'], [hidden], a.headerlink, svg, .apidiff-verdict"
_AMISS = re.compile(
    r".{0,8}(?:\s[，。；：、？！）”]|[，。；：、？！（“]\s(?=[^\s·■])|[一-鿿][A-Za-z0-9]|[A-Za-z0-9][一-鿿]).{0,8}"
)


def misplaced(html: str) -> Iterator[str]:
    """Find in each block of a page the places where a space is missing or too much."""
    soup = BeautifulSoup(html, "html.parser")
    for quoted in soup.select(QUOTED):
        quoted.decompose()
    for badge in soup.select(".apidiff-badge"):
        badge.replace_with("■")
    for block in soup.find_all(BLOCKS):
        if block.find(BLOCKS) is None:
            yield from (place.group() for place in _AMISS.finditer(" ".join(block.get_text("").split())))


BAD = [
    ("<p>抛异常。 <a>证据</a></p>", "抛异常。 证据"),
    ("<p><code>a</code> ：二</p>", "a ：二"),
    ("<p>名称（ 见下）</p>", "名称（ 见下）"),
    ("<p>返回<code>None</code></p>", "返回None"),
    ("<p><code>src</code>必填</p>", "src必填"),
    ("<ul><li><p>共 3个</p></li></ul>", "共 3个"),
]
GOOD = ["<p>返回 <code>None</code>，共 3 个。<a>证据</a></p>", "<pre>a。 b返回c</pre>", "<p>Sum. Next, 3.</p>"]


@pytest.mark.parametrize(("html", "expected"), BAD)
def test_what_is_set_amiss_is_found(html: str, expected: str) -> None:
    assert list(misplaced(html)) == [expected]


@pytest.mark.parametrize("html", GOOD)
def test_what_is_set_right_passes(html: str) -> None:
    assert list(misplaced(html)) == []


def test_chinese_pages_are_set_right(site: Path) -> None:
    found: dict[str, str] = {}
    pages = [path for path in pages_of_today(site) if "zh-cn" in path.parts]
    for path in pages:
        for place in misplaced(path.read_text("utf-8")):
            found.setdefault(place, path.relative_to(site).as_posix())
    assert len(pages) > 20
    assert found == {}
