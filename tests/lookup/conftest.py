from __future__ import annotations

import sqlite3

import pytest
from kb_entries import RELEASES, all_entries, counterparts

from apidiff.lookup.build import build_from
from apidiff.lookup.knowledge import KnowledgeBase


@pytest.fixture(scope="session")
def connection() -> sqlite3.Connection:
    return build_from(all_entries(), RELEASES, {}, counterparts())


@pytest.fixture(scope="session")
def kb(connection: sqlite3.Connection) -> KnowledgeBase:
    return KnowledgeBase(connection)
