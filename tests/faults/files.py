"""What happens to files: a record or a journal cut at every byte, a disk that fills up, two that write the same at once."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from apidiff.atomic_write import add_files
from apidiff.database import DataError
from apidiff.database.backends import load_backends
from apidiff.database.paths import DATA
from apidiff.database.runs import load_runs, whole_digest
from apidiff.execute.journal import Journal
from apidiff.execute.plan import Plan, Step
from apidiff.execute.record import encode, write_record
from apidiff.execute.submissions.record_validation import Accepted, foreign_record
from apidiff.model.mapping import Api
from apidiff.model.trace import RunRecord
from tests.faults.place import ROOT, Place

_ROUNDS = 150


def _real() -> RunRecord:
    """A record of a real run with those two of its probes that say least."""
    path = next((DATA / "runs" / "torch-2.13.0").glob("gloo-cpu-2-*.json"))
    record = msgspec.json.decode(path.read_bytes(), type=RunRecord)
    probes = sorted(record.probes, key=lambda run: len(msgspec.json.encode(run)))[:2]
    return msgspec.structs.replace(record, probes=probes, signatures=record.signatures[:2])


def _refused(read: Callable[[], object], path: Path, reason: str) -> None:
    with pytest.raises(DataError) as refused:
        read()
    assert str(refused.value).startswith(f"{path}: ")
    assert reason in refused.value.found


def record_cut(folder: Path) -> None:
    """A record cut at any byte is refused, under its own name and under one that fits its bytes; so is the command."""
    content, nothing = encode(_real()), Accepted(load_backends(), frozenset(), {}, frozenset())
    named = write_record(_real(), folder / "runs")
    for length in reversed(range(len(content))):
        os.truncate(named, length)
        fitting = named.with_name(f"gloo-cpu-2-{whole_digest(content[:length])}.json")
        for path, reason in ((named, "it was changed"), (fitting, "is no run record")):
            if path is fitting and length == len(content) - 1:
                continue  # the last byte is but the end of the line
            named.rename(path)
            _refused(lambda: load_runs(folder / "runs"), path, reason)
            _refused(partial(foreign_record, path, content[:length], nothing), path, reason)
            path.rename(named)


def record_cut_for_the_command(folder: Path) -> None:
    """The command says which record was cut, and starts nothing."""
    place = Place(folder, ["well"])
    path = write_record(_real(), place.runs)
    path.write_bytes(path.read_bytes()[:-100])
    before = place.files()
    done = place.run()
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith(f"apidiff: {path}: its bytes have digest "), done.err
    assert len(done.err.splitlines()) == 1, done.err
    assert place.files() == before
    assert not place.processes()


def journal_cut(folder: Path) -> None:
    """Of a journal cut at any byte the whole lines are taken up, and what is made again is added behind them."""
    path = folder / "one.jsonl"
    runs = _real().probes
    steps = tuple(Step(Api(name=run.api), run.probe, run.spec, ()) for run in runs)
    journal = Journal(path, Plan((), steps))
    ends = []
    for run in runs:
        journal.add(run)
        ends.append(path.stat().st_size - 1)  # without the end of the line
    journal.close()
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        whole = [run for run, end in zip(runs, ends, strict=True) if end <= length]
        journal = Journal(path, Plan((), steps))
        assert list(journal.done.values()) == whole, length
        for run in runs[len(whole) :]:
            journal.add(run)
        journal.close()
        journal = Journal(path, Plan((), steps))
        assert list(journal.done.values()) == runs, length
        journal.close()


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond ``size`` bytes: writing fails half way, as on a full disk."""
    before, usual = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, usual)


def disk_fills_up(folder: Path) -> None:
    """The disk takes the first half of a record: the former one stays, and nothing else."""
    record = _real()
    former = write_record(record, folder)
    before = former.read_bytes()
    with room_for(len(before) // 2), pytest.raises(DataError, match="Free space"):
        write_record(msgspec.structs.replace(record, date="2026-01-31T12:00:00Z"), folder)
    assert [path for path in folder.rglob("*") if path.is_file()] == [former]
    assert former.read_bytes() == before


def disk_fills_up_between(folder: Path) -> None:
    """The disk takes the first of two records that are written together: neither is there."""
    record = _real()
    content = encode(record)
    wanted = {folder / "torch-2.13.0" / "one.json": content[:100], folder / "torch-2.13.0" / "other.json": content}
    with room_for(len(content) // 2), pytest.raises(DataError, match="nothing was recorded"):
        add_files(wanted)
    assert not [path for path in folder.rglob("*") if path.is_file()]


_WRITER = """
import pathlib, sys
import msgspec
from apidiff.model.trace import RunRecord
from apidiff import atomic_write
from apidiff.execute.record import write_record
atomic_write._LOCK_S = 300.0
record = msgspec.json.decode(pathlib.Path(sys.argv[1]).read_bytes(), type=RunRecord)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[4])):
    date = f"20{sys.argv[3]}-01-01T00:{number // 60:02}:{number % 60:02}Z"
    write_record(msgspec.structs.replace(record, date=date), pathlib.Path(sys.argv[2]))
"""


def many_write_the_same(folder: Path) -> None:
    """Two processes write records of the same run, again and again, at the same time: none fails, and one record is left."""
    given = folder / "given.json"
    given.write_bytes(encode(_real()))
    command = [sys.executable, "-c", _WRITER, str(given), str(folder / "runs")]
    writers = [
        subprocess.Popen(
            [*command, year, str(_ROUNDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        for year in ("24", "25")
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        for writer in writers:
            _, err = writer.communicate(timeout=500)
            assert writer.returncode == 0, err
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    [(_, record)] = load_runs(folder / "runs")
    assert record.date.endswith(f":{(_ROUNDS - 1) // 60:02}:{(_ROUNDS - 1) % 60:02}Z")
    assert len([path for path in (folder / "runs").rglob("*") if path.is_file()]) == 1


FILES: list[tuple[str, Callable[[Path], None]]] = [
    ("a record is cut at every byte", record_cut),
    ("a record is cut, and the command is given", record_cut_for_the_command),
    ("a journal is cut at every byte", journal_cut),
    ("the disk fills up half-way through a record", disk_fills_up),
    ("the disk fills up between two records", disk_fills_up_between),
    (f"two processes write the same record {_ROUNDS} times at once", many_write_the_same),
]
