"""Opens the index, and builds it first where it is missing or no longer fits the data."""

from __future__ import annotations

import sqlite3

from apidiff.lookup.freshness import fingerprint, index_file

SCHEMA = "4"  # of the tables in build.py


def open_index() -> sqlite3.Connection:
    """A read-only connection to an index that fits the data as it is now.

    The index is written to a temporary name and renamed, so several processes may build it at once and a reader never
    sees half of one. Where it cannot be kept it is built in memory and a note goes to stderr. Raises ApidiffError where
    the data are invalid.
    """
    path, wanted = index_file(), fingerprint()
    if connection := _open(path, wanted):
        return connection
    from apidiff.lookup.build import build, keep

    connection = build({"fingerprint": wanted, "schema": SCHEMA})
    keep(connection, path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _open(path: str, wanted: str) -> sqlite3.Connection | None:
    address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        # immutable: files are only ever replaced whole, so SQLite need not look for locks and journals.
        connection = sqlite3.connect(f"file:{address}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    except sqlite3.OperationalError:
        return None
    try:
        found = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('fingerprint', 'schema')"))
    except sqlite3.DatabaseError:  # no database, or one of something else: it is built again
        found = {}
    if found == {"fingerprint": wanted, "schema": SCHEMA}:
        return connection
    connection.close()
    return None
