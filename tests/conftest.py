"""What holds for every test."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from apidiff.database import Data
    from apidiff.model.views import Entry


def pytest_configure() -> None:
    """Takes Ctrl-C even where the tests were started with it ignored (in the background of a shell without job control).

    Processes started by tests inherit what is ignored; the tests that interrupt them would wait for nothing. Sets the limit of
    pytest-timeout too: in pyproject.toml it would be an unknown option where that is not installed.
    """
    os.environ.setdefault("PYTEST_TIMEOUT", "600")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def database() -> Data:
    """The data that ship with the package, read once; no test changes them."""
    from apidiff.database import load

    return load()


@pytest.fixture(scope="session")
def all_entries(database: Data) -> dict[str, Entry]:
    """The entries of all its mappings, made once."""
    from apidiff.lookup.entry import entries

    return entries(database)
