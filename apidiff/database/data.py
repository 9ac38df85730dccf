"""The whole database in memory."""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apidiff.database.canonical_calls import with_canonical_calls
from apidiff.database.document_addresses import PageRules, load_addresses
from apidiff.database.document_twins import load_twins, with_twins
from apidiff.database.documented import (
    OnlyFile,
    TableFile,
    load_documented,
    load_mindspore_only,
    load_tables,
    with_listed,
)
from apidiff.database.expansion import Expander, Origins
from apidiff.database.extracted_samples import load_extracted
from apidiff.database.own_records import load_own_records
from apidiff.database.paths import DATA
from apidiff.database.runs import Reading, load_runs
from apidiff.database.shared_targets import fill_in
from apidiff.database.signatures import load_signatures
from apidiff.database.signing import load_signed
from apidiff.database.single_runs import load_single_runs
from apidiff.database.uses import Uses, load_uses
from apidiff.database.writing_rules import load_writing_rules
from apidiff.database.yaml import read_yaml
from apidiff.errors import ApidiffError, DataError, InvalidData
from apidiff.model.documented import Listing
from apidiff.model.extracted_samples import ExtractedSamples
from apidiff.model.mapping import Document, Mapping, Release
from apidiff.model.rule import WritingRules
from apidiff.model.sample_run import SingleRecord
from apidiff.model.signature import SignatureFile
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord
from apidiff.model.trust import Trust


@dataclass(frozen=True)
class Data:
    """Everything that was read.

    ``origins``: for each mapping ID, where each part of it was written, for messages. ``unneeded``: what is written in records
    and changes nothing. ``unused``: profiles and notes that nothing names. ``tables``: upstream's; each target that one
    lists has the claim that its row makes. ``mindspore_only``: MindSpore APIs without a counterpart, with the reason.
    ``listings``: which APIs documents name, for versions without signatures. ``single_runs``: records of calls in a single
    process, those made last first. ``uses``: how often real code names an API. ``addresses``: by framework, where its
    documentation stands.
    ``extracted``: samples taken from the source framework, by its API. ``rules``: how code is ported beyond names and keywords.
    ``damaged``: what is wrong with run records and files of samples that were passed over. ``signed``: who vouches for each
    record, by ID. ``runs`` and ``single_runs`` are those that decide: this project's own and signed ones; ``unsigned_runs`` and
    ``unsigned_single_runs`` the others, which no badge, headline or figure is made from.
    """

    root: Path
    mappings: dict[str, Mapping]
    documents: dict[str, Document]
    frameworks: dict[str, list[Release]]
    signatures: dict[tuple[str, str], SignatureFile] = field(default_factory=dict)
    runs: list[tuple[str, RunRecord]] = field(default_factory=list)
    origins: dict[str, Origins] = field(default_factory=dict)
    tables: list[TableFile] = field(default_factory=list)
    mindspore_only: OnlyFile = field(default_factory=dict)
    listings: list[Listing] = field(default_factory=list)
    unneeded: list[DataError] = field(default_factory=list)
    unused: list[DataError] = field(default_factory=list)
    single_runs: list[tuple[str, SingleRecord]] = field(default_factory=list)
    uses: Uses = field(default_factory=Uses)
    addresses: dict[str, PageRules] = field(default_factory=dict)
    extracted: dict[str, ExtractedSamples] = field(default_factory=dict)
    rules: WritingRules = field(default_factory=WritingRules)
    damaged: list[DataError] = field(default_factory=list)
    signed: dict[str, Signed] = field(default_factory=dict)
    unsigned_runs: list[tuple[str, RunRecord]] = field(default_factory=list)
    unsigned_single_runs: list[tuple[str, SingleRecord]] = field(default_factory=list)

    @property
    def every_run(self) -> list[tuple[str, RunRecord]]:
        """All records of ranks, those for which nobody vouches too, by ID."""
        return sorted([*self.runs, *self.unsigned_runs], key=lambda pair: pair[0])

    @property
    def every_single_run(self) -> list[tuple[str, SingleRecord]]:
        """All records of single calls, those for which nobody vouches too; those made last first."""
        both = [*self.single_runs, *self.unsigned_single_runs]
        return sorted(both, key=lambda pair: pair[1].date, reverse=True)

    def path_of(self, mapping_id: str) -> Path:
        """The file of a mapping, as `mapping_path` has it."""
        return mapping_path(self.root, mapping_id)


def load(root: Path | None = None) -> Data:
    """Reads the data below ``root`` (default: the data shipped with the package).

    Raises InvalidData with every DataError found in mappings, documents and releases; DataError for a broken signature file. A
    run record or file of samples that is damaged is passed over and told in ``damaged``.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # a million objects are made and all are kept: looking for garbage among them takes as long as reading
    try:
        return _load(root or DATA)
    finally:
        if was_enabled:
            gc.enable()


def _load(root: Path) -> Data:
    errors: list[DataError] = []
    documents: dict[str, Document] = {}
    frameworks: dict[str, list[Release]] = {}
    tables: list[TableFile] = []
    only: OnlyFile = {}
    listings: list[Listing] = []
    uses = Uses()
    addresses: dict[str, PageRules] = {}
    try:
        tables = load_tables(root / "official")
        documents, _ = read_yaml(root / "documents.yaml", dict[str, Document])
        documents = with_twins(documents, load_twins(root))
        frameworks, _ = read_yaml(root / "frameworks.yaml", dict[str, list[Release]])
        only, _ = load_mindspore_only(root)
        listings = load_documented(root / "documented.yaml")
        uses = load_uses(root)
        addresses = load_addresses(root)
    except DataError as error:
        errors.append(error)
    if errors:
        raise InvalidData(errors)
    signatures = load_signatures(root / "signatures")
    expander = Expander.of(root, signatures, documents)
    mappings, origins = _mappings(root, expander, errors)
    if errors:
        raise InvalidData(errors)
    mappings = with_canonical_calls(with_listed(mappings, tables), root / "canonical_calls.yaml")
    reading = Reading(load_own_records(root))
    runs = load_runs(root / "runs", reading)
    single_runs = load_single_runs(root / "runs", reading)
    signed = _signed(root, [key for key, _ in [*runs, *single_runs]], reading.own_ids)
    decide = {key for key, found in signed.items() if found.trust is not Trust.UNSIGNED}
    extracted, broken = load_extracted(root / "samples")
    unused = [*expander.profiles.unused(), *expander.notes.unused()]
    return Data(
        root,
        mappings,
        documents,
        frameworks,
        signatures,
        [pair for pair in runs if pair[0] in decide],
        origins,
        tables,
        only,
        listings,
        expander.profiles.unneeded,
        unused,
        [pair for pair in single_runs if pair[0] in decide],
        uses,
        addresses,
        extracted,
        load_writing_rules(root, mappings),
        [*reading.damaged, *broken],
        signed,
        [pair for pair in runs if pair[0] not in decide],
        [pair for pair in single_runs if pair[0] not in decide],
    )


def _signed(root: Path, run_ids: Sequence[str], own: Collection[str]) -> dict[str, Signed]:
    """Who vouches for each record. What is wrong with a signature `apidiff check` tells; here nobody then does."""
    listed = Signed(state=State.LISTED)
    return {key: listed for key in run_ids if key in own} | load_signed(
        root, [key for key in run_ids if key not in own]
    )


def tell_damaged(data: Data) -> None:
    """Writes a line on standard error for each damaged file that was passed over. `apidiff check` fails on them."""
    for error in data.damaged:
        sys.stderr.write(f"apidiff: note: damaged, and passed over: {error}\n")


def _mappings(root: Path, expander: Expander, errors: list[DataError]) -> tuple[dict[str, Mapping], dict[str, Origins]]:
    """All mappings and the origins of their parts by ID; what is wrong is added to ``errors``."""
    mappings: dict[str, Mapping] = {}
    origins: dict[str, Origins] = {}
    for path in sorted((root / "mappings").rglob("*.yaml")):
        name = ".".join(path.relative_to(root / "mappings").with_suffix("").parts)
        try:
            mappings[name], origins[name] = expander.expand(path, name)
        except DataError as error:
            errors.append(error)
    if errors:  # what another record should define may stand in one that could not be read
        return mappings, origins
    filled: dict[str, Mapping] = {}
    for key, mapping in mappings.items():
        try:
            filled[key] = fill_in(mapping, mappings, origins[key])
        except DataError as error:
            errors.append(error)
    return filled, origins


def mapping_path(root: Path, mapping_id: str) -> Path:
    """The file of a mapping below the data folder ``root``: its ID with '/' for '.', below ``mappings/``."""
    return root / "mappings" / Path(*mapping_id.split(".")).with_suffix(".yaml")


def expanded_record(root: Path, mapping_id: str) -> dict[str, Any]:
    """The record of a mapping after all passes but the last, items with their origins. Raises DataError."""
    documents, _ = read_yaml(root / "documents.yaml", dict[str, Document])
    expander = Expander.of(root, load_signatures(root / "signatures"), documents)
    return expander.steps(mapping_path(root, mapping_id), mapping_id)


class UnknownMapping(ApidiffError, LookupError):
    """No mapping has this ID."""

    @classmethod
    def of(cls, key: str) -> UnknownMapping:
        """The error for the ID ``key``."""
        return cls(f"There is no mapping {key!r}. Name one by its ID, the full name of its source API.")
