"""What the page for porting a snippet knows: one compact table a language, read by `conf/elements/src/port`.

Entries say how APIs differ. What a call passes decides which of that matters, so two things come from the records and
signatures beside them: what each version's source lets a caller pass, and which parameters or members a claim is about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec

from apidiff.database import Data
from apidiff.database.scope import load_scope
from apidiff.database.signatures import newest_first
from apidiff.messages.labels import Language
from apidiff.model.base import Record, Text
from apidiff.model.claim import Claim
from apidiff.model.mapping import Api, Mapping
from apidiff.model.probe_resolution import collective_of
from apidiff.model.ranges import holds, spans, told
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureParameter
from apidiff.model.version import Version
from apidiff.model.views import DifferenceEntry, Entry, OtherwiseEntry, ParameterEntry, TargetEntry
from apidiff.model.vocabulary import ApiKind, Relation, Status

_SPELLED = {
    ParameterKind.POSITIONAL_ONLY: "{}/",
    ParameterKind.POSITIONAL_OR_KEYWORD: "{}",
    ParameterKind.VARIADIC_POSITIONAL: "*{}",
    ParameterKind.KEYWORD_ONLY: "{}=",
    ParameterKind.VARIADIC_KEYWORD: "**{}",
}
# A row that matters even to a call that does not pass its parameter.
_ALWAYS = {Relation.DEFAULT_DIFFERS.value, Relation.ONLY_IN_TARGET.value}

Ways = list[list[str]]


class SourceFacts(Record, frozen=True, kw_only=True):
    """A source API. ``kind``: function, class (whatever has members) or constant.

    ``calls``: (torch version, the ways to call it), oldest first, where they change; None where the version lacks the API,
    an empty list where its parameters are not known. A parameter is written ``name``, ``name/`` (by position only),
    ``name=`` (by keyword only), ``*name`` or ``**name``.
    """

    kind: str
    calls: list[tuple[str, Ways | None]]


class PortFacts(Record, frozen=True, kw_only=True):
    """What entries do not hold. ``releases``: framework → known versions, newest first.

    ``known``: torch versions whose source is known, oldest first. ``subjects``: claim ID → the parameters or members that
    it is about; a claim about the call as such is left out.
    """

    releases: dict[str, list[str]] = {}
    known: list[str] = []
    sources: dict[str, SourceFacts] = {}
    subjects: dict[str, list[str]] = {}


def port_facts(data: Data) -> PortFacts:
    """The facts about every mapping."""
    files = newest_first(data.signatures, "torch")[::-1]
    releases = {
        framework: sorted((one.version for one in found), key=Version, reverse=True)
        for framework, found in data.frameworks.items()
    }
    subjects: dict[str, list[str]] = {}
    for mapping in data.mappings.values():
        for api in (mapping.source, *(target.api for target in mapping.targets)):
            subjects |= {f"{api.name}#{claim.id}": found for claim in api.claims if (found := _subjects(claim, api))}
    sources = {key: _source_facts(mapping, files) for key, mapping in data.mappings.items()}
    known = [file.version for file in files]
    return PortFacts(releases=releases, known=known, sources=sources, subjects=subjects)


def _source_facts(mapping: Mapping, files: Sequence[SignatureFile]) -> SourceFacts:
    name = mapping.source.name
    calls: list[tuple[str, Ways | None]] = []
    for file in files:
        ways = _ways(file.apis[name]) if file.tells_parameters(name) else [] if name in file else None
        if not calls or calls[-1][1] != ways:
            calls.append((file.version, ways))
    members = any(target.members for target in mapping.targets)
    return SourceFacts(kind=ApiKind.CLASS.value if members else mapping.source.kind.value, calls=calls)


def _ways(signature: Signature) -> Ways:
    found: Iterable[list[SignatureParameter]] = signature.overloads or [signature.parameters]
    return [[_SPELLED[one.kind].format(one.name) for one in way] for way in found]


def _subjects(claim: Claim, api: Api) -> list[str]:
    """The parameters or members without which the claim says nothing; empty where it is about every call."""
    if named := claim.parameter or claim.member or claim.lacks_member:
        return [named.name]
    if claim.lacks:
        return [claim.lacks.parameter]
    plain = collective_of(api).plain_probe
    if plain is None or not claim.probes:
        return []
    usual = _passed(api, plain)
    added = [_passed(api, probe) - usual for probe in claim.probes if collective_of(api).probes[probe].code is None]
    return sorted(set().union(*added)) if all(added) else []


def _passed(api: Api, probe: str) -> set[str]:
    """The arguments that a probe passes, with those of the probes that it is like."""
    found = collective_of(api).probes[probe]
    before = _passed(api, found.like) if found.like else set()
    return (before - set(found.drop)) | set(found.set)


def port_script(entries: Collection[Entry], facts: PortFacts, language: Language) -> bytes:
    """The table in ``language`` as a script that assigns it to ``window.apidiffPort``."""
    text = msgspec.json.encode(_Table(facts, language).everything(entries)).decode()
    return f"window.apidiffPort={text.replace('<', chr(92) + 'u003c')};\n".encode()


class _Table:
    """Everything in one language; a difference that several answers make stands once."""

    def __init__(self, facts: PortFacts, language: Language) -> None:
        self.facts, self.language = facts, language
        self.differences: dict[tuple[object, ...], int] = {}

    def everything(self, entries: Collection[Entry]) -> dict[str, Any]:
        apis = {entry.id: self._api(entry) for entry in entries}
        scope = load_scope().torch
        return {
            "torch": self.facts.releases.get("torch", []),
            "mindspore": self.facts.releases.get("mindspore", []),
            "sources": self.facts.known,
            "modules": scope.copies(),
            "customary": {module.alias: module.name for module in scope.modules if module.alias},
            "noticed": scope.noticed(),
            "differences": list(self.differences),
            "apis": apis,
        }

    def _text(self, text: Text | None) -> str:
        return "" if text is None else text.en if self.language == "en" else text.zh

    def _api(self, entry: Entry) -> dict[str, Any]:
        found = self.facts.sources.get(entry.id, SourceFacts(kind="function", calls=[]))
        return {
            "kind": found.kind,
            "aliases": entry.aliases,
            "calls": found.calls,
            "answers": [
                *(self._target(entry, target) for target in entry.targets),
                *(self._otherwise(answer) for answer in entry.otherwise),
            ],
            "spans": self._spans(entry),
        }

    def _target(self, entry: Entry, target: TargetEntry) -> dict[str, Any]:
        members = {row.source: self._member(row) for row in target.members if row.source}
        return {
            "target": target.name,
            "differences": [self._difference(entry, one, target) for one in target.differences],
            "members": members,
        }

    def _member(self, row: ParameterEntry) -> list[str | None]:
        """Its name in the target and, for each framework, the spans of releases that have it, empty where all do."""
        return [row.target, self._held("torch", row.source_range), self._held("mindspore", row.target_range)]

    def _held(self, framework: str, text: str | None) -> str:
        known = self.facts.releases.get(framework, [])
        return spans(known, told(known, text)) if text else ""

    def _otherwise(self, answer: OtherwiseEntry) -> dict[str, Any]:
        return {
            "answer": answer.answer,
            "why": self._text(answer.why),
            "instead": self._text(answer.instead),
            "uses": answer.uses,
            "differences": [self._difference(None, one, None) for one in answer.differences],
        }

    def _difference(self, entry: Entry | None, one: DifferenceEntry, target: TargetEntry | None) -> int:
        rows = [*target.parameters, *target.members] if target else []
        about, always = _about(one, rows, entry.source if entry else "", self.facts.subjects)
        key = (one.kind, one.risk, self._text(one.text), tuple(about), int(always))
        return self.differences.setdefault(key, len(self.differences))

    def _spans(self, entry: Entry) -> list[list[Any]]:
        """For MindSpore versions, newest first: [how many, the answer's place or -1, other targets with their standing]."""
        found = [_standing(entry, Version(text)) for text in self.facts.releases.get("mindspore", [])]
        return [[len(list(same)), *standing] for standing, same in groupby(found)]


def _standing(entry: Entry, version: Version) -> tuple[int, list[tuple[str, str]]]:
    answer, others = -1, []
    for place, target in enumerate(entry.targets):
        for one in target.ranges:
            if holds(one.since, one.until, version):
                if one.status == Status.CURRENT.value:
                    answer = place
                elif one.status != Status.REMOVED.value:
                    others.append((target.name, one.status))
    for place, found in enumerate(entry.otherwise):
        if answer < 0 and holds(found.since, found.until, version):
            answer = len(entry.targets) + place
    return answer, others


def _about(
    one: DifferenceEntry, rows: Sequence[ParameterEntry], source: str, subjects: dict[str, list[str]]
) -> tuple[list[str], bool]:
    """The source's parameters or members that the difference is about, none for the call as such.

    And whether it matters to a call that passes none of them: where a default differs, or only the target has one.
    """
    if one.parameter is not None:
        row = next((row for row in rows if one.parameter in {row.source, row.target}), None)
        return [one.parameter], row is not None and bool(_ALWAYS & set(row.relations))
    cited = [claim for claim in one.claims if claim.startswith(f"{source}#")]
    names = {row.target: row.source for row in rows if row.source and row.target}
    found: set[str] = set()
    for claim in cited or one.claims:
        named = subjects.get(claim, []) if cited else [names.get(name, "") for name in subjects.get(claim, [])]
        if not named or "" in named:
            return [], False
        found.update(named)
    return sorted(found), False
