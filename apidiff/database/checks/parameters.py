"""Rows of parameters and members: they name what the signatures show, all of it, with fitting relations.

Members are compared for targets that are classes, and wherever a record has rows for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from apidiff.database.checks.ranges import in_range
from apidiff.database.checks.subject import Place, Subject
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError
from apidiff.model.mapping import Mapping, ParameterRow, Target
from apidiff.model.rule import PLACE
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, comparable
from apidiff.model.vocabulary import Execution, Relation

_UNKNOWN = "..."  # a stub's way to say that there is a default, not which
_VARIADIC = {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}


@dataclass(frozen=True)
class _Side:
    """One side of a table: what its rows may name. ``known``: in any version; ``wanted``: in the newest one."""

    name: str
    what: str
    versions: list[str]
    known: set[str]
    wanted: list[str]
    open: bool  # some names could not be read, so an unknown one is no error


def rows_fit(subject: Subject) -> Iterator[DataError]:
    """Each row names a parameter or member of some version in the range; the newest version's all have a row."""
    torch = newest_first(subject.data.signatures, "torch")
    source = subject.mapping.source.name
    for index, target in enumerate(subject.mapping.targets):
        mindspore = in_range(subject.data, target)
        for key, rows in (("parameters", target.parameters), ("members", target.members)):
            if key == "members" and not rows:  # a class that code only constructs and hands on needs none
                continue
            at: Place = ("targets", index, key)
            if (
                key == "parameters"
                and subject.mapping.execution is Execution.SINGLE
                and not _tell(subject.mapping, target, torch, mindspore)
            ):
                continue
            read = _parameters if key == "parameters" else _members
            for left, side in ((True, read(source, torch)), (False, read(target.api.name, mindspore))):
                if side is not None:
                    named = [(number, row.source if left else row.target) for number, row in enumerate(rows)]
                    yield from _names_fit(subject, at, side, [(number, name) for number, name in named if name])
            defaults = (
                (_defaults(source, torch), _defaults(target.api.name, mindspore)) if key == "parameters" else None
            )
            for number, row in enumerate(rows):
                if fault := _relation_fault(row, defaults):
                    yield subject.error((*at, number), *fault)


def fill_fits(subject: Subject) -> Iterator[DataError]:
    """What a port writes out is a parameter of the target; what stands in braces is one of the source."""
    torch = newest_first(subject.data.signatures, "torch")
    source = _parameters(subject.mapping.source.name, torch)
    for index, target in enumerate(subject.mapping.targets):
        side = _parameters(target.api.name, in_range(subject.data, target))
        for name, text in target.fill.items():
            at: Place = ("targets", index, "fill", name)
            if side is not None and name not in side.known and not side.open:
                known = ", ".join(sorted(side.known)) or "none"
                yield subject.error(at, f"{target.api.name} has no parameter {name!r}", f"It has: {known}.")
            place = PLACE.fullmatch(text)
            if place and source is not None and place[1] not in source.known and not source.open:
                known = ", ".join(sorted(source.known)) or "none"
                yield subject.error(at, f"{source.name} has no parameter {place[1]!r}", f"It has: {known}.")


def _tell(mapping: Mapping, target: Target, torch: list[SignatureFile], mindspore: list[SignatureFile]) -> bool:
    """Whether the newest signatures tell which parameters correspond."""
    signatures = _newest(mapping.source.name, torch), _newest(target.api.name, mindspore)
    return mapping.source.kind is target.api.kind and comparable(*signatures)


def _newest(name: str, files: list[SignatureFile]) -> Signature | None:
    return next((file.apis[name] for file in files if name in file.apis), None)


def _names_fit(subject: Subject, at: Place, side: _Side, named: list[tuple[int, str]]) -> Iterator[DataError]:
    for number, name in named:
        if name not in side.known and not side.open:
            found = (
                f"{side.name} has no {side.what} {name!r} in any version from {side.versions[-1]} to {side.versions[0]}"
            )
            yield subject.error((*at, number), found, f"They have: {', '.join(sorted(side.known)) or 'none'}.")
    present = {name for _, name in named}
    for name in [name for name in side.wanted if name not in present]:
        found = f"no row for {side.what} {name!r} of {side.name} (there in {side.versions[0]})"
        yield subject.error(at, found, f"Add a row for it to {at[-1]!r}.")


def _parameters(name: str, files: list[SignatureFile]) -> _Side | None:
    found = [(file, file.apis[name]) for file in files if name in file.apis]
    if not found or any(signature.overloads for _, signature in found):
        return None
    newest = found[0][1]
    return _Side(
        name=name,
        what="parameter",
        versions=[file.version for file, _ in found],
        known={parameter.name for _, signature in found for parameter in signature.every_parameter},
        wanted=[
            parameter.name
            for parameter in newest.every_parameter
            if parameter.kind not in _VARIADIC and not parameter.name.startswith("_")  # a private one gets no row
        ],
        open=not all(file.tells_parameters(name) for file, _ in found),
    )


def _members(name: str, files: list[SignatureFile]) -> _Side | None:
    found = [(file, file.apis[name]) for file in files if name in file.apis and file.apis[name].members]
    if not found:
        return None
    return _Side(
        name=name,
        what="member",
        versions=[file.version for file, _ in found],
        known={member for _, signature in found for member in signature.every_member},
        wanted=found[0][1].members,
        open=not all(file.tells_members(name) for file, _ in found),
    )


def _defaults(name: str, files: list[SignatureFile]) -> dict[str, str | None] | None:
    """Each parameter's default in the newest version that has the parameter; None where no signature is known."""
    found = [file.apis[name] for file in files if name in file.apis]
    if not found or any(signature.overloads for signature in found):
        return None
    return {
        parameter.name: parameter.default for signature in reversed(found) for parameter in signature.every_parameter
    }


_Defaults = tuple[dict[str, str | None] | None, dict[str, str | None] | None]


def _relation_fault(row: ParameterRow, defaults: _Defaults | None) -> tuple[str, str] | None:
    """What is wrong with a row's relations, and the remedy; None where they fit."""
    source, target, relations = row.source, row.target, row.relations
    name = source or target
    if not relations or (Relation.SAME in relations and len(relations) > 1):
        return (
            f"row {name!r} has relations {[r.value for r in relations]}",
            "'same' stands alone; else list what differs.",
        )
    for relation, present in ((Relation.ONLY_IN_SOURCE, target is None), (Relation.ONLY_IN_TARGET, source is None)):
        if (relation in relations) != present:
            return f"row {name!r} does not fit relation {relation.value!r}", "Name both sides, or only one with it."
    if source is None or target is None:
        return None
    if (Relation.RENAMED in relations) != (source != target):
        return f"row {source!r} → {target!r} does not fit relation 'renamed'", "Use 'renamed' where the names differ."
    if defaults is None or defaults[0] is None or defaults[1] is None:
        return None
    left, right = defaults[0].get(source, _UNKNOWN), defaults[1].get(target, _UNKNOWN)
    if _UNKNOWN in {left, right}:
        return None
    decided = left == right or "None" in {left, right} or None in {left, right}
    if decided and (Relation.DEFAULT_DIFFERS in relations) != (left != right):
        remedy = "Use 'default_differs' exactly where the defaults differ."
        return f"row {source!r}: defaults are {left} and {right}", remedy
    return None
