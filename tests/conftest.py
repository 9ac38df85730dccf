"""What holds for every test."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import turning

if TYPE_CHECKING:
    from apidiff.database import Data
    from apidiff.lookup.knowledge import KnowledgeBase
    from apidiff.model.views import Entry


def pytest_configure(config: pytest.Config) -> None:
    """Takes Ctrl-C even where the tests were started with it ignored (in the background of a shell without job control).

    Processes started by tests inherit what is ignored; the tests that interrupt them would wait for nothing. Sets the limit of
    pytest-timeout too: in pyproject.toml it would be an unknown option where that is not installed.
    """
    turning.set_day()
    gc.set_threshold(50_000, 10, 10)  # as commands do
    config.addinivalue_line("markers", turning.MARKER)
    os.environ.setdefault("PYTEST_TIMEOUT", "1200")
    # Nothing is said of time on a machine that may be busy. Where only claims are run, Hypothesis is not installed.
    if find_spec("hypothesis"):
        from hypothesis import HealthCheck, settings

        settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
        settings.load_profile("patient")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)  # after -k, so that what is chosen by name is run on any day
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the cases of turning tests that are not due today, and puts those that need an event loop first.

    After the first page in a browser a loop of Playwright's runs in the process until its end, and no other can be started.
    """
    items.sort(key=lambda item: item.get_closest_marker("asyncio") is None)
    today = turning.day()
    if today is not None and (not_due := turning.left_out(items, today)):
        gone = {item.nodeid for item in not_due}
        items[:] = [item for item in items if item.nodeid not in gone]
        config.hook.pytest_deselected(items=not_due)


def pytest_collection_finish() -> None:
    """Keep what was collected out of the search for garbage: it stays to the end."""
    gc.freeze()


def pytest_report_header() -> str:
    """Says which cases of turning tests are run, and how to repeat that."""
    return f"turning tests: {turning.VARIABLE}={os.environ[turning.VARIABLE]}"


@pytest.fixture(scope="session")
def database() -> Data:
    """The data that ship with the package, read once; no test changes them."""
    from command import read_data

    return read_data()


@pytest.fixture(scope="session")
def knowledge() -> KnowledgeBase:
    """What the package answers from. The index behind it is built by the first process that asks, for all of them."""
    from apidiff import load

    build = Path(__file__).parents[1] / "build"
    build.mkdir(exist_ok=True)
    with (build / ".index-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return load()


@pytest.fixture(scope="session")
def all_entries(knowledge: KnowledgeBase) -> dict[str, Entry]:
    """The entries of all mappings."""
    entries = dict(knowledge.entries)
    gc.freeze()
    return entries
