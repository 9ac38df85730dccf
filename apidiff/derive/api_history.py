"""Derives when an API came, went and changed, and what in the database a change touches.

Signatures of versions are compared with each other; documents tell of versions without signatures. Facts missing on one
side are not differences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, replace
from enum import Enum

from apidiff.database.signatures import public_names
from apidiff.model.claim import Claim
from apidiff.model.documented import Point
from apidiff.model.mapping import Api, Document, Mapping
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureParameter, SignatureSource
from apidiff.model.version import Version

# The evidence of what was read from a framework's own files: from its source or the installed package, or from the type
# stubs of compiled modules, which were seen to be wrong and to be mended late. Any other evidence is the key of a document.
SIGNATURES = "signatures"
STUBS = "stubs"


class ChangeKind(Enum):
    """What changed, in the order in which changes of one version are told."""

    FIRST = "first"  # there in the oldest version that was looked at
    ADDED = "added"
    REMOVED = "removed"
    DEPRECATED = "deprecated"
    NOT_DEPRECATED = "not_deprecated"
    KIND = "kind"  # function, class, …
    PARAMETERS_ADDED = "parameters_added"
    PARAMETERS_REMOVED = "parameters_removed"
    PARAMETER_ORDER = "parameter_order"
    PARAMETER_DEFAULT = "parameter_default"
    PARAMETER_KIND = "parameter_kind"  # positional, keyword-only, …
    MEMBERS_ADDED = "members_added"
    MEMBERS_REMOVED = "members_removed"


@dataclass(frozen=True)
class Change:
    """``api`` changed in ``version``, seen against ``after`` (None: nothing older is known).

    ``names``: the parameters or members concerned. ``old`` and ``new``: what stood before and stands now, as source text:
    orders, defaults (None: required), kinds; of parameters added, ``old`` is the first that stands behind one and so moves;
    of a deprecation, ``old`` is the version of its mark and ``new`` the replacement it names. ``evidence``: SIGNATURES,
    STUBS or the key of the document that tells ``version``; ``after_evidence`` the same for ``after``.
    """

    api: str
    kind: ChangeKind
    version: str
    after: str | None = None
    names: tuple[str, ...] = ()
    old: str | None = None
    new: str | None = None
    evidence: str = SIGNATURES
    after_evidence: str = SIGNATURES

    @property
    def whole(self) -> bool:
        """Whether the change is one of the API as a whole, not of a parameter or member."""
        return not self.names


_POSITIONAL = {ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD}
_PARAMETERS = {
    ChangeKind.PARAMETERS_ADDED,
    ChangeKind.PARAMETERS_REMOVED,
    ChangeKind.PARAMETER_ORDER,
    ChangeKind.PARAMETER_DEFAULT,
    ChangeKind.PARAMETER_KIND,
}
_MEMBERS = {ChangeKind.MEMBERS_ADDED, ChangeKind.MEMBERS_REMOVED}
_PARTS = _PARAMETERS | _MEMBERS


def compare_files(old: SignatureFile, new: SignatureFile) -> list[Change]:
    """All changes of public APIs from ``old`` to ``new``, by API and then in the order of ChangeKind."""
    asked_of_one = set(old.listed) ^ set(new.listed)
    names = {*public_names(old), *public_names(new)}
    told = [name for name in sorted(names) if name not in asked_of_one or (name in old and name in new)]
    return [change for name in told for change in compare_api(name, old, new)]


def compare_api(name: str, old: SignatureFile, new: SignatureFile) -> list[Change]:
    """The changes of one API from ``old`` to ``new``."""
    if (name in old) is not (name in new):
        kind = ChangeKind.ADDED if name in new else ChangeKind.REMOVED
        found = [Change(name, kind, new.version, old.version)]
        return [*found, *deprecation(name, None, new)] if kind is ChangeKind.ADDED else found
    if name not in old.apis or name not in new.apis:
        return []
    changes = deprecation(name, old, new)
    before, now = old.apis[name], new.apis[name]
    if before.kind is not now.kind:
        changes.append(_change(name, ChangeKind.KIND, old, new, old_text=before.kind.value, new_text=now.kind.value))
    parts: list[Change] = []
    if old.tells_parameters(name) and new.tells_parameters(name):
        parts += _parameters(name, before, now)
    if old.tells_members(name) and new.tells_members(name):
        parts += _members(name, before, now)
    evidence = STUBS if SignatureSource.STUB in {before.source, now.source} else SIGNATURES
    return changes + [replace(part, version=new.version, after=old.version, evidence=evidence) for part in parts]


def deprecation(name: str, old: SignatureFile | None, new: SignatureFile) -> list[Change]:
    """A mark that ``new`` has and ``old`` has not, or the other way round. ``old``: None where the API is new."""
    before = old.apis[name].deprecated if old and name in old.apis else None
    now = new.apis[name].deprecated if name in new.apis else None
    after = old.version if old else None
    if now and not before:
        return [Change(name, ChangeKind.DEPRECATED, new.version, after, old=now.since, new=now.instead)]
    if before and not now and name in new.apis:
        return [Change(name, ChangeKind.NOT_DEPRECATED, new.version, after)]
    return []


def _change(
    name: str, kind: ChangeKind, old: SignatureFile, new: SignatureFile, *, old_text: str, new_text: str
) -> Change:
    return Change(name, kind, new.version, old.version, old=old_text, new=new_text)


def _parameters(name: str, before: Signature, now: Signature) -> Iterator[Change]:
    """Changes of parameters; versions are filled in by the caller. Names with an underscore in front are not public."""
    old = {parameter.name: parameter for parameter in before.every_parameter if not parameter.name.startswith("_")}
    new = {parameter.name: parameter for parameter in now.every_parameter if not parameter.name.startswith("_")}
    if added := [part for part in new if part not in old]:
        moved = None if now.overloads else _moved(old, new)
        yield Change(name, ChangeKind.PARAMETERS_ADDED, "", names=tuple(added), old=moved)
    if removed := [part for part in old if part not in new]:
        yield Change(name, ChangeKind.PARAMETERS_REMOVED, "", names=tuple(removed))
    if before.overloads or now.overloads:
        return  # a name may stand in several ways to call it, each with its own default
    orders = [
        [part for part in side if part in old and part in new and _positional(old[part], new[part])]
        for side in (old, new)
    ]
    if orders[0] != orders[1]:
        texts = [", ".join(order) for order in orders]
        yield Change(name, ChangeKind.PARAMETER_ORDER, "", names=tuple(orders[1]), old=texts[0], new=texts[1])
    for shared in new:
        if shared in old:
            yield from _parameter(name, old[shared], new[shared])


def _moved(old: dict[str, SignatureParameter], new: dict[str, SignatureParameter]) -> str | None:
    """The first parameter that positional arguments no longer reach, because a new one stands before it."""
    inserted = False
    for known, parameter in new.items():
        inserted = inserted or (known not in old and _positional(parameter))
        if inserted and known in old and _positional(old[known], parameter):
            return known
    return None


def _positional(*parameters: SignatureParameter) -> bool:
    return all(parameter.kind in _POSITIONAL for parameter in parameters)


def _parameter(name: str, old: SignatureParameter, new: SignatureParameter) -> Iterator[Change]:
    # "..." in a stub says that there is a default, not which.
    told = "..." not in {old.default, new.default} or None in {old.default, new.default}
    if old.default != new.default and told:
        yield Change(name, ChangeKind.PARAMETER_DEFAULT, "", names=(new.name,), old=old.default, new=new.default)
    if old.kind is not new.kind:
        texts = (old.kind.value, new.kind.value)
        yield Change(name, ChangeKind.PARAMETER_KIND, "", names=(new.name,), old=texts[0], new=texts[1])


def _members(name: str, before: Signature, now: Signature) -> Iterator[Change]:
    for kind, names in (
        (ChangeKind.MEMBERS_ADDED, sorted(set(now.members) - set(before.members))),
        (ChangeKind.MEMBERS_REMOVED, sorted(set(before.members) - set(now.members))),
    ):
        if names:
            yield Change(name, kind, "", names=tuple(names))


def timeline(api: str, files: Iterable[SignatureFile], documented: Sequence[Point] = ()) -> list[Change]:
    """The changes of ``api``, oldest first. ``files``: those of its framework. Empty where nobody knows the API.

    At a version of which there is a file, documents are not asked.
    """
    ordered = telling_files(api, sorted(files, key=lambda file: Version(file.version)))
    read = {Version(file.version): file for file in ordered}
    points = [Point(file.version, api in file, SIGNATURES) for file in ordered]
    points += [point for point in documented if Version(point.version) not in read]
    points.sort(key=lambda point: Version(point.version))
    changes = _presence(api, points)
    # Each part is compared with the last version that tells it: what one version does not tell hides no later change.
    for number, file in enumerate(ordered):
        changes += _against_earlier(api, ordered[:number], file)
    order = list(ChangeKind)
    changes.sort(key=lambda change: (Version(change.version), order.index(change.kind), change.names))
    return _marked_once(changes)


def telling_files(api: str, files: Sequence[SignatureFile]) -> list[SignatureFile]:
    """The files that have ``api`` or show that it is not there: a name that is listed, those that were asked for it."""
    listed = any(api in file.listed for file in files)
    return [file for file in files if not listed or api in file or api in file.listed]


def _presence(api: str, points: Sequence[Point]) -> list[Change]:
    changes: list[Change] = []
    before: Point | None = None
    for point in points:
        if before is None:
            kind = (ChangeKind.ADDED if point.new else ChangeKind.FIRST) if point.there else None
        elif before.there is point.there:
            kind = None
        else:
            kind = ChangeKind.ADDED if point.there else ChangeKind.REMOVED
        after, after_evidence = (before.version, before.evidence) if before else (None, SIGNATURES)
        if kind:
            change = Change(api, kind, point.version, after, evidence=point.evidence, after_evidence=after_evidence)
            changes.append(change)
        if point.deprecated:
            changes.append(Change(api, ChangeKind.DEPRECATED, point.version, evidence=point.evidence))
        before = point
    return changes


def _against_earlier(api: str, earlier: Sequence[SignatureFile], file: SignatureFile) -> list[Change]:
    if api not in file:
        return []
    if not earlier or api not in earlier[-1]:
        return deprecation(api, None, file)
    changes = [change for change in compare_api(api, earlier[-1], file) if change.kind not in _PARTS]
    for tells, kinds in (
        (SignatureFile.tells_parameters, _PARAMETERS),
        (SignatureFile.tells_members, _MEMBERS),
    ):
        told = next((before for before in reversed(earlier) if tells(before, api)), None)
        if told is not None:
            changes += [change for change in compare_api(api, told, file) if change.kind in kinds]
    return changes


def _marked_once(changes: Sequence[Change]) -> list[Change]:
    """``changes`` without a second mark of deprecation: a document and a signature may both tell of one."""
    found: list[Change] = []
    marked = False
    for change in changes:
        if change.kind is ChangeKind.DEPRECATED and marked:
            continue
        marked = change.kind is ChangeKind.DEPRECATED or (marked and change.kind is not ChangeKind.NOT_DEPRECATED)
        found.append(change)
    return found


@dataclass(frozen=True)
class Touched:
    """The IDs of mappings, and of claims (``<API>#<claim>``) that a document states, with the keys of the documents."""

    mappings: tuple[str, ...]
    claims: dict[str, tuple[str, ...]]


class Reach:
    """Finds what a change touches among mappings and documents."""

    def __init__(self, mappings: Iterable[Mapping], documents: Dictionary[str, Document]) -> None:
        self._documents = documents
        self._using: dict[str, dict[str, Mapping]] = {}
        for mapping in mappings:
            for name in (*(api.name for api in _apis(mapping)), *_used(mapping)):
                self._using.setdefault(name, {})[mapping.id] = mapping

    def touched(self, change: Change) -> Touched:
        """What has to be looked at again because of ``change``.

        A mapping is touched where the API is its source, a target or something that goes into its answer. Of the API's stated
        claims, all are touched by a change of the API as a whole, else those that name a parameter or member concerned;
        documents that speak of the changed version or a later one are left out, for they know of the change.
        """
        mappings = self._using.get(change.api, {})
        claims: dict[str, tuple[str, ...]] = {}
        if mappings:
            older = self._older(change)
            for api in (api for mapping in mappings.values() for api in _apis(mapping)):
                if api.name == change.api:
                    claims |= _claims(api, change, older)
        return Touched(tuple(sorted(mappings)), dict(sorted(claims.items())))

    def _older(self, change: Change) -> set[str]:
        framework = change.api.partition(".")[0]
        return {
            key
            for key, document in self._documents.items()
            if document.framework.value != framework or Version(document.version) < Version(change.version)
        }


def _apis(mapping: Mapping) -> list[Api]:
    return [mapping.source, *(target.api for target in mapping.targets)]


def _used(mapping: Mapping) -> list[str]:
    return [name for answer in mapping.otherwise for name in answer.uses]


def _claims(api: Api, change: Change, documents: set[str]) -> dict[str, tuple[str, ...]]:
    return {
        f"{api.name}#{claim.id}": tuple(sorted(stated))
        for claim in api.claims
        if (stated := {statement.document for statement in claim.stated} & documents)
        and (change.whole or claim.corresponds or set(change.names) & named(claim))
    }


def named(claim: Claim) -> set[str]:
    """The parameters and members that ``claim`` speaks of."""
    parts = [
        *((claim.writes and [claim.writes.argument]) or []),
        *((claim.keeps and [claim.keeps.argument]) or []),
        *((claim.result and [claim.result.at, claim.result.of]) or []),
        *((claim.equals and [claim.equals.at]) or []),
        *((claim.aliases and [claim.aliases.slot, claim.aliases.with_]) or []),
        *((claim.parameter and [claim.parameter.name]) or []),
        *((claim.lacks and [claim.lacks.parameter]) or []),
        *((claim.member and [claim.member.name]) or []),
        *((claim.lacks_member and [claim.lacks_member.name]) or []),
    ]
    return {re.split(r"[.\[]", part)[0] for part in parts if part}
