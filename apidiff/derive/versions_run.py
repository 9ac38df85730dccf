"""Tells what this project ran: which releases, and where each API."""

from __future__ import annotations

from collections.abc import Iterable

from apidiff.database import Data
from apidiff.derive.verdicts_by_run import Place
from apidiff.model.trust import OWN
from apidiff.model.version import Version


def versions_run(data: Data) -> dict[str, list[str]]:
    """List for each framework the versions of which there are run records of this project, newest first."""
    own = _own(data)
    pairs = {(record.framework, record.framework_version) for key, record in data.runs if key in own}
    pairs |= {(record.framework, record.framework_version) for key, record in data.single_runs if key in own}
    run: dict[str, set[str]] = {}
    # Sorted: the order of a set is another in each process, and pages are made again where their data are not the same bytes.
    for framework, version in sorted(pairs):
        run.setdefault(framework, set()).add(version)
    return {framework: newest_first(versions) for framework, versions in run.items()}


def places_run(data: Data) -> dict[str, set[Place]]:
    """For each API the places where this project ran it with several ranks: of one alone little is told."""
    own = _own(data)
    places: dict[str, set[Place]] = {}
    for key, record in data.runs:
        if key in own and record.world_size > 1:
            place = record.framework, record.framework_version, record.backend, record.device
            for api in {run.api for run in record.probes}:
                places.setdefault(api, set()).add(place)
    return places


def _own(data: Data) -> set[str]:
    return {key for key, signed in data.signed.items() if signed.trust in OWN}


def newest_first(versions: Iterable[str]) -> list[str]:
    """Sort releases, the newest first."""
    return sorted(versions, key=Version, reverse=True)
