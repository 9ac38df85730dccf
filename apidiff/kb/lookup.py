"""Gives the answer to a lookup as JSON, joined from the pieces in the index."""

from __future__ import annotations

import sqlite3


def lookup_json(
    connection: sqlite3.Connection, name: str, mindspore: str | None = None, torch: str | None = None
) -> str:
    """The `Answer` about the API ``name`` as JSON text, ending in a newline.

    ``mindspore`` and ``torch`` are versions as typed; the newest known MindSpore release is meant where none is given.
    Raises UnknownVersion, UnknownName or AmbiguousName.
    """
    releases = _covered(connection, "mindspore", mindspore)
    torch_releases = None if torch is None else _covered(connection, "torch", torch)
    mapping, asked_target, quoted = _resolve(connection, name)
    release = releases[0]
    source, head, empty = connection.execute(
        "SELECT source, head, empty FROM mapping WHERE id = ?", (mapping,)
    ).fetchone()
    current = connection.execute(
        "SELECT position, name FROM standing JOIN target USING (mapping, position)"
        " WHERE mapping = ? AND version = ? AND status = 'current'",
        (mapping, release),
    ).fetchone()
    chosen = asked_target if asked_target is not None else current and current[0]
    torch_release = torch_releases[0] if torch_releases else None
    asked = _object(f'"name":{quoted}', _member("mindspore", release), _member("torch", torch_release))
    claims = _claims(connection, mapping, source, torch_releases)
    if chosen is None:
        target, body = "null", empty
    else:
        target_name, target, body = _target(connection, mapping, chosen, release)
        claims += _claims(connection, mapping, target_name, releases)
    members = (
        f'"asked":{asked}',
        head,
        f'"target":{target}',
        _member("current", current and current[1]),
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
        from apidiff.kb.errors import unknown_version

        raise unknown_version(connection, framework, typed)
    return [version for (version,) in rows]


def _resolve(connection: sqlite3.Connection, name: str) -> tuple[str, int | None, str]:
    """The mapping ``name`` stands for, where it names one target that target's position, and the name as JSON."""
    rows = connection.execute(
        "SELECT mapping, target, json_quote(spelling) FROM name WHERE spelling = ?1"
        " AND rank = (SELECT min(rank) FROM name WHERE spelling = ?1)",
        (name,),
    ).fetchall()
    mappings = {row[0] for row in rows}
    if len(mappings) != 1:
        from apidiff.kb.errors import ambiguous_name, unknown_name

        raise ambiguous_name(name, sorted(mappings)) if mappings else unknown_name(connection, name)
    mapping, target, quoted = rows[0]
    # A short spelling that fits several targets of one mapping asks for the mapping.
    return mapping, target if len(rows) == 1 else None, quoted


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
