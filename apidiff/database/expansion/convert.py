"""Turns an expanded record into the plain form of a `Mapping`, and remembers where each part of it was written."""

from __future__ import annotations

from typing import Any

import msgspec

from apidiff.database.expansion.origins import ORIGIN, Origin, Plain
from apidiff.database.expansion.signatures import ranges_of
from apidiff.errors import DataError
from apidiff.model.mapping import Mapping
from apidiff.model.vocabulary import Execution

Origins = dict[tuple[str | int, ...], Origin]

# Kind of claim → key of its body that the value beside it in a record is of.
_MAIN = {
    "writes": "argument",
    "keeps": "argument",
    "keeps_rest": "argument",
    "returns": "structure",
    "result": "formula",
    "equals": "value",
    "raises": "type",
    "completes": None,
    "aliases": "slot",
    "parameter": "name",
    "lacks": "parameter",
    "member": "name",
    "lacks_member": "name",
    "prints": "example",
}
_BESIDE = (
    *("ranks", "some", "after", "within", "at", "of", "with", "share", "as_repr"),
    *("sizes", "among", "default", "required"),
)


def to_mapping(record: Plain, name: str) -> tuple[Mapping, Origins]:
    """The mapping called ``name`` and the origin of each of its items by path. Raises DataError naming the item."""
    by_ranks = record.get("execution") != Execution.SINGLE.value
    plain: Plain = {"id": name, "source": _api(record["source"], name, by_ranks), "targets": []}
    for key in ("category", "summary", "aliases", "execution", "samples"):
        if key in record:
            plain[key] = record[key]
    for key, block in record["targets"].items():
        target = {
            "api": _api(block, key, by_ranks),
            "ranges": ranges_of(block),
            "parameters": block["parameters"],
            "members": block.get("members") or [],
            "differences": _differences(block.get("differences", {})),
        }
        for given in ("note", "headlines", "reach", "fill"):
            if block.get(given):
                target[given] = block[given]
        target[ORIGIN] = block[ORIGIN]
        plain["targets"].append(target)
    plain["otherwise"] = record["otherwise"]
    plain["caveats"] = _differences(record["caveats"])
    plain[ORIGIN] = record[ORIGIN]
    origins: Origins = {}
    bare = _without_origins(plain, (), origins)
    try:
        return msgspec.convert(bare, Mapping), origins
    except msgspec.ValidationError as error:
        raise _culprit(bare, origins, error) from error


def _api(block: Plain, name: str, by_ranks: bool) -> Plain:
    """``by_ranks``: whether the record's calls are; where they are not, a check refuses what only such a call has."""
    api: Plain = {"name": name, ORIGIN: block[ORIGIN]}
    for key in ("kind", "defined_in"):
        if key in block:
            api[key] = block[key]
    collective = {key: block[key] for key in ("root", "constructor", "probes") if block.get(key)}
    if collective or (by_ranks and not block.get("defined_in")):
        api["collective"] = {**collective, ORIGIN: block[ORIGIN]}
    api["claims"] = [_claim(key, claim) for key, claim in block.get("claims", {}).items()]
    return api


def _claim(key: str, claim: Plain) -> Plain:
    kinds = [kind for kind in _MAIN if kind in claim]
    if len(kinds) != 1:
        remedy = f"Give it one of {', '.join(_MAIN)}."
        raise claim[ORIGIN].error(f"claim {key!r} needs exactly one kind, got {', '.join(kinds) or 'none'}", remedy)
    kind = kinds[0]
    body = {part: claim[part] for part in _BESIDE if part in claim}
    if (main := _MAIN[kind]) is not None:
        body[main] = claim[kind]
    if kind == "raises":
        body["type"] = None if claim["raises"] == "any" else claim["raises"]
    if kind == "equals":
        body.setdefault("at", "return")
    done: Plain = {"id": key, kind: body, "probes": claim.get("by", []), ORIGIN: claim[ORIGIN]}
    return {**done, **{part: claim[part] for part in ("stated", "reason", "when") if part in claim}}


def _differences(differences: Plain) -> list[Plain]:
    return [
        {
            "id": key,
            "source_claims": item.get("source", []),
            "target_claims": item.get("target", []),
            **{
                part: item[part]
                for part in ("kind", "risk", "note", "headline", "reach", "because", ORIGIN)
                if part in item
            },
        }
        for key, item in differences.items()
    ]


def _without_origins(value: Any, at: tuple[str | int, ...], origins: Origins) -> Any:
    if isinstance(value, dict):
        if ORIGIN in value:
            origins[at] = value[ORIGIN]
        return {key: _without_origins(item, (*at, key), origins) for key, item in value.items() if key != ORIGIN}
    if isinstance(value, list):
        return [_without_origins(item, (*at, index), origins) for index, item in enumerate(value)]
    return value


def _culprit(bare: Plain, origins: Origins, error: msgspec.ValidationError) -> DataError:
    """The error at the smallest item that msgspec's path leads to."""
    from apidiff.database.yaml import place_of

    what, at = place_of(error, bare, Mapping)
    while at and at not in origins:
        at = at[:-1]
    return origins[at].error(f"{what} (after expansion)", "`apidiff show NAME --expanded` prints what it became.")
