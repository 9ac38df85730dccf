"""Names: of the record, of its category, of its source, of its targets."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.checks.subject import Subject
from apidiff.database.scope import load_scope
from apidiff.errors import DataError
from apidiff.model.vocabulary import Framework


def names_fit(subject: Subject) -> Iterator[DataError]:
    """The source is the mapping's ID, its category is known, targets are MindSpore's, and none stands twice."""
    mapping = subject.mapping
    categories = load_scope().categories
    if mapping.category not in categories:
        remedy = f"Name one of {', '.join(categories)}."
        yield subject.error(("category",), f"unknown category {mapping.category!r}", remedy)
    if mapping.source.name != mapping.id:
        found = f"the source is {mapping.source.name!r} but the id is {mapping.id!r}"
        yield subject.error(("source", "name"), found, "Make them the same.")
    seen: set[str] = set()
    for index, target in enumerate(mapping.targets):
        if target.api.name in seen:
            yield subject.error(("targets", index), f"target {target.api.name!r} stands twice", "Join the two.")
        seen.add(target.api.name)
        if not target.api.name.startswith(f"{Framework.MINDSPORE.value}."):
            found = f"target {target.api.name!r} is no API of MindSpore"
            yield subject.error(("targets", index, "api", "name"), found, "Write its full name, mindspore.….")
