"""A file takes the place of what was read, and of nothing else, whatever happens to the file and its folder meanwhile."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.porting import guarded_write
from apidiff.porting.guarded_write import replace_read

NOBODY = 0xFFFFFFFF  # where an entry names no user or group


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "model.py").write_bytes(b"before")
    return tmp_path / "tree" / "model.py"


def before_it_happens(monkeypatch: pytest.MonkeyPatch, step: str, act: Callable[[], object]) -> None:
    doing, acts = getattr(guarded_write, step), [act]

    def done(*given: object) -> object:
        if acts:
            acts.pop()()
        return doing(*given)

    monkeypatch.setattr(guarded_write, step, done)


def saved(place: Path) -> None:
    """As an editor saves: under another name first."""
    new = place.with_name("new")
    new.write_bytes(b"saved")
    new.rename(place)


@pytest.mark.parametrize("exchanges", [True, False])
def test_what_was_read_is_replaced(place: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool) -> None:
    if not exchanges:
        monkeypatch.setattr(guarded_write, "_exchanged", lambda *_: False)
    place.chmod(0o750)
    assert replace_read(place, b"before", b"after")
    assert place.read_bytes() == b"after"
    assert place.stat().st_mode & 0o777 == 0o750
    assert list(place.parent.iterdir()) == [place]


ACL = "system.posix_acl_access"
# user::rw-, user:1:rw-, group::---, mask::rw-, other::---
RIGHTS = struct.pack(
    "<I" + 5 * "HHI", 2, *(1, 6, NOBODY), *(2, 6, 1), *(4, 0, NOBODY), *(16, 6, NOBODY), *(32, 0, NOBODY)
)


@pytest.mark.parametrize("can_be_kept", [True, False])
def test_who_may_use_a_file_stays(place: Path, monkeypatch: pytest.MonkeyPatch, can_be_kept: bool) -> None:
    """With a list of who may, the bits of the group are the most that it grants: the group itself has none here."""
    try:
        os.setxattr(place, "user.note", b"mine")
        os.setxattr(place, ACL, RIGHTS)
    except OSError as error:
        pytest.skip(f"this file system keeps no such list ({error.strerror})")
    assert place.stat().st_mode & 0o777 == 0o660
    if not can_be_kept:
        setting = os.setxattr

        def refused(path: int, name: str, value: bytes) -> None:
            if name == ACL:
                raise OSError(95, "Operation not supported")
            setting(path, name, value)

        monkeypatch.setattr(guarded_write.os, "setxattr", refused)
    assert replace_read(place, b"before", b"after")
    assert place.read_bytes() == b"after"
    assert os.getxattr(place, "user.note") == b"mine"
    assert (ACL in os.listxattr(place)) == can_be_kept
    assert place.stat().st_mode & 0o777 == (0o660 if can_be_kept else 0o600)
    if can_be_kept:
        assert os.getxattr(place, ACL) == RIGHTS


def test_a_file_is_given_no_list_of_its_folder(place: Path) -> None:
    """New files of the folder get one; this one has the bits of a group instead."""
    try:
        os.setxattr(place.parent, "system.posix_acl_default", RIGHTS)
    except OSError as error:
        pytest.skip(f"this file system keeps no such list ({error.strerror})")
    place.chmod(0o660)
    assert replace_read(place, b"before", b"after")
    assert ACL not in os.listxattr(place)
    assert place.stat().st_mode & 0o777 == 0o660


@pytest.mark.parametrize("step", ["handed_on", "_put_in_place", "_exchanged"])
@pytest.mark.parametrize("save", [saved, lambda place: place.write_bytes(b"saved")], ids=["renamed", "written"])
def test_what_is_saved_meanwhile_stays(
    place: Path, monkeypatch: pytest.MonkeyPatch, step: str, save: Callable[[Path], object]
) -> None:
    before_it_happens(monkeypatch, step, lambda: save(place))
    assert not replace_read(place, b"before", b"after")
    assert place.read_bytes() == b"saved"
    assert list(place.parent.iterdir()) == [place]


def a_folder(place: Path) -> None:
    place.mkdir()
    (place / "data.txt").write_bytes(b"mine")


def a_link_to_the_same(place: Path) -> None:
    place.with_name("same").write_bytes(b"before")
    place.symlink_to("same")


@pytest.mark.parametrize(
    ("put", "kind", "error"),
    [
        (lambda place: place.symlink_to("nowhere"), stat.S_ISLNK, None),
        (a_link_to_the_same, stat.S_ISLNK, None),
        (os.mkfifo, stat.S_ISFIFO, "no regular file"),
        (a_folder, stat.S_ISDIR, "no regular file"),
    ],
    ids=["link to nowhere", "link to the same", "pipe", "folder"],
)
def test_what_is_put_there_last_is_put_back(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    put: Callable[[Path], object],
    kind: Callable[[int], bool],
    error: str | None,
) -> None:
    before_it_happens(monkeypatch, "_exchanged", lambda: [place.unlink(), put(place)])
    if error is None:
        assert not replace_read(place, b"before", b"after")
    else:
        with pytest.raises(OSError, match=error):
            replace_read(place, b"before", b"after")
    assert kind(place.lstat().st_mode)
    assert [one.read_bytes() for one in place.glob("data.txt")] == [b"mine"] * place.is_dir()
    assert [one.name for one in place.parent.iterdir() if one.suffix == ".tmp"] == []


@pytest.mark.parametrize("step", ["handed_on", "_put_in_place", "_exchanged"])
def test_what_is_removed_meanwhile_is_not_made_again(place: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    before_it_happens(monkeypatch, step, place.unlink)
    with pytest.raises(FileNotFoundError):
        replace_read(place, b"before", b"after")
    assert list(place.parent.iterdir()) == []


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "Too many open files"), KeyboardInterrupt()])
def test_what_cannot_be_looked_at_again_is_put_back(
    place: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    reading, looks = guarded_write.read_regular, iter([None, error])

    def read(path: Path, most: int, folder: int | None = None) -> bytes:
        if (raised := next(looks)) is not None:
            raise raised
        return reading(path, most, folder)

    monkeypatch.setattr(guarded_write, "read_regular", read)
    with pytest.raises(type(error)):
        replace_read(place, b"before", b"after")
    assert place.read_bytes() == b"before"
    assert list(place.parent.iterdir()) == [place]


def test_what_cannot_be_put_back_is_not_deleted(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where what was written is removed in that moment."""
    exchange, written = guarded_write._exchanged, []

    def exchanged(folder: int, one: str, other: str) -> bool:
        if written:
            place.unlink()
        else:
            saved(place)
        written.append(other)
        return exchange(folder, one, other)

    monkeypatch.setattr(guarded_write, "_exchanged", exchanged)
    with pytest.raises(FileNotFoundError):
        replace_read(place, b"before", b"after")
    assert [one.read_bytes() for one in place.parent.iterdir()] == [b"saved"]


@pytest.mark.parametrize("step", ["unused_name", "handed_on", "_put_in_place", "_exchanged"])
def test_a_folder_in_whose_place_a_link_is_put_leads_nowhere_else(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    shutil.copytree(place.parent, tmp_path / "other")

    def swap() -> None:
        place.parent.rename(tmp_path / "former")
        place.parent.symlink_to("other")

    before_it_happens(monkeypatch, step, swap)
    written = replace_read(place, b"before", b"after")
    assert written == (step != "unused_name")
    assert (tmp_path / "former" / "model.py").read_bytes() == (b"after" if written else b"before")
    assert (tmp_path / "other" / "model.py").read_bytes() == b"before"
    for folder in ("former", "other"):
        assert [one.name for one in (tmp_path / folder).iterdir()] == ["model.py"]


@pytest.mark.parametrize("what", [Path.unlink, lambda path: [path.unlink(), path.mkdir()]], ids=["removed", "a folder"])
def test_what_is_no_file_any_more_is_an_error(place: Path, what: Callable[[Path], object]) -> None:
    what(place)
    with pytest.raises(OSError, match=r"No such file|no regular file"):
        replace_read(place, b"before", b"after")
    assert [one.name for one in place.parent.iterdir()] == ["model.py"] * place.exists()
