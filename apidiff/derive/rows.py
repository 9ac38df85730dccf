"""Reads from the signatures of all versions what rows of parameters and members do not say themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from apidiff.model.mapping import ParameterRow
from apidiff.model.ranges import held_in
from apidiff.model.signature import Signature, SignatureFile, comparable
from apidiff.model.views import DefaultEntry
from apidiff.model.vocabulary import Relation, Risk

Files = Sequence[SignatureFile]  # of one framework, newest version first


class RowFacts(NamedTuple):
    """What signatures show of a row, of the source and the target.

    The newest default, the range of versions that have it, and where the default was another in some of them, all defaults.
    """

    defaults: tuple[str | None, str | None]
    ranges: tuple[str | None, str | None]
    changing: tuple[list[DefaultEntry], list[DefaultEntry]]


def row_facts(
    rows: Sequence[ParameterRow],
    what: Literal["parameter", "member"],
    source: tuple[str, Files],
    target: tuple[str, Files],
) -> list[RowFacts]:
    """Reads the facts of each row of one target. ``source`` and ``target``: the API's name and the files to read of it."""
    left, right = (_Side(what, *side) for side in (source, target))
    return [
        RowFacts(
            defaults=(left.default(row.source), right.default(row.target)),
            ranges=(left.range(row.source), right.range(row.target)),
            changing=(left.changing(row.source), right.changing(row.target)),
        )
        for row in rows
    ]


def with_positions(
    rows: Sequence[ParameterRow], source: Signature | None, target: Signature | None, passed: int
) -> list[ParameterRow]:
    """Put parameters that one argument fills by position together where the sides have other names for them.

    ``passed``: how many arguments a call passes by position that both sides took. A row that a person wrote about stays.
    """
    if source is None or target is None or not comparable(source, target):
        return list(rows)
    alone = [row for row in rows if not (row.note or row.headline)]
    lefts = {row.source: row for row in alone if row.target is None}
    rights = {row.target: row for row in alone if row.source is None}
    told = list(rows)
    for left, right in zip(source.parameters[:passed], target.parameters[:passed], strict=False):
        mine, other = lefts.get(left.name), rights.get(right.name)
        if mine is not None and other is not None and left.default is None and right.default is None:
            pair = ParameterRow(source=left.name, target=right.name, relations=[Relation.RENAMED], risk=Risk.REWRITE)
            told = [pair if row is mine else row for row in told if row is not other]
    return told


class _Side:
    """One side of the table: which versions have which name, and the newest default of each."""

    def __init__(self, what: Literal["parameter", "member"], api: str, files: Files) -> None:
        readable = SignatureFile.tells_parameters if what == "parameter" else SignatureFile.tells_members
        self._by_version = {
            file.version: _names(file.apis[api], what) for file in reversed(files) if readable(file, api)
        }
        self._defaults: dict[str, dict[str, str | None]] = {}
        if what == "parameter":
            for file in reversed(files):
                for parameter in file.apis[api].every_parameter if api in file.apis else []:
                    self._defaults.setdefault(parameter.name, {})[file.version] = parameter.default

    def default(self, name: str | None) -> str | None:
        return next(reversed(self._by_age(name).values()), None)

    def changing(self, name: str | None) -> list[DefaultEntry]:
        """Each default with the range of versions that have it, oldest first; none where it is one and the same."""
        by_age = self._by_age(name)
        values = list(dict.fromkeys(by_age.values()))
        known = list(by_age)
        ranges = [held_in([version for version in known if by_age[version] == value], known) for value in values]
        return [DefaultEntry(value=value, range=text) for value, text in zip(values, ranges, strict=True) if text]

    def _by_age(self, name: str | None) -> dict[str, str | None]:
        return self._defaults.get(name or "", {})

    def range(self, name: str | None) -> str | None:
        versions = list(self._by_version)
        return held_in([version for version in versions if name in self._by_version[version]], versions)


def _names(signature: Signature, what: Literal["parameter", "member"]) -> set[str]:
    return set(signature.members) if what == "member" else {parameter.name for parameter in signature.every_parameter}
