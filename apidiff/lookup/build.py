"""Builds the index from the data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from types import MappingProxyType

import msgspec

from apidiff.database import load
from apidiff.database.checks import passing_over, without_unusable
from apidiff.database.terms import Term, load_terms
from apidiff.derive.counterparts import counterparts as all_counterparts
from apidiff.derive.counterparts import served, with_classes
from apidiff.derive.source_names import source_names
from apidiff.derive.versions_run import newest_first, versions_run
from apidiff.errors import DataError
from apidiff.lookup.index import Index, Spelling, packed
from apidiff.lookup.made_entries import made_entries
from apidiff.lookup.names import counterpart_spellings, spellings
from apidiff.lookup.passages import fill_search
from apidiff.lookup.record_trial import without_failing
from apidiff.messages.call_facts import call_facts
from apidiff.model.call_facts import CallFacts
from apidiff.model.source_names import SourceNames
from apidiff.model.views import CounterpartEntry, Entry


def build(fingerprint: str, former: Index | None = None) -> Index:
    """The index of the data that ship with the package, without what is damaged. Raises ApidiffError where all of it is.

    ``former``: an earlier index, of which entries are taken over where nothing they were made from has changed.
    """
    data = without_failing(without_unusable(load()))
    releases = {framework: [release.version for release in known] for framework, known in data.frameworks.items()}
    entries: dict[str, Entry] = {}
    digests: dict[str, bytes] = {}
    failing: dict[str, DataError] = {}
    for key, digest, entry, _ in made_entries(data, former.made_of if former else _none, failing):
        entries[key], digests[key] = entry, digest
    data = passing_over(data, failing, failing)
    index = index_of(
        entries,
        all_counterparts(data, entries),
        releases,
        fingerprint,
        versions_run(data),
        source_names(data),
        call_facts(data, entries),
        [str(error) for error in data.unread],
        {name: str(error) for name, error in data.passed_over.items()},
        digests,
    )
    return msgspec.structs.replace(index, unchecked=data.unchecked)


def _none(_mapping: str, _digest: bytes) -> Entry | None:
    return None


def index_of(
    entries: Mapping[str, Entry],
    counterparts: Mapping[str, CounterpartEntry],
    releases: Mapping[str, Sequence[str]],
    fingerprint: str = "",
    run: Mapping[str, list[str]] = MappingProxyType({}),
    source_names: SourceNames | None = None,
    facts: Mapping[str, CallFacts] = MappingProxyType({}),
    damaged: Sequence[str] = (),
    passed_over: Mapping[str, str] = MappingProxyType({}),
    digests: Mapping[str, bytes] = MappingProxyType({}),
) -> Index:
    """The index of ``entries`` and ``counterparts``.

    Args:
        entries: every mapping's, by ID.
        counterparts: the communication APIs of MindSpore, by name.
        releases: the known ones of each framework in any order.
        fingerprint: of the files that all of this was read from.
        run: the versions of each framework that were run, newest first.
        source_names: what names in code are looked up in.
        facts: what their calls are judged by, by mapping.
        damaged: what is wrong with files that were passed over.
        passed_over: the mappings that could not be made, by ID, each with the reason.
        digests: of what each entry was made from.
    """
    damaged = list(damaged)
    terms: list[Term] = []
    try:
        terms = load_terms()
    except DataError as error:  # then APIs are found by their names and texts alone
        damaged.append(str(error))
    with closing(sqlite3.connect(":memory:")) as connection:
        fill_search(connection, entries.values(), counterparts.values(), terms)
        connection.commit()
        words = connection.serialize()
    return Index(
        fingerprint=fingerprint,
        releases={name: newest_first(versions) for name, versions in releases.items()},
        run=dict(run),
        source_names=source_names or SourceNames(apis={}, copies={}, customary={}),
        names=_names(entries.values(), counterparts.values()),
        encoded_serves=_encoded(served(entries.values(), with_classes)),
        encoded_counterparts=_encoded(counterparts),
        encoded_entries={key: packed(content) for key, content in _each_encoded(entries)},
        digests=dict(digests),
        encoded_call_facts=_encoded(facts),
        words=memoryview(words),
        damaged=damaged,
        passed_over=dict(passed_over),
    )


def _names(entries: Iterable[Entry], counterparts: Iterable[CounterpartEntry]) -> dict[str, list[Spelling]]:
    """For each spelling those of its APIs that have the lowest rank."""
    every = [
        *(spelling for entry in entries for spelling in spellings(entry)),
        *(spelling for counterpart in counterparts for spelling in counterpart_spellings(counterpart)),
    ]
    names: dict[str, list[Spelling]] = {}
    for spelling in dict.fromkeys(sorted(every, key=lambda spelling: spelling.rank)):
        known = names.setdefault(spelling.text, [])
        if not known or known[0].rank == spelling.rank:
            known.append(spelling)
    return names


def _encoded(records: Mapping[str, object]) -> dict[str, memoryview]:
    return dict(_each_encoded(records))


def _each_encoded(records: Mapping[str, object]) -> Iterator[tuple[str, memoryview]]:
    """One after the other: each entry repeats what many records say, and is packed before the next."""
    return ((key, memoryview(msgspec.msgpack.encode(records[key]))) for key in sorted(records))
