"""Names: of the record, its category, its source, its targets and its scripts; what they name is there."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from apidiff.database.checks.ranges import in_range
from apidiff.database.checks.subject import Subject
from apidiff.database.data import Data
from apidiff.database.documented import documented_points
from apidiff.database.examples import load_example
from apidiff.database.scope import load_scope
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError
from apidiff.model.documented import Point
from apidiff.model.kept_for import KeptFor
from apidiff.model.ranges import status_at
from apidiff.model.version import Version
from apidiff.model.vocabulary import Framework, Status


def names_fit(subject: Subject) -> Iterator[DataError]:
    """The source is the mapping's ID, its category is known, aliases are PyTorch's, targets MindSpore's, none of them twice."""
    yield from category_is_known(subject)
    mapping = subject.mapping
    if mapping.source.name != mapping.id:
        found = f"the source is {mapping.source.name!r} but the id is {mapping.id!r}"
        yield subject.error(("source", "name"), found, "Make them the same.")
    if taken := _taken_spelling(subject):
        yield subject.error(("source", "name"), taken, "Write the full name of the API, by the module that has it.")
    for index, alias in enumerate(mapping.aliases):
        for found, remedy in _alias_faults(subject, alias):
            yield subject.error(("aliases", index), found, remedy)
    seen: set[str] = set()
    for index, target in enumerate(mapping.targets):
        if target.api.name in seen:
            yield subject.error(("targets", index), f"target {target.api.name!r} stands twice", "Join the two.")
        seen.add(target.api.name)
        if not target.api.name.startswith(f"{Framework.MINDSPORE.value}."):
            found = f"target {target.api.name!r} is no API of MindSpore"
            yield subject.error(("targets", index, "api", "name"), found, "Write its full name, mindspore.….")


def category_is_known(subject: Subject) -> Iterator[DataError]:
    """The category has words, by which pages group and by which is searched. Raises what `load_scope` does."""
    categories = load_scope().categories
    if (found := subject.mapping.category) not in categories:
        yield subject.error(("category",), f"unknown category {found!r}", f"Name one of {', '.join(categories)}.")


def _taken_spelling(subject: Subject) -> str | None:
    """What is wrong with a name also found by what everyone writes for another's: ``F.softmax`` of ``torch.F.softmax``."""
    name = subject.mapping.id
    modules = {module.alias: module.name for module in load_scope().torch.modules if module.alias}
    for start, part in enumerate(parts := name.split(".")):
        full = ".".join([modules.get(part, part), *parts[start + 1 :]])
        if start and full != name and full in subject.data.mappings:
            return f"{name!r} ends with {'.'.join(parts[start:])!r}, which everyone writes for {full}"
    return None


def _alias_faults(subject: Subject, alias: str) -> Iterator[tuple[str, str]]:
    """What is wrong with another name of the source, each with the remedy: code that uses the name is ported by this mapping."""
    mapping, mappings = subject.mapping, subject.data.mappings
    named = mapping.category == "launcher" and alias.isidentifier()  # a program
    if not named and not (alias.startswith("torch.") and all(part.isidentifier() for part in alias.split("."))):
        yield f"alias {alias!r} is no name of PyTorch", "Write its full name, torch.…."
    elif alias in mappings:
        yield f"alias {alias!r} is a mapping of its own", "Take the alias out."
    elif mapping.aliases.count(alias) > 1:
        yield f"alias {alias!r} stands twice", "Keep one."
    elif other := next((key for key, one in mappings.items() if key != mapping.id and alias in one.aliases), None):
        yield f"alias {alias!r} is one of {other} too", "Keep it where the object is the same one."
    elif below := next((key for key in mappings if key.startswith(f"{alias}.")), None):
        yield f"alias {alias!r} is no API but what {below} lies in", "Write the full name of one, torch.…."


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


# Asked for by every record.
_points: KeptFor[Data, dict[str, list[Point]]] = KeptFor(
    lambda data: documented_points(data.listings, data.documents), 1
)


def targets_are_documented(subject: Subject) -> Iterator[DataError]:
    """No range holds a release in which a document says that the target is missing: older ones have no signature files."""
    points = _points(subject.data)
    for index, target in enumerate(subject.mapping.targets):
        for point in points.get(target.api.name, ()):
            if not point.there and status_at(target, Version(point.version)) not in {None, Status.REMOVED}:
                found = f"{target.api.name} is not in MindSpore {point.version} by {point.evidence}, and its ranges hold that"
                yield subject.error(
                    ("targets", index, "ranges"), found, "Mend the ranges, or what documented.yaml says."
                )


def examples_exist(subject: Subject, folder: Path) -> Iterator[DataError]:
    """The script a ``prints`` claim names is there, below ``folder``, and can be read; that it cannot is told once."""
    looked_at = set[Path]()
    for place, api in subject.apis():
        for index, claim in enumerate(api.claims):
            if claim.prints is None:
                continue
            script = folder / claim.prints.example
            if not script.is_file():
                found = f"example {claim.prints.example!r} is not there"
                yield subject.error((*place, "claims", index), found, f"Add it below {folder}.")
                continue
            if script in looked_at:
                continue
            looked_at.add(script)
            try:
                load_example(script)
            except DataError as error:
                yield error
