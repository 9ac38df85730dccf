"""What of a mapping's page a reader sees at a pair of versions, before and after opening what is folded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Tag

_CJK = r"[\u3400-\u9fff]"
# A run of Latin letters and digits with what joins them into names is a word; so is each Chinese character.
_WORD = re.compile(rf"{_CJK}|[A-Za-z0-9_][A-Za-z0-9_.\-]*")
_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+")
# What an exception says may be several sentences, the first of which other exceptions say too.
_QUOTES = re.compile(r"\b[A-Z]\w*(?:Error|Exception): .*[.!?]$")
# Shorter ones are labels ("Watch", "PyTorch 2.13.0") or names of things, which a page may repeat. A word has about two
# Chinese characters.
_SHORTEST_SENTENCE = 5
_BLOCKS = ("p", "li", "td", "summary")


class PageText:
    """A built page of a mapping, read from its file as the site's script shows it."""

    def __init__(self, file: Path) -> None:
        self._text = file.read_text("utf-8")
        self._whole = soup = self._soup()  # never changed; what is changed is read anew
        self._known: dict[str, list[str]] = {}
        self.first: dict[str, str] = {}
        for framework in ("torch", "mindspore"):
            meta = soup.select_one(f'meta[name="apidiff:{framework}"]')
            assert meta is not None, f"{file} does not say which versions of {framework} can be chosen"
            self._known[framework] = str(meta["content"]).split()
            run = str(meta["data-run"]).split()
            self.first[framework] = next(version for version in self._known[framework] if version in run)

    def choices(self) -> list[dict[str, str]]:
        """One pair of versions per answer of the page: that shown first, then the newest release of each other answer."""
        answers = [part for part in self._whole.select("section[data-other]") if part.get("data-mindspore")]
        newest = [str(part["data-mindspore"]).split()[0].rpartition("..")[2] for part in answers]
        versions = dict.fromkeys([self.first["mindspore"], *newest])
        return [{**self.first, "mindspore": version} for version in versions]

    def read(self, chosen: dict[str, str]) -> tuple[int, list[str]]:
        """Count the words that stand there until a fold is opened, and list the sentences that stand more than once in all."""
        article = self._article(chosen)
        words = _words(article) - sum(map(_folded_words, article.select("details:not([open])")))
        for code in article.select("pre"):
            code.decompose()
        sentences = Counter(_sentences(article))
        return words, sorted(sentence for sentence, count in sentences.items() if count > 1)

    def _soup(self) -> BeautifulSoup:
        return BeautifulSoup(self._text, "html.parser")

    def _article(self, chosen: dict[str, str]) -> Tag:
        """Return the article without what the site's script hides at the chosen versions."""
        article = self._soup().select_one("article.bd-article")
        assert article is not None
        for link in article.select("a.headerlink"):
            link.decompose()
        hidden = [part for part in article.select("[data-torch], [data-mindspore]") if not self._fits(part, chosen)]
        for part in hidden:
            part.decompose()
        for fold in article.select("section[data-other] > details"):  # the answer of the chosen versions stands open
            fold["open"] = ""
        return article

    def _fits(self, part: Tag, chosen: dict[str, str]) -> bool:
        return all(
            self._covers(framework, str(spans), chosen[framework])
            for framework in chosen
            if (spans := part.get(f"data-{framework}")) is not None
        )

    def _covers(self, framework: str, spans: str, version: str) -> bool:
        order = self._known[framework]
        for span in spans.split():
            first, _, last = span.partition("..")
            if order.index(last or first) <= order.index(version) <= order.index(first):
                return True
        return False


def _words(part: Tag) -> int:
    return len(_WORD.findall(part.get_text(" ")))


def _folded_words(fold: Tag) -> int:
    """Count the words that a closed fold hides, none where another closed one holds it."""
    if fold.find_parent(lambda tag: tag.name == "details" and not tag.has_attr("open")):
        return 0
    return sum(_words(child) for child in fold.find_all(recursive=False) if child.name != "summary")


def _sentences(article: Tag) -> Iterator[str]:
    for block in article.find_all(_BLOCKS):
        if block.find(_BLOCKS):
            continue  # its parts are looked at
        for sentence in sentences_of(" ".join(block.get_text("").split())):
            words = _WORD.findall(sentence)
            characters = sum(bool(re.fullmatch(_CJK, word)) for word in words)
            if len(words) - characters / 2 >= _SHORTEST_SENTENCE:
                yield sentence.strip()


def sentences_of(text: str) -> list[str]:
    """Cut ``text`` into its sentences; what an exception says is part of the sentence that quotes it."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        if found and _QUOTES.search(found[-1]):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found
