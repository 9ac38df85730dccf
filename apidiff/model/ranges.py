"""Which target stands where: version ranges looked up at one MindSpore version."""

from __future__ import annotations

from apidiff.model.mapping import Status, Target
from apidiff.model.version import Version


def status_at(target: Target, version: Version) -> Status | None:
    """The standing of a target at a MindSpore version, or None where no range holds it."""
    for one in target.ranges:
        after = one.since is None or version >= Version(one.since)
        until = Version(one.until) if one.until else None
        if after and (until is None or version <= until or until.covers(version)):
            return one.status
    return None
