"""Several files are written all or none: rows of (what goes wrong, what the error says)."""

from __future__ import annotations

import errno
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from apidiff import atomic_write, ending_signals
from apidiff.atomic_write import (
    add_files,
    made_folder,
    open_in_place,
    refuse_unwritable,
    remove_left,
    write_file,
    write_files,
)
from apidiff.database import DataError
from tests.faults.files import room_for


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_all_are_written_and_those_that_are_there_are_left(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "there").write_bytes(b"1")
    before = (tmp_path / "a" / "there").stat()
    add_files({tmp_path / "a" / "there": b"1", tmp_path / "b" / "new": b"2", tmp_path / "a" / "more": b"3"})
    assert files(tmp_path) == {"a/there": b"1", "a/more": b"3", "b/new": b"2"}
    assert (tmp_path / "a" / "there").stat().st_ino == before.st_ino


def test_whether_a_folder_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    refuse_unwritable(tmp_path / "folder")
    for folder, error in {"file": NotADirectoryError, "nowhere": FileNotFoundError}.items():
        with pytest.raises(error):
            refuse_unwritable(tmp_path / folder)
    assert files(tmp_path) == {"file": b""}


def _at_the_second(real: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
    count = 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count == 2:
            raise OSError(5, os.strerror(5))
        return real(self, target)

    return replace


FAULTS: list[tuple[str, str]] = [
    ("the disk is full", "the record cannot be written (File too large)"),
    ("a name cannot be given", "the record cannot be written (Input/output error)"),
    ("other bytes are there", "is there already and is another file"),
]


@pytest.mark.parametrize(("fault", "message"), FAULTS)
def test_where_one_cannot_be_written_none_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, message: str
) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "earlier").write_bytes(b"0")
    wanted = {tmp_path / "a" / "small": b"1", tmp_path / "b" / "large": b"2" * 10_000}
    if fault == "other bytes are there":
        wanted[tmp_path / "b" / "earlier"] = b"1"
    if fault == "a name cannot be given":
        monkeypatch.setattr(Path, "replace", _at_the_second(Path.replace))
    with room_for(5_000 if fault == "the disk is full" else 10_000), pytest.raises(DataError) as caught:
        add_files(wanted)
    assert message in str(caught.value)
    assert "nothing was recorded" in str(caught.value)
    assert files(tmp_path) == {"b/earlier": b"0"}
    assert not (tmp_path / "a").exists()


# what goes wrong where a file is replaced whose signature no longer fits, and what the error names
REPLACED = ["the disk is full", "a name cannot be given", "a folder is in the place of the signature"]


@pytest.mark.parametrize("fault", REPLACED)
def test_what_goes_with_the_former_file_stays_where_that_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    path, signature = tmp_path / "list", tmp_path / "list.minisig"
    path.write_bytes(b"1")
    signature.write_bytes(b"2")
    signature.chmod(0o600)
    if fault == "a name cannot be given":
        monkeypatch.setattr(Path, "replace", _at_the_second(Path.replace))
        with pytest.raises(OSError, match="error"):
            write_files({tmp_path / "new": b"3", path: b"4"}, without=[signature])
    elif fault == "the disk is full":
        with room_for(5_000), pytest.raises(OSError, match="too large") as caught:
            write_files({path: b"3" * 10_000}, without=[signature])
        assert caught.value.filename == str(path)
    else:
        (tmp_path / "folder").mkdir()
        with pytest.raises(IsADirectoryError):
            write_files({path: b"3"}, without=[signature, tmp_path / "folder"])
        (tmp_path / "folder").rmdir()
    assert files(tmp_path) == {"list": b"1", "list.minisig": b"2"}
    assert signature.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_a_signal_between_two_names_leaves_all_of_them_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """What was there under the first name is gone by then. 0: as the signature is moved aside."""
    for name in ("a", "b", "signature"):
        (tmp_path / name).write_bytes(b"0")
    renamed = 0

    def ended_at(rename: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
        def renames(old: Path, new: Path) -> None:
            nonlocal renamed
            if renamed == number:
                os.kill(os.getpid(), signal.SIGTERM)
            renamed += 1
            rename(old, new)

        return renames

    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, ended_at(getattr(os, name)))
    with pytest.raises(SystemExit), ending_signals.ending_in_order():
        write_files({tmp_path / name: b"1" for name in ("a", "b", "c")}, without=[tmp_path / "signature"])
    assert files(tmp_path) == {"a": b"1", "b": b"1", "c": b"1"}


@pytest.mark.parametrize(("folder", "reason"), [("", errno.EFBIG), ("nowhere", errno.ENOENT)])
def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, folder: str, reason: int) -> None:
    """What names no file is taken for standard output, and the temporary name tells nobody anything."""
    path = tmp_path / folder / "large"
    with room_for(5_000), pytest.raises(OSError) as caught:
        write_file(path, b"1" * 10_000)
    assert (caught.value.errno, caught.value.filename) == (reason, str(path))


@contextmanager
def interrupted_at(number: int) -> Iterator[list[int]]:
    """Raises KeyboardInterrupt before instruction ``number`` of what writes files, as Ctrl-C does. Gives how many there were."""
    seen = [0]

    def trace(frame: FrameType, event: str, _value: object) -> Callable[..., object] | None:
        if frame.f_code.co_filename != atomic_write.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            seen[0] += 1
            if seen[0] == number:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield seen
    finally:
        sys.settrace(before)


BEFORE = {"there": b"0"}
# what is done, what may be there when it was interrupted
INTERRUPTED: dict[str, tuple[Callable[[Path], object], list[dict[str, bytes]]]] = {
    "one file": (lambda folder: write_file(folder / "there", b"1"), [BEFORE, {"there": b"1"}]),
    "several files": (
        lambda folder: write_files({folder / "new": b"2", folder / "more": b"3"}),
        [BEFORE, BEFORE | {"new": b"2", "more": b"3"}],
    ),
    "one file and what goes with the former one": (
        lambda folder: write_files({folder / "other": b"1"}, without=[folder / "there"]),
        [BEFORE, {"other": b"1"}],
    ),
    "one file in the place of a signed one": (
        lambda folder: [
            (folder / "signature").write_bytes(b"2"),
            write_files({folder / "there": b"1"}, without=[folder / "signature"]),
        ],
        [BEFORE | {"signature": b"2"}, {"there": b"1"}],
    ),
    "several files, with a lock": (
        lambda folder: add_files({folder / "new": b"2", folder / "a" / "more": b"3"}),
        [BEFORE, BEFORE | {"new": b"2", "a/more": b"3"}],
    ),
}


@pytest.mark.parametrize("name", INTERRUPTED)
def test_an_interrupt_at_any_instruction_leaves_all_or_nothing(name: str, tmp_path: Path) -> None:
    write, ends = INTERRUPTED[name]
    number, met = 0, []
    while True:
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "there").write_bytes(b"0")
        try:
            with interrupted_at(number) as seen:
                write(folder)
        except KeyboardInterrupt:
            pass
        found = files(folder)
        assert found in ends, number
        met.append(ends.index(found))
        if seen[0] < number:
            break
    assert number > 100
    assert met == sorted(met)
    assert set(met) == {0, 1}


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    """As root a file could be put in the place of /dev/null, which other programs then fill."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(os.devnull)
    for path in (pipe, link):
        with pytest.raises(OSError, match="it is no regular file") as raised:
            write_file(path, b"1")
        assert raised.value.filename == str(path)
    assert pipe.is_fifo()
    assert link.readlink() == Path(os.devnull)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_pipe_among_what_is_there_already_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="it is no regular file"):
        add_files({tmp_path / "pipe": b"1", tmp_path / "file": b"2"})
    assert not (tmp_path / "file").exists()


# what is opened as a lock or log, what becomes of it, what it holds then
IN_PLACE = [(b"former", False, b"former"), (b"former", True, b""), (None, False, b""), (None, True, b"")]


@pytest.mark.parametrize(("content", "emptied", "then"), IN_PLACE)
def test_a_lock_and_a_log_are_opened_as_they_lie_there(
    tmp_path: Path, content: bytes | None, emptied: bool, then: bytes
) -> None:
    path = tmp_path / "lock"
    if content is not None:
        path.write_bytes(content)
    open_in_place(path, emptied=emptied).close()
    assert path.read_bytes() == then


@pytest.mark.parametrize("emptied", [False, True])
@pytest.mark.parametrize(
    ("goal", "said"),
    [("mine.txt", "it is a link"), ("nowhere", "it is a link that leads nowhere"), ("pipe", "it is no regular")],
)
def test_what_a_link_in_the_place_of_a_lock_or_log_leads_to_stays(
    tmp_path: Path, goal: str, said: str, emptied: bool
) -> None:
    (tmp_path / "mine.txt").write_bytes(b"mine")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "lock").symlink_to(goal)
    with pytest.raises(OSError, match=said) as refused:
        open_in_place(tmp_path / "lock", emptied=emptied)
    assert refused.value.filename == str(tmp_path / "lock")
    assert (tmp_path / "mine.txt").read_bytes() == b"mine"
    assert not (tmp_path / "nowhere").exists()


def test_a_large_file_that_has_the_name_of_one_that_is_written_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    os.truncate(tmp_path / "file", 2**40)
    monkeypatch.setattr(Path, "read_bytes", pytest.fail)
    with pytest.raises(DataError, match="is there already and is another file"):
        add_files({tmp_path / "file": b"1"})


def test_only_temporary_files_of_ours_are_removed(tmp_path: Path) -> None:
    (tmp_path / f".{'0' * 16}.tmp").mkdir()
    (tmp_path / ".notes.tmp").touch()
    (tmp_path / f".{'1' * 16}.tmp").touch()  # as a process that was killed leaves it
    add_files({tmp_path / "file": b"1"})
    assert sorted(path.name for path in tmp_path.iterdir()) == [f".{'0' * 16}.tmp", ".notes.tmp", "file"]


# A file below a folder that nobody locks, the seconds since it was written, and whether it is removed.
LEFT = [
    (f".{'0' * 16}.tmp", 3600, True),
    (f"a/b/.{'1' * 16}.tmp", 3600, True),
    (f".{'2' * 16}.tmp", 1, False),  # another process may be writing it
    (f".{'3' * 15}.tmp", 3600, False),
    (f"{'4' * 16}.tmp", 3600, False),
    ("a/.notes.tmp", 3600, False),
    (f".{'5' * 16}.tmp/notes", 3600, False),
]


@pytest.mark.parametrize(("name", "age_s", "removed"), LEFT)
def test_what_killed_processes_left_is_removed_without_a_lock(
    tmp_path: Path, name: str, age_s: int, removed: bool
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    written = time.time() - age_s
    os.utime(tmp_path / name, (written, written))
    remove_left(tmp_path)
    assert (tmp_path / name).exists() == (not removed)
    remove_left(tmp_path / "nothing is there")


def test_of_a_link_the_file_is_written_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("file")
    write_file(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"2"


@pytest.mark.parametrize(("leads", "found"), [("nowhere/x", "leads nowhere"), ("link", "leads nowhere")])
def test_a_link_that_leads_nowhere_is_left(tmp_path: Path, leads: str, found: str) -> None:
    (tmp_path / "link").symlink_to(leads)
    with pytest.raises(OSError, match=found):
        write_file(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()


def test_below_a_link_to_itself_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        write_file(tmp_path / "loop" / "file", b"1")


def test_what_the_system_calls_a_device_is_left_where_it_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``/dev/stdout`` is that leads to a file."""
    monkeypatch.setattr(atomic_write, "_DEVICES", {tmp_path})
    (tmp_path / "stdout").write_bytes(b"1")
    with pytest.raises(OSError, match="no regular file"):
        write_file(tmp_path / "stdout", b"2")
    assert (tmp_path / "stdout").read_bytes() == b"1"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_a_file_stays_its_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1")
    os.chown(path, 1234, 2345)
    path.chmod(0o6755)
    write_file(path, b"2")
    state = path.stat()
    assert (state.st_uid, state.st_gid, state.st_mode & 0o7777) == (1234, 2345, 0o6755)

    def forbidden(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "chown", forbidden)
    write_file(path, b"3")
    state = path.stat()
    assert (path.read_bytes(), state.st_uid, state.st_mode & 0o7777) == (b"3", 0, 0o755)


def test_a_file_hands_on_who_may_use_it(tmp_path: Path) -> None:
    """user::rw-, user:1:rw-, group::---, mask::rw-, other::---: the group itself has no rights."""
    nobody, acl = 0xFFFFFFFF, "system.posix_acl_access"
    entries = [(1, 6, nobody), (2, 6, 1), (4, 0, nobody), (16, 6, nobody), (32, 0, nobody)]
    rights = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    path = tmp_path / "file"
    path.write_bytes(b"before")
    try:
        os.setxattr(path, acl, rights)
    except OSError as error:
        pytest.skip(f"this file system keeps no such list ({error.strerror})")
    write_file(path, b"after")
    assert (path.read_bytes(), os.getxattr(path, acl)) == (b"after", rights)


def fail(folder: Path, error: type[BaseException], *kept: Path) -> None:
    with made_folder(folder):
        assert folder.is_dir()
        for path in kept:
            path.touch()
        raise error


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, SystemExit])
def test_a_folder_goes_again_where_nothing_is_written_into_it(tmp_path: Path, error: type[BaseException]) -> None:
    (tmp_path / "there").mkdir()
    for folder in ("new/deep", "there", "there/deep"):
        with pytest.raises(error):
            fail(tmp_path / folder, error)
        assert list(tmp_path.rglob("*")) == [tmp_path / "there"]
    with pytest.raises(error):
        fail(tmp_path / "new/deep", error, tmp_path / "new/kept")
    assert list((tmp_path / "new").iterdir()) == [tmp_path / "new/kept"]
    with made_folder(tmp_path / "stays"):
        pass
    assert (tmp_path / "stays").is_dir()
