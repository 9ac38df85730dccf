"""The command, with variables that decide how text comes out set the same everywhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import give, start

from apidiff.database.paths import PACKAGE
from apidiff.lookup.knowledge import KnowledgeBase

Run = Callable[..., subprocess.CompletedProcess[str]]


_SET = {"LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS", "PYTHONUNBUFFERED"}


@pytest.fixture
def environment(knowledge: KnowledgeBase) -> dict[str, str]:
    """Variables that decide how text comes out, set the same everywhere. The index is there, as all tests use it."""
    kept = {key: value for key, value in os.environ.items() if key not in _SET}
    kept.update(PYTHONPATH=str(PACKAGE.parent), LANG="C.UTF-8", COLUMNS="80", NO_COLOR="1")
    return kept


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """Gives `apidiff` with the arguments, in an empty folder; keyword arguments are variables."""

    def made(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return give(*arguments, environment=environment | variables, folder=tmp_path)

    return made


@pytest.fixture
def run_process(environment: dict[str, str], tmp_path: Path) -> Run:
    """The same as a process of its own."""

    def made(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return start(*arguments, environment=environment | variables, folder=tmp_path)

    return made
