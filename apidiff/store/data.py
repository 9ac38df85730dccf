"""The whole database in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from apidiff.model import Document, Mapping, Release, RunRecord
from apidiff.model.signature import SignatureFile
from apidiff.store.errors import DataError, InvalidData
from apidiff.store.paths import DATA
from apidiff.store.runs import load_runs
from apidiff.store.signatures import load_signatures
from apidiff.store.yaml import Lines, read_yaml


@dataclass(frozen=True)
class Data:
    """Everything that was read. ``lines``: for each mapping ID, the line of every value, for messages."""

    root: Path
    mappings: dict[str, Mapping]
    documents: dict[str, Document]
    frameworks: dict[str, list[Release]]
    signatures: dict[tuple[str, str], SignatureFile] = field(default_factory=dict)
    runs: list[tuple[str, RunRecord]] = field(default_factory=list)
    lines: dict[str, Lines] = field(default_factory=dict)

    def path_of(self, mapping_id: str) -> Path:
        """The file of a mapping: its ID with '/' for '.', below ``mappings/``."""
        return self.root / "mappings" / Path(*mapping_id.split(".")).with_suffix(".yaml")


def load(root: Path | None = None) -> Data:
    """Reads the data below ``root`` (default: the data shipped with the package).

    Raises InvalidData with every DataError found in mappings, documents and releases; DataError for a broken run record
    or signature file.
    """
    root = root or DATA
    errors: list[DataError] = []
    mappings: dict[str, Mapping] = {}
    lines: dict[str, Lines] = {}
    for path in sorted((root / "mappings").rglob("*.yaml")):
        try:
            mapping, at = read_yaml(path, Mapping)
            expected = ".".join(path.relative_to(root / "mappings").with_suffix("").parts)
            if mapping.id != expected:
                found = f"the id is {mapping.id!r} but the path says {expected!r}"
                raise DataError(path, at[("id",)], found, "The path is the ID: rename one of the two.")
            mappings[mapping.id], lines[mapping.id] = mapping, at
        except DataError as error:
            errors.append(error)
    documents: dict[str, Document] = {}
    frameworks: dict[str, list[Release]] = {}
    try:
        documents, _ = read_yaml(root / "documents.yaml", dict[str, Document])
        frameworks, _ = read_yaml(root / "frameworks.yaml", dict[str, list[Release]])
    except DataError as error:
        errors.append(error)
    if errors:
        raise InvalidData(errors)
    signatures = load_signatures(root / "signatures")
    return Data(root, mappings, documents, frameworks, signatures, load_runs(root / "runs"), lines)
