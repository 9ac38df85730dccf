"""Names: of the record, its category, its source, its targets and its scripts; what they name is there."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from apidiff.database.checks.ranges import in_range
from apidiff.database.checks.subject import Subject
from apidiff.database.scope import load_scope
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError
from apidiff.model.vocabulary import Framework


def names_fit(subject: Subject) -> Iterator[DataError]:
    """The source is the mapping's ID, its category is known, aliases are PyTorch's, targets MindSpore's, none of them twice."""
    mapping = subject.mapping
    categories = load_scope().categories
    if mapping.category not in categories:
        remedy = f"Name one of {', '.join(categories)}."
        yield subject.error(("category",), f"unknown category {mapping.category!r}", remedy)
    if mapping.source.name != mapping.id:
        found = f"the source is {mapping.source.name!r} but the id is {mapping.id!r}"
        yield subject.error(("source", "name"), found, "Make them the same.")
    for index, alias in enumerate(mapping.aliases):
        if not alias.startswith(Framework.TORCH.value):
            found = f"alias {alias!r} is no name of PyTorch"
            yield subject.error(("aliases", index), found, "Write its full name, torch.….")
    seen: set[str] = set()
    for index, target in enumerate(mapping.targets):
        if target.api.name in seen:
            yield subject.error(("targets", index), f"target {target.api.name!r} stands twice", "Join the two.")
        seen.add(target.api.name)
        if not target.api.name.startswith(f"{Framework.MINDSPORE.value}."):
            found = f"target {target.api.name!r} is no API of MindSpore"
            yield subject.error(("targets", index, "api", "name"), found, "Write its full name, mindspore.….")


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
        if there:
            remedy = f"Mend the ranges: it is in {', '.join(there)}."
        else:
            near = difflib.get_close_matches(name, {known for file in held for known in file.apis}, 1, 0.9)
            remedy = (
                f"No signature file has it: {f'write {near[0]}' if near else 'mend the name'}, or list it in conf/scope.yaml "
                "and run `apidiff signatures extract`."
            )
        yield subject.error(("targets", index, "ranges"), found, remedy)


def examples_exist(subject: Subject, folder: Path) -> Iterator[DataError]:
    """The script a ``prints`` claim names is there, below ``folder``."""
    for place, api in subject.apis():
        for index, claim in enumerate(api.claims):
            if claim.prints and not (folder / claim.prints.example).is_file():
                found = f"example {claim.prints.example!r} is not there"
                yield subject.error((*place, "claims", index), found, f"Add it below {folder}.")
