"""The tables of an exported SQLite database, made to be queried by hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from apidiff.database.terms import load_terms
from apidiff.lookup.passages import fill_search
from apidiff.model.base import Text
from apidiff.model.views import ClaimEntry, CounterpartEntry, Entry, OtherwiseEntry, ParameterEntry, TargetEntry

_TABLES = """
CREATE TABLE mapping (id TEXT PRIMARY KEY, category TEXT, source TEXT, summary_en TEXT, summary_zh TEXT, risk TEXT);
CREATE TABLE alias (mapping TEXT REFERENCES mapping, alias TEXT);
CREATE TABLE document (mapping TEXT REFERENCES mapping, key TEXT, title TEXT, url TEXT, url_zh TEXT, framework TEXT, version TEXT,
  seed INTEGER, PRIMARY KEY (mapping, key));
-- `version` is the framework's; the source's signatures have the source's name as `api`.
CREATE TABLE signature (mapping TEXT REFERENCES mapping, api TEXT, version TEXT, text TEXT);
CREATE TABLE target (id INTEGER PRIMARY KEY, mapping TEXT REFERENCES mapping, name TEXT, kind TEXT, risk TEXT,
  code_before TEXT, code_after TEXT, note_en TEXT, note_zh TEXT);
-- MindSpore versions, both ends included, NULL where open.
CREATE TABLE target_range (target INTEGER REFERENCES target, since TEXT, until TEXT, text TEXT, status TEXT);
-- `relations`: names joined by commas.
-- `source_range`, `target_range`: the versions that have it, NULL where all known ones do.
CREATE TABLE parameter (target INTEGER REFERENCES target, position INTEGER, source_name TEXT, target_name TEXT,
  source_default TEXT, target_default TEXT, source_range TEXT, target_range TEXT, relations TEXT, risk TEXT,
  text_en TEXT, text_zh TEXT);
CREATE TABLE member (target INTEGER REFERENCES target, position INTEGER, source_name TEXT, target_name TEXT,
  source_range TEXT, target_range TEXT, relations TEXT, risk TEXT, text_en TEXT, text_zh TEXT);
-- What answers the source in versions without a target; `answer`: composed, not_needed or no_counterpart.
CREATE TABLE otherwise (id INTEGER PRIMARY KEY, mapping TEXT REFERENCES mapping, answer TEXT, since TEXT, until TEXT,
  text TEXT, why_en TEXT, why_zh TEXT, instead_en TEXT, instead_zh TEXT, recipe TEXT, recipe_code TEXT, risk TEXT);
CREATE TABLE used (otherwise INTEGER REFERENCES otherwise, api TEXT);
-- MindSpore's communication APIs; `why_…`: why no PyTorch API corresponds. The sources of the others: `target`, `used`.
-- `nearest`: IDs of mappings joined by commas.
CREATE TABLE counterpart (api TEXT PRIMARY KEY, why_en TEXT, why_zh TEXT, nearest TEXT);
-- `position` 1 is the worst.
CREATE TABLE difference (target INTEGER REFERENCES target, position INTEGER, id TEXT, kind TEXT, risk TEXT,
  text_en TEXT, text_zh TEXT, evidence_en TEXT, evidence_zh TEXT, PRIMARY KEY (target, id));
CREATE TABLE difference_claim (target INTEGER, difference TEXT, claim TEXT,
  FOREIGN KEY (target, difference) REFERENCES difference (target, id));
CREATE TABLE claim (mapping TEXT REFERENCES mapping, id TEXT, subject TEXT, side TEXT, kind TEXT, text_en TEXT,
  text_zh TEXT, reason_en TEXT, reason_zh TEXT, PRIMARY KEY (mapping, id));
CREATE TABLE stated (mapping TEXT, claim TEXT, document TEXT, part TEXT, text_en TEXT, text_zh TEXT,
  FOREIGN KEY (mapping, claim) REFERENCES claim (mapping, id));
-- `measured_by`: who made the run, in their own words; `trust`: who vouches for it, project or signed; `signer`: the name by
-- which that signer is known, whatever was typed.
CREATE TABLE observation (mapping TEXT, claim TEXT, outcome TEXT, framework TEXT, framework_version TEXT, backend TEXT,
  device TEXT, world_size INTEGER, probe TEXT, run TEXT, evidence TEXT, measured_by TEXT,
  evidence_zh TEXT, trust TEXT, signer TEXT,
  FOREIGN KEY (mapping, claim) REFERENCES claim (mapping, id));
CREATE INDEX observation_claim ON observation (mapping, claim);
"""


class _Rows:
    """Rows by table. They are written together: one call of SQLite for each takes longer than its work."""

    def __init__(self) -> None:
        self._of: dict[str, list[tuple[Any, ...]]] = {}

    def add(self, table: str, *values: Any) -> int:
        """Return the number of the row, counted from one, which is its ``id`` where None stands for that."""
        rows = self._of.setdefault(table, [])
        rows.append(values)
        return len(rows)

    def write(self, connection: sqlite3.Connection) -> None:
        for table, rows in self._of.items():
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 (our own names)


def fill_tables(
    connection: sqlite3.Connection, entries: Iterable[Entry], counterparts: Iterable[CounterpartEntry]
) -> None:
    """Creates and fills the tables, and those that searching by words reads (see `apidiff.lookup.passages`)."""
    entries, counterparts = list(entries), list(counterparts)
    connection.executescript(_TABLES)
    rows = _Rows()
    for entry in entries:
        rows.add("mapping", entry.id, entry.category, entry.source, *_both(entry.summary), entry.risk)
        for alias in entry.aliases:
            rows.add("alias", entry.id, alias)
        for key, document in entry.documents.items():
            rows.add(
                "document",
                entry.id,
                key,
                document.title,
                document.url,
                document.url_zh or None,
                document.framework,
                document.version,
                document.seed,
            )
        for version, text in entry.signatures.items():
            rows.add("signature", entry.id, entry.source, version, text)
        for target in entry.targets:
            _add_target(rows, entry, target)
        for answer in entry.otherwise:
            _add_otherwise(rows, entry, answer)
        for claim in entry.claims:
            _add_claim(rows, entry, claim)
    for counterpart in counterparts:
        rows.add("counterpart", counterpart.name, *_both(counterpart.why), ",".join(counterpart.nearest))
    rows.write(connection)
    fill_search(connection, entries, counterparts, load_terms())
    connection.commit()


def _add_target(rows: _Rows, entry: Entry, target: TargetEntry) -> None:
    key = rows.add(
        *("target", None, entry.id, target.name, target.kind, target.risk),
        *(target.before, target.after, *_both(target.note)),
    )
    for version, text in target.signatures.items():
        rows.add("signature", entry.id, target.name, version, text)
    for span in target.ranges:
        rows.add("target_range", key, span.since, span.until, span.range, span.status)
    for position, row in enumerate(target.parameters, 1):
        defaults = row.source_default, row.target_default
        rows.add("parameter", key, position, row.source, row.target, *defaults, *_row(row))
    for position, row in enumerate(target.members, 1):
        rows.add("member", key, position, row.source, row.target, *_row(row))
    for position, difference in enumerate(target.differences, 1):
        evidence = (
            "\n".join(
                f"{one.claim or ', '.join(one.samples)}: {one.text.en} [{', '.join(one.runs)}]"
                for one in difference.evidence
            ),
            "\n".join(
                f"{one.claim or ', '.join(one.samples)}: {one.text.zh} [{', '.join(one.runs)}]"
                for one in difference.evidence
            ),
        )
        rows.add(
            "difference",
            key,
            position,
            difference.id,
            difference.kind,
            difference.risk,
            *_both(difference.text),
            *evidence,
        )
        for claim in difference.claims:
            rows.add("difference_claim", key, difference.id, claim)


def _row(row: ParameterEntry) -> tuple[str | None, ...]:
    return row.source_range, row.target_range, ",".join(row.relations), row.risk, *_both(row.text)


def _add_otherwise(rows: _Rows, entry: Entry, answer: OtherwiseEntry) -> None:
    recipe = (answer.recipe.path, answer.recipe.code) if answer.recipe else (None, None)
    span = answer.since, answer.until, answer.range
    texts = *_both(answer.why), *_both(answer.instead)
    key = rows.add("otherwise", None, entry.id, answer.answer, *span, *texts, *recipe, answer.risk)
    for api in answer.uses:
        rows.add("used", key, api)


def _add_claim(rows: _Rows, entry: Entry, claim: ClaimEntry) -> None:
    place = entry.id, claim.id
    rows.add("claim", *place, claim.subject, claim.side, claim.kind, *_both(claim.text), *_both(claim.reason))
    for stated in claim.stated:
        rows.add("stated", *place, stated.document, stated.part, *_both(stated.text))
    for observed in claim.observed:
        release = observed.framework, observed.framework_version
        where = observed.backend, observed.device, observed.world_size
        english, chinese = "\n".join(observed.evidence), "\n".join(observed.evidence_zh or observed.evidence)
        made = observed.probe, observed.run, english, observed.measured_by, chinese
        trusted = observed.trust.value, observed.signer or None
        rows.add("observation", *place, observed.outcome.value, *release, *where, *made, *trusted)


def _both(text: Text | None) -> tuple[str | None, str | None]:
    return (text.en, text.zh) if text else (None, None)
