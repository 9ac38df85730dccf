"""Chinese pages are Chinese throughout: no word of the shell is left in English, and spacing is as Chinese readers expect."""

from __future__ import annotations

import re

import pytest
from leftovers import FACE, SHELL_WORDS, leftovers
from page_types import HEAVY
from watched import Visit

# No space where Chinese meets a Latin letter or a figure; a half-width mark after a Chinese character.
_SPACING = re.compile(f"{FACE}[A-Za-z0-9]|[A-Za-z0-9]{FACE}|{FACE}[,;:!?](?!\\S*[a-z]\\()")


def test_the_shell_of_a_chinese_page_is_spaced(visit: Visit) -> None:
    page = visit.open(f"zh-cn/{HEAVY}")
    words = [one for one in page.evaluate(SHELL_WORDS) if re.search(FACE, one)]
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
