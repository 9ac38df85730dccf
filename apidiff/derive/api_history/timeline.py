"""The history of one API: all signature files of its framework, and what documents say of older versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from apidiff.derive.api_history.change import SIGNATURES, Change, ChangeKind
from apidiff.derive.api_history.compare import compare_api, deprecation
from apidiff.model.documented import Point
from apidiff.model.signature import SignatureFile
from apidiff.model.version import Version


def timeline(api: str, files: Iterable[SignatureFile], documented: Sequence[Point] = ()) -> list[Change]:
    """The changes of ``api``, oldest first. ``files``: those of its framework. Empty where nobody knows the API.

    At a version of which there is a file, documents are not asked.
    """
    ordered = _telling(api, sorted(files, key=lambda file: Version(file.version)))
    read = {Version(file.version): file for file in ordered}
    points = [Point(file.version, api in file, SIGNATURES) for file in ordered]
    points += [point for point in documented if Version(point.version) not in read]
    points.sort(key=lambda point: Version(point.version))
    changes = _presence(api, points)
    # Each part is compared with the last version that tells it: what one version does not tell hides no later change.
    for number, file in enumerate(ordered):
        changes += _against_earlier(api, ordered[:number], file)
    order = list(ChangeKind)
    changes.sort(key=lambda one: (Version(one.version), order.index(one.kind), one.names))
    return _marked_once(changes)


def _telling(api: str, files: Sequence[SignatureFile]) -> list[SignatureFile]:
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
    changes = [one for one in compare_api(api, earlier[-1], file) if one.kind not in _PARTS]
    for tells, kinds in (
        (SignatureFile.tells_parameters, _PARAMETERS),
        (SignatureFile.tells_members, _MEMBERS),
    ):
        told = next((one for one in reversed(earlier) if tells(one, api)), None)
        if told is not None:
            changes += [one for one in compare_api(api, told, file) if one.kind in kinds]
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


_PARAMETERS = {
    ChangeKind.PARAMETERS_ADDED,
    ChangeKind.PARAMETERS_REMOVED,
    ChangeKind.PARAMETER_ORDER,
    ChangeKind.PARAMETER_DEFAULT,
    ChangeKind.PARAMETER_KIND,
}
_MEMBERS = {ChangeKind.MEMBERS_ADDED, ChangeKind.MEMBERS_REMOVED}
_PARTS = _PARAMETERS | _MEMBERS
