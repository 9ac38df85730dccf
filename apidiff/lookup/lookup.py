"""Answers a lookup: which API a name stands for, and what answers it at the release asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from apidiff.derive.answers import current_answer, current_target, met_at, range_at, risk_at, targets_beside
from apidiff.lookup.answer import (
    Answer,
    AnsweredClaim,
    AnsweredObservation,
    AnsweredOtherwise,
    AnsweredStated,
    AnsweredTarget,
    Asked,
    BesideTarget,
    OtherwiseRow,
    ServedRow,
    TargetRow,
    Unmatched,
)
from apidiff.lookup.errors import DamagedRecord, NoCounterpart, ambiguous_name, unknown_name, unknown_version
from apidiff.lookup.index import Index, Spelling
from apidiff.model.ranges import first_shown
from apidiff.model.version import Version, VersionError
from apidiff.model.views import DocumentEntry, Entry, OtherwiseEntry, ServedEntry, StatedEntry, TargetEntry
from apidiff.model.vocabulary import Risk, Status

_STANDINGS = [status.value for status in Status]
_S = TypeVar("_S", bound=Struct)


def lookup(
    index: Index,
    name: str,
    mindspore: str | None = None,
    torch: str | None = None,
    entry_of: Callable[[str], Entry] | None = None,
) -> Answer:
    """How the API ``name`` differs from its counterpart: see `KnowledgeBase.lookup`.

    ``entry_of`` gives the entry of a mapping where some are kept; else they are decoded from the index.
    """
    releases = _covered(index, "mindspore", mindspore)
    torch_releases = None if torch is None else _covered(index, "torch", torch)
    release = releases[0]
    entry_of = entry_of or index.entry
    spelling = _resolve(index, name, release, entry_of)
    asked = Asked(name=name, api=spelling.api, mindspore=release, torch=torch_releases[0] if torch_releases else None)
    if spelling.mapping is None:
        raise NoCounterpart(_unmatched(index, asked))
    entry = entry_of(spelling.mapping)
    current, otherwise = current_target(entry, release), current_answer(entry, release)
    target = current if spelling.target is None else entry.targets[spelling.target]
    shown = target or otherwise
    claims = [*_claims(entry, entry.source, torch_releases)]
    if target:
        claims += _claims(entry, target.name, releases)
    served = target.name if target and asked.api == entry.source else asked.api
    return Answer(
        asked=asked,
        id=entry.id,
        category=entry.category,
        source=entry.source,
        summary=entry.summary,
        execution=entry.execution,
        aliases=entry.aliases,
        signatures=entry.signatures,
        documents=entry.documents,
        targets=[_fill(TargetRow, row, name=target.name) for target in entry.targets for row in target.ranges],
        otherwise_ranges=[_fill(OtherwiseRow, answer) for answer in entry.otherwise],
        answer="maps_to" if current else otherwise.answer if otherwise else None,
        target=_target(target, release) if target else None,
        current=current.name if current else None,
        otherwise=_fill(AnsweredOtherwise, otherwise, stated=_stated(entry, otherwise.stated)) if otherwise else None,
        serves=[_served(row, release) for row in index.serves(served)],
        risk=_risk(shown, release),
        differences=met_at(shown.differences, release) if shown else [],
        parameters=target.parameters if target else [],
        members=target.members if target else [],
        agreements=target.agreements if target else [],
        aside=target.aside if target else [],
        rules=target.rules if target else [],
        before=shown.before if shown else "",
        after=shown.after if shown else "",
        claims=claims,
        beside=[
            BesideTarget(
                name=beside.target.name,
                devices=beside.devices,
                code=beside.code,
                note=beside.target.note,
                watch=[row.headline or row.text for row in beside.watch],
            )
            for beside in (targets_beside(entry, target, release) if target is current and target else [])
        ],
    )


def chosen_release(index: Index, typed: str | None) -> str:
    """The newest known release of MindSpore that ``typed`` covers; the newest that was run for None. Raises UnknownVersion."""
    return _covered(index, "mindspore", typed)[0]


def _risk(shown: TargetEntry | OtherwiseEntry | None, release: str) -> str:
    if isinstance(shown, TargetEntry):
        return risk_at(shown, release)
    return shown.risk if shown else Risk.NONE.value


def _covered(index: Index, framework: str, typed: str | None) -> list[str]:
    """The known releases that ``typed`` covers, newest first; the newest that was run for None."""
    known = index.releases.get(framework, [])
    try:
        covered = (
            [first_shown(known, index.run.get(framework, []))]
            if typed is None
            else [release for release in known if Version(typed).covers(Version(release))]
        )
    except VersionError:
        covered = []
    if not covered:
        raise unknown_version(framework, typed, known)
    return covered


def _resolve(index: Index, name: str, release: str, entry_of: Callable[[str], Entry]) -> Spelling:
    """What ``name`` stands for. A name of several targets of one mapping asks for the mapping."""
    spellings = index.names.get(name)
    _refuse_damaged(index, name, spellings or ())
    if spellings is None:
        raise unknown_name(index.names, name)
    apis = {spelling.api for spelling in spellings}
    if len({spelling.mapping for spelling in spellings}) > 1:
        if len(apis) > 1:
            raise ambiguous_name(name, sorted(apis))
        return min(spellings, key=lambda spelling: _standing_first(index, spelling, release))
    first = spellings[0]
    if len(spellings) > 1 and first.mapping is not None:
        return replace(first, target=None, api=entry_of(first.mapping).source)
    return first


def _refuse_damaged(index: Index, name: str, spellings: Sequence[Spelling]) -> None:
    """Raises DamagedRecord where ``name`` stands for a record that was passed over: another answer would pass for its."""
    last = name.rpartition(".")[2]
    other = any((spelling.mapping or "").rpartition(".")[2] == last for spelling in spellings)
    for mapping, reason in index.passed_over.items():
        if name == mapping or (f".{mapping}".endswith(f".{name}") and not other):
            raise DamagedRecord.of(mapping, reason)


def _standing_first(index: Index, spelling: Spelling, release: str) -> tuple[int, bool, str]:
    """Orders the sources that one API serves: where it stands best at the release, then the one of the same name."""
    mine = (row for row in index.serves(spelling.api) if row.id == spelling.mapping and row.role == "target")
    statuses = [_STANDINGS.index(row.status) for served in mine if (row := range_at(served.ranges, release))]
    return min(statuses, default=len(_STANDINGS)), spelling.far, str(spelling.mapping)


def _served(served: ServedEntry, release: str) -> ServedRow:
    row = range_at(served.ranges, release)
    return ServedRow(id=served.id, source=served.source, role=served.role, status=row.status if row else None)


def _unmatched(index: Index, asked: Asked) -> Unmatched:
    counterpart = index.counterpart(asked.api)
    return Unmatched(asked=asked, why=counterpart.why, nearest=counterpart.nearest, documents=counterpart.documents)


def _target(target: TargetEntry, release: str) -> AnsweredTarget:
    row = range_at(target.ranges, release)
    standing = {name: getattr(row, name, None) for name in ("status", "range", "since", "until")}
    return _fill(AnsweredTarget, target, **standing)


def _claims(entry: Entry, subject: str, releases: list[str] | None) -> Iterator[AnsweredClaim]:
    """The claims about ``subject``, observations of ``releases`` first (None: every version counts as asked)."""
    for claim in entry.claims:
        if claim.subject == subject:
            observed = [
                _fill(
                    AnsweredObservation,
                    observation,
                    asked_version=releases is None or observation.framework_version in releases,
                )
                for observation in claim.observed
            ]
            observed.sort(
                key=lambda observation: not observation.asked_version
            )  # each part newest first, as the entry has them
            yield _fill(AnsweredClaim, claim, stated=_stated(entry, claim.stated), observed=observed)


def _stated(entry: Entry, stated: Sequence[StatedEntry]) -> list[AnsweredStated]:
    """The places with the documents they are in."""
    return [_in_document(place, entry.documents[place.document]) for place in stated]


def _in_document(place: StatedEntry, document: DocumentEntry) -> AnsweredStated:
    return _fill(
        AnsweredStated,
        place,
        title=document.title,
        url=document.url,
        url_zh=document.url_zh,
        title_zh=document.title_zh,
        framework=document.framework,
        version=document.version,
    )


def _fill(kind: type[_S], record: Struct, **more: Any) -> _S:
    """A record of ``kind`` with the fields it shares with ``record``, and with ``more``."""
    shared = {name: getattr(record, name) for name in kind.__struct_fields__ if name not in more}
    return kind(**shared, **more)
