"""What the page for porting a snippet knows: one compact table a language, read by `conf/elements/src/port`.

Entries say how APIs differ. What a call passes decides which of that matters, so two things come from the records and
signatures beside them: what each version's source lets a caller pass, and which parameters or members a claim is about.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any

import msgspec

from apidiff.database import Data
from apidiff.database.scope import load_scope
from apidiff.database.signatures import newest_first
from apidiff.derive.difference_subjects import Ways, claim_subjects, difference_subjects, spelled_ways
from apidiff.model.base import Language, Record, Text
from apidiff.model.mapping import Mapping
from apidiff.model.ranges import holds, spans, told
from apidiff.model.signature import SignatureFile
from apidiff.model.version import Version, read_version
from apidiff.model.views import DifferenceEntry, Entry, OtherwiseEntry, ParameterEntry, TargetEntry
from apidiff.model.vocabulary import ApiKind, Status


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
    sources = {key: _source_facts(mapping, files) for key, mapping in data.mappings.items()}
    known = [file.version for file in files]
    return PortFacts(releases=releases, known=known, sources=sources, subjects=claim_subjects(data.mappings.values()))


def _source_facts(mapping: Mapping, files: Sequence[SignatureFile]) -> SourceFacts:
    name = mapping.source.name
    calls: list[tuple[str, Ways | None]] = []
    for file in files:
        ways = spelled_ways(file.apis[name]) if file.tells_parameters(name) else [] if name in file else None
        if not calls or calls[-1][1] != ways:
            calls.append((file.version, ways))
    members = any(target.members for target in mapping.targets)
    return SourceFacts(kind=ApiKind.CLASS.value if members else mapping.source.kind.value, calls=calls)


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
        return "" if text is None else text.said_in(self.language)

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
        about, always = difference_subjects(one, rows, entry.source if entry else "", self.facts.subjects)
        key = (one.kind, one.risk, self._text(one.text), tuple(about), int(always))
        return self.differences.setdefault(key, len(self.differences))

    def _spans(self, entry: Entry) -> list[list[Any]]:
        """For MindSpore versions, newest first: [how many, the answer's place or -1, other targets with their standing]."""
        found = [_standing(entry, read_version(text)) for text in self.facts.releases.get("mindspore", [])]
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
