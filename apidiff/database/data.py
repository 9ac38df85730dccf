"""The whole database in memory."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from apidiff.database.backends import Backend, load_backends
from apidiff.database.canonical_calls import with_canonical_calls
from apidiff.database.devices import Device, load_devices
from apidiff.database.difference_pages import PageRow, load_page_rows, pages_path
from apidiff.database.document_addresses import FILE as ADDRESSES_FILE
from apidiff.database.document_addresses import PageRules, load_addresses
from apidiff.database.document_twins import FILE as TWINS_FILE
from apidiff.database.document_twins import Twins, load_twins, with_twins
from apidiff.database.documented import (
    ONLY_FILE,
    OnlyFile,
    TableFile,
    load_documented,
    load_mindspore_only,
    load_table,
    table_paths,
    unknown_document,
    with_listed,
)
from apidiff.database.expansion import Expander, Origins
from apidiff.database.extracted_samples import load_extracted
from apidiff.database.kept_mappings import KeptMappings
from apidiff.database.odd_records import naming_the_record
from apidiff.database.own_records import load_own_records, own_records_path, signed_list
from apidiff.database.paths import DATA
from apidiff.database.runs import (
    Reading,
    load_runs,
    read_run,
    record_path,
    record_paths,
    run_id,
    run_paths,
    sharing_id,
    short_id,
)
from apidiff.database.shared_targets import fill_in
from apidiff.database.signatures import load_signatures
from apidiff.database.signing import Signer, load_signed, load_signers
from apidiff.database.single_runs import PREFIX, SingleTraces, load_single_runs, read_single_run, single_paths
from apidiff.database.uses import FILE as USES_FILE
from apidiff.database.uses import Uses, load_uses
from apidiff.database.writing_rules import FILE as RULES_FILE
from apidiff.database.writing_rules import load_writing_rules
from apidiff.database.yaml import Lines, read_yaml
from apidiff.errors import ApidiffError, Damage, DataError, InvalidData, typed
from apidiff.folder_walk import visible_files
from apidiff.model.documented import Listing, MindsporeOnly
from apidiff.model.extracted_samples import ExtractedSamples
from apidiff.model.mapping import Document, Mapping, Release, Releases
from apidiff.model.rule import WritingRules
from apidiff.model.sample_run import SingleRecord
from apidiff.model.signature import SignatureFile
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord
from apidiff.model.trust import OWN, Trust
from apidiff.model.version import Version
from apidiff.model.vocabulary import Framework

_T = TypeVar("_T")
_Record = TypeVar("_Record", bound=RunRecord | SingleRecord)


@dataclass(frozen=True)
class Data:
    """Everything that was read.

    ``origins``: for each mapping ID, where each part of it was written, for messages. ``unneeded``: what is written in records
    and changes nothing. ``unused``: profiles and notes that nothing names. ``tables``: upstream's; each target that one
    lists has the claim that its row makes. ``mindspore_only``: MindSpore APIs without a counterpart, with the reason.
    ``listings``: which APIs documents name, for versions without signatures. ``single_runs``: records of calls in a single
    process, those made last first. ``uses``: how often real code names an API. ``addresses``: by framework, where its
    documentation stands. ``pages``: what upstream's difference pages state of parameters.
    ``extracted``: samples taken from the source framework, by its API. ``rules``: how code is ported beyond names and keywords.
    ``damaged``: what is wrong with run records and files of samples that were passed over. ``broken``: what is wrong with
    other files that were. ``passed_over``: the mappings that could not be made, by ID, each with the reason.
    ``signed``: who vouches for each record, by ID. ``runs`` and ``single_runs`` are those that decide: this project's own.
    ``signed_runs`` and ``signed_single_runs`` are those of known signers, which are told beside them; ``unsigned_runs`` and
    ``unsigned_single_runs`` the others. No badge, headline or figure is made from these.
    ``taken_room``: the bytes that ``signed_runs`` and ``unsigned_runs``, and what was read for them, take of those that they may.
    ``backends`` and ``devices``: where collectives and single calls can run; none where it cannot be read what describes them.
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
    broken: list[DataError] = field(default_factory=list)
    passed_over: dict[str, DataError] = field(default_factory=dict)
    pages: list[PageRow] = field(default_factory=list)
    signed_runs: list[tuple[str, RunRecord]] = field(default_factory=list)
    signed_single_runs: list[tuple[str, SingleRecord]] = field(default_factory=list)
    backends: list[Backend] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    taken_room: Counter[Trust] = field(default_factory=Counter)

    @property
    def unfit(self) -> list[DataError]:
        """What is wrong with ``damaged`` files but for records that are merely too many, which hide none of this project's."""
        return [error for error in self.damaged if error.damage is not Damage.TOO_MANY]

    @property
    def unread(self) -> list[DataError]:
        """What is wrong with all files that were passed over."""
        return [*self.broken, *self.damaged]

    @property
    def unchecked(self) -> list[str]:
        """The records, by ID, and the file of the list of this project's own, whose signature by a known key nothing checked."""
        records = [run for run, signed in self.signed.items() if signed.state is State.NOT_CHECKED]
        listed = any(signed.state is State.LISTED and signed.unchecked for signed in self.signed.values())
        return [*records, *([own_records_path(self.root).name] if listed else [])]

    def newest_release(self, framework: str) -> str:
        """The newest version of a framework. Raises DataError where none is known: every answer and every plan is for one."""
        releases = self.frameworks.get(framework)
        if not releases:
            remedy = "List its releases there, oldest first, or reinstall apidiff."
            raise DataError(
                self.root / "frameworks.yaml", None, f"lists no release of {framework}", remedy, Damage.FORM
            )
        return max((release.version for release in releases), key=Version)

    @property
    def every_run(self) -> list[tuple[str, RunRecord]]:
        """All records of ranks, those for which nobody vouches too, by ID."""
        return sorted([*self.runs, *self.signed_runs, *self.unsigned_runs], key=lambda pair: pair[0])

    @property
    def every_single_run(self) -> list[tuple[str, SingleRecord]]:
        """All records of single calls, those for which nobody vouches too; those made last first."""
        every = [*self.single_runs, *self.signed_single_runs, *self.unsigned_single_runs]
        return sorted(every, key=lambda pair: pair[1].date, reverse=True)

    def traces(self, first: Iterable[tuple[str, SingleRecord]] = ()) -> SingleTraces:
        """The traces of the records of single calls that decide; those of the records ``first`` come before them."""
        return SingleTraces([*first, *self.single_runs])

    def path_of(self, mapping_id: str) -> Path:
        """The file of a mapping, as `mapping_path` has it."""
        return mapping_path(self.root, mapping_id)


def load(root: Path | None = None, keep: Path | None = None) -> Data:
    """Reads the data below ``root`` (default: the data shipped with the package).

    A file that is damaged is passed over, and so is a mapping that cannot be made without it: ``broken``, ``damaged`` and
    ``passed_over`` tell them. ``keep``: a folder where mappings are kept for the next time. Raises DataError where documents
    or releases cannot be read, which all answers rest on.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # a million objects are made and all are kept: looking for garbage among them takes as long as reading
    try:
        data = _load(root or DATA, keep)
        for error in [*data.unread, *data.passed_over.values()]:
            error.without_frames()
        return data
    finally:
        gc.freeze()  # nor is it looked for among them later
        if was_enabled:
            gc.enable()


def recorded_ids(root: Path | None = None, broken: list[DataError] | None = None) -> list[str]:
    """The IDs of the records whose files lie below ``root`` (default: the data shipped with the package); none is read.

    Raises DataError for a folder that cannot be listed; given a list ``broken``, adds the error there and passes the folder over.
    """
    return list(dict.fromkeys(map(run_id, record_paths((root or DATA) / "runs", broken))))


def load_valid(root: Path | None = None) -> Data:
    """Reads the data as `load` does, and passes over nothing but evidence.

    Raises InvalidData with every DataError found, for a caller who would take what is missing for what never was.
    """
    data = load(root)
    if data.broken:
        raise InvalidData(data.broken)
    return data


class _PassedOver:
    """Reads parts of the data, and keeps what is wrong with those that cannot be read."""

    def __init__(self) -> None:
        self.errors: list[DataError] = []

    def read(self, otherwise: _T, part: Callable[[], _T]) -> _T:
        """What ``part`` returns; ``otherwise`` where it raises DataError."""
        try:
            return part()
        except DataError as error:
            self.errors.append(error)
            return otherwise

    def of_file(self, path: Path, otherwise: _T, part: Callable[[], _T]) -> _T:
        """As `read`, of what ``part`` makes of the file ``path``: ``otherwise`` too where that raises what nobody expected."""

        def made() -> _T:
            with naming_the_record(path):
                return part()

        return self.read(otherwise, made)

    def fitting(self, parts: Iterable[tuple[_T, DataError | None]]) -> list[_T]:
        """Those of ``parts`` with which nothing is wrong."""
        parts = list(parts)
        self.errors += [error for _, error in parts if error is not None]
        return [part for part, error in parts if error is None]


def _only(
    root: Path, documents: Dictionary[str, Document], rest: _PassedOver
) -> Iterator[tuple[tuple[str, MindsporeOnly], DataError | None]]:
    """What is said of each MindSpore API to which no PyTorch API corresponds, and what is wrong with what it cites."""
    nothing: tuple[OnlyFile, Lines] = {}, {}
    only, lines = rest.of_file(root / ONLY_FILE, nothing, lambda: load_mindspore_only(root))
    for name, alone in only.items():
        cited = [citation.document for citation in alone.stated]
        yield (name, alone), unknown_document(root / ONLY_FILE, lines.get((name,)), cited, documents)


def _listings(
    path: Path, documents: Dictionary[str, Document], rest: _PassedOver
) -> Iterator[tuple[Listing, DataError | None]]:
    """Each listing, and what is wrong with the document that it is of."""
    nothing: tuple[list[Listing], Lines] = [], {}
    listings, lines = rest.of_file(path, nothing, lambda: load_documented(path))
    for index, listing in enumerate(listings):
        yield listing, unknown_document(path, lines.get((index, "document")), [listing.document], documents)


def _load(root: Path, keep: Path | None) -> Data:
    documents, _ = read_yaml(root / "documents.yaml", dict[str, Document])
    frameworks, _ = read_yaml(root / "frameworks.yaml", dict[str, Releases])
    rest = _PassedOver()
    no_twins = Twins(addresses=[])
    documents = rest.of_file(
        root / TWINS_FILE, documents, lambda: with_twins(documents, rest.read(no_twins, lambda: load_twins(root)))
    )
    paths = table_paths(root / "official", rest.errors)
    read_tables = [rest.of_file(path, None, partial(load_table, path)) for path in paths]
    tables = rest.fitting(
        (one, unknown_document(one.path, one.lines.get(("document",)), [one.table.document], documents))
        for one in read_tables
        if one
    )
    only = dict(rest.fitting(_only(root, documents, rest)))
    listings = rest.fitting(_listings(root / "documented.yaml", documents, rest))
    uses = rest.of_file(root / USES_FILE, Uses(), lambda: load_uses(root))
    addresses: dict[str, PageRules] = rest.of_file(root / ADDRESSES_FILE, {}, lambda: load_addresses(root))
    pages: list[PageRow] = rest.of_file(pages_path(root), [], lambda: load_page_rows(root))
    signatures = load_signatures(root / "signatures", rest.errors)
    expander = Expander.of(root, signatures, documents, rest.errors)
    kept = KeptMappings(keep, expander, root) if keep else None
    mappings, origins, passed_over = _mappings(root, (kept or expander).expand, rest.errors)
    if kept:
        kept.forget_all_but(mappings)
    mappings = with_listed(mappings, tables)
    calls = root / "canonical_calls.yaml"
    mappings = rest.of_file(calls, mappings, lambda: with_canonical_calls(mappings, calls, passed_over))
    own = _OwnList.read(root, rest)
    runs = _records(root, own, run_paths, load_runs)
    single_runs = _records(root, own, single_paths, load_single_runs)
    backends: list[Backend] = rest.read([], load_backends)
    devices: list[Device] = rest.read([], load_devices)
    extracted, broken = load_extracted(root / "samples")
    damaged = [*runs.damaged, *single_runs.damaged, *broken]
    unused = [*expander.profiles.unused(), *expander.notes.unused()]
    rules = rest.of_file(root / RULES_FILE, WritingRules(), lambda: load_writing_rules(root, mappings, passed_over))
    return Data(
        root,
        mappings,
        documents,
        frameworks,
        signatures,
        runs.own,
        origins,
        tables,
        only,
        listings,
        expander.profiles.unneeded,
        unused,
        single_runs.own,
        uses,
        addresses,
        extracted,
        rules,
        list({str(error): error for error in damaged}.values()),  # a folder of records of both kinds is told once
        runs.signed | single_runs.signed,
        runs.unsigned,
        single_runs.unsigned,
        rest.errors,
        passed_over,
        pages,
        runs.by_signers,
        single_runs.by_signers,
        backends,
        devices,
        runs.taken,
    )


def with_runs_of_now(data: Data) -> Data:
    """The data with the records of ranks as they lie in its folder at this moment; nothing else is read anew."""
    runs = _records(data.root, _OwnList.read(data.root, _PassedOver()), run_paths, load_runs)
    single = {key: data.signed[key] for key, _ in data.every_single_run}
    signed = runs.signed | single
    return replace(
        data,
        runs=runs.own,
        signed_runs=runs.by_signers,
        unsigned_runs=runs.unsigned,
        signed=signed,
        taken_room=runs.taken,
    )


class _OwnList(NamedTuple):
    """The list of this project's own records: their digests, and what is known of one that has it; and the known signers."""

    digests: dict[str, str]
    signed: Signed
    signers: dict[str, Signer]

    @classmethod
    def read(cls, root: Path, rest: _PassedOver) -> _OwnList:
        """Reads the list below ``root``; one that its signature does not fit vouches for nothing.

        Where the known signers cannot be read, none is known.
        """
        signers: dict[str, Signer] = rest.read({}, load_signers)
        signed: Signed | None = rest.read(None, lambda: signed_list(root, signers))
        return cls(load_own_records(root, rest.errors), signed, signers) if signed else cls({}, Signed(), signers)


class _Records(NamedTuple, Generic[_Record]):
    """Records of one kind with their IDs: this project's, those of known signers, of others, and what is wrong with the rest.

    ``taken``: how much those that this project did not make take of what they may take together.
    """

    own: list[tuple[str, _Record]]
    by_signers: list[tuple[str, _Record]]
    unsigned: list[tuple[str, _Record]]
    signed: dict[str, Signed]
    damaged: list[DataError]
    taken: Counter[Trust]


def _records(
    root: Path,
    own: _OwnList,
    paths: Callable[[Path, list[DataError]], list[Path]],
    load_kind: Callable[[Path, Reading], list[tuple[str, _Record]]],
) -> _Records[_Record]:
    """Reads the records below ``root`` whose files ``paths`` finds by ``load_kind``, and who vouches for each.

    This project's CI does, or its list, or who signed it. What is wrong with a signature `apidiff check` tells; here nobody
    then does.
    """
    found = load_signed(root, dict.fromkeys(map(run_id, paths(root / "runs", []))), own.signers)
    reading = Reading(own.digests, trusts={key: by.trust for key, by in found.items()})
    records = load_kind(root / "runs", reading)
    # Those that came meanwhile, by another command.
    found |= load_signed(root, [key for key, _ in records if key not in found], own.signers)
    signed = _vouched_for(own, reading, {key: found[key] for key, _ in records})
    sharing = _sharing(root, signed)
    records = [pair for pair in records if pair[0] not in sharing]
    ours, by_signers, unsigned = (
        [pair for pair in records if signed[pair[0]].trust in trust]
        for trust in (OWN, {Trust.SIGNED}, {Trust.UNSIGNED})
    )
    damaged = [*reading.damaged, *sharing.values()]
    vouchers = {key: signed[key] for key, _ in records}
    return _Records(ours, by_signers, unsigned, vouchers, damaged, reading.taken)


def _vouched_for(own: _OwnList, reading: Reading, signed: dict[str, Signed]) -> dict[str, Signed]:
    return {
        key: own.signed if key in reading.own_ids and found.state is not State.ATTESTED else found
        for key, found in signed.items()
    }


def load_one_run(root: Path, path: Path) -> tuple[RunRecord | SingleRecord, Signed]:
    """Reads one record below ``root``, and who vouches for it.

    Raises DataError where it cannot be read, has a changed byte, or holds what no run shows.
    """
    own = _OwnList.read(root, _PassedOver())
    signed = load_signed(root, [run_id(path)], own.signers)
    reading = Reading(own.digests, trusts={key: by.trust for key, by in signed.items()})
    record = read_single_run(path, reading) if path.name.startswith(PREFIX) else read_run(path, reading)
    return record, _vouched_for(own, reading, signed)[run_id(path)]


def _sharing(root: Path, signed: dict[str, Signed]) -> dict[str, DataError]:
    """The records passed over, as another is shown by the same ID; this project's is kept, else the one that is vouched for."""
    found: dict[str, DataError] = {}
    for group in sharing_id(signed):
        own = [run for run in group if signed[run].trust in OWN]
        kept = own or [run for run in group if signed[run].trust is Trust.SIGNED]
        for run in group:
            if kept == [run]:
                continue
            others = " and ".join(other.rpartition("-")[2] for other in group if other != run)
            about = f"is shown as {short_id(run)}, as is the one whose digest is {others}"
            remedy = "Two records share twelve digits where one was made to pass for the other: delete that one."
            found[run] = DataError(record_path(run, root / "runs"), None, about, remedy, Damage.SHARED_ID)
    return found


def _mappings(
    root: Path, expand: Callable[[Path, str], tuple[Mapping, Origins]], broken: list[DataError]
) -> tuple[dict[str, Mapping], dict[str, Origins], dict[str, DataError]]:
    """All mappings, the origins of their parts, and why some cannot be made, by ID; causes are added to ``broken``.

    What a mapping lacks may stand in a file that could not be read, of profiles or another mapping: then that alone is told.
    """
    mappings: dict[str, Mapping] = {}
    origins: dict[str, Origins] = {}
    passed_over: dict[str, DataError] = {}
    misnamed: list[DataError] = []
    for path in visible_files(root / "mappings", "**/*.yaml", broken):
        name = ".".join(path.relative_to(root / "mappings").with_suffix("").parts)
        if path != (own := mapping_path(root, name)):  # another would be read under its ID, or take its place
            found = f"is read as the mapping {name}, whose file is {own.relative_to(root)}"
            misnamed.append(DataError(path, None, found, "Move it there, or delete it.", Damage.NAME))
            continue
        # What a target is called, or an API for short, leads elsewhere.
        if not name.startswith(f"{Framework.TORCH.value}."):
            found = f"is read as the mapping {name}, which is no API of PyTorch"
            misnamed.append(DataError(path, None, found, "Name it after the API, torch.…, or delete it.", Damage.NAME))
            continue
        name = name.encode("utf-8", "backslashreplace").decode()  # a file's name need not be text
        try:
            mappings[name], origins[name] = expand(path, name)
        except DataError as error:
            passed_over[name] = error
    broken += [] if broken else passed_over.values()
    filled: dict[str, Mapping] = {}
    faults: dict[str, DataError] = {}
    for key, mapping in mappings.items():
        try:
            filled[key] = fill_in(mapping, mappings, origins[key])
        except DataError as error:
            faults[key] = error
    broken += [] if broken else faults.values()
    broken += misnamed
    return filled, origins, passed_over | faults


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
        return cls(f"There is no mapping {typed(key)}. Name one by its ID, the full name of its source API.")
