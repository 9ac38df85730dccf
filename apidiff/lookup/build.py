"""Fills the tables of the index from the entries.

An answer is stored as pieces of finished JSON, so that giving one is joining text: nothing is decoded on the way.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from apidiff.lookup.answer import (
    AnsweredClaim,
    AnsweredDifference,
    AnsweredDocument,
    AnsweredExample,
    AnsweredObservation,
    AnsweredOtherwise,
    AnsweredParameter,
    OtherwiseRow,
    TargetRow,
)
from apidiff.lookup.names import counterpart_spellings, spellings
from apidiff.lookup.passages import fill_search
from apidiff.model import Risk, Version
from apidiff.model.ranges import holds
from apidiff.model.views import (
    ClaimEntry,
    CounterpartEntry,
    Entry,
    OtherwiseEntry,
    RangeEntry,
    StatedEntry,
    TargetEntry,
)

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
-- Each release under every version a reader may type that covers it; `age` 0 is the newest release.
CREATE TABLE release (framework TEXT, typed TEXT, age INTEGER, version TEXT, PRIMARY KEY (framework, typed, age))
  WITHOUT ROWID;
-- `api` is the full name that the spelling stands for, `far` 1 where another source of the same API is meant first.
CREATE TABLE name (spelling TEXT, rank INTEGER, mapping TEXT, target INTEGER, api TEXT, far INTEGER);
CREATE INDEX name_spelling ON name (spelling, rank);
CREATE TABLE entry (id TEXT PRIMARY KEY, json TEXT) WITHOUT ROWID;
CREATE TABLE counterpart (name TEXT PRIMARY KEY, json TEXT, body TEXT) WITHOUT ROWID;
-- `head` and `body` are members of the answer's JSON object, without its braces.
CREATE TABLE mapping (id TEXT PRIMARY KEY, source TEXT, head TEXT, empty TEXT) WITHOUT ROWID;
CREATE TABLE target (mapping TEXT, position INTEGER, name TEXT, head TEXT, body TEXT, PRIMARY KEY (mapping, position))
  WITHOUT ROWID;
CREATE INDEX target_name ON target (name);
CREATE TABLE otherwise (mapping TEXT, position INTEGER, answer TEXT, json TEXT, body TEXT,
  PRIMARY KEY (mapping, position)) WITHOUT ROWID;
CREATE TABLE answering (mapping TEXT, version TEXT, position INTEGER, PRIMARY KEY (mapping, version, position))
  WITHOUT ROWID;
CREATE TABLE used (api TEXT, mapping TEXT, position INTEGER, PRIMARY KEY (api, mapping, position)) WITHOUT ROWID;
CREATE TABLE standing (mapping TEXT, version TEXT, position INTEGER, status TEXT, json TEXT,
  PRIMARY KEY (mapping, version, position)) WITHOUT ROWID;
CREATE TABLE claim (mapping TEXT, subject TEXT, position INTEGER, head TEXT, tail TEXT,
  PRIMARY KEY (mapping, subject, position)) WITHOUT ROWID;
CREATE TABLE observed (mapping TEXT, subject TEXT, position INTEGER, version TEXT, age INTEGER, json TEXT,
  PRIMARY KEY (mapping, subject, position, version)) WITHOUT ROWID;
"""


def build(meta: dict[str, str]) -> sqlite3.Connection:
    """An index in memory of the data that ship with the package; ``meta`` goes into the table of that name.

    Raises ApidiffError where the data are invalid.
    """
    from apidiff.database import load
    from apidiff.derive.counterparts import counterparts
    from apidiff.lookup.entry import entries

    data = load()
    releases = {framework: [release.version for release in found] for framework, found in data.frameworks.items()}
    found = entries(data)
    return build_from(found, releases, meta, counterparts(data, found))


def keep(connection: sqlite3.Connection, path: str) -> None:
    """Writes the database in ``connection`` to ``path``; where that fails, a note goes to stderr and nothing is left."""
    target = Path(path)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(connection.serialize())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        sys.stderr.write(
            f"apidiff: note: the index cannot be kept in {target.parent} ({error.strerror}) and is built for this call "
            "only; set XDG_CACHE_HOME to a folder that can be written.\n"
        )


def build_from(
    entries: Mapping[str, Entry],
    releases: Mapping[str, Sequence[str]],
    meta: dict[str, str],
    counterparts: Mapping[str, CounterpartEntry],
) -> sqlite3.Connection:
    """An index in memory of ``entries`` and ``counterparts``.

    ``releases`` lists the known versions of each framework in any order.
    """
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(_TABLES)
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    for framework, versions in releases.items():
        connection.executemany("INSERT INTO release VALUES (?, ?, ?, ?)", _typed(framework, versions))
    known = [Version(text) for text in releases.get("mindspore", ())]
    for entry in entries.values():
        _add(connection, entry, known)
    _add_counterparts(connection, counterparts.values())
    fill_search(connection, entries.values(), counterparts.values())
    connection.commit()
    return connection


def _typed(framework: str, versions: Sequence[str]) -> Iterable[tuple[str, str, int, str]]:
    for age, version in enumerate(sorted((Version(text) for text in versions), reverse=True)):
        pieces = [str(number) for number in version.parts]
        for typed in {version.text, *(".".join(pieces[:count]) for count in (1, 2, 3))}:
            yield framework, typed, age, version.text


def _add(connection: sqlite3.Connection, entry: Entry, releases: Sequence[Version]) -> None:
    names = {(one.text, one.rank, entry.id, one.target, one.api, int(one.far)) for one in spellings(entry)}
    connection.executemany("INSERT INTO name VALUES (?, ?, ?, ?, ?, ?)", sorted(names, key=str))
    connection.execute("INSERT INTO entry VALUES (?, ?)", (entry.id, _json(entry)))
    rows = [_as(row, TargetRow, name=target.name) for target in entry.targets for row in target.ranges]
    head = {
        "id": entry.id,
        "category": entry.category,
        "source": entry.source,
        "summary": entry.summary,
        "aliases": entry.aliases,
        "signatures": entry.signatures,
        "documents": {key: _as(document, AnsweredDocument) for key, document in entry.documents.items()},
        "targets": rows,
        "otherwise_ranges": [
            {key: getattr(one, key) for key in OtherwiseRow.__struct_fields__} for one in entry.otherwise
        ],
    }
    empty = _answer_body(Risk.NONE.value, [], "", "")
    connection.execute(
        "INSERT INTO mapping VALUES (?, ?, ?, ?)", (entry.id, entry.source, _members(head), _members(empty))
    )
    for position, target in enumerate(entry.targets):
        connection.execute(
            "INSERT INTO target VALUES (?, ?, ?, ?, ?)",
            (entry.id, position, target.name, _members(_head(target)), _members(_body(target))),
        )
        for release in releases:
            if row := standing(target, release):
                members = {"status": row.status, "range": row.range, "since": row.since, "until": row.until}
                connection.execute(
                    "INSERT INTO standing VALUES (?, ?, ?, ?, ?)",
                    (entry.id, release.text, position, row.status, _members(members)),
                )
    for position, answer in enumerate(entry.otherwise):
        _add_otherwise(connection, entry, position, answer, releases)
    for position, claim in enumerate(entry.claims):
        _add_claim(connection, entry, position, claim)


def _add_otherwise(
    connection: sqlite3.Connection, entry: Entry, position: int, answer: OtherwiseEntry, releases: Sequence[Version]
) -> None:
    differences = [_as(difference, AnsweredDifference) for difference in answer.differences]
    json = _as(
        answer,
        AnsweredOtherwise,
        recipe=answer.recipe and _as(answer.recipe, AnsweredExample),
        stated=_stated(entry, answer.stated),
        differences=differences,
    )
    body = _answer_body(answer.risk, differences, answer.before, answer.after)
    place = (entry.id, position)
    connection.execute(
        "INSERT INTO otherwise VALUES (?, ?, ?, ?, ?)", (*place, answer.answer, _json(json), _members(body))
    )
    held = [(entry.id, one.text, position) for one in releases if holds(answer.since, answer.until, one)]
    connection.executemany("INSERT INTO answering VALUES (?, ?, ?)", held)
    # A member is found by its class too.
    names = {*answer.uses, *(name.rpartition(".")[0] for name in answer.uses)}
    connection.executemany("INSERT INTO used VALUES (?, ?, ?)", [(name, *place) for name in sorted(names)])


def _answer_body(risk: str, differences: list[AnsweredDifference], before: str, after: str) -> dict[str, Any]:
    """The members of an answer without a target that `_body` gives for one with a target."""
    return {
        "risk": risk,
        "differences": differences,
        "parameters": [],
        "members": [],
        "before": before,
        "after": after,
    }


def _add_counterparts(connection: sqlite3.Connection, counterparts: Iterable[CounterpartEntry]) -> None:
    for found in counterparts:
        documents = [_as(document, AnsweredDocument) for document in found.documents]
        body = _members({"why": found.why, "nearest": found.nearest, "documents": documents})
        connection.execute("INSERT INTO counterpart VALUES (?, ?, ?)", (found.name, _json(found), body))
        names = {(one.text, one.rank, mapping, one.target, one.api) for one, mapping in counterpart_spellings(found)}
        connection.executemany("INSERT INTO name VALUES (?, ?, ?, ?, ?, 0)", sorted(names, key=str))


def _head(target: TargetEntry) -> dict[str, Any]:
    return {"name": target.name, "kind": target.kind, "signatures": target.signatures, "note": target.note}


def _body(target: TargetEntry) -> dict[str, Any]:
    return {
        "risk": target.risk,
        "differences": [_as(difference, AnsweredDifference) for difference in target.differences],
        "parameters": [_as(parameter, AnsweredParameter) for parameter in target.parameters],
        "members": [_as(member, AnsweredParameter) for member in target.members],
        "before": target.before,
        "after": target.after,
    }


def standing(target: TargetEntry, release: Version) -> RangeEntry | None:
    """The range of ``target`` that covers ``release``, or None."""
    return next((row for row in target.ranges if holds(row.since, row.until, release)), None)


def _add_claim(connection: sqlite3.Connection, entry: Entry, position: int, claim: ClaimEntry) -> None:
    bare = _as(claim, AnsweredClaim, stated=_stated(entry, claim.stated), observed=[])
    # A quote inside a JSON string is escaped, so this text is found where the member stands and nowhere else.
    head, member, tail = _json(bare).partition('"observed":[')
    place = (entry.id, claim.subject, position)
    connection.execute("INSERT INTO claim VALUES (?, ?, ?, ?, ?)", (*place, head + member, tail))
    by_version: dict[str, list[AnsweredObservation]] = {}
    for observation in claim.observed:
        answered = _as(observation, AnsweredObservation, asked_version=None)
        by_version.setdefault(observation.framework_version, []).append(answered)
    newest_first = sorted(by_version, key=Version, reverse=True)
    for age, version in enumerate(newest_first):
        items = ",".join(_json(item) for item in by_version[version])
        connection.execute("INSERT INTO observed VALUES (?, ?, ?, ?, ?, ?)", (*place, version, age, items))


def _stated(entry: Entry, stated: Sequence[StatedEntry]) -> list[dict[str, Any]]:
    """The places with the documents they are in."""
    document = ("title", "url", "framework", "version")
    return [{**_plain(entry.documents[one.document], document), **_fields(one)} for one in stated]


def _fields(record: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


def _plain(record: msgspec.Struct, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}


def _as(record: msgspec.Struct, kind: type[Any], **more: Any) -> Any:
    """``record`` as ``kind``, a subclass of its class, with the fields ``more``."""
    return msgspec.convert(_fields(record) | more, kind, from_attributes=True)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _members(value: dict[str, Any]) -> str:
    """The members of a JSON object, one a line, without its braces."""
    return ",\n".join(f"{_json(key)}:{_json(item)}" for key, item in value.items())
