"""How much a mapping's page shows and weighs: an answer is read in ten seconds, and nothing is said twice."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest
import turning
from page_text import PageText
from page_types import LANGUAGES

MOST_WORDS = 900
MEDIAN_BYTES = 40_000
HEAVIEST_BYTES = 100_000


def pages(site: Path, language: str) -> list[Path]:
    found = sorted((site / language / "mappings").glob("*.html"))
    assert found, f"no page of a mapping in {site / language}"
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_shows_few_words_until_something_is_opened_and_no_sentence_twice(site: Path, language: str) -> None:
    """Of hundreds of pages a third, another one each day; each in both languages within six days, all of them every night."""
    found, today = pages(site, language), turning.day()
    read = {
        f"{page.stem} at MindSpore {chosen['mindspore']}": text.read(chosen)
        for page in (found if today is None else turning.due(found, 3, today))
        for text in [PageText(page)]
        for chosen in text.choices()
    }
    assert {name: words for name, (words, _) in read.items() if words > MOST_WORDS} == {}
    assert min(words for words, _ in read.values()) > 30  # the count sees the page
    assert {name: repeated for name, (_, repeated) in read.items() if repeated} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_light(site: Path, language: str) -> None:
    sizes = {page.stem: page.stat().st_size for page in pages(site, language)}
    assert {name: size for name, size in sizes.items() if size > HEAVIEST_BYTES} == {}
    assert median(sizes.values()) <= MEDIAN_BYTES
