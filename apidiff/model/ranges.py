"""Which target stands where: version ranges looked up at one MindSpore version."""

from __future__ import annotations

from apidiff.model.mapping import Status, Target
from apidiff.model.version import Version


def holds(since: str | None, until: str | None, version: Version) -> bool:
    """Whether ``version`` lies between the two ends, each read at its precision, open where None."""
    if since is not None and version < Version(since):
        return False
    end = Version(until) if until else None
    return end is None or version <= end or end.covers(version)


def status_at(target: Target, version: Version) -> Status | None:
    """The standing of a target at a MindSpore version, or None where no range holds it."""
    return next((one.status for one in target.ranges if holds(one.since, one.until, version)), None)
