"""The JSON Schemas of authored, measured and published records, generated from the model; editors check YAML against them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from apidiff.atomic_write import write_files
from apidiff.database.document_addresses import PageRules
from apidiff.database.document_twins import Twins
from apidiff.database.documented import OnlyFile
from apidiff.database.paths import DATA
from apidiff.database.uses import Uses
from apidiff.model.authored import AuthoredRecord, CanonicalCalls, NamedNote, Profile
from apidiff.model.base import DottedName, Slug
from apidiff.model.documented import Listing, OfficialTable
from apidiff.model.mapping import Document, Releases
from apidiff.model.published import Base, Index
from apidiff.model.rule import WritingRules
from apidiff.model.trace import RunRecord
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.model.vocabulary import Execution

SCHEMAS: dict[str, Any] = {
    "mapping": AuthoredRecord,
    "profiles": dict[Slug, Profile],
    "notes": dict[Slug, NamedNote],
    "canonical_calls": dict[DottedName, CanonicalCalls],
    "documents": dict[str, Document],
    "document_addresses": dict[str, PageRules],
    "document_twins": Twins,
    "frameworks": dict[str, Releases],
    "official": OfficialTable,
    "mindspore_only": OnlyFile,
    "documented": list[Listing],
    "uses": Uses,
    "writing_rules": WritingRules,
    "run": RunRecord,
    "entry": Entry,
    "counterparts": list[CounterpartEntry],
    "index": Index,
    "apidiff": Base,
}


# What only ranks have: a record that says that its calls are made in a single process is not offered it. Where a profile says
# so, `apidiff check` tells.
_OF_RANKS = {"properties": {"root": False, "probes": False}}
_SINGLE = {
    "if": {"properties": {"execution": {"const": Execution.SINGLE.value}}, "required": ["execution"]},
    "then": {"properties": {"sweeps": False, "source": _OF_RANKS, "targets": {"additionalProperties": _OF_RANKS}}},
}


def schema_text(name: str) -> str:
    """The schema called ``name`` (a key of SCHEMAS) as indented JSON, the same bytes every time."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(SCHEMAS[name])}
    if name == "mapping":
        schema |= _SINGLE
    return msgspec.json.format(msgspec.json.encode(schema, order="sorted"), indent=1).decode() + "\n"


def schema_path(data: Path, name: str) -> Path:
    """Where the schema called ``name`` is checked in."""
    return data / "schema" / f"{name}.json"


def main() -> int:
    """Write all schemas anew where they are checked in, or none. Returns the exit code."""
    try:
        write_files({schema_path(DATA, name): schema_text(name).encode() for name in SCHEMAS})
    except OSError as error:
        sys.stderr.write(f"schema: {error}\n")
        return 2
    return 0
