"""Reads run records. A record's file name ends in the SHA-256 of its bytes, so that a changed byte shows.

IDs are shown with twelve digits of the digest; they are stored and compared whole, since a second record with the same twelve
digits takes minutes to make. Names of earlier versions ended in those twelve: they still find their record, as does every
beginning of a digest that fits one record only.
"""

from __future__ import annotations

import hashlib
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from apidiff.database.record_gate import record_faults, refuse_repeated_keys
from apidiff.database.regular_files import read_regular, unpack
from apidiff.errors import Damage, DataError, decoding_fault, typed
from apidiff.folder_walk import visible_files
from apidiff.model.sample_run import SingleRecord
from apidiff.model.trace import RUN_SCHEMA, RunRecord
from apidiff.model.trust import OWN, Trust

_REMEDY = "Restore the file from version control, or delete it and record the run anew: apidiff verify --record."

# Of ranks, or of single calls.
Recorded = TypeVar("Recorded", RunRecord, SingleRecord)

_FORMER_DIGEST = re.compile(r"[0-9a-f]{12}")
_FEWEST_DIGITS = 4  # of a digest that a run is asked for by
SUFFIXES = (".json", ".json.gz", ".json.xz")  # of records: plain, as this program writes, as a wheel brings them
# Bytes of JSON: the largest of the records has a quarter of that. Short texts take thirty times their room in memory.
MAX_RECORD = 48 * 2**20
# Bytes of memory for all records of a kind that this project did not make, as `room_of` has them, by who vouches for them: so
# strangers take none from known signers. Of strangers, six and three times what the largest of this project's takes. Signers have
# four times that: four or more may each sign as much as this project's records of one release of both frameworks take, 130 MiB of
# ranks and 530 MiB of single calls. With all of it taken a command needs some 3 GB more.
MAX_ROOM: dict[Trust, dict[type[RunRecord | SingleRecord], int]] = {
    Trust.UNSIGNED: {RunRecord: 250 * 2**20, SingleRecord: 500 * 2**20},
    Trust.SIGNED: {RunRecord: 1000 * 2**20, SingleRecord: 2**31},
}
# Which records those are in a message, and what to do about them.
_TOO_MANY = {
    Trust.UNSIGNED: (
        "for which nobody known vouches",
        "Delete those that are not needed, or ask who made them for signatures by a key in conf/signers.toml.",
    ),
    Trust.SIGNED: (
        "that known signers signed",
        "Delete those that are not needed: apidiff runs list tells who signed which.",
    ),
}
_OF_RECORD = 2**20  # bytes that a file is counted for, whatever it holds: to read and to judge it takes time
_RATIO = 500  # of what is packed and what it holds: fifteen times that of this project's records; to unpack takes time
_OF_VALUE = 100  # bytes that a value takes at most, without its text


@dataclass
class Reading:
    """What reading the records of a data folder finds beside them.

    ``own``: the digests of those that this project made, each with the ID that goes before it. ``own_ids``: the IDs of those of
    them that were read. ``trusts``: who vouches for records by their signatures, by ID. ``taken``: the bytes that those that
    this project did not make take, which `MAX_ROOM` bounds. ``damaged``: what is wrong with files that are passed over.
    """

    own: Mapping[str, str] = field(default_factory=dict)
    own_ids: set[str] = field(default_factory=set)
    trusts: Mapping[str, Trust] = field(default_factory=dict)
    taken: Counter[Trust] = field(default_factory=Counter)
    damaged: list[DataError] = field(default_factory=list)


def room_of(content: bytes) -> int:
    """How many bytes of memory a record takes at most, whose JSON is ``content``."""
    values = content.count(b",") + content.count(b":")  # of which JSON has one beside each, but for a few
    # One character may make all of a text four times as wide, also one that an escape stands for.
    width = 1 if content.isascii() and rb"\u" not in content else 4
    return _OF_RECORD + _OF_VALUE * values + len(content) * width


def whole_digest(content: bytes) -> str:
    """The SHA-256 of a record's bytes: what it is known and compared by."""
    return hashlib.sha256(content).hexdigest()


def digest_of(content: bytes) -> str:
    """The twelve hexadecimal digits that a digest is shown by."""
    return whole_digest(content)[:12]


def record_stem(path: Path) -> str:
    """The name of the record in ``path`` without what says that it is JSON, compressed or not."""
    return path.name.removesuffix(".gz").removesuffix(".xz").removesuffix(".json")


def run_id(path: Path) -> str:
    """The ID of the record in ``path``: its folder and name, ``torch-2.13.0/gloo-cpu-3-<SHA-256>``."""
    return f"{path.parent.name}/{record_stem(path)}"


def short_id(run: str) -> str:
    """The ID of a run as it is shown, and as earlier versions called it: with twelve digits of its digest."""
    name, dash, digest = run.rpartition("-")
    return f"{name}{dash}{digest[:12]}"


def sharing_id(runs: Iterable[str]) -> list[list[str]]:
    """Groups those of the IDs ``runs`` that are shown as one, since their digests begin with the same twelve digits."""
    shown: dict[str, list[str]] = {}
    for run in sorted(set(runs)):
        shown.setdefault(short_id(run), []).append(run)
    return [group for group in shown.values() if len(group) > 1]


def record_path(run: str, runs: Path) -> Path:
    """The file below ``runs`` of the record with the ID ``run``, compressed or not; of several, one that is intact."""
    there = files_of(run, runs)
    if len(there) > 1:
        there = [path for path in there if is_intact(path)] or there
    return there[0] if there else runs / f"{run}{SUFFIXES[1]}"


def is_intact(path: Path) -> bool:
    """Whether the file of a record holds what has the digest in its name."""
    try:
        intact_bytes(path)
    except DataError:
        return False
    return True


def is_packed(path: Path) -> bool:
    """Whether the file of a record is compressed."""
    return path.suffix != SUFFIXES[0]


def files_of(run: str, runs: Path) -> list[Path]:
    """The files below ``runs`` that are called as the record with the ID ``run``: one, where it is not packed in several ways."""
    return [path for suffix in SUFFIXES if (path := runs / f"{run}{suffix}").is_file()]


def runs_meant(wanted: str, runs: Iterable[str]) -> list[str]:
    """Those of the IDs ``runs`` that ``wanted`` can mean: the whole ID, or what begins its digest and ends its name.

    ``torch-2.13.0/gloo-cpu-3-0a1b2c3d4e5f``, ``gloo-cpu-3-0a1b`` and ``0a1b`` mean the same run; four digits are the least.
    """
    name, _, digits = wanted.rpartition("-")
    if len(digits) < _FEWEST_DIGITS:
        return []
    parts = [(run, *run.rpartition("-")[::2]) for run in runs]
    return [run for run, place, digest in parts if digest.startswith(digits) and _ends(place, name)]


def _ends(place: str, name: str) -> bool:
    """Whether ``name`` is the end of ``place``, cut between its words; all end in nothing."""
    return not name or place == name or place.endswith((f"/{name}", f"-{name}"))


def read_bytes(path: Path, most: int = MAX_RECORD) -> bytes:
    """The JSON of the record in ``path``, or as much of it as says that it has more than ``most`` bytes.

    Raises DataError where it cannot be read or decompressed, or is larger than any record.
    """
    return unpacked(path, read_packed(path), most)


def read_packed(path: Path) -> bytes:
    """The bytes of the file ``path``, as they are signed. Raises DataError where it cannot be read or is too large."""
    try:
        content = read_regular(path, MAX_RECORD + 1)
    except OSError as error:
        raise DataError(
            path, None, f"cannot be read ({error.strerror})", "Check that it is readable.", Damage.UNREADABLE
        ) from error
    return _within(path, content)


def unpacked(path: Path, content: bytes, most: int = MAX_RECORD) -> bytes:
    """The JSON in what a record's file holds, as `read_bytes` has it. Raises DataError where it cannot be decompressed."""
    most = min(most, MAX_RECORD, _RATIO * len(content) + _OF_RECORD)
    try:
        found = unpack(path, content, most + 1)
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataError(path, None, f"cannot be decompressed: {error}", _REMEDY, Damage.UNREADABLE) from error
    if len(found) > _RATIO * len(content) + _OF_RECORD:
        what = f"is packed to less than a {_RATIO}th of its size, as no run can be"
        raise DataError(path, None, what, _REMEDY, Damage.SIZE)
    return _within(path, found)


def _within(path: Path, content: bytes) -> bytes:
    if len(content) > MAX_RECORD:
        raise DataError(path, None, f"is larger than {MAX_RECORD // 2**20} MiB", _REMEDY, Damage.SIZE)
    return content


def record_paths(folder: Path, broken: list[DataError] | None = None) -> list[Path]:
    """The files of all records below ``folder``, of ranks and of single calls.

    Raises DataError for a folder that cannot be listed; given a list ``broken``, adds the error there and passes the folder over.
    """
    return [path for path in visible_files(folder, "*/*", broken) if path.name.endswith(SUFFIXES)]


def run_name(record: RunRecord) -> tuple[str, str]:
    """Folder and file name (without digest) of a record: ``torch-2.13.0`` and ``gloo-cpu-3``."""
    return f"{record.framework}-{record.framework_version}", f"{record.backend}-{record.device}-{record.world_size}"


def run_path(record: RunRecord, content: bytes, runs: Path) -> Path:
    """Where below ``runs`` a record lies whose bytes are ``content``."""
    place, name = run_name(record)
    return runs / place / f"{name}-{whole_digest(content)}.json"


def signature_path(record: Path) -> Path:
    """Where the signature of the record in ``record`` lies, if it has one."""
    return record.with_name(f"{record.name}.minisig")


def former_records(folder: Path, name: str, kept: Path) -> Iterator[Path]:
    """The other records of the place that ``kept`` is a record of; their signatures are none."""
    for path in sorted(path for suffix in SUFFIXES for path in folder.glob(f"{name}-*{suffix}")):
        if path != kept and record_stem(path).rpartition("-")[0] == name:
            yield path


def run_paths(folder: Path, broken: list[DataError] | None = None) -> list[Path]:
    """The files of all records of ranks below ``folder``, as `record_paths` has them."""
    return [path for path in record_paths(folder, broken) if not path.name.startswith("single-")]


def load_runs(folder: Path, reading: Reading | None = None) -> list[tuple[str, RunRecord]]:
    """All run records below ``folder`` with their IDs, in the order of their names; none where there is no such folder.

    Raises DataError for a record that cannot be read, has a changed byte, does not fit the model, lies under the wrong name or
    holds what no run shows; given a ``reading``, keeps that there and passes the file over.
    """
    return read_records(run_paths(folder, reading.damaged if reading else None), read_run, reading)


def read_run(path: Path, reading: Reading | None = None) -> RunRecord:
    """The record of ranks in ``path``, as `read_record` reads it."""
    return read_record(path, RunRecord, RUN_SCHEMA, run_name, "run record", reading)


def read_records(
    paths: Iterable[Path], read: Callable[[Path, Reading | None], Recorded], reading: Reading | None
) -> list[tuple[str, Recorded]]:
    """Reads the records in ``paths`` by ``read``, with their IDs; of one that lies there packed in two ways, the first file."""
    records: dict[str, Recorded] = {}
    found: dict[str, Path] = {}
    for path in paths:
        key = run_id(path)
        try:
            if key in found:
                what = f"is the record of {found[key].name} packed otherwise"
                raise DataError(path, None, what, "Delete one of the two files.", Damage.SHARED_ID)
            records[key] = read(path, reading)
            found[key] = path
        except DataError as error:
            if reading is None:
                raise
            reading.damaged.append(error.without_frames())
    return list(records.items())


def read_record(
    path: Path,
    kind: type[Recorded],
    schema: int,
    name: Callable[[Recorded], tuple[str, str]],
    what: str,
    reading: Reading | None = None,
) -> Recorded:
    """Reads the record of ``kind`` in ``path``; ``what`` says in messages what it should be.

    One that ``reading`` knows as this project's was looked at when it was listed; what others hold is looked at here. Raises
    DataError where it cannot be read, has a changed byte, is of another schema, lies under another name than ``name`` gives it,
    does not pass the gate, or others made it and there are too many such.
    """
    content = _counted(path, kind, reading) if reading is not None else read_bytes(path)
    whole = _refuse_changed(path, content)
    try:
        record = msgspec.json.decode(content, type=kind)
    except (ValueError, RecursionError) as error:  # msgspec's own errors are of the former
        raise DataError(path, None, f"is no {what}: {decoding_fault(error)}", _REMEDY, Damage.FORM) from error
    if record.schema != schema:
        remedy = f"This version reads schema {schema}: record the run anew."
        raise DataError(path, None, f"is a {what} of schema {record.schema}", remedy, Damage.FORM)
    run = "/".join(name(record))
    if run_id(path).rpartition("-")[0] != run:
        found = f"holds the run {typed(run)}"
        raise DataError(path, None, found, "The path says which run it is: move it back.", Damage.NAME)
    if reading is not None and whole in reading.own:
        reading.own_ids.add(run_id(path))
        return record
    for found, remedy in record_faults(record):  # the numbers of its parts first, which bound what the rest costs
        raise DataError(path, None, found, remedy, Damage.IMPOSSIBLE)
    try:
        refuse_repeated_keys(content)
    except ValueError as error:
        raise DataError(path, None, f"is no {what}: {error}", _REMEDY, Damage.FORM) from error
    return record


def intact_bytes(path: Path) -> bytes:
    """The JSON of the record in ``path``. Raises DataError where it cannot be read, or has not the digest in its name."""
    content = read_bytes(path)
    _refuse_changed(path, content)
    return content


def _refuse_changed(path: Path, content: bytes) -> str:
    """The digest of a record's JSON. Raises DataError where it is not the one that its name ends in."""
    whole, named = whole_digest(content), record_stem(path).rpartition("-")[2]
    if named == whole:
        return whole
    if _FORMER_DIGEST.fullmatch(named) and whole.startswith(named):
        remedy = f"Rename it, as names end in all 64 digits: git mv {path.name} {path.name.replace(named, whole)}"
        raise DataError(path, None, "its name ends in a part of its digest only", remedy, Damage.NAME)
    found = f"its bytes have digest {whole[: max(12, len(named))]}, its name says {named}: it was changed"
    raise DataError(path, None, found, _REMEDY, Damage.CHANGED)


def _counted(path: Path, kind: type[Recorded], reading: Reading) -> bytes:
    """The JSON of the record in ``path``, counted where others made it. Raises DataError where it is one too many.

    What turns out to be no record is counted too: to find that takes as long as to read one.
    """
    place, _, digest = run_id(path).rpartition("-")
    trust = reading.trusts.get(run_id(path), Trust.UNSIGNED)
    if reading.own.get(digest) == place or trust in OWN:
        return read_bytes(path)
    room = MAX_ROOM[trust][kind] - reading.taken[trust]
    reading.taken[trust] += _OF_RECORD
    if room > _OF_RECORD:
        content = read_bytes(path, min(room, MAX_RECORD))
        taken = room_of(content)
        if taken <= room:
            reading.taken[trust] += taken - _OF_RECORD
            return content
        reading.taken[trust] += len(content)  # it took as long to unpack
    raise too_many(path, kind, trust)


def too_many(path: Path, kind: type[Recorded], trust: Trust) -> DataError:
    """Says that the record in ``path`` is beyond what is read of those for which ``trust`` vouches."""
    which, remedy = _TOO_MANY[trust]
    found = f"is one too many: the records {which} take more than {MAX_ROOM[trust][kind] // 2**20} MiB"
    return DataError(path, None, found, remedy, Damage.TOO_MANY)
