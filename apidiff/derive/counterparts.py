"""The database seen from MindSpore's side: which sources each of its communication APIs serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

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
            why=alone.why,
            nearest=alone.nearest,
            documents=[DocumentEntry.of(data.documents[citation.document]) for citation in alone.stated],
        )
        for name, alone in data.mindspore_only.items()
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
    serving: dict[str, list[ServedEntry]] = {name: [] for name in known | only.keys()}
    serving |= served(entries, lambda uses: _counted(uses, known))
    return {
        name: CounterpartEntry(name=name, serves=serves) if serves or name not in only else only[name]
        for name, serves in sorted(serving.items())
    }


def served(entries: Iterable[Entry], counted: Callable[[Iterable[str]], Iterable[str]]) -> dict[str, list[ServedEntry]]:
    """The sources that each MindSpore API serves: those it is a target of, then those whose answer uses it.

    ``counted``: of the APIs that an answer names, those that count as used.
    """
    serving: dict[str, list[ServedEntry]] = {}
    for entry in entries:
        for target in entry.targets:
            row = ServedEntry(id=entry.id, source=entry.source, role="target", ranges=target.ranges, risk=target.risk)
            serving.setdefault(target.name, []).append(row)
        answers: dict[str, list[OtherwiseEntry]] = {}
        for answer in entry.otherwise:
            for name in dict.fromkeys(counted(answer.uses)):
                answers.setdefault(name, []).append(answer)
        for name, using in answers.items():
            ranges = [_range(answer) for answer in using]
            row = ServedEntry(id=entry.id, source=entry.source, role="used", ranges=ranges, risk=using[0].risk)
            serving.setdefault(name, []).append(row)
    for rows in serving.values():
        rows.sort(key=lambda row: (row.role, row.source))
    return serving


def with_classes(uses: Iterable[str]) -> Iterator[str]:
    """APIs and what holds them: a member is found by its class too."""
    for name in uses:
        yield from (name, name.rpartition(".")[0])


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
