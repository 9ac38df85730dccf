"""A page of every type, visited once in each language: all that is asked of every page is asked on that visit.

Each is seen in one of four settings, such that both languages, both modes and both widths are seen with half of the types.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from accessible import SHORTEN, violations
from leftovers import SHELL_WORDS, leftovers
from page_types import DESK, LANGUAGES, PAGE_TYPES, PHONE, path_of
from playwright.sync_api import Browser, Page
from watched import Faults

# By language: mode and width for the first type of page and every second one after it, and for the others.
SETTINGS: dict[str, list[tuple[Any, Any]]] = {
    "en": [("light", DESK), ("dark", PHONE)],
    "zh-cn": [("dark", PHONE), ("light", DESK)],
}

_ORDER = """() => {
  const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")]
    .filter((one) => one.checkVisibility() || one.closest("details")).map((one) => Number(one.tagName[1] ?? 0));
  return { levels, landmarks: ["header", "main"].map((name) => document.querySelectorAll(`body ${name}`).length),
    unnamed: [...document.querySelectorAll("nav")].filter((one) => !one.getAttribute("aria-label")
      && !one.getAttribute("aria-labelledby")).length };
}"""
_FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
_OPEN_ALL = """() => {
  for (const one of document.querySelectorAll("details")) Object.assign(one, { wasOpen: one.open, open: true });
}"""
_CLOSE_AGAIN = '() => { for (const one of document.querySelectorAll("details")) one.open = one.wasOpen; }'


def wrong_order(page: Page) -> list[str]:
    """What is wrong with headings, which go down step by step, and with landmarks, which are there and named."""
    found = page.evaluate(_ORDER)
    levels: list[int] = found["levels"]
    wrong = [f"heading {before} is followed by {after}" for before, after in pairwise(levels) if after > before + 1]
    if levels[:1] != [1] or levels.count(1) != 1:
        wrong.append(f"headings are {levels}")
    if found["landmarks"] != [1, 1]:
        wrong.append(f"header and main: {found['landmarks']}")
    return wrong + (["a nav has no name"] if found["unnamed"] else [])


def too_wide(page: Page) -> list[str]:
    """The widths at which the page has to be scrolled sideways; on a phone with all that opens opened, too."""
    before = page.viewport_size
    wrong = []
    for name, size in (("desk", DESK), ("phone", PHONE)):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        wrong += [] if page.evaluate(_FITS) else [name]
    page.evaluate(_OPEN_ALL)
    wrong += [] if page.evaluate(_FITS) else ["phone, all opened"]
    page.evaluate(_CLOSE_AGAIN)
    page.set_viewport_size(before)  # type: ignore[arg-type]
    return wrong


@pytest.mark.turning(days=8)
@pytest.mark.parametrize("kind", PAGE_TYPES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_sound(browser: Browser, site: Path, address: str, language: str, kind: str) -> None:
    mode, size = SETTINGS[language][list(PAGE_TYPES).index(kind) % 2]
    context = browser.new_context(viewport=size, color_scheme=mode)
    page = context.new_page()
    faults = Faults(address)
    faults.watch(page)
    page.goto(address + path_of(site, language, kind), wait_until="load")
    found: dict[str, object] = {
        "is not titled": [] if page.locator("h1").first.is_visible() else ["no h1 is to be seen"],
        "order": wrong_order(page),
        "too wide": too_wide(page),
    }
    if language == "zh-cn":
        words = page.evaluate(SHELL_WORDS)
        found["is English"] = leftovers(words)
        found["lacks"] = [] if "跳到正文" in words else ["跳到正文"]
        found["language"] = page.evaluate("document.documentElement.lang").replace("zh-CN", "")
    page.evaluate(SHORTEN)
    found["axe"] = violations(page)
    found["faults"] = faults.found
    context.close()
    assert {question: answer for question, answer in found.items() if answer} == {}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_page_for_what_is_not_there_is_accessible(browser: Browser, address: str, mode: Any) -> None:
    context = browser.new_context(viewport=PHONE, color_scheme=mode)
    page = context.new_page()
    page.goto(f"{address}404.html")
    found = violations(page)
    context.close()
    assert found == []


# What stands on a page that is sound, and what is said of it.
BAD = [
    ("<h4>Steps</h4>", wrong_order, ["heading 2 is followed by 4"]),
    ("<h1>Again</h1>", wrong_order, ["headings are [1, 2, 1]"]),
    ("<nav>x</nav>", wrong_order, ["a nav has no name"]),
    ("<main>x</main>", wrong_order, ["header and main: [1, 2]"]),
    ("<div class='wide'>x</div>", too_wide, ["phone", "phone, all opened"]),
    ("<details><summary>x</summary><div class='wide'>x</div></details>", too_wide, ["phone, all opened"]),
]


@pytest.fixture(scope="module")
def bare(browser: Browser) -> Page:
    """A window without the site."""
    return browser.new_page(viewport=DESK)  # type: ignore[arg-type]


@pytest.mark.parametrize(("markup", "ask", "expected"), BAD)
def test_what_is_wrong_with_a_page_is_found(bare: Page, markup: str, ask: Any, expected: list[str]) -> None:
    page = "<style>.wide { width: 900px }</style><header></header><main><h1>A</h1><h2>B</h2>%s</main>"
    bare.set_content(page % "")
    assert ask(bare) == []
    bare.set_content(page % markup)
    assert ask(bare) == expected
