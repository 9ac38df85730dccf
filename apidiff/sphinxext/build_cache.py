"""What the pages show, laid out for Sphinx: derived files that pages depend on, and one stub page per record.

Sphinx rebuilds a page when a file it depends on is newer. So every mapping gets a derived JSON file that is written
only when its content changed, every index page one with what it lists, and pages name the files they read. A record
that is gone takes its stub with it, and Sphinx then forgets the page.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Mapping as Dictionary
from pathlib import Path

import msgspec

from apidiff.atomic_write import write_file
from apidiff.derive.evidence import ApiEvidence, ProbeCall, evidence
from apidiff.derive.index_rows import Index, mapping_index
from apidiff.derive.official import OfficialReport
from apidiff.derive.version_changes import Changed, changed
from apidiff.execute.submissions.signed import Signed, State, signature_path
from apidiff.model import RunRecord
from apidiff.model.base import Record
from apidiff.model.coverage import Coverage
from apidiff.model.picture import Picture
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.porting.port import PortFacts
from apidiff.sphinxext.index_pages import LISTS
from apidiff.sphinxext.releases import Releases


class Content(Record, frozen=True, kw_only=True):
    """All that pages are made from. ``newest``: framework → its newest known version. ``runs``: run ID → file.

    ``releases``: every known version, and which of them have signatures.
    ``calls``: what probes call, by API and probe. ``records``: mapping ID → its file. ``signed``: run ID → what its
    signature says, where it has one.
    """

    entries: dict[str, Entry]
    newest: dict[str, str]
    runs: dict[str, Path]
    official: OfficialReport = OfficialReport(tables=[], runs=[])
    counterparts: dict[str, CounterpartEntry] = {}
    releases: Releases = Releases()
    pictures: dict[str, Picture] = {}
    port: PortFacts = PortFacts()
    calls: dict[str, dict[str, ProbeCall]] = {}
    coverage: Coverage = Coverage()
    records: dict[str, Path] = {}
    signed: dict[str, Signed] = {}


class MappingPage(Record, frozen=True, kw_only=True):
    """The derived file of one mapping. ``pictured``: there is a file with its picture beside it, which indexes need not read."""

    entry: Entry
    newest: dict[str, str]
    pictured: bool = False
    releases: Releases = Releases()


class RunLine(Record, frozen=True, kw_only=True):
    """One run record in the list of runs. ``ends``: how many probes ended how; ``stopped``: not all was done."""

    id: str
    framework: str
    framework_version: str
    backend: str
    device: str
    world_size: int
    date: str
    ends: dict[str, int]
    measured_by: str | None = None
    stopped: bool = False
    signed: Signed = Signed()


class Shelf:
    """The derived files of one build, below the folder of its doctrees."""

    def __init__(self, doctreedir: str | os.PathLike[str]) -> None:
        self.folder = Path(doctreedir) / "apidiff"
        self.mapping_list = self.folder / "mappings.json"
        self.run_list = self.folder / "runs.json"
        self.counterparts_file = self.folder / "counterparts.json"
        self.official_file = self.folder / "official.json"
        self.index_file = self.folder / "index.json"
        self.coverage_file = self.folder / "coverage.json"
        self.changed_file = self.folder / "changed.json"

    def mapping_file(self, mapping_id: str) -> Path:
        """The derived file of a mapping."""
        return self.folder / "mappings" / f"{mapping_id}.json"

    def mapping(self, mapping_id: str) -> MappingPage:
        """Read the derived file of a mapping. Raises FileNotFoundError where there is no such mapping."""
        return msgspec.json.decode(self.mapping_file(mapping_id).read_bytes(), type=MappingPage)

    def picture_file(self, mapping_id: str) -> Path:
        """The derived file of a mapping's picture."""
        return self.folder / "pictures" / f"{mapping_id}.json"

    def picture(self, mapping_id: str) -> Picture:
        """Read the picture of a mapping. Raises FileNotFoundError where there is none."""
        return msgspec.json.decode(self.picture_file(mapping_id).read_bytes(), type=Picture)

    def list_file(self, name: str) -> Path:
        """The derived file of one of the `LISTS`."""
        return self.folder / "lists" / f"{name}.json"

    def listed(self, name: str) -> list[MappingPage]:
        """What the list shows of every mapping, by ID."""
        return msgspec.json.decode(self.list_file(name).read_bytes(), type=list[MappingPage])

    def run_file(self, run_id: str) -> Path:
        """The copy of a run record, byte for byte."""
        return self.folder / "runs" / f"{run_id}.json"

    def signature_file(self, run_id: str) -> Path:
        """The copy of a run record's signature; there is none where it is not signed."""
        return signature_path(self.run_file(run_id))

    def signed_file(self, run_id: str) -> Path:
        """The derived file of what a run record's signature says."""
        return self.folder / "signed" / f"{run_id}.json"

    def signed(self, run_id: str) -> Signed:
        """What a run record's signature says."""
        return msgspec.json.decode(self.signed_file(run_id).read_bytes(), type=Signed)

    def evidence_file(self, key: str) -> Path:
        """The derived file of an API's evidence."""
        return self.folder / "evidence" / f"{key}.json"

    def evidence_keys(self) -> list[str]:
        """The keys of all evidence, sorted."""
        folder = self.folder / "evidence"
        return sorted(file.relative_to(folder).as_posix().removesuffix(".json") for file in folder.glob("**/*.json"))

    def coverage(self) -> Coverage:
        """What was run and what was not."""
        return msgspec.json.decode(self.coverage_file.read_bytes(), type=Coverage)

    def changed(self) -> list[Changed]:
        """Verdicts that a version changed, by claim."""
        return msgspec.json.decode(self.changed_file.read_bytes(), type=list[Changed])

    def mapping_ids(self) -> list[str]:
        """The IDs of all mappings, sorted."""
        return msgspec.json.decode(self.mapping_list.read_bytes(), type=list[str])

    def runs(self) -> list[RunLine]:
        """All run records, by ID."""
        return msgspec.json.decode(self.run_list.read_bytes(), type=list[RunLine])

    def counterparts(self) -> list[CounterpartEntry]:
        """MindSpore's communication APIs by name."""
        return msgspec.json.decode(self.counterparts_file.read_bytes(), type=list[CounterpartEntry])

    def official(self) -> OfficialReport:
        """The report on upstream's tables."""
        return msgspec.json.decode(self.official_file.read_bytes(), type=OfficialReport)

    def index(self) -> Index:
        """All mappings as rows."""
        return msgspec.json.decode(self.index_file.read_bytes(), type=Index)

    def publish(self, content: Content) -> None:
        """Write what changed and remove what is gone."""
        wanted = {
            self.mapping_file(mapping_id): msgspec.json.encode(
                MappingPage(
                    entry=entry,
                    newest=dict(content.newest),
                    pictured=mapping_id in content.pictures,
                    releases=content.releases,
                )
            )
            for mapping_id, entry in content.entries.items()
        }
        replace_folder(self.folder / "mappings", wanted, "*.json")
        pictures = {self.picture_file(key): msgspec.json.encode(one) for key, one in content.pictures.items()}
        replace_folder(self.folder / "pictures", pictures, "*.json")
        for name, keep in LISTS.items():
            pages = [
                MappingPage(entry=keep(entry), newest=dict(content.newest))
                for _, entry in sorted(content.entries.items())
            ]
            write_if_changed(self.list_file(name), msgspec.json.encode(pages))
        write_if_changed(self.mapping_list, msgspec.json.encode(sorted(content.entries)))
        write_if_changed(self.counterparts_file, msgspec.json.encode(list(content.counterparts.values())))
        write_if_changed(self.official_file, msgspec.json.encode(content.official))
        known = {name: content.releases.known.get(name, [newest]) for name, newest in content.newest.items()}
        index = mapping_index(content.entries.values(), known["mindspore"], known.get("torch", []))
        write_if_changed(self.index_file, msgspec.json.encode(index))
        # A copy: pages must not change, and a build must not break, while runs are being recorded.
        runs = {self.run_file(run_id): file.read_bytes() for run_id, file in content.runs.items()}
        replace_folder(self.folder / "runs", runs, "**/*.json")
        signatures = {
            self.signature_file(run_id): signature_path(file).read_bytes()
            for run_id, file in content.runs.items()
            if content.signed.get(run_id, Signed()).state is not State.UNSIGNED
        }
        replace_folder(self.folder / "runs", signatures, "**/*.minisig")
        signed = {
            self.signed_file(run_id): msgspec.json.encode(content.signed.get(run_id, Signed()))
            for run_id in content.runs
        }
        replace_folder(self.folder / "signed", signed, "**/*.json")
        records = {
            run_id: msgspec.json.decode(self.run_file(run_id).read_bytes(), type=RunRecord)
            for run_id in sorted(content.runs)
        }
        lines = [_run_line(run_id, record, content.signed.get(run_id, Signed())) for run_id, record in records.items()]
        write_if_changed(self.run_list, msgspec.json.encode(lines))
        found: Iterable[ApiEvidence] = evidence(records, content.entries, content.calls, content.signed)
        shown = {self.evidence_file(one.key): msgspec.json.encode(one) for one in found}
        replace_folder(self.folder / "evidence", shown, "**/*.json")
        write_if_changed(self.coverage_file, msgspec.json.encode(content.coverage))
        write_if_changed(self.changed_file, msgspec.json.encode(list(changed(content.entries))))


def _run_line(run_id: str, run: RunRecord, signed: Signed) -> RunLine:
    ends: dict[str, int] = {}
    for probe in run.probes:
        ends[probe.end] = ends.get(probe.end, 0) + 1
    return RunLine(
        id=run_id,
        framework=run.framework,
        framework_version=run.framework_version,
        backend=run.backend,
        device=run.device,
        world_size=run.world_size,
        date=run.date,
        ends=dict(sorted(ends.items())),
        measured_by=run.measured_by,
        stopped=bool(run.stopped),
        signed=signed,
    )


def write_stubs(srcdir: Path, content: Content, evidence_keys: Iterable[str] = ()) -> None:
    """One page per mapping, run and API's evidence below ``srcdir``; what is there and right is left alone."""
    pages = {
        srcdir / "mappings" / f"{mapping_id}.md": f"```{{apidiff-mapping}} {mapping_id}\n```\n".encode()
        for mapping_id in content.entries
    }
    replace_folder(srcdir / "mappings", pages, "*.md")
    runs = {srcdir / "runs" / f"{run_id}.md": f"```{{apidiff-run}} {run_id}\n```\n".encode() for run_id in content.runs}
    replace_folder(srcdir / "runs", runs, "**/*.md")
    # Verdicts lead there, no table of contents does: it would list hundreds of pages.
    shown = {
        srcdir / "evidence" / f"{key}.md": f"---\norphan: true\n---\n\n```{{apidiff-evidence}} {key}\n```\n".encode()
        for key in evidence_keys
    }
    replace_folder(srcdir / "evidence", shown, "**/*.md")


def replace_folder(folder: Path, files: Dictionary[Path, bytes], pattern: str) -> None:
    """Make the files below ``folder`` that match ``pattern`` be exactly ``files``."""
    for stale in set(folder.glob(pattern)) - set(files):
        stale.unlink()
    for path, text in files.items():
        write_if_changed(path, text)


def write_if_changed(path: Path, data: bytes) -> None:
    """Write ``data`` unless the file holds it already, by way of a temporary file in the same folder."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, data)
