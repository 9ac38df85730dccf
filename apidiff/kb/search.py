"""Finds mappings by names, text and behaviour, in both languages."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec
from rapidfuzz import fuzz, process

from apidiff.kb.answer import Found, Match, SearchResult
from apidiff.kb.tokens import index_words, query_words

_MATCHES = 3  # passages shown for one mapping
_NAME_WEIGHT, _TEXT_WEIGHT, _BEHAVIOUR_WEIGHT = 4.0, 2.0, 1.0
_EXACT = 100.0  # added to the score of a mapping whose name is what was typed; ranks of words stay far below
_NEAR = 70.0


def search(connection: sqlite3.Connection, words: str, limit: int = 10) -> SearchResult:
    """The mappings that fit ``words``, best first, at most ``limit``.

    Passages that hold every word are looked for first; if there are none, words that are nowhere are taken for
    misspelled names; if that finds nothing either, passages that hold any of the words.
    """
    terms = query_words(words)
    corrected: dict[str, str] = {}
    rows = _rows(connection, terms, "AND")
    if not rows:
        corrected = _corrections(connection, terms)
        terms = [corrected.get(term, term) for term in terms]
        rows = _rows(connection, terms, "AND") or _rows(connection, terms, "OR")
    exact = {
        mapping
        for name in {words.strip(), *terms}
        for (mapping,) in connection.execute(
            "SELECT mapping FROM name WHERE spelling = ?1 AND rank = (SELECT min(rank) FROM name WHERE spelling = ?1)",
            (name,),
        )
    }
    passages: dict[str, list[Match]] = {}
    scores: dict[str, float] = {}
    for mapping, json, rank in rows:
        scores.setdefault(mapping, (_EXACT if mapping in exact else 0.0) - rank)
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


def _rows(connection: sqlite3.Connection, terms: Sequence[str], joint: str) -> list[tuple[str, str, float]]:
    """Passages that hold the terms, best first: mapping, JSON of the match, rank (lower is better)."""
    if not terms:
        return []
    return connection.execute(
        "SELECT mapping, json, weight * bm25(words, ?, ?, ?) AS score FROM words JOIN passage ON passage.id = words.rowid"
        " WHERE words MATCH ? ORDER BY score, passage.id",
        (_NAME_WEIGHT, _TEXT_WEIGHT, _BEHAVIOUR_WEIGHT, f" {joint} ".join(f'"{term}"' for term in terms)),
    ).fetchall()


def _corrections(connection: sqlite3.Connection, terms: Sequence[str]) -> dict[str, str]:
    """For each term that is nowhere, the name or part of a name that is spelled most alike."""
    names = {spelling for (spelling,) in connection.execute("SELECT DISTINCT spelling FROM name")}
    known = sorted({word for name in names for word in index_words(name).split()})
    found = {}
    for term in terms:
        if not _rows(connection, [term], "AND"):
            near = process.extractOne(term, known, scorer=fuzz.ratio, score_cutoff=_NEAR)
            if near:
                found[term] = near[0]
    return found


def _found(connection: sqlite3.Connection, mapping: str, score: float, matches: list[Match]) -> Found:
    (json,) = connection.execute("SELECT json FROM found WHERE mapping = ?", (mapping,)).fetchone()
    return msgspec.convert(msgspec.json.decode(json) | {"score": round(score, 3), "matches": matches}, Found)
