"""Puts citations on the claims they name, and takes from what profiles bring that which names nothing of the API."""

from __future__ import annotations

from collections.abc import Mapping as Dictionary

from apidiff.database.expansion.origins import ORIGIN, Plain
from apidiff.database.expansion.profiles import Observed
from apidiff.model.mapping import Document
from apidiff.model.version import Version

_TORCH_PAGE = "torch-2.13-distributed"


def prune_inherited(record: Plain, observed: set[Observed]) -> Plain:
    """``record`` without what profiles say of probes and claims that this API does not have.

    ``observed`` gets the probes that are there, each with the claim that names it and where that was written.
    """
    done = {**record, "source": _pruned(record["source"], observed), "targets": {}}
    claims = set(done["source"].get("claims", {}))
    for key, block in record["targets"].items():
        changed = _pruned(block, observed)
        if not block.get("defined_in"):
            changed["differences"] = _supported(block.get("differences", {}), claims, set(changed.get("claims", {})))
        done["targets"][key] = changed
    done["caveats"] = _supported(record["caveats"], claims, set())
    return done


def _inherited(item: Plain) -> bool:
    return bool(item[ORIGIN].what != "record")


def _pruned(block: Plain, observed: set[Observed]) -> Plain:
    probes = block.get("probes", {})
    claims: Plain = {}
    for key, claim in block.get("claims", {}).items():
        if _inherited(claim) and claim.get("by"):
            there = [probe for probe in claim["by"] if probe in probes]
            observed |= {(claim[ORIGIN].path, claim[ORIGIN].line, probe) for probe in there}
            if not there:
                continue
            claims[key] = {**claim, "by": there}
        else:
            claims[key] = claim
    cite = {
        document: {part: _narrowed(entry, claims) for part, entry in parts.items()}
        for document, parts in block.get("cite", {}).items()
    }
    return {**block, "claims": claims, "cite": cite}


def _narrowed(entry: Plain, claims: Plain) -> Plain:
    if not _inherited(entry):
        return entry
    states = [{**item, "claims": [key for key in item["claims"] if key in claims]} for item in entry["states"]]
    return {**entry, "states": states}


def _supported(differences: Plain, source: set[str], target: set[str]) -> Plain:
    """The differences that were written here, and those of profiles that still cite a claim."""
    kept: Plain = {}
    for key, difference in differences.items():
        if not _inherited(difference):
            kept[key] = difference
            continue
        left = [claim for claim in difference.get("source", []) if claim in source]
        right = [claim for claim in difference.get("target", []) if claim in target]
        if left or right:
            kept[key] = {**difference, "source": left, "target": right}
    return kept


def attach_citations(record: Plain, name: str, documents: Dictionary[str, Document]) -> Plain:
    """``record`` with ``cite`` turned into ``stated`` on each claim. Raises DataError for a claim that is not there."""
    done = {**record, "source": _stated(record["source"], name, name, documents), "targets": {}}
    for key, block in record["targets"].items():
        done["targets"][key] = _stated(block, key, name, documents)
    return done


def _stated(block: Plain, api: str, source: str, documents: Dictionary[str, Document]) -> Plain:
    claims = {key: dict(claim) for key, claim in block.get("claims", {}).items()}
    stated: dict[str, list[Plain]] = {}
    for short, parts in block.get("cite", {}).items():
        document = _document(short, api, source, documents)
        for part, entry in parts.items():
            origin = entry[ORIGIN]
            for key, text in [(key, item.get("text")) for item in entry["states"] for key in item["claims"]]:
                if key not in claims:
                    remedy = f"Name one of {', '.join(claims) or 'none'}."
                    raise origin.error(f"{api} has no claim {key!r} that {part!r} could state", remedy)
                told = {"document": document, "part": part}
                if text:
                    told["text"] = text
                stated.setdefault(key, []).append(told)
    for key, told_of in stated.items():
        claims[key]["stated"] = [*claims[key].get("stated", []), *told_of]
    return {**{key: value for key, value in block.items() if key != "cite"}, "claims": claims}


def _document(short: str, api: str, source: str, documents: Dictionary[str, Document]) -> str:
    """The key of a document: 'page' is the newest of the API itself, 'diff' upstream's page on the source."""
    if short == "page" and api.startswith("torch."):
        return _TORCH_PAGE
    wanted = {"page": api, "diff": source}.get(short)
    if wanted is None:
        return short
    found = [key for key, document in documents.items() if document.api == wanted]
    return max(found, key=lambda key: Version(documents[key].version), default=short)
