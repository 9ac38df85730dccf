"""Records of ranks that are packed: read as they are, as those of single calls, and no more than memory has room for."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database.runs import MAX_UNSIGNED, Reading, load_runs, read_bytes, record_path, run_id, whole_digest
from apidiff.execute.record import write_record
from apidiff.model.trace import RunRecord, SignatureDump
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


def _own(path: Path) -> Reading:
    return Reading(own={whole_digest(read_bytes(path))})


def _signed(path: Path) -> Reading:
    return Reading(signed={run_id(path)})


@pytest.mark.parametrize(
    ("vouched_for", "size", "read"),
    [
        (None, 30_000, 3),
        (None, 45_000, 2),
        (None, 100_000, 0),  # beside each value there is something
        (_own, 45_000, 3),  # the last one takes no room from the others
        (_signed, 45_000, 3),
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
    monkeypatch.setitem(MAX_UNSIGNED, RunRecord, 100_000)
    many = [SignatureDump(api=f"torch.f{number}", members=["x"] * 500) for number in range(size // 500)]
    paths = sorted(
        write_record(run_record(measured_by=f"lab {lab}", signatures=many), tmp_path) for lab in ("a", "b", "c")
    )
    reading = vouched_for(paths[2]) if vouched_for else Reading()
    assert len(load_runs(tmp_path, reading)) == read
    assert [error.path for error in reading.damaged] == paths[read:]
    assert not any(error.__traceback__ for error in reading.damaged)  # whose frames hold the record
    for error in reading.damaged:
        assert "is one too many: with it, the records for which nobody known vouches hold more than 100000" in str(
            error
        )
        assert "Delete those that are not needed" in str(error)
