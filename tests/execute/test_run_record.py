"""Run records on disk: complete, under the digest of their bytes, whole or not there."""

from __future__ import annotations

import errno
import fcntl
import gzip
import json
import lzma
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import metadata
from pathlib import Path

import msgspec
import pytest

from apidiff import atomic_write as module
from apidiff.cli.runs import list_own
from apidiff.database import DataError, own_records
from apidiff.database.backends import load_backends
from apidiff.database.devices import load_devices
from apidiff.database.own_records import load_own_records, own_records_path
from apidiff.database.runs import load_runs, run_id, signature_path
from apidiff.execute.record import encode, make_record, refuse_faulty, surroundings, write_beside, write_record
from apidiff.execute.single.record import make_record as make_single
from apidiff.execute.single.record import write_record as write_single
from apidiff.model.sample_run import SingleRecord
from apidiff.model.trace import ParameterDump, ProbeRun, RankTrace, RunRecord, ScalarDump, SignatureDump

RUN = ProbeRun(
    api="torch.one",
    probe="plain",
    spec="0",
    end="completed",
    ranks=[RankTrace(rank=rank, returned=ScalarDump(value="中文")) for rank in range(2)],
)

# of a key that nobody has
SIGNATURE = b"\n".join([b"untrusted comment:", b64encode(b"ED" + bytes(72)), b"trusted comment:", b64encode(bytes(64))])


def record(world_size: int = 2, probes: int = 1) -> RunRecord:
    gloo = next(one for one in load_backends() if one.name == "gloo")
    parameter = ParameterDump(name="op", kind="keyword-only", default="None")
    signature = SignatureDump(api="torch.one", parameters=[parameter], text="(*, op=None)")
    ranks = [msgspec.structs.replace(RUN.ranks[0], rank=rank) for rank in range(world_size)]
    runs = [msgspec.structs.replace(RUN, probe=f"plain-{index}", ranks=ranks) for index in range(probes)]
    return make_record(gloo, "2.13.0", world_size, [signature], runs)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    one = record()
    path = write_record(one, tmp_path)
    assert load_runs(tmp_path) == [(f"torch-2.13.0/{path.stem}", one)]
    assert files(tmp_path) == [path]
    assert path.name.startswith("gloo-cpu-2-")


def test_the_environment_is_whole() -> None:
    one = record()
    assert one.packages["numpy"] == metadata.version("numpy")
    assert len(one.packages) == len({found.name for found in metadata.distributions() if found.name})
    assert one.environment["GLOO_SOCKET_IFNAME"] == "lo"
    assert all([one.os, one.python, one.machine, one.cores, one.date.endswith("Z")])


@pytest.mark.parametrize("told", [b"Name: odd\nVersion: 1\nAuthor: Andr\xe9\n", b"Name: odd\n"])
def test_a_package_that_does_not_say_which_it_is_is_left_out(
    told: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd-1.dist-info").mkdir()
    (tmp_path / "odd-1.dist-info" / "METADATA").write_bytes(told)
    monkeypatch.syspath_prepend(tmp_path)
    packages = surroundings("torch")["packages"]
    assert "odd" not in packages
    assert packages["numpy"] == metadata.version("numpy")


def test_a_system_with_a_long_name_has_records_that_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"PRETTY_NAME": "x" * 1000})
    one = record()
    assert one.os == "x" * 200
    refuse_faulty(one, tmp_path)


def test_each_probe_has_a_line_of_its_own() -> None:
    content = encode(record(probes=5))
    assert len([line for line in content.decode().splitlines() if '"api":"torch.one","probe"' in line]) == 5
    assert json.loads(content)["world_size"] == 2


def test_a_new_record_takes_the_place_of_the_former_and_of_no_other(tmp_path: Path) -> None:
    former, other = write_record(record(2), tmp_path), write_record(record(12), tmp_path)
    path = write_record(record(2, probes=2), tmp_path)
    assert set(files(tmp_path)) == {path, other}
    assert former != path


def test_what_nobody_could_take_in_is_refused(tmp_path: Path) -> None:
    refuse_faulty(record(2), tmp_path)
    wrong = msgspec.structs.replace(record(2, probes=2), world_size=3)
    with pytest.raises(DataError, match=r"is not written: .* it completed with 2 of 3 traces"):
        refuse_faulty(wrong, tmp_path)
    assert files(tmp_path) == []


# (who measured the record that is there, whether this checkout wrote it, who measures now, whether it goes)
FORMER = [
    (None, True, None, True),
    (None, False, None, False),
    (None, True, "me", False),
    ("me", True, None, False),
    ("me", True, "me", True),
    ("me", False, "me", False),
    ("somebody", True, "me", False),
]


@pytest.mark.parametrize(("by", "here", "now", "goes"), FORMER)
def test_only_what_was_written_here_gives_way_to_the_same_measurers_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str | None, here: bool, now: str | None, goes: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    runs = tmp_path / "runs"
    former = write_record(msgspec.structs.replace(record(), measured_by=by), runs if here else tmp_path / "elsewhere")
    if not here:
        (runs / former.parent.name).mkdir(parents=True)
        former = former.rename(runs / former.parent.name / former.name)
    signature_path(former).write_bytes(b"a signature")
    path = write_record(msgspec.structs.replace(record(probes=2), measured_by=now), runs)
    assert set(files(runs)) == ({path} if goes else {path, former, signature_path(former)})


@pytest.mark.parametrize("pack", [None, gzip.compress, lzma.compress])
@pytest.mark.parametrize("listed", [True, False])
def test_a_former_record_of_this_project_goes_where_it_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bool, pack: Callable[[bytes], bytes] | None
) -> None:
    former = write_record(record(), tmp_path / "runs")
    digest = former.stem.rpartition("-")[2]
    if pack:
        packed = former.with_name(f"{former.name}{'.gz' if pack is gzip.compress else '.xz'}")
        packed.write_bytes(pack(former.read_bytes()))
        former.unlink()
        former = packed
    own = f"{digest if listed else '0' * 64}  torch-2.13.0/gloo-cpu-2\n"
    own_records_path(tmp_path).write_text(own, encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other state"))  # as of somebody who cloned the project
    path = write_record(record(probes=2), tmp_path / "runs")
    assert set(files(tmp_path / "runs")) == ({path} if listed else {path, former})


def test_in_an_installed_package_no_record_of_this_project_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its user runs is not listed, and takes the place of nothing that is."""
    own_records_path(tmp_path).touch()
    former = write_record(record(), tmp_path / "runs")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of the user"))
    monkeypatch.setattr(own_records, "DATA", tmp_path)
    monkeypatch.setattr(own_records, "in_checkout", lambda: False)
    path = write_record(record(probes=2), tmp_path / "runs")
    assert set(files(tmp_path / "runs")) == {path, former}
    assert list(load_own_records(tmp_path)) == [former.stem.rpartition("-")[2]]


@pytest.mark.parametrize(
    "damage", [lambda path: path.write_bytes(b"{"), lambda path: (path.unlink(), os.mkfifo(path))], ids=["cut", "pipe"]
)
def test_a_damaged_record_in_the_place_of_the_former_stays(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    former = write_record(record(), tmp_path)
    damage(former)
    path = write_record(record(probes=2), tmp_path)
    assert path.is_file()
    assert former.exists()


def test_a_pipe_in_the_place_of_what_was_written_here_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "apidiff").mkdir()
    os.mkfifo(tmp_path / "apidiff" / "recorded")
    by = msgspec.structs.replace(record(), measured_by="me")
    former = write_record(by, tmp_path / "runs")
    write_record(msgspec.structs.replace(by, date="2026-01-01T00:00:00Z"), tmp_path / "runs")
    assert former.exists()


def test_a_link_in_the_place_of_what_was_written_here_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    by = msgspec.structs.replace(record(), measured_by="me")
    former = write_record(by, tmp_path / "runs")
    place, mine = tmp_path / "apidiff" / "recorded", tmp_path / "mine"
    place.rename(mine)
    before = mine.read_bytes()
    place.symlink_to(mine)
    write_record(msgspec.structs.replace(by, date="2026-01-01T00:00:00Z"), tmp_path / "runs")
    assert former.exists()
    assert mine.read_bytes() == before


def test_a_list_of_what_was_written_here_that_others_could_write_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    by = msgspec.structs.replace(record(), measured_by="me")
    former = write_record(by, tmp_path / "runs")
    (tmp_path / "apidiff" / "recorded").chmod(0o664)
    write_record(msgspec.structs.replace(by, date="2026-01-01T00:00:00Z"), tmp_path / "runs")
    assert former.exists()


def test_a_run_taken_up_again_takes_the_place_of_its_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    by = msgspec.structs.replace(record(), measured_by="me")
    half = write_beside(msgspec.structs.replace(by, stopped="signal 15"), tmp_path / "runs")
    assert files(tmp_path / "runs") == [half]
    path = write_record(by, tmp_path / "runs")
    assert files(tmp_path / "runs") == [path]


def test_without_a_state_folder_nothing_goes_that_says_who_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    written = {write_record(msgspec.structs.replace(record(probes=n), measured_by="me"), tmp_path) for n in (1, 2)}
    assert written < set(files(tmp_path))


def test_a_former_record_that_cannot_be_removed_is_named(tmp_path: Path) -> None:
    """The error does not say that nothing was recorded."""
    former = write_record(record(), tmp_path)
    signature_path(former).mkdir()  # which no file can be removed as
    with pytest.raises(DataError, match="The record that takes its place is written; delete this one") as refused:
        write_record(record(probes=2), tmp_path)
    assert refused.value.path == former
    assert former.is_file()


def test_a_former_record_that_stays_keeps_its_signature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    former = write_record(record(), tmp_path)
    signature_path(former).touch()
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self == former:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(DataError, match="delete this one"):
        write_record(record(probes=2), tmp_path)
    assert former.is_file()
    assert signature_path(former).is_file()


# (what is done to the file, what the error says)
CHANGES = [
    (lambda path: path.write_bytes(path.read_bytes().replace(b"2.13.0", b"2.13.1", 1)), "it was changed"),
    (lambda path: path.write_bytes(path.read_bytes()[:-2]), "it was changed"),
    (
        lambda path: path.rename(path.with_name(path.name.replace("gloo", "nccl"))),
        "holds the run 'torch-2.13.0/gloo-cpu-2'",
    ),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_changed_record_is_refused(tmp_path: Path, change: object, message: str) -> None:
    path = write_record(record(), tmp_path)
    change(path)  # type: ignore[operator]
    with pytest.raises(DataError) as error:
        load_runs(tmp_path)
    assert message in str(error.value)
    assert str(tmp_path) in str(error.value)


def test_a_folder_that_cannot_be_made_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file", encoding="utf-8")
    with pytest.raises(DataError, match=r"the record cannot be written .*nothing was recorded"):
        write_record(record(), tmp_path / "runs")


def test_a_folder_in_which_another_process_writes_is_waited_for_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOCK_S", 0.2)
    former = write_record(record(), tmp_path)
    handle = os.open(former.parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(DataError, match=r"another process has been writing a record here for 0\.2 s"):
        write_record(record(probes=2), tmp_path)
    assert files(tmp_path) == [former]
    os.close(handle)
    path = write_record(record(probes=2), tmp_path)
    assert files(tmp_path) == [path]


def no_lock_of_the_list(monkeypatch: pytest.MonkeyPatch, root: Path, runs: Path) -> None:
    take = module.lock_open

    def busy(folder: int) -> bool:
        if os.path.samestat(os.fstat(folder), root.stat()):
            raise BlockingIOError
        return take(folder)

    monkeypatch.setattr(module, "lock_open", busy)


def no_lock_of_the_records(monkeypatch: pytest.MonkeyPatch, root: Path, runs: Path) -> None:
    no_lock_of_the_list(monkeypatch, runs, runs)


def no_writing(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """As a file system that is read-only, also for root."""
    put = module._put_on_disk

    def refuse(path: Path, content: bytes) -> None:
        if path.parent == folder:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        put(path, content)

    monkeypatch.setattr(module, "_put_on_disk", refuse)


def no_writing_of_the_list(monkeypatch: pytest.MonkeyPatch, root: Path, runs: Path) -> None:
    no_writing(monkeypatch, root)


def no_writing_of_records(monkeypatch: pytest.MonkeyPatch, root: Path, runs: Path) -> None:
    no_writing(monkeypatch, runs)


def a_broken_list(monkeypatch: pytest.MonkeyPatch, root: Path, runs: Path) -> None:
    own_records_path(root).write_text("no line of it\n", encoding="utf-8")


FAILURES = [no_lock_of_the_records, no_lock_of_the_list, no_writing_of_records, no_writing_of_the_list, a_broken_list]


@pytest.mark.parametrize("fails", FAILURES)
@pytest.mark.parametrize("write", [write_record, write_beside, write_single])
def test_what_cannot_be_recorded_is_not_listed_and_leaves_the_list_signed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[RunRecord | SingleRecord, Path], Path],
    fails: Callable[[pytest.MonkeyPatch, Path, Path], None],
) -> None:
    one: RunRecord | SingleRecord = record()
    if write is write_single:
        device = next(one for one in load_devices() if one.framework == "torch")
        one = make_single(device, "2.13.0", [], [])
    runs = tmp_path / "runs" / "torch-2.13.0"
    runs.mkdir(parents=True)
    (runs / "there").touch()
    own_records_path(tmp_path).write_text(f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n", encoding="utf-8")
    signature_path(own_records_path(tmp_path)).write_bytes(SIGNATURE)
    with monkeypatch.context() as patched:
        fails(patched, tmp_path, runs)
        before = {path: path.read_bytes() for path in files(tmp_path)}
        with pytest.raises(DataError):
            write(one, tmp_path / "runs")
        assert {path: path.read_bytes() for path in files(tmp_path)} == before
    if fails is not a_broken_list:
        path = write(one, tmp_path / "runs")
        assert path.name.partition(".")[0].rpartition("-")[2] in load_own_records(tmp_path)
        assert not signature_path(own_records_path(tmp_path)).exists()


@pytest.mark.parametrize("write", [write_record, write_single])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_an_end_once_a_file_got_its_name_leaves_a_record_and_its_line_or_neither(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    write: Callable[[RunRecord | SingleRecord, Path], Path],
) -> None:
    """The record gets its name first, then the signature of the list goes aside, then the list gets its name."""
    device = next(one for one in load_devices() if one.framework == "torch")
    one = make_single(device, "2.13.0", [], []) if write is write_single else record()
    path = own_records_path(tmp_path)
    path.write_text(f"{'0' * 64}  torch-2.13.0/gloo-cpu-2\n", encoding="utf-8")
    signature_path(path).write_bytes(SIGNATURE)
    before = {path: path.read_bytes() for path in files(tmp_path)}
    renamed = 0

    def ended_then(rename: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
        def renames(old: Path, new: Path) -> None:
            nonlocal renamed
            rename(old, new)
            renamed += 1
            if renamed == number:
                raise KeyboardInterrupt

        return renames

    with monkeypatch.context() as patched:
        for name in ("rename", "replace"):
            patched.setattr(os, name, ended_then(getattr(os, name)))
        with pytest.raises(KeyboardInterrupt) if number < 4 else nullcontext():
            write(one, tmp_path / "runs")
    if number < 3:
        assert {path: path.read_bytes() for path in files(tmp_path)} == before
    else:
        [written] = files(tmp_path / "runs")
        assert set(files(tmp_path)) == {path, written}
        assert run_id(written).rpartition("-")[2] in load_own_records(tmp_path)


@pytest.mark.parametrize("others", [0, 1, 2])
def test_what_another_process_listed_and_signed_meanwhile_stays_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """Another process lists so many of the two records, and signs the list, while this one waits for the lock."""
    keys = [run_id(write_record(record(world_size=size), tmp_path / "runs")) for size in (2, 3)]
    path = own_records_path(tmp_path)
    path.touch()

    @contextmanager
    def late(folder: Path) -> Iterator[None]:
        with module.locked(folder):
            lines = [f"{key.rpartition('-')[2]}  {key.rpartition('-')[0]}\n" for key in keys[:others]]
            path.write_text("".join(lines), encoding="utf-8")
            signature_path(path).write_bytes(SIGNATURE)
            yield

    with monkeypatch.context() as patched:
        patched.setattr(own_records, "locked", late)
        told = list_own(tmp_path)
    removed = [f"  its signature was removed, which no longer fits: {signature_path(path).name}"]
    listed = [f"  {key}" for key in keys[others:]]
    assert told == [f"{path}: {len(listed)} added", *listed, *(removed if listed else [])]
    assert signature_path(path).exists() is not bool(listed)
    assert len(load_own_records(tmp_path)) == 2


def test_reading_records_needs_no_framework() -> None:
    code = "import sys, apidiff.database.runs, apidiff.execute.record as r; print({'torch', 'mindspore'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "set()\n"
