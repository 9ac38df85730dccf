"""Cuts text into the words that are indexed and searched.

SQLite's own tokenizer takes a run of Chinese characters for one word, so runs are cut into pairs here, and into single
characters so that a word of one character is found too. Names are indexed whole and by their parts. Letters of full width
are those of half width.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_PIECE = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*|[\u3400-\u9fff]+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=4096)  # the names and kinds of behaviour of passages repeat
def index_words(text: str) -> str:
    """``text`` as the words it is found by, joined by spaces: names also by part, Chinese by pair and by character."""
    words: list[str] = []
    for piece in pieces(text):
        if is_chinese(piece):
            words += [*_pairs(piece), *piece]
            continue
        names = [piece, *piece.split(".")] if "." in piece else [piece]
        words += [name.lower() for name in names]
        for name in names[-1:]:
            parts = PART.findall(name)
            words += [part.lower() for part in parts] if len(parts) > 1 else []
    return " ".join(words)


def query_words(text: str) -> list[str]:
    """The words of a query, each a word that `index_words` makes or, for a Chinese run, the sequence of its pairs."""
    return [" ".join(_pairs(piece)) or piece if is_chinese(piece) else piece.lower() for piece in pieces(text)]


def pieces(text: str) -> list[str]:
    """The names and words of ``text``, and its runs of Chinese characters."""
    return _PIECE.findall(unicodedata.normalize("NFKC", text))


def is_chinese(piece: str) -> bool:
    """Whether the piece is a run of Chinese characters."""
    return piece[0] >= "\u3400"


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]
