"""Lists the names under which code finds the source APIs of the database."""

from __future__ import annotations

from apidiff.database import Data
from apidiff.database.scope import load_scope
from apidiff.model.source_names import KnownApi, SourceNames
from apidiff.model.vocabulary import ApiKind

_CLASSES = {ApiKind.CLASS, ApiKind.MODULE, ApiKind.PRIMITIVE}


def source_names(data: Data) -> SourceNames:
    """List every source with its aliases, the modules that copy others, and what everyone calls modules."""
    scope = load_scope().torch
    apis: dict[str, KnownApi] = {}
    others: dict[str, KnownApi] = {}
    ported: dict[str, str] = {}
    for mapping in data.mappings.values():
        is_class = mapping.source.kind in _CLASSES or any(target.members for target in mapping.targets)
        apis[mapping.source.name] = known = KnownApi(mapping=mapping.id, is_class=is_class)
        others |= dict.fromkeys(mapping.aliases, known)
        for target in mapping.targets:
            same = target.api.name.rpartition(".")[2] == mapping.source.name.rpartition(".")[2]
            if same or target.api.name not in ported:
                ported[target.api.name] = mapping.source.name
    alike = {
        alias: mapping.source.name
        for mapping in data.mappings.values()
        for alias in mapping.aliases
        if mapping.category == "dtype"
    }
    customary = {module.alias: module.name for module in scope.modules if module.alias}
    return SourceNames(
        apis=others | apis,  # an alias takes no API's own name
        copies=scope.copies(),
        customary=customary,
        ported=ported,
        alike=alike,
    )
