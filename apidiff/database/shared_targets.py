"""Fills in APIs that are written in another mapping: a target that replaces several sources is written once."""

from __future__ import annotations

from collections.abc import Mapping as Dictionary

import msgspec

from apidiff.database.expansion import Origins
from apidiff.database.expansion.origins import Origin
from apidiff.model.mapping import Api, Mapping, Target
from apidiff.model.vocabulary import ApiKind


def fill_in(mapping: Mapping, mappings: Dictionary[str, Mapping], origins: Origins) -> Mapping:
    """``mapping`` with each target API that has ``defined_in`` replaced by the one of its name there.

    ``mappings``: all that were read. ``origins``: of the parts of ``mapping``. Raises DataError for a mapping or target
    that is not there, for one that is itself defined elsewhere, and for keys that the other mapping already gives.
    """
    if mapping.source.defined_in:
        found = f"the source {mapping.source.name} is said to be defined in {mapping.source.defined_in!r}"
        remedy = "Only targets are defined elsewhere: write the source out."
        raise origins[("source",)].error(found, remedy)
    if not any(target.api.defined_in for target in mapping.targets):
        return mapping
    targets = [
        _filled(target, mapping, mappings, origins["targets", index]) if target.api.defined_in else target
        for index, target in enumerate(mapping.targets)
    ]
    return msgspec.structs.replace(mapping, targets=targets)


def _filled(target: Target, mapping: Mapping, mappings: Dictionary[str, Mapping], origin: Origin) -> Target:
    name, elsewhere = target.api.name, target.api.defined_in or ""
    fault = origin.error

    if target.api != Api(name=name, kind=target.api.kind, defined_in=elsewhere):
        raise fault(
            f"{name} is defined in {elsewhere} and again here",
            "Beside 'defined_in' write nothing but name and kind: root, probes and claims come from there.",
        )
    if elsewhere == mapping.id:
        raise fault(f"{name} is defined in this mapping itself", "Write it out here, without 'defined_in'.")
    if elsewhere not in mappings:
        raise fault(f"there is no mapping {elsewhere!r} that could define {name}", _remedy(name, mappings))
    api = next((target.api for target in mappings[elsewhere].targets if target.api.name == name), None)
    if api is None:
        there = ", ".join(target.api.name for target in mappings[elsewhere].targets) or "none"
        raise fault(f"{elsewhere} has no target {name}; its targets: {there}", _remedy(name, mappings))
    if api.defined_in:
        raise fault(f"{name} is not written in {elsewhere} either", f"Name the record that holds it: {api.defined_in}.")
    if target.api.kind not in {ApiKind.FUNCTION, api.kind}:  # a function is what stands where no kind is written
        raise fault(
            f"{name} is a {target.api.kind.value} here and a {api.kind.value} in {elsewhere}", "Leave 'kind' out."
        )
    return msgspec.structs.replace(target, api=msgspec.structs.replace(api, defined_in=elsewhere))


def _remedy(name: str, mappings: Dictionary[str, Mapping]) -> str:
    holders = [
        key
        for key, mapping in mappings.items()
        if any(target.api.name == name and not target.api.defined_in for target in mapping.targets)
    ]
    if holders:
        return f"Name the mapping that holds it: {', '.join(holders)}."
    return "No mapping holds it: write its probes and claims here, without 'defined_in'."
