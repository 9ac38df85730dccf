"""What differs between the signatures of two versions. What one of them does not tell is no difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from apidiff.derive.api_history.change import SIGNATURES, STUBS, Change, ChangeKind
from apidiff.model.signature import ParameterKind, Signature, SignatureFile, SignatureParameter, SignatureSource

_POSITIONAL = {ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD}


def compare_files(old: SignatureFile, new: SignatureFile) -> list[Change]:
    """All changes of public APIs from ``old`` to ``new``, by API and then in the order of ChangeKind."""
    asked_of_one = set(old.listed) ^ set(new.listed)
    names = {*api_names(old), *api_names(new)}
    told = [name for name in sorted(names) if name not in asked_of_one or (name in old and name in new)]
    return [change for name in told for change in compare_api(name, old, new)]


def api_names(file: SignatureFile) -> set[str]:
    """The APIs of ``file``, those included that could not be read."""
    parts = (".__init__", ".__call__", ".*")
    return {*file.apis, *(name for name in file.unreadable if not name.endswith(parts))}


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
    return changes + [replace(one, version=new.version, after=old.version, evidence=evidence) for one in parts]


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
    old = {one.name: one for one in before.every_parameter if not one.name.startswith("_")}
    new = {one.name: one for one in now.every_parameter if not one.name.startswith("_")}
    if added := [one for one in new if one not in old]:
        moved = None if now.overloads else _moved(old, new)
        yield Change(name, ChangeKind.PARAMETERS_ADDED, "", names=tuple(added), old=moved)
    if removed := [one for one in old if one not in new]:
        yield Change(name, ChangeKind.PARAMETERS_REMOVED, "", names=tuple(removed))
    if before.overloads or now.overloads:
        return  # a name may stand in several ways to call it, each with its own default
    orders = [
        [one for one in side if one in old and one in new and _positional(old[one], new[one])] for side in (old, new)
    ]
    if orders[0] != orders[1]:
        texts = [", ".join(order) for order in orders]
        yield Change(name, ChangeKind.PARAMETER_ORDER, "", names=tuple(orders[1]), old=texts[0], new=texts[1])
    for one in new:
        if one in old:
            yield from _parameter(name, old[one], new[one])


def _moved(old: dict[str, SignatureParameter], new: dict[str, SignatureParameter]) -> str | None:
    """The first parameter that positional arguments no longer reach, because a new one stands before it."""
    inserted = False
    for one, parameter in new.items():
        inserted = inserted or (one not in old and _positional(parameter))
        if inserted and one in old and _positional(old[one], parameter):
            return one
    return None


def _positional(*parameters: SignatureParameter) -> bool:
    return all(one.kind in _POSITIONAL for one in parameters)


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
