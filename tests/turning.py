"""Turning tests: of many expensive cases a part is run each day, another one each day, so that all are run in some days.

``@pytest.mark.turning(days=4)`` above a parametrised test says that each case is run within four days; ``kind="framework"`` names
a parameter, and then at least one case of each of its values is run each day; the tests of a file that name the same ``group``
turn together, as cases of one. What tests of pages ask in two languages, with a
parameter ``language``, they ask in one of them each day, in the other on the next. ``APIDIFF_TURNING=all`` runs all cases, as
``make every`` and the nightly workflow do; ``APIDIFF_TURNING=<number>`` repeats the day of that number. A case that is chosen
alone, by its ID or with ``-k``, is run on any day.
"""

from __future__ import annotations

import datetime
import os
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")
MARKER = (
    "turning(days, kind=None, group=None): run a part of the cases each day, all within so many days (tests/turning.py)"
)
VARIABLE = "APIDIFF_TURNING"
# The folders of tests of pages: to open one takes a second, to build one two.
_OF_PAGES = {"browser", "sphinxext"}
_LANGUAGES = 2


def set_day() -> None:
    """Fix the day for this process and those it starts, so that no worker counts another one after midnight."""
    os.environ.setdefault(VARIABLE, str(datetime.datetime.now(datetime.UTC).date().toordinal()))
    text = os.environ[VARIABLE]
    if text != "all" and not text.isdecimal():
        raise pytest.UsageError(
            f"Expected {VARIABLE} to be all or the number of a day such as 739942, but got {text!r}."
        )


def day() -> int | None:
    """Return the number of the day whose cases are run, or None where all of them are."""
    text = os.environ[VARIABLE]
    return None if text == "all" else int(text)


def due(cases: list[T], days: int, today: int) -> list[T]:
    """Choose the cases of one kind that are run today: each within ``days`` days, and at least one each day."""
    parts = min(days, len(cases))
    return [case for number, case in enumerate(cases) if number % parts == today % parts]


def left_out(items: Iterable[pytest.Item], today: int) -> list[pytest.Item]:
    """List the cases of turning tests that are not run today."""
    cases: dict[object, list[pytest.Item]] = defaultdict(list)
    days = {}
    for item in items:
        if marker := item.get_closest_marker("turning"):
            kind = _words({marker.kwargs["kind"]}, item) if "kind" in marker.kwargs else None
            group = marker.kwargs.get("group")
            key = (f"{item.nodeid.partition('::')[0]}:{group}" if group else item.nodeid.partition("[")[0], kind)
            days[key] = marker.kwargs["days"]
        elif (question := _question(item)) is not None:
            key = (item.nodeid.partition("[")[0], question)
            days[key] = _LANGUAGES
        else:
            continue
        cases[key].append(item)
    # Not all tests begin with the same language on the same day.
    turns = {key: today + zlib.crc32(repr(key).encode()) for key in cases}
    chosen = {item.nodeid for key, kept in cases.items() for item in due(kept, days[key], turns[key])}
    return [item for kept in cases.values() for item in kept if item.nodeid not in chosen]


def _question(item: pytest.Item) -> str | None:
    """Name what a test of a page asks in several languages: its parameters but for those that go with the language."""
    if item.path.parent.name not in _OF_PAGES:
        return None
    for marker in item.iter_markers("parametrize"):
        names = marker.args[0].replace(",", " ").split() if isinstance(marker.args[0], str) else marker.args[0]
        if "language" in names:
            return _words(item.callspec.params.keys() - set(names), item)  # type: ignore[attr-defined]
    return None


def _words(names: Collection[str], item: pytest.Item) -> str:
    """Write the values of parameters so that all workers, which must choose the same cases, write the same."""
    params: dict[str, object] = item.callspec.params  # type: ignore[attr-defined]
    text = repr({name: value for name, value in params.items() if name in names})
    if " at 0x" in text:
        raise pytest.UsageError(
            f"{item.nodeid}: turning cases go by what can be written, but got {text}: name another."
        )
    return text
