"""Which mappings and which stated claims a change touches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass

from apidiff.derive.api_history.change import Change
from apidiff.model import Api, Claim, Document, Mapping, Version


@dataclass(frozen=True)
class Touched:
    """The IDs of mappings, and of claims (``<API>#<claim>``) that a document states, with the keys of the documents."""

    mappings: tuple[str, ...]
    claims: dict[str, tuple[str, ...]]


def touched(change: Change, mappings: Iterable[Mapping], documents: AbstractMapping[str, Document]) -> Touched:
    """What has to be looked at again because of ``change``.

    A mapping is touched where the API is its source, a target or something that goes into its answer. Of the API's stated
    claims, all are touched by a change of the API as a whole, else those that name a parameter or member concerned;
    documents that speak of the changed version or a later one are left out, for they know of the change.
    """
    framework = change.api.partition(".")[0]
    older = {
        key
        for key, one in documents.items()
        if one.framework.value != framework or Version(one.version) < Version(change.version)
    }

    found: list[str] = []
    claims: dict[str, tuple[str, ...]] = {}
    for mapping in mappings:
        apis = [mapping.source, *(target.api for target in mapping.targets)]
        used = [name for answer in mapping.otherwise for name in answer.uses]
        if change.api not in {*(api.name for api in apis), *used}:
            continue
        found.append(mapping.id)
        for api in apis:
            if api.name == change.api:
                claims |= _claims(api, change, older)
    return Touched(tuple(sorted(found)), dict(sorted(claims.items())))


def _claims(api: Api, change: Change, documents: set[str]) -> dict[str, tuple[str, ...]]:
    return {
        f"{api.name}#{claim.id}": tuple(sorted(stated))
        for claim in api.claims
        if (stated := {one.document for one in claim.stated} & documents)
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
