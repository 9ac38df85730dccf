"""Expands authored records to mappings, in passes over plain data.

A record says what only a person knows. Each pass adds what is known from elsewhere, and each item keeps its origin:

1. `apply_profiles` merges in what its families have in common, and what one target shares with another;
2. `fill_notes` puts texts of the catalogue for their names;
3. `fill_placeholders` puts argument names and the like for ``$name``;
4. `claim_members` makes the claims of listed members;
5. `claim_scripts` makes the claims of scripts below executable_examples/;
6. `derive_parameters` makes the rows that the signatures show;
7. `derive_signature_claims` makes the claims that the signatures show;
8. `expand_sweeps` makes the probes and claims that go through dtypes and layouts;
9. `prune_inherited` drops what profiles say of probes and claims that are not there;
10. `attach_citations` puts citations on claims;
11. `to_mapping` makes a `Mapping` of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apidiff.database.expansion.citations import attach_citations, prune_inherited
from apidiff.database.expansion.convert import Origins, to_mapping
from apidiff.database.expansion.notes import Notes, fill_notes
from apidiff.database.expansion.origins import ORIGIN, Plain, counted, mark
from apidiff.database.expansion.profiles import Profiles, apply_profiles, fill_placeholders
from apidiff.database.expansion.scripts import claim_scripts
from apidiff.database.expansion.signatures import Signatures, claim_members, derive_parameters, derive_signature_claims
from apidiff.database.expansion.sweeps import expand_sweeps
from apidiff.database.odd_records import naming_the_record
from apidiff.database.paths import examples_of
from apidiff.database.yaml import RECORD, Lines, read_yaml_plain
from apidiff.errors import DataError
from apidiff.folder_walk import visible_files
from apidiff.model.authored import AuthoredRecord, NamedNote, Profile
from apidiff.model.base import Slug
from apidiff.model.mapping import Document, Mapping
from apidiff.model.signature import SignatureFile

__all__ = ["Expander", "Origins"]


@dataclass(frozen=True)
class Expander:
    """What records are expanded with. ``examples``: the folder of the scripts."""

    profiles: Profiles
    notes: Notes
    signatures: Signatures
    documents: Dictionary[str, Document]
    examples: Path

    @classmethod
    def of(
        cls,
        root: Path,
        signatures: dict[tuple[str, str], SignatureFile],
        documents: Dictionary[str, Document],
        broken: list[DataError] | None = None,
    ) -> Expander:
        """With the profiles and notes below the data folder ``root``.

        Raises DataError for one that cannot be read; given a list ``broken``, adds the error there and passes the file over.
        """
        errors: list[DataError] = [] if broken is None else broken
        profiles: dict[str, Plain] = {}
        refused: list[Path] = []
        for path in visible_files(root / "profiles", "*.yaml", errors):
            try:
                profiles |= _profiles(path, profiles)
            except DataError as error:
                errors.append(error)
                refused.append(path)
        path = root / "notes.yaml"
        texts: dict[str, Any] = {}
        lines: Lines = {}
        if os.path.lexists(path):
            try:
                _, texts, lines = read_yaml_plain(path, dict[Slug, NamedNote])
            except DataError as error:
                errors.append(error)
        if broken is None and errors:
            raise errors[0]
        return cls(
            Profiles(profiles, refused),
            Notes(path, texts, lines),
            Signatures.of(signatures),
            documents,
            examples_of(root),
        )

    def steps(self, path: Path, name: str) -> Plain:
        """The record ``name`` in the file ``path`` after all passes but the last. Raises DataError."""
        _, plain, lines = read_yaml_plain(path, AuthoredRecord, RECORD)
        with naming_the_record(path):
            record = mark(plain, lines, path, "record")
            self.profiles.count(0, record[ORIGIN])  # where others have too many none is expanded
            record = apply_profiles(record, self.profiles)
            record = fill_notes(record, self.notes, self.profiles.unneeded)
            record = fill_placeholders(record, name)
            record = claim_members(record)
            record = claim_scripts(record, name, self.examples)
            record = derive_parameters(record, name, self.signatures, self.profiles.unneeded)
            record = derive_signature_claims(record, name, self.signatures)
            record = expand_sweeps(record)
            record = prune_inherited(record, self.profiles.observed)
            record = attach_citations(record, name, self.documents)
            self.profiles.count(counted(0, record), record[ORIGIN])
            return record

    def expand(self, path: Path, name: str) -> tuple[Mapping, Origins]:
        """The mapping ``name`` of the record in the file ``path``, and where each part of it was written. Raises DataError."""
        record = self.steps(path, name)
        with naming_the_record(path):
            return to_mapping(record, name)


def _profiles(path: Path, others: Dictionary[str, Plain]) -> dict[str, Plain]:
    """The profiles in the file ``path`` by name. Raises DataError, also for a name of ``others``."""
    _, plain, at = read_yaml_plain(path, dict[Slug, Profile], RECORD)
    profiles: dict[str, Plain] = {}
    for name, profile in plain.items():
        if name in others:
            raise DataError(path, at.get((name,)), f"profile {name!r} stands in two files", "Join the two.")
        inside = {place[1:]: line for place, line in at.items() if place[:1] == (name,)}
        with naming_the_record(path):
            profiles[name] = mark(profile, inside, path, f"profile {name}")
    return profiles
