"""Gives the answer to a lookup as JSON, joined from the pieces in the index."""

from __future__ import annotations

import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    _Row = tuple[str | None, int | None, str, int, str]  # mapping, target, api, far, the name as JSON


def lookup_json(
    connection: sqlite3.Connection, name: str, mindspore: str | None = None, torch: str | None = None
) -> str:
    """The `Answer` about the API ``name`` as JSON text, ending in a newline.

    ``mindspore`` and ``torch`` are versions as typed; the newest known MindSpore release is meant where none is given.
    Raises UnknownVersion, UnknownName or AmbiguousName, and NoCounterpart for a MindSpore API to which no source
    corresponds.
    """
    releases = _covered(connection, "mindspore", mindspore)
    torch_releases = None if torch is None else _covered(connection, "torch", torch)
    release, torch_release = releases[0], torch_releases[0] if torch_releases else None
    mapping, asked_target, api, quoted = _resolve(connection, name, release)
    asked = _object(
        f'"name":{quoted}', _member("api", api), _member("mindspore", release), _member("torch", torch_release)
    )
    if mapping is None:
        _raise_no_counterpart(connection, api, asked)
    source, head, empty = connection.execute(
        "SELECT source, head, empty FROM mapping WHERE id = ?", (mapping,)
    ).fetchone()
    current = connection.execute(
        "SELECT position, name FROM standing JOIN target USING (mapping, position)"
        " WHERE mapping = ? AND version = ? AND status = 'current'",
        (mapping, release),
    ).fetchone()
    otherwise = connection.execute(
        "SELECT answer, json, body FROM answering JOIN otherwise USING (mapping, position)"
        " WHERE mapping = ? AND version = ?",
        (mapping, release),
    ).fetchone()
    chosen = asked_target if asked_target is not None else current and current[0]
    claims = _claims(connection, mapping, source, torch_releases)
    served = api
    if chosen is None:
        target, body = "null", otherwise[2] if otherwise else empty
    else:
        target_name, target, body = _target(connection, mapping, chosen, release)
        claims += _claims(connection, mapping, target_name, releases)
        served = target_name if api == source else api
    members = (
        f'"asked":{asked}',
        head,
        _member("answer", "maps_to" if current else otherwise and otherwise[0]),
        f'"target":{target}',
        _member("current", current and current[1]),
        f'"otherwise":{otherwise[1] if otherwise else "null"}',
        f'"serves":[{",".join(_serves(connection, served, release))}]',
        body,
        '"claims":[\n' + ",\n".join(claims) + "\n]",
    )
    return _object(*members) + "\n"


def _covered(connection: sqlite3.Connection, framework: str, typed: str | None) -> list[str]:
    """The known releases that ``typed`` covers, newest first; the newest of all for None."""
    rows = connection.execute(
        "SELECT DISTINCT version FROM release WHERE framework = ?1 AND (typed = ?2 OR (?2 IS NULL AND age = 0)) ORDER BY age",
        (framework, typed),
    ).fetchall()
    if not rows:
        from apidiff.lookup.errors import unknown_version

        raise unknown_version(connection, framework, typed)
    return [version for (version,) in rows]


def _resolve(connection: sqlite3.Connection, name: str, release: str) -> tuple[str | None, int | None, str, str]:
    """The mapping ``name`` stands for, the position of the target it names, the API's full name, the name as JSON.

    The mapping is None for a MindSpore API without a source. The position is None where it names a source, what an answer
    uses, or several targets of one mapping: such a name asks for the mapping.
    """
    rows = connection.execute(
        "SELECT DISTINCT mapping, target, api, far, json_quote(spelling) FROM name WHERE spelling = ?1"
        " AND rank = (SELECT min(rank) FROM name WHERE spelling = ?1)",
        (name,),
    ).fetchall()
    if not rows:
        from apidiff.lookup.errors import unknown_name

        raise unknown_name(connection, name)
    apis = {row[2] for row in rows}
    if len({row[0] for row in rows}) > 1:
        if len(apis) > 1:
            from apidiff.lookup.errors import ambiguous_name

            raise ambiguous_name(name, sorted(apis))
        rows = [_first_meant(connection, rows, release)]
    mapping, target, api, _, quoted = rows[0]
    if len(rows) > 1 and mapping is not None:
        target, api = None, connection.execute("SELECT source FROM mapping WHERE id = ?", (mapping,)).fetchone()[0]
    return mapping, target, api, quoted


def _first_meant(connection: sqlite3.Connection, rows: list[_Row], release: str) -> _Row:
    """Of several sources that one MindSpore API serves, the one that is answered.

    The one for which it stands best at the release; among equals the one of the same name.
    """
    order = ["current", "available", "deprecated", "removed"]

    def place(row: _Row) -> tuple[int, int, str]:
        found = connection.execute(
            "SELECT status FROM standing WHERE mapping = ? AND version = ? AND position = ?", (row[0], release, row[1])
        ).fetchone()
        return order.index(found[0]) if found else len(order), row[3], str(row[0])

    return min(rows, key=place)


def _serves(connection: sqlite3.Connection, api: str, release: str) -> list[str]:
    """The sources that ``api`` serves, as JSON: those it is a target of, then those whose answer uses it."""
    rows = connection.execute(
        "SELECT t.mapping, source, 'target' AS role, status FROM target t JOIN mapping m ON m.id = t.mapping"
        " LEFT JOIN standing s ON s.mapping = t.mapping AND s.position = t.position AND s.version = ?2 WHERE t.name = ?1"
        " UNION ALL SELECT u.mapping, source, 'used', CASE WHEN max(version) IS NULL THEN NULL ELSE answer END"
        " FROM used u JOIN mapping m ON m.id = u.mapping"
        " JOIN otherwise o ON o.mapping = u.mapping AND o.position = u.position"
        " LEFT JOIN answering a ON a.mapping = u.mapping AND a.position = u.position AND version = ?2"
        " WHERE u.api = ?1 GROUP BY u.mapping ORDER BY role, source",
        (api, release),
    )
    keys = ("id", "source", "role", "status")
    return [_object(*(_member(key, value) for key, value in zip(keys, row, strict=True))) for row in rows]


def _raise_no_counterpart(connection: sqlite3.Connection, api: str, asked: str) -> NoReturn:
    from apidiff.lookup.errors import NoCounterpart

    (body,) = connection.execute("SELECT body FROM counterpart WHERE name = ?", (api,)).fetchone()
    raise NoCounterpart(api, _object(f'"asked":{asked}', '"counterpart":null', body) + "\n")


def _target(connection: sqlite3.Connection, mapping: str, position: int, release: str) -> tuple[str, str, str]:
    name, head, body, standing = connection.execute(
        "SELECT name, head, body, json FROM target LEFT JOIN standing"
        " ON standing.mapping = target.mapping AND standing.position = target.position AND version = ?"
        " WHERE target.mapping = ? AND target.position = ?",
        (release, mapping, position),
    ).fetchone()
    nowhere = '"status":null,"range":null,"since":null,"until":null'
    return name, _object(head, standing or nowhere), body


def _claims(connection: sqlite3.Connection, mapping: str, subject: str, releases: list[str] | None) -> list[str]:
    """The claims about ``subject`` as JSON, observations of ``releases`` first (None: every version counts as asked)."""
    observed: dict[int, tuple[list[str], list[str]]] = {}
    for position, version, text in connection.execute(
        "SELECT position, version, json FROM observed WHERE mapping = ? AND subject = ? ORDER BY age",
        (mapping, subject),
    ):
        asked = releases is None or version in releases
        # Only the member itself can read so: a quote inside a JSON string is escaped.
        text = text.replace('"asked_version":null', f'"asked_version":{"true" if asked else "false"}')
        observed.setdefault(position, ([], []))[not asked].append(text)
    rows = connection.execute(
        "SELECT position, head, tail FROM claim WHERE mapping = ? AND subject = ? ORDER BY position", (mapping, subject)
    )
    found = []
    for position, head, tail in rows:
        first, then = observed.get(position, ((), ()))
        found.append(head + ",".join((*first, *then)) + tail)
    return found


def _member(key: str, value: str | None) -> str:
    # For names of APIs and versions, in which nothing needs an escape; importing `json` would cost more than the rest.
    return f'"{key}":null' if value is None else f'"{key}":"{value}"'


def _object(*members: str) -> str:
    return "{" + ",\n".join(members) + "}"
