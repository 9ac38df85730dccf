"""How much a mapping's page shows and weighs: an answer is read in ten seconds, and nothing is said twice."""

from __future__ import annotations

import functools
from pathlib import Path
from statistics import median

import pytest
from page_text import PageText
from page_types import LANGUAGES

MOST_WORDS = 900
MEDIAN_BYTES = 40_000
HEAVIEST_BYTES = 100_000


text_of = functools.cache(PageText)  # read once for all questions


def pages(site: Path, language: str) -> list[Path]:
    found = sorted((site / language / "mappings").glob("*.html"))
    assert found, f"no page of a mapping in {site / language}"
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_shows_few_words_until_something_is_opened(site: Path, language: str) -> None:
    counts = {
        f"{page.stem} at MindSpore {chosen['mindspore']}": text.words_before_opening(chosen)
        for page in pages(site, language)
        for text in [text_of(page)]
        for chosen in text.choices()
    }
    assert {name: count for name, count in counts.items() if count > MOST_WORDS} == {}
    assert min(counts.values()) > 30  # the count sees the page


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_stands_twice_on_a_page(site: Path, language: str) -> None:
    repeated = {
        f"{page.stem} at MindSpore {chosen['mindspore']}": found
        for page in pages(site, language)
        for text in [text_of(page)]
        for chosen in text.choices()
        if (found := text.repeated_sentences(chosen))
    }
    assert repeated == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_light(site: Path, language: str) -> None:
    sizes = {page.stem: page.stat().st_size for page in pages(site, language)}
    assert {name: size for name, size in sizes.items() if size > HEAVIEST_BYTES} == {}
    assert median(sizes.values()) <= MEDIAN_BYTES
