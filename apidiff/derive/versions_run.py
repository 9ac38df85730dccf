"""Tells which releases were run."""

from __future__ import annotations

from collections.abc import Iterable

from apidiff.database import Data
from apidiff.model.version import Version


def versions_run(data: Data) -> dict[str, list[str]]:
    """List for each framework the versions of which there are run records, newest first."""
    pairs = {(record.framework, record.framework_version) for _, record in data.runs}
    pairs |= {(record.framework, record.framework_version) for _, record in data.single_runs}
    run: dict[str, set[str]] = {}
    # Sorted: the order of a set is another in each process, and pages are made again where their data are not the same bytes.
    for framework, version in sorted(pairs):
        run.setdefault(framework, set()).add(version)
    return {framework: newest_first(versions) for framework, versions in run.items()}


def newest_first(versions: Iterable[str]) -> list[str]:
    """Sort releases, the newest first."""
    return sorted(versions, key=Version, reverse=True)
