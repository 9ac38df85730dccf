"""Takes in run records made elsewhere: all of those given, or none."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from apidiff.atomic_write import add_files
from apidiff.database import Data, DataError, InvalidData
from apidiff.database.backends import Backend
from apidiff.database.own_records import load_own_records, signed_list
from apidiff.database.runs import (
    MAX_ROOM,
    is_intact,
    record_path,
    record_paths,
    room_of,
    run_id,
    run_path,
    sharing_id,
    short_id,
    signature_path,
    too_many,
    whole_digest,
)
from apidiff.database.signing import PROGRAM, Signer, load_signed, read_signature, signed_by
from apidiff.execute.submissions.known_probes import known_specs, specs_of_today
from apidiff.execute.submissions.record_validation import Accepted, about_former, about_imitation, foreign_record
from apidiff.execute.submissions.sent_files import MAX_TOGETHER, Note, Sent, read_sent
from apidiff.find_program import find_program
from apidiff.model.claim_probes import Examples
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord
from apidiff.model.trust import OWN

# Tries a record before it is written; the path is named in messages.
Trial = Callable[[Path, RunRecord], None]


class Taken(NamedTuple):
    """Where a record lies now, whether it is new there (the same bytes are kept once), and who vouches for it there.

    ``former``: how many of its ``probes`` are asked otherwise today, or no more; these give no verdict.
    """

    path: Path
    new: bool
    signed: Signed
    former: int
    probes: int


class _Read(NamedTuple):
    """A record that fits: as it came, who vouches for it here, and what its probes ask. Decoded, many would fill the memory."""

    sent: Sent
    signed: Signed
    asked: list[tuple[str, str, str]]


def accepted(data: Data, backends: Collection[Backend], examples: Examples) -> Accepted:
    """Gathers what records may be of: known are the APIs of today, those that were ever asked, and those in records."""
    specs = known_specs(data, examples)
    apis = {
        *(mapping.source.name for mapping in data.mappings.values()),
        *(target.api.name for mapping in data.mappings.values() for target in mapping.targets),
        *(api for api, _, _ in specs),
        *(signature.api for _, record in data.runs for signature in record.signatures),
    }
    releases = {name: frozenset(release.version for release in known) for name, known in data.frameworks.items()}
    return Accepted(backends, specs, releases, apis)


def take_in(
    paths: Sequence[Path],
    data: Data,
    backends: Collection[Backend],
    examples: Examples,
    signers: Mapping[str, Signer],
    note: Note = lambda _text: None,
    trial: Trial = lambda _path, _record: None,
) -> list[Taken]:
    """Writes the records in ``paths``, files or zips, beside those of ``data``, with the signatures that lie beside them.

    None of those there is replaced; one that is given twice is taken once. ``note`` is told what was passed over. ``trial``: does
    with a record what will be done with it from now on, and raises DataError where that fails. Raises
    InvalidData with one error a file, with nothing written, where any of them does not fit or is signed and does not verify.
    """
    fits = accepted(data, backends, examples)
    runs = data.root / "runs"
    errors: list[DataError] = []
    fitting: dict[Path, _Read] = {}
    size = 0
    for path in paths:
        try:
            given = read_sent(path, note)
        except DataError as error:
            errors.append(error.without_frames())
            continue
        size += sum(len(sent.content) for sent in given)
        if size > MAX_TOGETHER:
            found = f"makes more than {MAX_TOGETHER // 2**20} MiB of records with those before it"
            errors.append(DataError(path, None, found, "Send fewer at a time."))
            break
        for sent in given:
            try:
                record, read = _read(sent, fits, signers, data, note)
                trial(sent.path, record)
                path_here = _place(record, sent, runs)
                _refuse_shared_id(sent.path, path_here, {*record_paths(runs), *fitting})
                _keep(read, path_here, fitting)
            except DataError as error:
                errors.append(error.without_frames())
    errors += _without_room(fitting, data)
    if errors:
        raise InvalidData(errors)
    today = frozenset(specs_of_today(data, examples))
    files: dict[Path, bytes] = {}
    taken = []
    for path, read in fitting.items():
        new = not is_intact(path)  # what else has its name is told, not taken for it
        if new or read.sent.signature is not None:
            files[path] = read.sent.content
        if read.sent.signature is not None:
            files[signature_path(path)] = read.sent.signature
        former = sum(asked not in today for asked in read.asked)
        taken.append(Taken(path, new, read.signed, former, len(read.asked)))
    add_files(files)
    return taken


def _without_room(fitting: Mapping[Path, _Read], data: Data) -> Iterator[DataError]:
    """Finds the records that would not be read, as those that are there take the room; also one that comes to be signed."""
    taken = Counter(data.taken_room)
    for path, read in fitting.items():
        trust, here = read.signed.trust, data.signed.get(run_id(path))
        if trust in MAX_ROOM and (here is None or here.trust is not trust):
            taken[trust] += room_of(read.sent.content)
            if taken[trust] > MAX_ROOM[trust][RunRecord]:
                yield too_many(read.sent.path, RunRecord, trust)


def _place(record: RunRecord, sent: Sent, runs: Path) -> Path:
    """Where a record will lie: where it does, packed or not; with a signature beside its JSON, whose bytes that is of.

    Raises DataError for a signature of a record that lies here packed: unpacked beside it, it would lie here twice.
    """
    here = run_path(record, sent.content, runs)
    there = record_path(run_id(here), runs)
    if there == here or not is_intact(there):
        return here
    if sent.signature is not None:
        mine = signature_path(sent.path)
        raise DataError(mine, None, f"signs a record that lies here packed, as {there}", "Unpack that first.")
    return there


def _keep(read: _Read, path: Path, fitting: dict[Path, _Read]) -> None:
    """Adds a record that will lie in ``path``; of a record that is given twice, the signed one is kept."""
    there = fitting.get(path)
    if there is None or there.sent.signature is None:
        fitting[path] = read
    elif read.sent.signature not in {None, there.sent.signature}:
        mine = signature_path(read.sent.path)
        raise DataError(mine, None, f"is another signature than that of {there.sent.path}", "Give one of the two.")


def _refuse_shared_id(path: Path, here: Path, others: Iterable[Path]) -> None:
    """Raises DataError where one of ``others`` is shown by the ID of the record in ``path``, which is to lie in ``here``."""
    for group in sharing_id(map(run_id, {here, *others})):
        if run_id(here) in group:
            other = next(run for run in group if run != run_id(here))
            found = f"would be shown as {short_id(other)}, as is another record, {other}"
            remedy = "Two records share twelve digits where one was made to pass for the other: ask who made this one."
            raise DataError(path, None, found, remedy)


def _read(sent: Sent, fits: Accepted, signers: Mapping[str, Signer], data: Data, note: Note) -> tuple[RunRecord, _Read]:
    path, content, signature = sent
    runs = data.root / "runs"
    record = foreign_record(path, content, fits)
    signed = signed_by(path, content, signature, signers)
    here = standing(record, sent, signers, data)
    if not record.measured_by and here.trust not in OWN:
        if whole_digest(content) in load_own_records(data.root):
            signed_list(data.root, signers)  # raises: it was changed after it was signed, and vouches for nothing
        # Nothing can be added to it here: its name is the digest of its bytes.
        remedy = 'Whoever measured has to give: apidiff verify --record --measured-by "who, and on which device"'
        raise DataError(path, None, "does not say who measured", remedy)
    former = about_former(run_id(run_path(record, content, runs)), record, data) if here.trust in OWN else ()
    for fault in (*former, *about_imitation(record, here, signers.values())):
        raise DataError(path, None, *fault)
    mine = signature_path(path)
    if signed.state is State.NOT_CHECKED:
        # Without room for the two files that it is given, it is not asked either.
        cause = f"{PROGRAM} gave no answer" if find_program(PROGRAM) else f"there is no {PROGRAM}"
        remedy = f"Install a {PROGRAM} that runs, see that {tempfile.gettempdir()} has room, or leave {mine.name} away."
        found = f"names the key of {signed.signer}, and is not checked: {cause}"
        raise DataError(mine, None, found, remedy)
    if signed.state is State.UNKNOWN_KEY and here.trust in OWN:
        note(f"{mine}: passed over: the record is this project's own, and no known signer has the key {signed.key}")
        sent, signature = sent._replace(signature=None), None
    there = read_signature(run_path(record, content, runs))
    if signature is not None and there is not None and there != signature:
        remedy = f"Delete {signature_path(run_path(record, content, runs))} first, if this one is to take its place."
        raise DataError(mine, None, "is another signature than the one that the record has here", remedy)
    asked = [(run.api, run.probe, run.spec) for run in record.probes]
    return record, _Read(sent, here, asked)


def standing(record: RunRecord, sent: Sent, signers: Mapping[str, Signer], data: Data) -> Signed:
    """Tells who vouches for a record here: its signature, or the one that it has here already, or this project's list.

    Raises DataError for a signature of ``sent`` that does not verify.
    """
    signed = signed_by(sent.path, sent.content, sent.signature, signers)
    here = run_path(record, sent.content, data.root / "runs")
    if sent.signature is None:
        signed = load_signed(data.root, [run_id(here)], signers)[run_id(here)]
    if signed.state is State.ATTESTED or whole_digest(sent.content) not in load_own_records(data.root):
        return signed
    try:
        return signed_list(data.root, signers)
    except DataError:  # the list was changed after it was signed, which `apidiff check` tells
        return signed
