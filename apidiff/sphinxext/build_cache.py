"""Lays out for Sphinx what the pages show, in derived files that pages depend on.

Sphinx rebuilds a page when a file it depends on is newer. So every mapping gets a derived JSON file that is written
only when its content changed, every index page one with what it lists, and pages name the files they read. The
files hold both languages: builds of several languages are given the same ones, made once.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as Dictionary
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from apidiff.atomic_write import open_in_place, refuse_irregular, remove_left
from apidiff.database.runs import intact_bytes, is_intact, is_packed, signature_path
from apidiff.database.signing import read_signature
from apidiff.derive.evidence import evidence, head_of, place_of
from apidiff.derive.index_rows import mapping_index
from apidiff.derive.see_also import see_also
from apidiff.derive.statements import refuted_claims
from apidiff.derive.verdicts_by_run import changed
from apidiff.errors import DataError
from apidiff.folder_walk import visible_files
from apidiff.model.base import Record, Text
from apidiff.model.signed import Signed
from apidiff.model.trace import RunRecord
from apidiff.model.views import DifferenceEntry, Entry, ExampleEntry
from apidiff.porting.port import port_script
from apidiff.sphinxext.search_entries import mapping_entry
from apidiff.sphinxext.site_content import Content
from apidiff.sphinxext.versions import Releases
from apidiff.writers.exports.address import LANGUAGES
from apidiff.writers.exports.files import replace_folder, write_if_changed

if TYPE_CHECKING:
    from sphinx.config import Config

T = TypeVar("T")
_NONE = Text(en="-", zh="-")


class MappingPage(Record, frozen=True, kw_only=True):
    """The derived file of one mapping.

    ``pictured``: there is a file with its picture beside it, which indexes need not read. ``beside``: IDs of mappings that a
    reader may look for next.
    """

    entry: Entry
    newest: dict[str, str]
    pictured: bool = False
    beside: list[str] = []
    releases: Releases = Releases()


class Outline(Record, frozen=True, kw_only=True):
    """The derived file of what there are pages of.

    ``mappings``, ``runs``, ``single_runs``: their IDs. ``records``: mapping ID → its file. ``releases``: those to choose from.
    """

    mappings: list[str]
    runs: list[str]
    single_runs: list[str]
    records: dict[str, str]
    releases: Releases


class BuildCache:
    """The derived files of one build.

    By name: ``outline`` (Outline), ``mappings/<ID>`` (MappingPage), ``pictures/<ID>`` (Picture), ``runs/<ID>`` (the run
    record, byte for byte, with its signature beside it), ``signed/<ID>`` (Signed), ``evidence/<key>`` (ApiEvidence
    without its runs), ``heads/<place of the key>`` (list[RunHead], those runs),
    ``lists/<name>`` (list[MappingPage], see `LISTS`), ``runs`` (list[RunHead]), ``counterparts``
    (list[CounterpartEntry]), ``index`` (Index), ``official`` (OfficialReport), ``documents`` (list[DocumentRow]),
    ``coverage`` (Coverage), ``search/<language>`` (list[SearchEntry]), ``port/<language>`` (a script), ``examples`` (path
    → text), ``changed`` (list[Changed]).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = folder / "lock"

    @classmethod
    def of(cls, config: Config, doctreedir: str | os.PathLike[str]) -> BuildCache:
        """Return that of a build: what it was given, as other languages are, or its own."""
        return cls(Path(config.apidiff_derived or Path(doctreedir) / "apidiff"))

    @contextmanager
    def being_made(self) -> Iterator[Callable[[], None]]:
        """Have everyone who would `wait` do so until the block ends, or what it is given is called."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open_in_place(self._lock, emptied=False) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield partial(
                fcntl.flock, lock, fcntl.LOCK_UN
            )  # closing it is not enough: forked processes have it open too

    def wait(self) -> None:
        """Wait while the files are being made."""
        refuse_irregular(self._lock)
        with suppress(FileNotFoundError), self._lock.open() as lock:  # without one nobody makes any
            fcntl.flock(lock, fcntl.LOCK_SH)

    def file(self, name: str) -> Path:
        """Return the path of a derived file."""
        return self.folder / f"{name}.json"

    def read(self, name: str, kind: type[T]) -> T:
        """Read a derived file. Raises FileNotFoundError where there is none, OSError where it cannot be read."""
        file = self.file(name)
        refuse_irregular(file)  # a pipe would be waited for
        return msgspec.json.decode(file.read_bytes(), type=kind)

    def keys(self, folder: str) -> list[str]:
        """List what has a derived file in ``folder``: names below it, sorted."""
        files = visible_files(self.folder / folder, "**/*.json")
        return sorted(file.relative_to(self.folder / folder).as_posix().removesuffix(".json") for file in files)

    def publish(self, content: Content) -> None:
        """Write what changed and remove what is gone."""
        remove_left(self.folder)
        beside = see_also(content.entries)
        pages = {
            key: MappingPage(
                entry=entry,
                newest=content.newest,
                pictured=key in content.pictures,
                beside=beside[key],
                releases=content.releases,
            )
            for key, entry in content.entries.items()
        }
        self._replace("mappings", pages)
        self._replace("pictures", content.pictures)
        in_order = [entry for _, entry in sorted(content.entries.items())]
        self._replace(
            "lists",
            {
                name: [MappingPage(entry=trim(entry), newest=content.newest) for entry in in_order]
                for name, trim in LISTS.items()
            },
        )
        outline = Outline(
            mappings=sorted(content.entries),
            runs=sorted(content.runs),
            single_runs=sorted(content.single_runs),
            records={key: str(path) for key, path in content.records.items()},
            releases=content.releases,
        )
        self._write("outline", outline)
        known = {name: content.releases.known.get(name, [newest]) for name, newest in content.newest.items()}
        self._write("index", mapping_index(in_order, known["mindspore"], content.packages))
        self._write("counterparts", list(content.counterparts.values()))
        self._write("official", content.official)
        self._write("documents", content.documents)
        self._write("coverage", content.coverage)
        self._write("changed", list(changed(content.entries)))
        self._publish_runs(content)
        newest, scripts = content.newest["mindspore"], {example.path: example.code for example in _examples(in_order)}
        for words in (language.words for language in LANGUAGES):
            self._write(f"search/{words}", [mapping_entry(entry, newest, words) for entry in in_order])
            self._write(f"port/{words}", port_script(in_order, content.port, words).decode())
        self._write("examples", scripts)

    def _publish_runs(self, content: Content) -> None:
        # A copy: pages must not change, and a build must not break, while runs are being recorded.
        # The name of a record ends in the digest of what it holds: one that is there is kept where it still holds that.
        for name, records in (("runs", content.runs), ("single_runs", content.single_runs)):
            copies = {self.file(f"{name}/{run_id}"): file for run_id, file in records.items()}
            new = {copy: intact_bytes(file) for copy, file in copies.items() if not is_intact(copy)}
            replace_folder(self.folder / name, new, "**/*.json", kept=copies)
        signatures = dict(_signatures(content))
        files = {signature_path(self.file(f"runs/{run_id}")): signature for run_id, signature in signatures.items()}
        replace_folder(self.folder / "runs", files, "**/*.minisig")
        known = {run_id: content.signed.get(run_id, Signed()) for run_id in sorted(content.runs)}
        signed = {
            run_id: replace(found, unlinked=True) if found.has_file and run_id not in signatures else found
            for run_id, found in known.items()
        }
        self._replace("signed", signed)
        traces = {run_id: self.read(f"runs/{run_id}", RunRecord) for run_id in signed}
        self._write("runs", [head_of(run_id, record, signed[run_id]) for run_id, record in traces.items()])
        self._write("damaged", content.damaged)
        self._write("single_runs", content.single_heads)
        api_evidence = evidence(traces, content.entries, content.calls, signed)
        traced = content.traced
        shown = [one for one in api_evidence if traced is None or one.mapping in traced]
        # Once for all APIs of a place: beside each, they would take more than what the runs saw.
        self._replace("heads", {place_of(one.key): one.runs for one in shown})
        self._replace("evidence", {one.key: replace(one, runs=[]) for one in shown})

    def _write(self, name: str, value: object) -> None:
        write_if_changed(self.file(name), msgspec.json.encode(value))

    def _replace(self, folder: str, values: Dictionary[str, object]) -> None:
        files = {self.file(f"{folder}/{key}"): value for key, value in values.items()}
        replace_folder(self.folder / folder, {}, "**/*.json", kept=files)
        for file, value in files.items():  # one at a time: all of them take far more than what they are written from
            write_if_changed(file, msgspec.json.encode(value))


def _signatures(content: Content) -> Iterator[tuple[str, bytes]]:
    """Read the signatures that fit what is published, by run: those of records that lie here as JSON."""
    for run_id, file in content.runs.items():
        if content.signed.get(run_id, Signed()).has_file and not is_packed(file):
            with suppress(DataError):  # it was refused as it cannot be read
                if (signature := read_signature(file)) is not None:
                    yield run_id, signature


def _examples(entries: Iterable[Entry]) -> Iterator[ExampleEntry]:
    for entry in entries:
        yield from entry.examples
        yield from (answer.recipe for answer in entry.otherwise if answer.recipe)


# An index page depends on its own list, not on the files of all mappings: it is read again only when something that it
# shows has changed, and it does not read a hundred megabytes to show a few columns. The page sees nothing but its list, so
# it cannot show what it would not be read again for: an index that comes to show more keeps more here.


def _by_category(entry: Entry) -> Entry:
    """Keep names, categories, targets and other answers, with their risk."""
    return _trimmed(entry, _no_differences)


def _by_risk(entry: Entry) -> Entry:
    """Keep names, targets and other answers, with their differences."""
    return _trimmed(entry, _without_evidence)


def _refuted(entry: Entry) -> Entry:
    """Keep the claims that runs refute, with the documents that state them."""
    return replace(_trimmed(entry, _no_differences), claims=refuted_claims(entry), documents=entry.documents)


LISTS: dict[str, Callable[[Entry], Entry]] = {"category": _by_category, "risk": _by_risk, "refuted": _refuted}
"""What each index page shows of every mapping."""


def _no_differences(_differences: list[DifferenceEntry]) -> list[DifferenceEntry]:
    return []


def _without_evidence(differences: list[DifferenceEntry]) -> list[DifferenceEntry]:
    return [replace(difference, evidence=[], claims=[]) for difference in differences]


def _trimmed(entry: Entry, keep: Callable[[list[DifferenceEntry]], list[DifferenceEntry]]) -> Entry:
    """Reduce an entry to names, ranges and risks, and what ``keep`` leaves of its differences."""
    targets = [
        replace(
            target,
            parameters=[],
            members=[],
            signatures={},
            before="",
            after="",
            note=None,
            agreements=[],
            differences=keep(target.differences),
        )
        for target in entry.targets
    ]
    otherwise = [
        replace(
            answer,
            why=_NONE,
            instead=None,
            recipe=None,
            before="",
            after="",
            stated=[],
            differences=keep(answer.differences),
        )
        for answer in entry.otherwise
    ]
    return Entry(
        id=entry.id,
        category=entry.category,
        summary=_NONE,
        aliases=[],
        source=entry.source,
        signatures={},
        risk=entry.risk,
        uses=entry.uses,
        targets=targets,
        otherwise=otherwise,
        claims=[],
    )
