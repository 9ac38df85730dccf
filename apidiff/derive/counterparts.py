"""The database seen from MindSpore's side: which sources each of its communication APIs serves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from apidiff.database import Data
from apidiff.database.scope import load_scope
from apidiff.database.signatures import names_to_match, newest_first
from apidiff.model.views import CounterpartEntry, DocumentEntry, Entry, OtherwiseEntry, RangeEntry, ServedEntry


def counterparts(data: Data, entries: Mapping[str, Entry]) -> dict[str, CounterpartEntry]:
    """Every communication API of the newest MindSpore, and every other one that an entry names, by name."""
    newest = newest_first(data.signatures, "mindspore")[:1]
    names = [name for file in newest for name in names_to_match(file)]
    only = {
        name: CounterpartEntry(
            name=name,
            serves=[],
            why=found.why,
            nearest=found.nearest,
            documents=[DocumentEntry.of(data.documents[one.document]) for one in found.stated],
        )
        for name, found in data.mindspore_only.items()
    }
    return serve(entries.values(), names, only)


def serve(
    entries: Iterable[Entry], names: Iterable[str], only: Mapping[str, CounterpartEntry]
) -> dict[str, CounterpartEntry]:
    """The APIs in ``names`` and those of ``entries``, by name; ``only``: those that serve no source, with the reason.

    An API that is used and is not in ``names`` counts as its class where that is, and is left out where it is no
    communication API.
    """
    known = set(names)
    found: dict[str, list[ServedEntry]] = {name: [] for name in known | only.keys()}
    for entry in entries:
        for target in entry.targets:
            served = ServedEntry(
                id=entry.id, source=entry.source, role="target", ranges=target.ranges, risk=target.risk
            )
            found.setdefault(target.name, []).append(served)
        for name, answers in _used(entry, known).items():
            found.setdefault(name, []).append(
                ServedEntry(
                    id=entry.id,
                    source=entry.source,
                    role="used",
                    ranges=[_range(answer) for answer in answers],
                    risk=answers[0].risk,
                )
            )
    return {
        name: CounterpartEntry(name=name, serves=sorted(serves, key=lambda one: (one.role, one.source)))
        if serves or name not in only
        else only[name]
        for name, serves in sorted(found.items())
    }


def _used(entry: Entry, known: set[str]) -> dict[str, list[OtherwiseEntry]]:
    """The communication APIs that the entry's answers use, with these answers."""
    found: dict[str, list[OtherwiseEntry]] = {}
    for answer in entry.otherwise:
        for name in dict.fromkeys(_counted(answer.uses, known)):
            found.setdefault(name, []).append(answer)
    return found


def _counted(uses: Iterable[str], known: set[str]) -> Iterator[str]:
    scope = load_scope().mindspore
    for name in uses:
        holder = name.rpartition(".")[0]
        if name in known or (holder not in known and scope.holds_all(name)):
            yield name
        elif holder in known:
            yield holder


def _range(answer: OtherwiseEntry) -> RangeEntry:
    return RangeEntry(since=answer.since, until=answer.until, range=answer.range, status=answer.answer)
