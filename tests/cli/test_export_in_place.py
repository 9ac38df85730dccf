"""Exports are written whole or not at all, and replace nothing but an earlier one."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from command import COMMAND
from deep_folders import deep
from unlisted_folders import refuse_listing

from apidiff.ending_signals import ending_in_order
from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.writers.export import ExportError, _listed, export_json, export_sqlite

EXPORTS = {"json": export_json, "sqlite": export_sqlite}


@pytest.fixture(scope="module")
def few(all_entries: dict[str, Entry]) -> dict[str, Entry]:
    """Enough for tests of how files are written, whatever is in them."""
    return {key: all_entries[key] for key in sorted(all_entries)[:20]}


@pytest.fixture(scope="module")
def counterparts(knowledge: KnowledgeBase) -> dict[str, CounterpartEntry]:
    return dict(knowledge.counterparts)


def listing(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.turning(days=2)
@pytest.mark.parametrize("kind", EXPORTS)
def test_an_earlier_export_is_replaced_and_the_rest_left_alone(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry], kind: str
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    EXPORTS[kind](few, counterparts, tmp_path)
    first = listing(tmp_path)
    EXPORTS[kind](dict(list(few.items())[:1]), counterparts, tmp_path)
    assert listing(tmp_path) != first
    EXPORTS[kind](few, counterparts, tmp_path)
    assert listing(tmp_path) == first
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.turning(days=4)
@pytest.mark.parametrize("content", ["{}", "[]", "no json", '{"generator": "other"}'])
def test_files_of_others_are_not_replaced(run, tmp_path: Path, content: str) -> None:
    (tmp_path / "index.json").write_text(content)
    done = run("export", "json", ".")
    assert done.returncode == 2
    assert "holds index.json, which no export of apidiff is known" in done.stderr
    assert listing(tmp_path) == {"index.json": content.encode()}


@pytest.mark.parametrize(
    "put", [Path.touch, Path.mkdir, lambda path: path.symlink_to("/tmp")], ids=["file", "folder", "link"]
)
def test_what_is_mine_among_the_files_of_an_export_stays(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry], put: Callable[[Path], object]
) -> None:
    export_json(few, counterparts, tmp_path)
    put(tmp_path / "mappings" / "mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ExportError, match="holds mappings/mine, which no export of apidiff is known"):
        export_json(few, counterparts, tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["mappings/mine.txt", "schema/mine.txt"])
def test_what_was_put_there_while_an_export_was_made_stays(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    export_json(few, counterparts, tmp_path)
    before = listing(tmp_path)
    write = Path.write_bytes

    def write_beside(path: Path, data: bytes) -> int:
        (tmp_path / name).touch()
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_beside)
    with pytest.raises(ExportError, match=f"holds {name}, which no export of apidiff is known"):
        export_json(dict(list(few.items())[:1]), counterparts, tmp_path)
    monkeypatch.undo()
    assert listing(tmp_path) == dict(sorted((before | {name: b""}).items()))
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_folder_of_an_export_that_cannot_be_listed_stays(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry], monkeypatch: pytest.MonkeyPatch
) -> None:
    export_json(few, counterparts, tmp_path)
    before = listing(tmp_path)
    refuse_listing(tmp_path / "mappings", monkeypatch)
    with pytest.raises(ExportError, match=r"cannot be written \(Permission denied\) and nothing was left there"):
        export_json(dict(list(few.items())[:1]), counterparts, tmp_path)
    monkeypatch.undo()
    assert listing(tmp_path) == before


@pytest.mark.parametrize("levels", [1_500, 3_000])
def test_folders_that_lie_deep_among_the_files_of_an_export_stay(
    run, tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry], levels: int
) -> None:
    out = tmp_path / "out"
    export_json(few, counterparts, out)
    with deep(out / "mappings" / "mine", levels):
        done = run("export", "json", str(out))
        assert (done.returncode, done.stdout) == (2, "")
        told = "holds mappings/mine, mappings/mine/d, mappings/mine/d/d and [0-9]+ more, which no export of apidiff is known"
        assert re.search(told, done.stderr)
        assert (out / "mappings" / "mine" / "d").is_dir()


@pytest.mark.parametrize(
    "content", [b"", b"my notes", b"SQLite format 3\0" + bytes(84)], ids=["empty", "text", "other"]
)
def test_a_database_of_others_is_not_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "apidiff.sqlite").write_bytes(content)
    with pytest.raises(ExportError, match=r"holds apidiff\.sqlite, which no export of apidiff is known"):
        export_sqlite({}, {}, tmp_path)
    assert listing(tmp_path) == {"apidiff.sqlite": content}


@pytest.mark.parametrize("kind", ["wal", "journal", "shm"])
def test_what_would_change_a_database_is_not_left_beside_it(tmp_path: Path, kind: str) -> None:
    """What reads the database reads these files as changes of it, whoever put them there."""
    changes = tmp_path / f"apidiff.sqlite-{kind}"
    changes.write_bytes(b"mine")
    with pytest.raises(ExportError, match=rf"holds apidiff\.sqlite-{kind}, which no export of apidiff is known"):
        export_sqlite({}, {}, tmp_path)
    assert listing(tmp_path) == {changes.name: b"mine"}


@pytest.mark.parametrize(
    "put",
    [
        lambda path: path.write_text("[" * 100_000),
        lambda path: path.write_bytes(b'{"generator": "\xff"}'),
        os.mkfifo,
        lambda path: (path.touch(), os.truncate(path, 2**40)),
    ],
    ids=["nested", "no text", "pipe", "huge"],
)
def test_an_index_that_cannot_be_read_is_somebody_elses(tmp_path: Path, put: Callable[[Path], object]) -> None:
    put(tmp_path / "index.json")
    with pytest.raises(ExportError, match=r"holds index\.json, which no export of apidiff is known"):
        export_json({}, {}, tmp_path)


# Root may write anywhere, so these stand for a folder that cannot be written.
UNWRITABLE = [
    ("/proc/apidiff/out", "No such file"),
    ("file/out", "Not a directory"),
    ("a" * 300, "File name too long"),
    ("file", "File exists|Not a directory"),
]


@pytest.mark.turning(days=3)
@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize(("folder", "reason"), UNWRITABLE)
def test_folder_that_cannot_be_written(run, tmp_path: Path, kind: str, folder: str, reason: str) -> None:
    (tmp_path / "file").touch()
    done = run("export", kind, folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"apidiff: {folder} cannot be written (")
    assert any(one in done.stderr for one in reason.split("|"))
    assert done.stderr.count("\n") == 1
    assert listing(tmp_path) == {"file": b""}


def mounted(folder: Path, options: str) -> bool:
    if shutil.which("mount") is None:
        return False
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True).returncode == 0


@pytest.mark.turning(days=4)
@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize(
    ("options", "reason"), [("size=64k", "No space left on device"), ("ro", "Read-only file system")]
)
def test_real_full_and_read_only_disks(run, tmp_path: Path, kind: str, options: str, reason: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted(disk, options):
        pytest.skip("a small file system cannot be mounted here (needs root)")
    try:
        for folder in ("disk", "disk/a/b"):
            done = run("export", kind, folder)
            assert (done.returncode, reason in done.stderr, done.stdout) == (2, True, ""), done
            assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.turning(days=2)
@pytest.mark.parametrize("kind", EXPORTS)
def test_a_full_disk_keeps_the_earlier_export(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    EXPORTS[kind](few, counterparts, tmp_path)
    before = listing(tmp_path)
    writes = 0

    def fails_late(path: Path, data: bytes) -> int:
        nonlocal writes
        writes += 1
        if writes == (3 if kind == "json" else 1):
            with path.open("wb") as file:
                file.write(data[:10])
            raise OSError(28, "No space left on device")
        with path.open("wb") as file:
            return file.write(data)

    monkeypatch.setattr(Path, "write_bytes", fails_late)
    with pytest.raises(ExportError, match="No space left on device"):
        EXPORTS[kind](few, counterparts, tmp_path)
    assert listing(tmp_path) == before
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("signalled", [False, True])
def test_a_move_that_fails_is_undone(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    monkeypatch: pytest.MonkeyPatch,
    signalled: bool,
) -> None:
    """``signalled``: as where a disk breaks and who sees it presses Ctrl-C."""
    export_json(few, counterparts, tmp_path)
    before = listing(tmp_path)
    rename = Path.rename
    failed = []

    def fails(path: Path, target: Path) -> Path:
        if failed and signalled:
            signal.raise_signal(signal.SIGTERM)
        if path.name == "mappings" and path.parent.name == "new":
            failed.append(path)
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fails)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # which a command leaves behind
    ended = (SystemExit, "143") if signalled else (ExportError, "Input/output error")
    with pytest.raises(ended[0], match=ended[1]), ending_in_order():
        export_json(dict(list(few.items())[:1]), counterparts, tmp_path)
    assert failed
    assert listing(tmp_path) == before
    assert not list(tmp_path.glob(".apidiff-*"))


class Cut:
    """Raises an interrupt at one of the calls of a function, before or after it did its work."""

    def __init__(self, function: Callable[..., object], at: int, done: bool, interrupt: type[BaseException]) -> None:
        self._function, self._at, self._done, self._interrupt = function, at, done, interrupt
        self.calls = 0

    def __call__(self, *arguments: object, **options: object) -> object:
        self.calls += 1
        if self.calls != self._at:
            return self._function(*arguments, **options)
        if self._done:
            self._function(*arguments, **options)
        raise self._interrupt


@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize("earlier", [True, False], ids=["earlier", "none"])
@pytest.mark.parametrize(("interrupt", "done"), [(KeyboardInterrupt, False), (SystemExit, True)])
@pytest.mark.parametrize("function", ["rename", "mkdir"])
def test_an_interrupt_leaves_the_earlier_export_or_the_new_one(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    kind: str,
    earlier: bool,
    done: bool,
    interrupt: type[BaseException],
    function: str,
) -> None:
    folder = tmp_path / "new" / "out"
    EXPORTS[kind](dict(list(few.items())[:1]), counterparts, folder)
    new = listing(folder)
    for at in range(1, 100):
        shutil.rmtree(tmp_path / "new", ignore_errors=True)
        if earlier:
            EXPORTS[kind](few, counterparts, folder)
        before = listing(tmp_path)
        cut = Cut(getattr(Path, function), at, done, interrupt)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, function, lambda *words, cut=cut, **options: cut(*words, **options))
            try:
                EXPORTS[kind](dict(list(few.items())[:1]), counterparts, folder)
            except interrupt:
                assert listing(tmp_path) == before
                assert earlier or list(tmp_path.iterdir()) == []
                assert not earlier or [path for path in folder.iterdir() if path.name.startswith(".")] == []
                continue
        assert cut.calls < at
        assert listing(folder) == new
        return
    pytest.fail("the export calls it without end")


@pytest.mark.parametrize("done", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("function", ["os.rmdir", "os.unlink"])
def test_an_interrupt_while_the_earlier_export_is_deleted_leaves_the_new_one(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry], done: bool, function: str
) -> None:
    first = dict(list(few.items())[:1])
    export_json(first, counterparts, tmp_path)
    new = listing(tmp_path)
    export_json(few, counterparts, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function, Cut(getattr(os, function.removeprefix("os.")), 2, done, KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            export_json(first, counterparts, tmp_path)
    assert listing(tmp_path) == new
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("kind", EXPORTS)
def test_of_two_exports_at_once_one_is_put_in_place_after_the_other(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rename = Path.rename

    def slow(path: Path, target: Path) -> Path:
        time.sleep(0.02)
        return rename(path, target)

    EXPORTS[kind](few, counterparts, tmp_path)
    before = listing(tmp_path)
    monkeypatch.setattr(Path, "rename", slow)
    with ThreadPoolExecutor() as threads:
        made = [threads.submit(EXPORTS[kind], few, counterparts, tmp_path) for _ in range(4)]
        assert len({str(one.result()) for one in made}) == 1
    assert listing(tmp_path) == before


def test_what_another_export_is_moving_is_not_taken_for_foreign(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry]
) -> None:
    export_json(few, counterparts, tmp_path)
    before = listing(tmp_path)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    (tmp_path / "index.json").rename(tmp_path / "moved")
    with ThreadPoolExecutor() as threads:
        other = threads.submit(export_json, few, counterparts, tmp_path)
        time.sleep(1.0)  # it is there by then
        (tmp_path / "moved").rename(tmp_path / "index.json")
        os.close(handle)
        other.result()
    assert listing(tmp_path) == before


@pytest.mark.parametrize("kind", EXPORTS)
def test_an_export_into_a_folder_that_another_keeps_locked_is_not_put_there(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("apidiff.atomic_write._LOCK_S", 0.1)
    EXPORTS[kind](few, counterparts, tmp_path)
    before = listing(tmp_path)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    told = "is being written by another export; nothing of this one was left there. Wait until that is done"
    with pytest.raises(ExportError, match=told):
        EXPORTS[kind](dict(list(few.items())[:1]), counterparts, tmp_path)
    os.close(handle)
    assert listing(tmp_path) == before
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("files", [5, 6])
def test_where_few_files_may_be_open_nothing_of_the_earlier_export_is_left(
    environment: dict[str, str], tmp_path: Path, files: int
) -> None:
    """Of a tree as many folders were open as it has levels."""
    for limit in (100, files):
        command = ["prlimit", f"--nofile={limit}", *COMMAND, "export", "json", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=500)
        assert (done.returncode, done.stderr) == (0, "")
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("fails", [False, True], ids=["written", "not written"])
def test_what_cannot_be_deleted_is_named(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fails: bool,
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    export_json(few, counterparts, tmp_path)
    monkeypatch.setattr("apidiff.writers.export.remove_folder", lambda _: None)
    with ExitStack() as stack:
        if fails:
            monkeypatch.setattr(Path, "write_bytes", full)
            stack.enter_context(pytest.raises(ExportError))
        export_json(few, counterparts, tmp_path)
    (left,) = tmp_path.glob(".apidiff-*.tmp")
    told = f"apidiff: note: {left} could not be deleted. Nothing in it is needed: delete it.\n"
    assert capsys.readouterr().err == told


def test_what_cannot_be_moved_back_is_kept(
    tmp_path: Path,
    few: dict[str, Entry],
    counterparts: dict[str, CounterpartEntry],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    export_json(few, counterparts, tmp_path)
    before = listing(tmp_path)["index.json"]
    rename = Path.rename

    def fails(path: Path, target: Path) -> Path:
        if path.name == "mappings":
            raise OSError(5, "Input/output error")
        if path.parent.name == "old":
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(ExportError, match=r"a part of the earlier export lies in .*\.tmp/old\. Move it back"):
        export_json(dict(list(few.items())[:1]), counterparts, tmp_path)
    (kept,) = tmp_path.glob(".apidiff-*.tmp/old/index.json")
    assert kept.read_bytes() == before


@pytest.mark.parametrize("kind", EXPORTS)
def test_a_link_in_the_place_of_an_export_stays(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry], kind: str
) -> None:
    EXPORTS[kind](few, counterparts, tmp_path / "other")
    (tmp_path / "here").mkdir()
    for path in (tmp_path / "other").iterdir():
        (tmp_path / "here" / path.name).symlink_to(path)
    with pytest.raises(ExportError, match="which no export of apidiff is known"):
        EXPORTS[kind](few, counterparts, tmp_path / "here")
    assert all(path.is_symlink() for path in (tmp_path / "here").iterdir())


def test_an_index_makes_no_file_of_mine_one_of_an_export(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry]
) -> None:
    listed = {"generator": "apidiff", "whole": "mappings/mine.txt", "schemas": {"x": "schema/mine.txt"}}
    (tmp_path / "index.json").write_text(json.dumps(listed | {"mappings": [{"id": "a", "file": "mappings/mine.txt"}]}))
    (tmp_path / "mappings").mkdir()
    (tmp_path / "mappings" / "mine.txt").touch()
    with pytest.raises(ExportError, match=r"mappings/mine\.txt, which no export of apidiff is known"):
        export_json(few, counterparts, tmp_path)


@pytest.mark.parametrize(
    "name", ["mappings/notes.json", "apidiff.json", "counterparts.json", "schema/index.json", "schema/entry.json"]
)
def test_an_index_of_a_stranger_makes_no_file_of_mine_one_of_an_export(
    tmp_path: Path, few: dict[str, Entry], counterparts: dict[str, CounterpartEntry], name: str
) -> None:
    """Of somebody who unpacks it where he keeps files of such names."""
    (tmp_path / "index.json").write_text(json.dumps({"generator": "apidiff", "mappings": [{"id": "notes"}]}))
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text('{"mine": 1}')
    with pytest.raises(ExportError, match=f"holds .*{name}, which no export of apidiff is known"):
        export_json(few, counterparts, tmp_path)
    assert (tmp_path / name).read_text() == '{"mine": 1}'


def test_of_the_list_of_an_earlier_export_only_what_exports_write_is_taken(tmp_path: Path) -> None:
    """The folders of each name are listed one by one: those of a deep one are as many as its characters."""
    index = tmp_path / "index.json"
    index.write_text(json.dumps({"generator": "apidiff", "mappings": [{"id": "torch.abs"}, {"id": "a/" * 9 + "a"}]}))
    (tmp_path / "mappings").mkdir()
    (tmp_path / "mappings" / "torch.abs.json").write_text('{\n "id": "torch.abs",\n')
    listed = _listed(index)
    assert "mappings/torch.abs.json" in listed
    assert [name for name in listed if name.count("/") > 1] == []
