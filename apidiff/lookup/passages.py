"""What of an entry can be found by searching, and the words it is found by."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from apidiff.database.terms import Term, everyday_names
from apidiff.lookup.answer import Match
from apidiff.lookup.names import counterpart_spellings, spellings
from apidiff.lookup.words import index_words
from apidiff.messages.labels import LABELS, filled
from apidiff.messages.synonyms import words_of
from apidiff.model.base import Text
from apidiff.model.views import CounterpartEntry, Entry

_TABLES = """
-- `weight`: of two passages that fit alike the one that tells more comes first.
-- `kind` and `ref` say what it is a passage of; `mapping` is the API's name for a MindSpore API that no mapping names.
CREATE TABLE passage (id INTEGER PRIMARY KEY, mapping TEXT, weight REAL, kind TEXT, ref TEXT, risk TEXT, text_en TEXT,
  text_zh TEXT);
-- What is shown of each mapping that is found, and how often real code names its source.
CREATE TABLE found (mapping TEXT PRIMARY KEY, summary_en TEXT, summary_zh TEXT, risk TEXT, uses INTEGER) WITHOUT ROWID;
-- What people type and the words of API names that they mean by it: conf/terms.yaml.
CREATE TABLE everyday (name TEXT, api TEXT, position INTEGER);
-- Words are cut by apidiff.lookup.words; the tokenizer only splits at spaces and stems English.
CREATE VIRTUAL TABLE words USING fts5 (names, text, behaviour, content='', tokenize="porter unicode61 tokenchars '_.'");
"""


def fill_search(
    connection: sqlite3.Connection,
    entries: Iterable[Entry],
    counterparts: Iterable[CounterpartEntry],
    terms: Iterable[Term],
) -> None:
    """Adds the tables that searching reads: in the index, and in an exported database."""
    connection.executescript(_TABLES)
    for name, meant in everyday_names(terms).items():
        connection.executemany(
            "INSERT INTO everyday VALUES (?, ?, ?)", [(name, api, at) for at, api in enumerate(meant)]
        )
    counterparts = list(counterparts)
    used: dict[str, list[str]] = {}
    for counterpart in counterparts:
        for spelling in counterpart_spellings(counterpart):
            used.setdefault(spelling.mapping or counterpart.name, []).append(spelling.text)
    taken = set()
    for entry in entries:
        taken.add(entry.id)
        _add_found(connection, entry.id, entry.summary, entry.risk, entry.uses)
        for match, names, behaviour in _passages(entry, used.get(entry.id, [])):
            _add(connection, entry.id, match, names, behaviour)
    for counterpart in counterparts:
        if not counterpart.serves and counterpart.name not in taken:
            text = unmatched_text(counterpart)
            _add_found(connection, counterpart.name, text, "none")
            words = " ".join([counterpart.name, *used.get(counterpart.name, [])])
            _add(connection, counterpart.name, _match("summary", counterpart.name, None, text), words, "")


def unmatched_text(counterpart: CounterpartEntry) -> Text:
    """What is said of a MindSpore API to which no source corresponds."""
    text = filled("search.no_source", name=counterpart.name)
    return filled("difference_text.next", before=text, after=counterpart.why or LABELS["serves.unnamed"])


def _add_found(connection: sqlite3.Connection, key: str, summary: Text, risk: str, uses: int = 0) -> None:
    connection.execute("INSERT INTO found VALUES (?, ?, ?, ?, ?)", (key, summary.en, summary.zh, risk, uses))


def _add(connection: sqlite3.Connection, key: str, match: Match, names: str, behaviour: str) -> None:
    row = connection.execute(
        "INSERT INTO passage (mapping, weight, kind, ref, risk, text_en, text_zh) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (key, _weight(match), match.kind, match.ref, match.risk, match.text.en, match.text.zh),
    )
    connection.execute(
        "INSERT INTO words (rowid, names, text, behaviour) VALUES (?, ?, ?, ?)",
        (row.lastrowid, index_words(names), index_words(f"{match.text.en} {match.text.zh}"), index_words(behaviour)),
    )


def _passages(entry: Entry, used: list[str]) -> Iterator[tuple[Match, str, str]]:
    """Each passage with the names it belongs to and words for its behaviour. ``used``: spellings of what answers use."""
    every_name = " ".join(dict.fromkeys([*(spelling.text for spelling in spellings(entry)), *used]))
    statuses = {span.status for target in entry.targets for span in target.ranges} & {"deprecated", "removed"}
    category = f"{entry.category} {words_of('category', entry.category)}"
    told = " ".join([category, *(words_of("status", status) for status in sorted(statuses))])
    yield _match("summary", entry.id, None, entry.summary), every_name, told
    for answer in entry.otherwise:
        said = [text for text in (answer.why, answer.instead) if text]
        text = Text(en=" ".join(part.en for part in said), zh="".join(part.zh for part in said))
        names = " ".join([entry.source, *answer.uses])
        ref = f"{entry.id}: {answer.range}"
        yield _match("otherwise", ref, answer.risk, text), names, words_of("answer", answer.answer)
    for target in entry.targets:
        both = f"{entry.source} {target.name}"
        if target.note:
            yield _match("target", target.name, target.risk, target.note), both, target.kind
        for difference in target.differences:
            called = difference.id.replace("-", " ")  # 'partial sums on other ranks'
            behaviour = f"{words_of('difference', difference.kind)} {words_of('risk', difference.risk)} {called}"
            evidence = " ".join(f"{line.text.en} {line.text.zh}" for line in difference.claim_evidence)
            match = _match("difference", f"{target.name}: {difference.id}", difference.risk, difference.text)
            yield match, both, f"{behaviour} {evidence}"
        for kind, rows in (("parameter", target.parameters), ("member", target.members)):
            for row in rows:
                if row.relations == ["same"] or row.risk != "none":
                    continue  # nothing to tell, or told as a difference
                relations = " ".join(words_of("relation", relation) for relation in row.relations)
                match = _match(kind, f"{target.name}: {row.source or row.target}", row.risk, row.text)
                yield match, both, f"{row.source} {row.target} {relations}"
    for claim in entry.claims:
        if claim.swept is not None:
            continue  # what a sweep shows is told as a difference
        seen = {f"{words_of('outcome', item.outcome)} {item.backend} {item.device}" for item in claim.summary}
        yield (
            _match("claim", claim.id, None, claim.text),
            claim.subject,
            f"{words_of('claim', claim.kind)} {' '.join(sorted(seen))}",
        )


def _match(kind: str, ref: str, risk: str | None, text: Text) -> Match:
    return Match(kind=kind, ref=ref, risk=risk, text=text)


def _weight(match: Match) -> float:
    if match.kind == "difference":
        return {"silent": 1.5, "error": 1.3, "rewrite": 1.1}.get(match.risk or "", 1.0)
    return {"parameter": 0.7, "member": 0.7, "otherwise": 1.2}.get(match.kind, 1.0)
