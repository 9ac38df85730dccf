"""The command as a user starts it: a process of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_process import COMMAND

from apidiff.database.paths import PACKAGE

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def environment(cache: Path) -> dict[str, str]:
    """Variables that decide how text comes out, set the same everywhere."""
    kept = {key: value for key, value in os.environ.items() if key not in {"LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS"}}
    kept.update(XDG_CACHE_HOME=str(cache), PYTHONPATH=str(PACKAGE.parent), LANG="C.UTF-8", COLUMNS="80", NO_COLOR="1")
    return kept


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs `apidiff` with the arguments given, in an empty folder; keyword arguments are variables."""

    def start(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            cwd=tmp_path,
            env=environment | variables,
        )

    return start
