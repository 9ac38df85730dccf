"""Chinese pages are Chinese throughout: no word of the shell is left in English, and spacing is as Chinese readers expect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_types import HEAVY, PAGE_TYPES, path_of
from watched import Visit

# Names that stay as they are, and what looks like code.
_NAMES = re.compile(
    r"apidiff|Sphinx|English|Python|PyTorch|MindSpore|Ctrl|API|JSON|SQLite|RSS|GitHub|CPU|GPU|Ascend|torch|mindspore|v?\d[\w.+-]*"
    r"|gloo|mccl|nccl|hccl|cpu|cuda|npu|rank|YAML|ID|K"
)
_WORD = re.compile(r"[A-Za-z]{2,}")

# What the theme, Sphinx and browsers say in English where nobody translates it.
LEFTOVERS = [
    "Skip to main content", "Back to top", "Search", "Search the docs", "On this page", "Site navigation", "Section Navigation",
    "Collapse Sidebar", "Expand Sidebar", "Color mode", "Colour mode", "System Settings", "Light", "Dark", "Breadcrumb", "Home",
    "Copy", "Copy to clipboard", "Copied", "Copied!", "Link to this heading", "Permalink", "Link to this table", "More",
    "Created using", "Built with", "Copyright", "Last updated", "previous", "next", "Note", "Warning", "Tip", "See also",
    "Parameters", "Returns", "Return type", "Raises", "Bases", "Version warning", "Table of Contents", "Contents", "Index",
    "Loading", "Close", "Error", "Filter", "Results", "No results", "Language", "Main pages", "Submodules", "Module Contents",
    "Classes", "Functions", "Link to this definition", "Choose version",
]  # fmt: skip

# Every text and every name that is not part of the article's own prose, and all names in it.
_SHELL = """() => {
  const found = [], names = ["aria-label", "title", "placeholder", "alt", "data-tooltip", "data-apidiff-filter"];
  const own = (one) => !one.closest("script, style, code, pre, [lang]:not(html), template");
  for (const part of document.querySelectorAll("header, footer, nav, dialog, #pst-skip-link, .page-toc, summary, th, button,"
      + " label, dt, .admonition-title, caption, .apidiff-badge, .apidiff-term > strong")) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (own(walker.currentNode.parentElement)) found.push(walker.currentNode.data);
  }
  for (const one of document.querySelectorAll(names.map((name) => `[${name}]`).join()))
    if (own(one)) for (const name of names) found.push(one.getAttribute(name) ?? "");
  found.push(document.title);
  return [...new Set(found.map((one) => one.trim()).filter(Boolean))];
}"""
_FACE = "[一-鿿]"
# No space where Chinese meets a Latin letter or a figure; a half-width mark after a Chinese character.
_SPACING = re.compile(f"{_FACE}[A-Za-z0-9]|[A-Za-z0-9]{_FACE}|{_FACE}[,;:!?](?!\\S*[a-z]\\()")


def leftovers(words: list[str]) -> list[str]:
    """The words among these that are English prose of the shell."""
    table = {one.lower() for one in LEFTOVERS}
    found = []
    for text in words:
        plain = _NAMES.sub("", re.sub(r"[\w:@-]+[._#/][\w.#/:@-]*", "", text))  # without identifiers
        foreign = not re.search(_FACE, text) and _WORD.search(plain)
        if text.lower().rstrip(" :.…#") in table or (foreign and " " in text):
            found.append(text)
    return found


@pytest.mark.parametrize("kind", PAGE_TYPES)
def test_no_english_is_left_around_a_chinese_page(visit: Visit, site: Path, kind: str) -> None:
    page = visit.open(path_of(site, "zh-cn", kind))
    words = page.evaluate(_SHELL)
    assert "跳到正文" in words
    assert leftovers(words) == []
    assert page.evaluate("document.documentElement.lang") == "zh-CN"


def test_the_shell_of_a_chinese_page_is_spaced(visit: Visit) -> None:
    page = visit.open(f"zh-cn/{HEAVY}")
    words = [one for one in page.evaluate(_SHELL) if re.search(_FACE, one)]
    assert len(words) > 20
    assert [one for one in words if _SPACING.search(one)] == []
    assert re.search(r"由\s+Sphinx\s+[\d.]+\s+生成。", page.locator("footer .sphinx-version").inner_text())


FOUND = [
    (["Copy to clipboard", "复制"], ["Copy to clipboard"]),
    (["search", "torch.distributed.reduce", "PyTorch", "API"], ["search"]),
    (["Permalink", "Link to this heading"], ["Permalink", "Link to this heading"]),
    (["MindSpore 2.10.0", "English", "rank 0"], []),
]


@pytest.mark.parametrize(("words", "expected"), FOUND)
def test_leftovers_are_found(words: list[str], expected: list[str]) -> None:
    assert leftovers(words) == expected


@pytest.mark.parametrize("language", ["en", "zh-cn"])
def test_words_in_the_other_language_say_so(visit: Visit, language: str) -> None:
    page = visit.open(f"{language}/index.html")
    link = page.locator("header a[data-apidiff-language]").first
    other = {"en": "zh-CN", "zh-cn": "en"}[language]
    assert (link.get_attribute("lang"), link.get_attribute("hreflang")) == (other, other)
    visit.page.goto(f"{visit.address}404.html")
    assert visit.page.locator("[lang=zh-CN]").count() == 2
