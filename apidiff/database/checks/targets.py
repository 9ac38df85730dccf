"""Targets exist: each is in the signature file of every MindSpore version in which it is said to be there."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.checks.subject import Subject
from apidiff.database.checks.versions import in_range
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError


def targets_exist(subject: Subject) -> Iterator[DataError]:
    """Every target is in the files of its range; a name that could not be read counts as being there."""
    for index, target in enumerate(subject.mapping.targets):
        name = target.api.name
        held = in_range(subject.data, target)
        missing = [file.version for file in reversed(held) if name not in file]
        if not missing:
            continue
        there = [file.version for file in reversed(newest_first(subject.data.signatures, "mindspore")) if name in file]
        found = f"{name} is not in MindSpore {', '.join(missing)}, which its ranges hold"
        remedy = (
            f"Mend the ranges: it is in {', '.join(there)}."
            if there
            else "No signature file has it: mend the name, or list it in conf/scope.yaml and run `apidiff signatures extract`."
        )
        yield subject.error(("targets", index, "ranges"), found, remedy)
