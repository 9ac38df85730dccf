"""Records of ranks that are packed: read as they are, as those of single calls."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database.runs import Reading, load_runs, record_path
from apidiff.execute.record import write_record
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
