from __future__ import annotations

import pytest
from kb_entries import RELEASES, all_entries, counterparts

from apidiff.lookup.build import index_of
from apidiff.lookup.index import Index
from apidiff.lookup.knowledge import KnowledgeBase


@pytest.fixture(scope="session")
def index() -> Index:
    return index_of(all_entries(), counterparts(), RELEASES)


@pytest.fixture(scope="session")
def kb(index: Index) -> KnowledgeBase:
    return KnowledgeBase(index)
