"""Records of ranks that are packed: read as they are, as those of single calls, and no more than memory has room for."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from apidiff.database import runs
from apidiff.database.runs import MAX_ROOM, Reading, load_runs, record_path, room_of, run_id, whole_digest
from apidiff.errors import Damage
from apidiff.execute.record import write_record
from apidiff.model.trace import RunRecord, SignatureDump
from apidiff.model.trust import Trust
from tests.factories import run_record


@pytest.mark.parametrize(("suffix", "pack"), [(".json.gz", gzip.compress), (".json.xz", lzma.compress)])
def test_a_record_of_ranks_that_is_packed_is_the_same(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    path = write_record(run_record("torch", "2.13.0", 2), tmp_path)
    plain = load_runs(tmp_path)
    packed = path.with_suffix(suffix)
    packed.write_bytes(pack(path.read_bytes()))
    reading = Reading()
    assert load_runs(tmp_path, reading) == plain
    assert [error.path for error in reading.damaged] == [packed]  # one of the two is to be deleted
    path.unlink()
    assert load_runs(tmp_path) == plain
    assert record_path(plain[0][0], tmp_path) == packed


@pytest.mark.parametrize(("suffix", "pack"), [(".json.gz", gzip.compress), (".json.xz", lzma.compress)])
def test_a_record_behind_whose_end_something_stands_is_damaged(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    path = write_record(run_record("torch", "2.13.0", 2), tmp_path)
    packed = path.with_suffix(suffix)
    packed.write_bytes(pack(path.read_bytes()) + b"anything")
    path.unlink()
    reading = Reading()
    assert load_runs(tmp_path, reading) == []
    assert ["something follows its end" in str(error) for error in reading.damaged] == [True]


def _own(path: Path) -> Reading:
    place, _, digest = run_id(path).rpartition("-")
    return Reading(own={digest: place})


def _listed_elsewhere(path: Path) -> Reading:
    return Reading(own={run_id(path).rpartition("-")[2]: "torch-2.13.0/gloo-cpu-4"})


def _signed(path: Path) -> Reading:
    return Reading(trusts={run_id(path): Trust.SIGNED})


def _attested(path: Path) -> Reading:
    return Reading(trusts={run_id(path): Trust.ATTESTED})


@pytest.mark.parametrize(
    ("vouched_for", "size", "read"),
    [
        (None, 30_000, 3),
        (None, 45_000, 2),
        (None, 120_000, 0),
        (_own, 45_000, 3),  # the last one takes no room from the others
        (_signed, 45_000, 3),
        (_attested, 45_000, 3),
        (_listed_elsewhere, 45_000, 2),
    ],
)
def test_what_nobody_vouches_for_takes_a_bounded_room(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    vouched_for: Callable[[Path], Reading] | None,
    size: int,
    read: int,
) -> None:
    """A few kilobytes of such records would take gigabytes."""
    monkeypatch.setitem(MAX_ROOM[Trust.UNSIGNED], RunRecord, 11 * 2**20)
    monkeypatch.setattr(runs, "_OF_RECORD", 1000)
    many = [SignatureDump(api=f"torch.f{number}", members=["x"] * 500) for number in range(size // 500)]
    paths = sorted(
        write_record(run_record(measured_by=f"lab {lab}", signatures=many), tmp_path) for lab in ("a", "b", "c")
    )
    reading = vouched_for(paths[2]) if vouched_for else Reading()
    assert len(load_runs(tmp_path, reading)) == read
    assert [error.path for error in reading.damaged] == paths[read:]
    assert not any(error.__traceback__ for error in reading.damaged)  # whose frames hold the record
    for error in reading.damaged:
        assert "is one too many: the records for which nobody known vouches take more than 11 MiB" in str(error)
        assert "Delete those that are not needed" in str(error)


def test_an_escape_may_make_all_of_a_text_four_times_as_wide() -> None:
    """JSON that writes an emoji by escapes is ASCII: 426 kB of such records, packed, took 3.8 GB."""
    wide, narrow = rb'["\ud83d\ude00' + b"a" * 1_000 + b'"]', b'["' + b"a" * 1_012 + b'"]'
    assert len(wide) == len(narrow)
    assert room_of(wide) - room_of(narrow) == 3 * len(wide)


def test_what_known_signers_signed_takes_a_bounded_room_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight such records of 425 kB took 3 GB. Strangers and signers take none from each other, and none from this project."""
    for trust in (Trust.UNSIGNED, Trust.SIGNED):
        monkeypatch.setitem(MAX_ROOM[trust], RunRecord, 3 * 2**20)
    trusts = [Trust.UNSIGNED, Trust.SIGNED, Trust.PROJECT, Trust.ATTESTED]
    made: dict[Trust, list[str]] = {
        trust: sorted(
            run_id(write_record(run_record(measured_by=f"{trust.value} {lab}"), tmp_path)) for lab in range(4)
        )
        for trust in trusts
    }
    own = {run.rpartition("-")[2]: run.rpartition("-")[0] for run in made[Trust.PROJECT]}
    reading = Reading(own, trusts={run: trust for trust in (Trust.SIGNED, Trust.ATTESTED) for run in made[trust]})
    read = {key for key, _ in load_runs(tmp_path, reading)}
    assert [sorted(read & {*made[trust]}) for trust in trusts] == [
        *(made[trust][:2] for trust in trusts[:2]),
        *(made[trust] for trust in trusts[2:]),
    ]
    told = {run_id(error.path): str(error) for error in reading.damaged}
    assert {run for trust in trusts[:2] for run in made[trust][2:]} == {*told}
    for run in made[Trust.SIGNED][2:]:
        assert "is one too many: the records that known signers signed take more than 3 MiB" in told[run]
        assert "apidiff runs list tells who signed which" in told[run]


_TEXT = b"x" * 100_000
# What eight files of 200 kB hold in which a record would be, how many of them are read and how many are one too many.
HEAVY: list[tuple[str, Callable[[bytes], bytes], int, int]] = [
    ("text", lambda record: record, 4, 4),
    ("text that takes four bytes a character", lambda record: record.replace(b"xx", "😀".encode(), 1), 1, 7),
    ("a key twice", lambda record: record[:-1] + b',"cores":2}', 0, 4),
    ("no record", lambda record: record[1:], 0, 4),
    ("nothing in its right place", lambda record: record.replace(b"2.13.0", b"2.12.0"), 0, 4),
]


@pytest.mark.parametrize(("change", "read", "too_many"), [row[1:] for row in HEAVY], ids=[row[0] for row in HEAVY])
def test_texts_and_what_is_no_record_take_room_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[bytes], bytes], read: int, too_many: int
) -> None:
    """A few kilobytes of such files took gigabytes, or minutes."""
    monkeypatch.setitem(MAX_ROOM[Trust.UNSIGNED], RunRecord, 1_000_000)
    monkeypatch.setattr(runs, "_OF_RECORD", 1000)
    for lab in range(8):
        record = run_record("torch", "2.13.0", measured_by=f"lab {lab}", packages={"one": "", "two": ""})
        content = change(msgspec.json.encode(record).replace(b'""', b'"' + _TEXT + b'"'))
        (tmp_path / "torch-2.13.0").mkdir(exist_ok=True)
        (tmp_path / "torch-2.13.0" / f"gloo-cpu-2-{whole_digest(content)}.json").write_bytes(content)
    reading = Reading()
    assert len(load_runs(tmp_path, reading)) == read
    assert sum(error.damage is Damage.TOO_MANY for error in reading.damaged) == too_many
    assert len(reading.damaged) == 8 - read


def test_however_small_records_are_their_number_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is judged: 2,400 of them, of 1 MB together, took two minutes."""
    monkeypatch.setitem(MAX_ROOM[Trust.UNSIGNED], RunRecord, 5 * 2**20)
    for lab in range(8):
        write_record(run_record(measured_by=f"lab {lab}"), tmp_path)
    reading = Reading()
    assert len(load_runs(tmp_path, reading)) == 4
    assert [error.damage for error in reading.damaged] == [Damage.TOO_MANY] * 4
