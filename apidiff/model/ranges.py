"""Version ranges: which versions they hold, what stands where in them, and how they are written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from apidiff.model.version import Version, read_version
from apidiff.model.vocabulary import Status

if TYPE_CHECKING:
    from apidiff.model.mapping import Target

ALL = "*"


def holds(since: str | None, until: str | None, version: Version) -> bool:
    """Whether ``version`` lies between the two ends, each read at its precision, open where None."""
    return _holds(since, until, version.text)


@lru_cache(maxsize=20_000)
def _holds(since: str | None, until: str | None, text: str) -> bool:
    # The same few versions and ranges are asked for some hundred thousand times.
    version = read_version(text)
    if since is not None and version < read_version(since):
        return False
    end = read_version(until) if until else None
    return end is None or version <= end or end.covers(version)


def status_at(target: Target, version: Version) -> Status | None:
    """The standing of a target at a MindSpore version, or None where no range holds it."""
    return next((one.status for one in target.ranges if holds(one.since, one.until, version)), None)


def between(since: str | None, until: str | None) -> str:
    """A range with both ends included, None where open: ``2.4 – 2.8``, ``≤ 2.3``, ``≥ 2.9``, ``2.4``, ``*``."""
    if since is None:
        return ALL if until is None else f"≤ {until}"
    if until is None:
        return f"≥ {since}"
    return since if since == until else f"{since} – {until}"


def ends(text: str) -> list[tuple[str | None, str | None]]:
    """The ranges that a text of `between` or `held_in` names, as their ends: '≤ 2.0, 2.4 – 2.8' is two."""
    return [_ends(one) for one in text.split(", ")]


def _ends(text: str) -> tuple[str | None, str | None]:
    if text == ALL:
        return None, None
    if text[0] in "≤≥":
        end = text[2:]
        return (None, end) if text[0] == "≤" else (end, None)
    since, _, until = text.partition(" – ")
    return since, until or since


def held_in(having: Collection[str], known: Sequence[str]) -> str | None:
    """The versions ``having`` among those ``known`` (oldest first) as text, or None where it is all of them or none.

    A run of versions that reaches the newest one is open: '≥ 2.6'. Zeros at the end are left out where no other known
    version could be meant.
    """
    marks = [version in having for version in known]
    if all(marks) or not any(marks):
        return None
    spans: list[str] = []
    start: int | None = None
    for index, held in enumerate([*marks, False]):
        if held and start is None:
            start = index
        elif not held and start is not None:
            since = None if start == 0 else _short(known[start], known, first=True)
            until = None if index == len(known) else _short(known[index - 1], known, first=False)
            spans.append(between(since, until))
            start = None
    return ", ".join(spans)


def _short(version: str, known: Sequence[str], *, first: bool) -> str:
    """``2.6`` for ``2.6.0``. At the end of a range '2.7' would take in 2.7.1, so there it stays whole if that is known."""
    short = version.removesuffix(".0") if version.count(".") > 1 else version
    others = [other for other in known if other != version and other.startswith(f"{short}.")]
    return short if first or not others else version


def told(known: Sequence[str], text: str) -> list[str]:
    """Those of the versions ``known`` that ranges as text hold: ``≥ 2.6``, ``≤ 2.0, 2.4 – 2.8``; in the order of ``known``."""
    ranges = ends(text)
    return [one for one in known if any(holds(since, until, read_version(one)) for since, until in ranges)]


def spans(known: Sequence[str], versions: Collection[str]) -> str:
    """Runs of neighbours of ``known`` (newest first) that are all in ``versions``, as ``FIRST..LAST``, oldest first."""
    found = []
    for held, run in groupby(known, lambda one: one in versions):
        if held:
            last, *_ = members = list(run)
            found.append(last if len(members) == 1 else f"{members[-1]}..{last}")
    return " ".join(found)


def first_shown(known: Sequence[str], run: Collection[str]) -> str:
    """The release to answer for until another is asked for: the newest of ``known`` (newest first) in ``run``, else of all."""
    return next((release for release in known if release in run), next(iter(known), ""))
