"""Reads the records of single calls, ``runs/<framework>-<version>/single-<device>-<digest>.json.gz``, and finds traces in them.

They are compressed, since they hold thousands of calls: without, a version takes ten times the room. The digest is that of the
JSON; a record that is not compressed is read too, as somebody may send one, or as earlier versions wrote them.
Those of extracted samples are called ``single-<device>-extracted-<digest>.json.gz``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from apidiff.database.runs import Reading, read_record, read_records, record_paths, whole_digest
from apidiff.errors import DataError
from apidiff.model.sample_run import SINGLE_SCHEMA, SampleRun, SingleRecord
from apidiff.model.version import read_version

PREFIX = "single-"


def single_run_name(record: SingleRecord) -> tuple[str, str]:
    """Folder and file name (without digest) of a record: ``torch-2.13.0`` and ``single-cpu`` or ``single-cpu-extracted``."""
    inputs = f"-{record.inputs}" if record.inputs else ""
    return f"{record.framework}-{record.framework_version}", f"{PREFIX}{record.device}{inputs}"


def single_run_path(record: SingleRecord, content: bytes, runs: Path) -> Path:
    """Where below ``runs`` a record lies whose bytes are ``content``."""
    place, name = single_run_name(record)
    return runs / place / f"{name}-{whole_digest(content)}.json.gz"


def place_of(run: str) -> tuple[str, str, str]:
    """Framework, version and device of the record with the ID ``run``, which `single_run_name` made."""
    folder, _, name = run.partition("/")
    framework, _, version = folder.partition("-")
    device = name.removeprefix(PREFIX).rpartition("-")[0].removesuffix("-extracted")
    return framework, version, device


def load_single_runs(folder: Path, reading: Reading | None = None) -> list[tuple[str, SingleRecord]]:
    """All records of single calls below ``folder`` with their IDs; those made last come first.

    What cannot be taken is raised as DataError, or kept in ``reading``, as `load_runs` does.
    """
    paths = single_paths(folder, reading.damaged if reading else None)
    records = read_records(paths, read_single_run, reading)
    return sorted(records, key=lambda pair: pair[1].date, reverse=True)


def read_single_run(path: Path, reading: Reading | None = None) -> SingleRecord:
    """The record of single calls in ``path``, as `read_record` reads it."""
    return read_record(path, SingleRecord, SINGLE_SCHEMA, single_run_name, "record of single calls", reading)


def single_paths(folder: Path, broken: list[DataError] | None = None) -> list[Path]:
    """The files of all records of single calls below ``folder``, as `record_paths` has them."""
    return [path for path in record_paths(folder, broken) if path.name.startswith(PREFIX)]


class SingleTraces:
    """The traces of all records, found by what was called. Of several records of a place, the one that comes first counts.

    ``behind``: those of records that come after them all.
    """

    def __init__(self, records: Iterable[tuple[str, SingleRecord]], behind: SingleTraces | None = None) -> None:
        self._behind = behind
        self._places: dict[str, set[tuple[str, str]]] = {}
        self._specs: dict[tuple[str, str, str, str, str], tuple[str, SampleRun]] = {}
        for key, record in records:
            self._places.setdefault(record.framework, set()).add((record.framework_version, record.device))
            for run in record.samples:
                place = (record.framework, record.framework_version, record.device, run.mapping, run.spec)
                self._specs.setdefault(place, (key, run))

    def places(self, framework: str) -> list[tuple[str, str]]:
        """The versions and devices of which there are records, newest version first."""
        behind = self._behind.places(framework) if self._behind else ()
        places = {*self._places.get(framework, ()), *behind}
        return sorted(places, key=lambda place: (read_version(place[0]), place[1]), reverse=True)

    def find(self, framework: str, version: str, device: str, mapping: str, spec: str) -> tuple[str, SampleRun] | None:
        """The record's ID and the trace of the call with the digest ``spec``, made for ``mapping``; None if never made."""
        found = self._specs.get((framework, version, device, mapping, spec))
        return self._behind.find(framework, version, device, mapping, spec) if found is None and self._behind else found


def holds_all(newer: SingleRecord, former: SingleRecord) -> bool:
    """Whether ``newer`` has every mapping of ``former``, so that it takes its place: a run makes all samples of a mapping."""
    return {run.mapping for run in former.samples} <= {run.mapping for run in newer.samples}
