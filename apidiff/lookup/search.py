"""Finds mappings by names, text and behaviour, in both languages."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
from rapidfuzz import fuzz, process

from apidiff.lookup.answer import Found, Match, SearchResult
from apidiff.lookup.readings import Reading, name_query, readings, telling
from apidiff.lookup.tokens import index_words, query_words

_MATCHES = 3  # passages shown for one mapping
_NAME_WEIGHT, _TEXT_WEIGHT, _BEHAVIOUR_WEIGHT = 4.0, 2.0, 1.0
_EXACT = 1000.0  # added to the score of a mapping whose name is what was typed
_NEXT = 100.0  # less for each name that comes after it; ranks of words stay below
_NEAR = 80.0
_FEW = 10  # mappings that are only near to what was typed


class _Row(NamedTuple):
    """A passage that was found: its number, the JSON of the match, its rank (lower is better)."""

    passage: int
    mapping: str
    json: str
    rank: float


def search(connection: sqlite3.Connection, words: str, limit: int = 10) -> SearchResult:
    """The mappings that fit ``words``, best first, at most ``limit``.

    Passages that hold every word, or the name that is meant by it, are looked for first; if there are none, words that
    are nowhere are taken for misspelled names; if that finds nothing either, passages that hold most of the words.
    """
    words = unicodedata.normalize("NFKC", words)
    everyday: dict[str, list[str]] = {}
    for name, api in connection.execute("SELECT name, api FROM everyday ORDER BY position"):
        everyday.setdefault(name, []).append(api)
    asked = readings(words, everyday)
    corrected: dict[str, str] = {}
    rows = _rows(connection, _query(query_words(words), asked))
    if not rows:
        corrected = _corrections(connection, asked)
        asked = [Reading([corrected.get(word, word) for word in one.words], one.means) for one in asked]
        rows = _rows(connection, _query([], asked)) if corrected else []
        rows = rows or _most(connection, asked)
        limit = min(limit, _FEW)
    exact = _exact(connection, words, asked)
    passages: dict[str, list[Match]] = {}
    scores: dict[str, float] = {}
    for _, mapping, json, rank in rows:
        scores.setdefault(mapping, exact.get(mapping, 0.0) - rank)
        shown = passages.setdefault(mapping, [])
        match = msgspec.json.decode(json, type=Match)
        # Targets of one mapping share caveats: one text is shown once.
        if len(shown) < _MATCHES and all(match.text != other.text for other in shown):
            shown.append(match)
    best = sorted(scores, key=lambda mapping: (-scores[mapping], mapping))[:limit]
    return SearchResult(
        words=words,
        corrected=corrected,
        results=[_found(connection, mapping, scores[mapping], passages[mapping]) for mapping in best],
    )


def _query(words: Sequence[str], asked: Iterable[Reading]) -> str:
    """What finds passages that hold ``words``, or every reading, for FTS5; empty where there are none."""
    every = [f"({one})" for one in map(_fits, asked) if one]
    written = " AND ".join(f'"{word}"' for word in words)
    return " OR ".join(f"({one})" for one in (written, " AND ".join(every)) if one)


def _fits(reading: Reading) -> str:
    """What finds passages that hold the reading as it is typed, or a name that it means."""
    written = " AND ".join(f'"{word}"' for word in reading.words)
    return " OR ".join([f"({written})", *map(name_query, reading.means)]) if written else ""


def _rows(connection: sqlite3.Connection, query: str) -> list[_Row]:
    """Passages that fit the query, best first."""
    if not query:
        return []
    found = connection.execute(
        "SELECT passage.id, mapping, json, weight * bm25(words, ?, ?, ?) AS score"
        " FROM words JOIN passage ON passage.id = words.rowid WHERE words MATCH ? ORDER BY score, passage.id",
        (_NAME_WEIGHT, _TEXT_WEIGHT, _BEHAVIOUR_WEIGHT, query),
    )
    return [_Row(*row) for row in found]


def _most(connection: sqlite3.Connection, asked: Iterable[Reading]) -> list[_Row]:
    """Passages that hold half of the readings, a name counted twice; where a word is nowhere, more than half."""
    asked = [one for one in asked if telling(one.words)]
    # A run of Chinese is taken apart here: its pairs need not follow each other.
    asked = [
        Reading([word], one.means)
        for one in asked
        for word in (one.words if one.means else " ".join(one.words).split())
    ]
    held: Counter[int] = Counter()
    least = len(asked)
    for reading in asked:
        rows = _rows(connection, _fits(reading))
        worth = 2 if reading.means or any(_spelled(connection, word) for word in reading.words) else 1
        held.update({row.passage: worth for row in rows})
        least += not rows
    some = " OR ".join(f"({_fits(one)})" for one in asked)
    return [row for row in _rows(connection, some) if 2 * held[row.passage] >= least]


def _exact(connection: sqlite3.Connection, words: str, asked: Sequence[Reading]) -> dict[str, float]:
    """What is added to the scores of the mappings that are named: what is typed before what is meant by it."""
    typed = [word for one in asked if len(one.words) == 1 or not one.means for word in one.words]
    names = [(0, name) for name in (words.strip(), *typed)]
    names += [(place, api) for one in asked for place, api in enumerate(one.means, 1)]
    found: dict[str, float] = {}
    for place, name in sorted(names):
        for mapping in _spelled(connection, name):
            found.setdefault(mapping, _EXACT - place * _NEXT)
    return found


def _spelled(connection: sqlite3.Connection, name: str) -> list[str]:
    """The mappings that are called ``name``."""
    return [
        mapping
        for (mapping,) in connection.execute(
            "SELECT mapping FROM name WHERE spelling = ?1 AND rank = (SELECT min(rank) FROM name WHERE spelling = ?1)",
            (name,),
        )
    ]


def _corrections(connection: sqlite3.Connection, asked: Iterable[Reading]) -> dict[str, str]:
    """For each word that is nowhere, the name or part of a name that is spelled most alike."""
    names = {spelling for (spelling,) in connection.execute("SELECT DISTINCT spelling FROM name")}
    known = sorted({word for name in names for word in index_words(name).split()})
    found = {}
    for term in telling([word for one in asked if not one.means for word in one.words]):
        if not _rows(connection, f'"{term}"'):
            near = process.extractOne(term, known, scorer=fuzz.ratio, score_cutoff=_NEAR)
            if near:
                found[term] = near[0]
    return found


def _found(connection: sqlite3.Connection, mapping: str, score: float, matches: list[Match]) -> Found:
    (json,) = connection.execute("SELECT json FROM found WHERE mapping = ?", (mapping,)).fetchone()
    return msgspec.convert(msgspec.json.decode(json) | {"score": round(score, 3), "matches": matches}, Found)
