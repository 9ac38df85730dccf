"""The spellings under which an API is found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from apidiff.database.scope import load_scope
from apidiff.model.views import CounterpartEntry, Entry

# The lower rank wins where one spelling fits several APIs.
SOURCE, ALIAS, SHORT_SOURCE, TARGET, SHORT_TARGET, USED, SHORT_USED, UNMATCHED, SHORT_UNMATCHED = range(9)


class Spelling(NamedTuple):
    """A spelling of an API. ``target``: the position of the target it names, None for the source and what is used.

    ``far``: the target's last part is not the source's, so that another source may be meant first.
    """

    text: str
    rank: int
    api: str
    target: int | None = None
    far: bool = False


def spellings(entry: Entry) -> Iterator[Spelling]:
    """Every spelling of an entry's source and targets, and the full names of what its answers use."""
    for name in (entry.id, entry.source):
        yield Spelling(name, SOURCE, entry.source)
    for alias in entry.aliases:
        yield Spelling(alias, ALIAS, entry.source)
    for short in shortened(entry.source):
        yield Spelling(short, SHORT_SOURCE, entry.source)
    for position, target in enumerate(entry.targets):
        far = target.name.rpartition(".")[2] != entry.source.rpartition(".")[2]
        yield Spelling(target.name, TARGET, target.name, position, far)
        for short in shortened(target.name):
            yield Spelling(short, SHORT_TARGET, target.name, position, far)
    for name in dict.fromkeys(name for answer in entry.otherwise for name in answer.uses):
        yield Spelling(name, USED, name)


def counterpart_spellings(found: CounterpartEntry) -> Iterator[tuple[Spelling, str | None]]:
    """Every spelling of a MindSpore API that is no target, with the mapping it leads to (None: no entry names it)."""
    used = {one.id for one in found.serves if one.role == "used"}
    for mapping in sorted(used):
        for name in (found.name, *shortened(found.name)):
            yield Spelling(name, USED if name == found.name else SHORT_USED, found.name), mapping
    if not found.serves:
        yield Spelling(found.name, UNMATCHED, found.name), None
        for short in shortened(found.name):
            yield Spelling(short, SHORT_UNMATCHED, found.name), None


def shortened(name: str) -> list[str]:
    """``name`` without its first, first two … parts, and with the customary short names of modules."""
    parts = name.split(".")
    found = [".".join(parts[start:]) for start in range(1, len(parts))]
    return found + load_scope().of(parts[0]).aliased(name)
