"""Cuts text into the words that are indexed, and reads the words of a query.

SQLite's own tokenizer takes a run of Chinese characters for one word, so runs are cut into pairs here, and into single
characters so that a word of one character is found too. Names are indexed whole and by their parts. Letters of full width
are those of half width.

In a query everyday names, such as 'point to point' or 广播, stand for names of APIs. The browser reads a query in the
same way: ``conf/elements/src/search/readings.ts``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

# Words that are in every text and tell none from another.
EMPTY = """
    a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my no
    not of on or so such than that the their them then there these they this those to was we were what when where which
    who why will with would you your
""".split()  # noqa: SIM905 - a list of them would be a page long
_EMPTY = frozenset(EMPTY)
_PIECE = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*|[\u3400-\u9fff]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Reading(NamedTuple):
    """A word or phrase of a query. ``words``: as `query_words` cuts it; ``means``: words of API names that it stands for."""

    words: list[str]
    means: list[str]


@lru_cache(maxsize=16384)  # the texts and names of passages repeat, and there are some ten thousand of them
def index_words(text: str) -> str:
    """``text`` as the words it is found by, joined by spaces: names also by part, Chinese by pair and by character."""
    words: list[str] = []
    for piece in _pieces(text):
        words += [*_pairs(piece), *piece] if _is_chinese(piece) else _name_words(piece)
    return " ".join(words)


@lru_cache(maxsize=65536)  # a text has a word more than once, and all texts have the same
def _name_words(piece: str) -> list[str]:
    """A name or word, and what it is also found by: its parts."""
    names = [piece, *piece.split(".")] if "." in piece else [piece]
    parts = _PART.findall(names[-1])
    return [word.lower() for word in (names + parts if len(parts) > 1 else names)]


def query_words(text: str) -> list[str]:
    """The words of a query, each a word that `index_words` makes or, for a Chinese run, the sequence of its pairs."""
    return [" ".join(_pairs(piece)) or piece if _is_chinese(piece) else piece.lower() for piece in _pieces(text)]


def _pieces(text: str) -> list[str]:
    """The names and words of ``text``, and its runs of Chinese characters."""
    return _PIECE.findall(unicodedata.normalize("NFKC", text))


def _is_chinese(piece: str) -> bool:
    """Whether the piece is a run of Chinese characters."""
    return piece[0] >= "\u3400"


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]


def readings(text: str, everyday: Mapping[str, Sequence[str]]) -> list[Reading]:
    """The words and phrases of ``text``. ``everyday``: everyday names with what they mean, the longest of which is taken."""
    return [Reading(query_words(said), list(everyday.get(key, ()))) for said, key in _apart(_pieces(text), everyday)]


def telling(words: list[str]) -> list[str]:
    """The words that tell one text from another."""
    return [word for word in words if word not in _EMPTY]


def name_query(name: str) -> str:
    """What finds the names that are ``name`` or have it as a part, for FTS5."""
    parts = [part.lower() for part in _PART.findall(name)]
    return f'"{name.lower()}" OR "{" ".join(parts)}"' if len(parts) > 1 else f'"{name.lower()}"'


def _apart(typed: list[str], everyday: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Each word or phrase as it is typed and as it is looked up."""
    longest = max((name.count(" ") + 1 for name in everyday), default=1)
    start = 0
    while start < len(typed):
        if _is_chinese(typed[start]):
            yield from ((part, part) for part in _run(typed[start], everyday))
            start += 1
            continue
        for end in range(min(start + longest, len(typed)), start, -1):
            key = " ".join(typed[start:end]).replace("_", " ").lower()
            if key in everyday or end == start + 1:
                yield " ".join(typed[start:end]), key
                start = end
                break


def _run(run: str, everyday: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The everyday names in a run of Chinese, and what stands between them."""
    start = rest = 0
    while start < len(run):
        end = next((end for end in range(len(run), start, -1) if run[start:end] in everyday), start)
        if end > start:
            if rest < start:
                yield run[rest:start]
            yield run[start:end]
            start = rest = end
        else:
            start += 1
    if rest < len(run):
        yield run[rest:]
