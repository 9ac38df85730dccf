"""Reads ``writing_rules.yaml``: how code is ported beyond what names, signatures and samples tell."""

from __future__ import annotations

import os
from collections.abc import Collection
from collections.abc import Mapping as AbstractMapping
from pathlib import Path

from apidiff.database.yaml import read_yaml
from apidiff.errors import DataError
from apidiff.model.mapping import Mapping
from apidiff.model.rule import WritingRules

FILE = "writing_rules.yaml"


def load_writing_rules(
    root: Path, mappings: AbstractMapping[str, Mapping], passed_over: Collection[str] = ()
) -> WritingRules:
    """Read the file below the data folder ``root``; there are no rules where there is none.

    Rules of mappings that were ``passed_over`` are not looked at.
    Raises DataError for a file that is broken, and for a rule of a pair that no record has.
    """
    path = root / FILE
    if not os.path.lexists(path):
        return WritingRules()
    rules, lines = read_yaml(path, WritingRules)
    for source in rules.stand_ins:
        if source not in mappings and source not in passed_over:
            line = lines.get(("stand_ins", source))
            raise DataError(path, line, f"{source} has no record", "Name an ID of a mapping.")
    for source, targets in rules.targets.items():
        if source in passed_over:
            continue
        if source not in mappings:
            raise DataError(path, lines.get(("targets", source)), f"{source} has no record", "Name an ID of a mapping.")
        known = [target.api.name for target in mappings[source].targets]
        for name in targets:
            if name not in known:
                found = f"{name} is no target of {source}"
                line = lines.get(("targets", source, name))
                raise DataError(path, line, found, f"Name one of {', '.join(known) or 'its targets; there are none'}.")
    return rules
