"""Reads ``uses.yaml``: how often real code names an API."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import msgspec

from apidiff.database.yaml import read_yaml
from apidiff.errors import DataError
from apidiff.model.base import DottedName, NonEmpty, Record

FILE = "uses.yaml"
Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]  # sums of them fit the integers of SQLite


class Uses(Record, frozen=True, kw_only=True):
    """References to APIs, counted in the source of ``packages`` (name → version). ``counts``: API → package → references."""

    packages: dict[NonEmpty, NonEmpty] = {}
    counts: dict[DottedName, dict[NonEmpty, Count]] = {}

    def of(self, name: str) -> int:
        """Count the references to ``name`` in all packages."""
        return sum(self.counts.get(name, {}).values())


def load_uses(root: Path) -> Uses:
    """Read the file below the data folder ``root``; nothing is counted where there is none. Raises DataError."""
    path = root / FILE
    if not os.path.lexists(path):
        return Uses()
    uses, lines = read_yaml(path, Uses)
    for name, counts in uses.counts.items():
        if unknown := set(counts) - set(uses.packages):
            found = f"{name} is counted in {', '.join(sorted(unknown))}, which `packages` does not name"
            raise DataError(path, lines.get(("counts", name)), found, "Give the package its version under `packages`.")
    return uses
