"""Finds the parameters and members that claims and differences are about, and writes the ways to call an API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from apidiff.model.claim import Claim
from apidiff.model.mapping import Api, Mapping
from apidiff.model.probe_resolution import collective_of
from apidiff.model.signature import ParameterKind, Signature, SignatureParameter
from apidiff.model.views import DifferenceEntry, ParameterEntry
from apidiff.model.vocabulary import Relation

_SPELLED = {
    ParameterKind.POSITIONAL_ONLY: "{}/",
    ParameterKind.POSITIONAL_OR_KEYWORD: "{}",
    ParameterKind.VARIADIC_POSITIONAL: "*{}",
    ParameterKind.KEYWORD_ONLY: "{}=",
    ParameterKind.VARIADIC_KEYWORD: "**{}",
}
_VARIADIC = {ParameterKind.VARIADIC_POSITIONAL, ParameterKind.VARIADIC_KEYWORD}
# A row that matters even to a call that does not pass its parameter.
_ALWAYS = {Relation.DEFAULT_DIFFERS.value, Relation.ONLY_IN_TARGET.value}

Ways = list[list[str]]


def claim_subjects(mappings: Iterable[Mapping]) -> dict[str, list[str]]:
    """Find for each claim, by ID, the parameters or members that it is about; claims about the call as such are left out."""
    return {
        f"{api.name}#{claim.id}": names
        for mapping in mappings
        for api in (mapping.source, *(target.api for target in mapping.targets))
        for claim in api.claims
        if (names := _subjects(claim, api))
    }


def spelled_ways(signature: Signature) -> Ways:
    """Write the ways to call an API: a parameter as ``name``, ``name/``, ``name=``, ``*name`` or ``**name``."""
    found: Iterable[list[SignatureParameter]] = signature.overloads or [signature.parameters]
    return [[_SPELLED[one.kind].format(one.name) for one in way] for way in found]


def needed_arguments(signature: Signature) -> list[list[str]]:
    """Name, for each of the ways to call an API, the parameters that it cannot be called without."""
    found: Iterable[list[SignatureParameter]] = signature.overloads or [signature.parameters]
    return [[one.name for one in way if one.default is None and one.kind not in _VARIADIC] for way in found]


def difference_subjects(
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
