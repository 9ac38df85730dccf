"""Gathers what the pages show, made from the validated data.

Entries and pictures are kept between builds: judging claims by runs takes long, and few records change at once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from apidiff import database
from apidiff.database import Data
from apidiff.database.checks import without_unusable
from apidiff.database.kept_files import read_sealed, sealed
from apidiff.database.runs import record_path
from apidiff.derive.counterparts import counterparts
from apidiff.derive.coverage import coverage_of
from apidiff.derive.document_differences import DocumentRow, documents_report
from apidiff.derive.evidence import ProbeCall, RunHead, SingleHead, head_of, probe_calls, single_head_of
from apidiff.derive.official import OfficialReport, official_report
from apidiff.derive.picture import painter_of, pictures
from apidiff.derive.versions_run import newest_first, versions_run
from apidiff.errors import Damage, DataError, InvalidData
from apidiff.lookup.entry import entries
from apidiff.lookup.made_entries import made_entries
from apidiff.lookup.record_trial import without_failing
from apidiff.model.base import Record
from apidiff.model.coverage import Coverage
from apidiff.model.picture import Picture
from apidiff.model.signed import Signed
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.porting.port import PortFacts, port_facts
from apidiff.sphinxext.versions import Releases
from apidiff.writers.exports.files import write_if_changed


class DamagedFile(Record, frozen=True, kw_only=True):
    """Why a file was passed over, and at which line, where one can be named."""

    damage: Damage
    line: int | None = None


class Content(Record, frozen=True, kw_only=True):
    """All that pages are made from.

    ``newest``: framework → its newest version that was run, which pages show first. ``runs``: run ID → file. ``releases``:
    every known version, and which of them were run or have signatures. ``calls``: what probes call, by API and probe.
    ``records``: mapping ID → its file. ``signed``: run ID → what its signature says, where it has one. ``single_runs``: run
    ID → file, of calls in single processes, ``single_heads`` what these say first.
    ``packages``: those in whose source uses were counted, with their versions.
    ``damaged``: files that were passed over, below the data folder, with what is wrong with each.
    ``traced``: the mappings of whose calls the recorded traces have pages, in a part of the site; None where all have.
    """

    entries: dict[str, Entry]
    newest: dict[str, str]
    runs: dict[str, Path]
    official: OfficialReport = OfficialReport(tables=[], runs=[])
    documents: list[DocumentRow] = []
    counterparts: dict[str, CounterpartEntry] = {}
    releases: Releases = Releases()
    pictures: dict[str, Picture] = {}
    port: PortFacts = PortFacts()
    calls: dict[str, dict[str, ProbeCall]] = {}
    coverage: Coverage = Coverage()
    records: dict[str, Path] = {}
    signed: dict[str, Signed] = {}
    single_runs: dict[str, Path] = {}
    single_heads: list[SingleHead] = []
    packages: dict[str, str] = {}
    traced: frozenset[str] | None = None
    damaged: dict[str, DamagedFile] = {}


def load() -> Content:
    """Make the content of the package's own data. Raises what the database raises for data that is not valid."""
    return make(database.load())


def make(data: Data, keep: Path | None = None) -> Content:
    """Make the content of ``data``.

    Args:
        data: the validated data.
        keep: a folder where entries are kept for the next build.

    Raises:
        DataError: a signature of a run record does not verify.
    """
    data = without_failing(without_unusable(data))
    known = {
        framework: newest_first(release.version for release in releases)
        for framework, releases in data.frameworks.items()
    }
    signed = {
        framework: newest_first(version for name, version in data.signatures if name == framework)
        for framework in known
    }
    releases = Releases(known=known, signed=signed, run=versions_run(data))
    runs = {run_id: record_path(run_id, data.root / "runs") for run_id, _ in data.every_run}
    singles = dict(data.every_single_run)
    made, drawn = kept(data, keep) if keep else (entries(data), pictures(data))
    return Content(
        entries=made,
        newest={framework: releases.first(framework) for framework in known},
        releases=releases,
        runs=runs,
        single_runs={key: record_path(key, data.root / "runs") for key in singles},
        single_heads=[single_head_of(key, singles[key], data.signed.get(key)) for key in sorted(singles)],
        official=official_report(data, made),
        documents=documents_report(data, made),
        counterparts=counterparts(data, made),
        pictures=drawn,
        port=port_facts(data),
        calls=probe_calls(data),
        coverage=coverage_of(data, made),
        packages=data.uses.packages,
        signed=data.signed,
        damaged=_damaged(data),
        records={mapping_id: data.path_of(mapping_id) for mapping_id in data.mappings},
    )


def run_heads(data: Data) -> list[RunHead]:
    """List the records of ranks without their traces, by ID."""
    return [head_of(key, record, data.signed.get(key)) for key, record in data.every_run]


def _damaged(data: Data) -> dict[str, DamagedFile]:
    """Tell what is wrong with each damaged file; with a mapping that others make unusable, that it is passed over."""
    files: dict[str, DamagedFile] = {}
    for error in [*data.unread, *data.passed_over.values()]:
        inside = error.path.is_relative_to(data.root)
        path = str(error.path.relative_to(data.root)) if inside else error.path.name
        files.setdefault(path, DamagedFile(damage=error.damage, line=error.line))
    return files


def kept(data: Data, folder: Path) -> tuple[dict[str, Entry], dict[str, Picture]]:
    """Make the entries and pictures of ``data``, taking over what an earlier build left in ``folder``.

    A picture is made of the same things as the entry of its mapping, so both are kept under one digest. Raises InvalidData
    with why no entry can be made of some.
    """
    decoder = msgspec.msgpack.Decoder(tuple[Entry, Picture | None])
    files = {key: folder / "entries" / f"{key}.msgpack" for key in data.mappings}
    for stale in set((folder / "entries").glob("*.msgpack")) - set(files.values()):
        stale.unlink(missing_ok=True)
    painter = cache(lambda: painter_of(data))
    drawn: dict[str, Picture | None] = {}

    def former(key: str, digest: bytes) -> Entry | None:
        try:
            entry, drawn[key] = decoder.decode(read_sealed(files[key], digest))
        except (OSError, ValueError, RecursionError):
            return None  # none is kept, or it is of something else, or broken
        return entry

    entries: dict[str, Entry] = {}
    failing: dict[str, DataError] = {}
    for key, digest, entry, is_new in made_entries(data, former, failing):
        entries[key] = entry
        if is_new:
            drawn[key] = painter().picture(data.mappings[key])
            write_if_changed(files[key], sealed(digest, msgspec.msgpack.encode((entry, drawn[key]))))
    if failing:
        raise InvalidData(list(failing.values()))
    return entries, {key: picture for key in entries if (picture := drawn[key]) is not None}
