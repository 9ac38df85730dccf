"""What tests of servers share: the command that starts one."""

from __future__ import annotations

import sys

import pytest

from apidiff.lookup.knowledge import KnowledgeBase

COMMAND = [sys.executable, "-m", "apidiff"]


@pytest.fixture(scope="session", autouse=True)
def _the_index_is_there(knowledge: KnowledgeBase) -> None:
    """No server is asked while it builds one."""
