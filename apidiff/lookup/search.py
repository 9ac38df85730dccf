"""Finds mappings by names, text and behaviour, in both languages."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
from rapidfuzz import fuzz, process

from apidiff.lookup.answer import Found, Match, SearchResult
from apidiff.lookup.index import Spelling, broken_index
from apidiff.lookup.words import Reading, index_words, name_query, query_words, readings, telling
from apidiff.model.base import Text
from apidiff.model.vocabulary import Risk

_MATCHES = 3  # passages shown for one mapping
_NAME_WEIGHT, _TEXT_WEIGHT, _BEHAVIOUR_WEIGHT = 4.0, 2.0, 1.0
_EXACT = 1000.0  # added to the score of a mapping whose name is what was typed
_NEXT = 100.0  # less for each name that comes after it; ranks of words stay below
_STYLE = 50.0  # less for one that is written in another style: `Linear` for `linear`
_NEAR = 80.0
_FEW = 10  # mappings that are only near to what was typed


_MOST_WORDS = 40  # of a question; of a longer one, what is repeated counts once
_LONGEST_WORD = 200  # characters


def shortened(words: str) -> str:
    """The question, no longer than anybody asks. Repetitions stay in a short one: 'point to point' is a name."""
    each = [word[:_LONGEST_WORD] for word in words[: _MOST_WORDS * _LONGEST_WORD].split()]
    if len(each) > _MOST_WORDS:
        each = list(dict.fromkeys(each))
    return " ".join(each[:_MOST_WORDS])


class _Row(NamedTuple):
    """A passage that fits: its number, its mapping, what is shown of it, its rank (lower is better)."""

    passage: int
    mapping: str
    match: Match
    rank: float


# The columns that are read, by table: a damaged index may hold other values, and lack rows.
_PASSAGES = list[tuple[int, str, float, str, str, Risk | None, str, str]]
_FOUND = tuple[str, str, Risk]
_USES = tuple[int]
_EVERYDAY = list[tuple[str, str]]


class Searcher:
    """Searches the passages of a database that `apidiff.lookup.passages` filled; threads may share it.

    ``database``: as SQLite serializes it. ``names``: the spellings of an index, which misspelled words are compared with.
    Raises ApidiffError where it is none.
    """

    def __init__(self, database: bytes | memoryview, names: Mapping[str, Sequence[Spelling]]) -> None:
        self.names = names
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self.everyday: dict[str, list[str]] = {}
        try:
            self.connection.deserialize(database)
            rows = self.connection.execute("SELECT name, api FROM everyday ORDER BY position").fetchall()
            for name, api in msgspec.convert(rows, _EVERYDAY):
                self.everyday.setdefault(name, []).append(api)
        except (sqlite3.Error, msgspec.ValidationError, MemoryError) as error:  # the latter for an empty one
            raise broken_index() from error

    def search(self, words: str, limit: int = 10) -> SearchResult:
        """The mappings that fit ``words``, best first, at most ``limit``.

        Passages that hold every word, or the name that is meant by it, are looked for first; if there are none, words
        that are nowhere are taken for misspelled names; if that finds nothing either, passages that hold most of the
        words. Raises ApidiffError where the index holds no such database.
        """
        try:
            return self._search(words, limit)
        except (sqlite3.Error, msgspec.ValidationError) as error:
            raise broken_index() from error

    def _search(self, words: str, limit: int) -> SearchResult:
        words = shortened(unicodedata.normalize("NFKC", words))
        asked = _unlike(readings(words, self.everyday))
        corrected: dict[str, str] = {}
        rows = self._rows(_query(query_words(words), asked))
        if not rows:
            corrected = self._corrections(asked)
            asked = [Reading([corrected.get(word, word) for word in reading.words], reading.means) for reading in asked]
            rows = self._rows(_query([], asked)) if corrected else []
            rows = rows or self._most(asked)
            limit = min(limit, _FEW)
        bonus = self._bonus(words, asked)
        passages: dict[str, list[Match]] = {}
        scores: dict[str, float] = {}
        for row in rows:
            scores.setdefault(row.mapping, bonus.get(row.mapping, 0.0) - row.rank)
            shown = passages.setdefault(row.mapping, [])
            # Targets of one mapping share caveats: one text is shown once.
            if len(shown) < _MATCHES and all(row.match.text != match.text for match in shown):
                shown.append(row.match)
        # Of APIs that are called what was typed, and nothing beside it was, the one that is used most leads.
        uses = {mapping: self._uses(mapping) for mapping in bonus if mapping in scores} if len(asked) == 1 else {}
        best = sorted(
            scores,
            key=lambda mapping: (-bonus.get(mapping, 0.0), -uses.get(mapping, 0), -scores[mapping], mapping),
        )[:limit]
        results = [self._found(mapping, scores[mapping], passages[mapping]) for mapping in best]
        return SearchResult(words=words, corrected=corrected, results=results)

    def _rows(self, query: str) -> list[_Row]:
        """Passages that fit the query, best first."""
        if not query:
            return []
        rows = self.connection.execute(
            "SELECT passage.id, mapping, weight * bm25(words, ?, ?, ?) AS score, kind, ref, risk, text_en, text_zh"
            " FROM words JOIN passage ON passage.id = words.rowid WHERE words MATCH ? ORDER BY score, passage.id",
            (_NAME_WEIGHT, _TEXT_WEIGHT, _BEHAVIOUR_WEIGHT, query),
        )
        return [
            _Row(passage, mapping, Match(kind=kind, ref=ref, risk=risk and risk.value, text=Text(en=en, zh=zh)), score)
            for passage, mapping, score, kind, ref, risk, en, zh in msgspec.convert(rows.fetchall(), _PASSAGES)
        ]

    def _passages(self, query: str) -> list[int]:
        """The numbers of the passages that fit the query."""
        if not query:
            return []
        return [
            number for (number,) in self.connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,))
        ]

    def _most(self, asked: Iterable[Reading]) -> list[_Row]:
        """Passages that hold half of the readings, a name counted twice; where a word is nowhere, more than half."""
        asked = [reading for reading in asked if telling(reading.words)]
        # A run of Chinese is taken apart here: its pairs need not follow each other.
        asked = [
            Reading([word], reading.means)
            for reading in asked
            for word in (reading.words if reading.means else " ".join(reading.words).split())
        ]
        held: Counter[int] = Counter()
        least = len(asked)
        for reading in asked:
            passages = self._passages(_fits(reading))
            worth = 2 if reading.means or any(word in self.names for word in reading.words) else 1
            held.update(dict.fromkeys(passages, worth))
            least += not passages
        some = " OR ".join(f"({_fits(reading)})" for reading in asked)
        return [row for row in self._rows(some) if 2 * held[row.passage] >= least]

    def _bonus(self, words: str, asked: Sequence[Reading]) -> dict[str, float]:
        """What is added to the scores of the mappings that are named: what is typed before what is meant by it."""
        typed = [word for reading in asked if len(reading.words) == 1 or not reading.means for word in reading.words]
        meant = [(0, name) for name in (words.strip(), *typed)]
        meant += [(place, api) for reading in asked for place, api in enumerate(reading.means, 1)]
        bonus: dict[str, float] = {}
        for place, name in sorted(meant):
            for spelling in self.names.get(name, ()):
                bonus.setdefault(spelling.mapping or spelling.api, _EXACT - place * _NEXT)
        for name in (words.strip(), *typed):
            for styled in self._styles.get(_bare(name), ()):
                for spelling in self.names[styled]:
                    bonus.setdefault(spelling.mapping or spelling.api, _EXACT - _STYLE)
        return bonus

    @cached_property
    def _styles(self) -> dict[str, list[str]]:
        """Last parts of names by what they have in common with those in another style."""
        styles: dict[str, list[str]] = {}
        for name in self.names:
            if "." not in name:
                styles.setdefault(_bare(name), []).append(name)
        return styles

    def _uses(self, mapping: str) -> int:
        """How often real code names the source of a mapping."""
        row = self.connection.execute("SELECT uses FROM found WHERE mapping = ?", (mapping,)).fetchone()
        return msgspec.convert(row, _USES)[0] if row else 0

    def _corrections(self, asked: Iterable[Reading]) -> dict[str, str]:
        """For each word that is nowhere, the name or part of a name that is spelled most alike."""
        known = sorted({word for name in self.names for word in index_words(name).split()})
        corrections = {}
        for term in telling([word for reading in asked if not reading.means for word in reading.words]):
            if not self._rows(f'"{term}"'):
                near = process.extractOne(term, known, scorer=fuzz.ratio, score_cutoff=_NEAR)
                if near:
                    corrections[term] = near[0]
        return corrections

    def _found(self, mapping: str, score: float, matches: list[Match]) -> Found:
        row = self.connection.execute(
            "SELECT summary_en, summary_zh, risk FROM found WHERE mapping = ?", (mapping,)
        ).fetchone()
        summary_en, summary_zh, risk = msgspec.convert(row, _FOUND)
        summary = Text(en=summary_en, zh=summary_zh)
        return Found(id=mapping, summary=summary, risk=risk.value, score=round(score, 3), matches=matches)


def _bare(name: str) -> str:
    """The name without what tells styles apart: ``AllReduce`` and ``all_reduce`` are one."""
    return name.replace("_", "").lower()


def _unlike(asked: Iterable[Reading]) -> list[Reading]:
    """The readings without those that are said again."""
    return list({tuple(reading.words): reading for reading in asked}.values())


def _query(words: Sequence[str], asked: Iterable[Reading]) -> str:
    """What finds passages that hold ``words``, or every reading, for FTS5; empty where there are none."""
    every = [f"({one})" for one in map(_fits, asked) if one]
    written = " AND ".join(f'"{word}"' for word in words)
    return " OR ".join(f"({one})" for one in (written, " AND ".join(every)) if one)


def _fits(reading: Reading) -> str:
    """What finds passages that hold the reading as it is typed, or a name that it means."""
    written = " AND ".join(f'"{word}"' for word in reading.words)
    return " OR ".join([f"({written})", *map(name_query, reading.means)]) if written else ""
