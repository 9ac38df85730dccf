"""The spellings under which an API is found."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.scope import load_scope
from apidiff.lookup.index import Spelling
from apidiff.model.views import CounterpartEntry, Entry

# The lower rank wins where one spelling fits several APIs.
SOURCE, ALIAS, SHORT_SOURCE, TARGET, SHORT_TARGET, USED, SHORT_USED, UNMATCHED, SHORT_UNMATCHED = range(9)


def spellings(entry: Entry) -> Iterator[Spelling]:
    """Every spelling of an entry's source and targets, and the full names of what its answers use."""
    for name in (entry.id, entry.source):
        yield Spelling(name, SOURCE, entry.source, entry.id)
    for alias in entry.aliases:
        yield Spelling(alias, ALIAS, entry.source, entry.id)
    for short in shortened(entry.source):
        yield Spelling(short, SHORT_SOURCE, entry.source, entry.id)
    for position, target in enumerate(entry.targets):
        far = target.name.rpartition(".")[2] != entry.source.rpartition(".")[2]
        yield Spelling(target.name, TARGET, target.name, entry.id, position, far)
        for short in shortened(target.name):
            yield Spelling(short, SHORT_TARGET, target.name, entry.id, position, far)
    for name in dict.fromkeys(name for answer in entry.otherwise for name in answer.uses):
        yield Spelling(name, USED, name, entry.id)


def counterpart_spellings(counterpart: CounterpartEntry) -> Iterator[Spelling]:
    """Every spelling of a MindSpore API that is no target."""
    name, short_names = counterpart.name, shortened(counterpart.name)
    for mapping in sorted({served.id for served in counterpart.serves if served.role == "used"}):
        yield Spelling(name, USED, name, mapping)
        yield from (Spelling(short, SHORT_USED, name, mapping) for short in short_names)
    if not counterpart.serves:
        yield Spelling(name, UNMATCHED, name, None)
        yield from (Spelling(short, SHORT_UNMATCHED, name, None) for short in short_names)


def shortened(name: str) -> list[str]:
    """``name`` without its first, first two … parts, and with the customary short names of modules."""
    parts = name.split(".")
    short_names = [".".join(parts[start:]) for start in range(1, len(parts))]
    return short_names + load_scope().of(parts[0]).aliased(name)
