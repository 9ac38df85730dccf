"""What an interrupted run leaves, and what is taken up of it."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import msgspec
import pytest

import apidiff
from apidiff.database.backends import load_backends
from apidiff.database.runs import MAX_RECORD
from apidiff.execute.journal import Journal, _digest, remove_journal
from apidiff.execute.one_release import code_digest
from apidiff.execute.plan import Plan, Step
from apidiff.execute.record import make_record
from apidiff.execute.run import _journal_path
from apidiff.model.mapping import Api
from apidiff.model.trace import ProbeRun, RankTrace

API = Api(name="torch.one")


def plan(**specs: str) -> Plan:
    return Plan((API,), tuple(Step(API, probe, spec, ()) for probe, spec in specs.items()))


def run(probe: str, spec: str) -> ProbeRun:
    return ProbeRun(api="torch.one", probe=probe, spec=spec, end="completed", ranks=[RankTrace(rank=0, seconds=1.5)])


def test_finished_probes_are_taken_up_where_they_still_call_the_same(tmp_path: Path) -> None:
    path = tmp_path / "state" / "one.jsonl"
    first = Journal(path, plan(a="1", b="2", c="3"))
    assert first.done == {}
    for one in (run("a", "1"), run("b", "2"), run("c", "3")):
        first.add(one)
    first.close()
    # b calls something else now, c is gone.
    assert Journal(path, plan(a="1", b="changed", d="4")).done == {("torch.one", "a"): run("a", "1")}


def test_traces_of_another_number_of_ranks_are_not_taken_up(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.jsonl"
    first = Journal(path, plan(a="1"), 1)
    first.add(run("a", "1"))
    first.close()
    again = Journal(path, plan(a="1"), 2)
    again.close()
    assert again.done == {}
    assert "1 lines of the journal" in capfd.readouterr().err
    assert Journal(path, plan(a="1"), 1).done


def test_traces_that_other_code_made_are_not_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, gloo = Path(apidiff.__file__).parent, next(one for one in load_backends() if one.name == "gloo")
    for folder in ("execute", "model"):
        shutil.copytree(package / folder, tmp_path / folder)
    assert code_digest(tmp_path) == code_digest()
    adapter = tmp_path / "execute" / "ranks" / "adapter.py"
    adapter.write_text(adapter.read_text(encoding="utf-8").replace("callee(**arguments)", "None"), encoding="utf-8")
    assert code_digest(tmp_path) != code_digest()
    record = make_record(gloo, "2.13.0", 2, [], [])
    paths = {_journal_path(record), _journal_path(record)}
    monkeypatch.setattr("apidiff.execute.run.code_digest", lambda: code_digest(tmp_path))
    assert len(paths) == 1
    assert _journal_path(record) not in paths


@pytest.mark.parametrize("changed", [{"machine": "i686"}, {"python": "3.12.0"}, {"cores": 999}, {"os": "other"}])
def test_traces_made_on_another_machine_are_not_taken_up(changed: dict[str, object]) -> None:
    """A record says one machine and one Python of all its probes."""
    gloo = next(one for one in load_backends() if one.name == "gloo")
    record = make_record(gloo, "2.13.0", 2, [], [])
    assert _journal_path(msgspec.structs.replace(record, **changed)) != _journal_path(record)


def test_lines_of_another_run_are_not_taken_up(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of another release, backend, world size, machine or environment: a file's name says all of them."""
    path = tmp_path / "torch-2.13.0-gloo-cpu-2-0d0ff5948403.jsonl"
    first = Journal(path, plan(a="1"))
    first.add(run("a", "1"))
    first.close()
    other = path.rename(path.with_name("torch-2.14.0-gloo-cpu-2-0d0ff5948403.jsonl"))
    again = Journal(other, plan(a="1"))
    again.close()
    assert again.done == {}
    assert f"1 lines of the journal {other} are damaged or of another run" in capfd.readouterr().err
    assert Journal(other.rename(path), plan(a="1")).done


def test_a_journal_that_cannot_be_kept_is_told_and_does_not_stop_the_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "one.jsonl", tmp_path / "folder"):
        journal = Journal(path, plan(a="1"))
        journal.add(run("a", "1"))
        [line] = capfd.readouterr().err.splitlines()
        assert f"the journal {path} cannot be kept (" in line
    full = Journal(tmp_path / "one.jsonl", plan(a="1", b="2"))
    full._file = FileIO("/dev/full", "a")
    for one in ("a", "b"):
        full.add(run(one, "1"))
    [line] = capfd.readouterr().err.splitlines()
    assert f"the journal {tmp_path / 'one.jsonl'} cannot be kept (No space left on device)" in line


def test_none_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    journal = Journal(None, plan(a="1"))
    journal.add(run("a", "1"))
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_another_run_keeps_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    holder = Journal(path, plan(a="1"))
    holder.add(run("a", "1"))
    before = path.read_bytes()
    journal = Journal(path, plan(a="1", b="2"))
    assert journal.done == {}
    journal.add(run("b", "2"))
    remove_journal(path)
    assert path.read_bytes() == before
    holder.close()
    remove_journal(path)
    assert not path.exists()


def test_a_damaged_line_is_said_and_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.jsonl"
    journal = Journal(path, plan(a="1", b="2"))
    journal.add(run("a", "1"))
    journal.add(run("b", "2"))
    journal.close()
    path.write_bytes(path.read_bytes().replace(b"1.5", b"2.5", 1))
    again = Journal(path, plan(a="1", b="2"))
    assert again.done == {("torch.one", "b"): run("b", "2")}
    assert capsys.readouterr().err == (
        f"apidiff: note: 1 lines of the journal {path} are damaged or of another run; what they held is made again.\n"
        f"apidiff: note: 1 of 2 probes are taken from {path}, which an interrupted run left.\n"
    )
    again.close()
    # So is one with the right digest that holds what no probe shows, or what no run writes down.
    for end, rank, line in (
        (b"skipped", b"0", b"x"),
        (b"well", b"0", b"x"),
        (b"timeout", b"1000000000", b"x"),  # as many ranks as would fill memory
        (b"timeout", b"0", rb"\ud800"),  # which no record could be written with
    ):
        content = (
            b'{"api":"torch.one","probe":"a","spec":"1","end":"%s","ranks":[{"rank":%s,"seconds":1}],"log":["%s"]}'
            % (end, rank, line)
        )
        path.write_bytes(_digest(content, path.name) + b" " + content + b"\n")
        again = Journal(path, plan(a="1"))
        assert again.done == {}
        again.close()


@pytest.mark.parametrize(("content", "said"), [(b"x\n", "are damaged"), (b"x" * (MAX_RECORD + 1), "larger than")])
def test_the_name_of_a_journal_steers_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: str
) -> None:
    path = tmp_path / "\x1b[31m\u202e.jsonl"
    path.write_bytes(content)
    Journal(path, plan(a="1")).close()
    note = capsys.readouterr().err
    assert said in note
    assert "\\x1b[31m\\u202e.jsonl" in note


@pytest.mark.parametrize("filler", [b"\n", b"x"])
def test_a_journal_larger_than_a_record_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], filler: bytes
) -> None:
    path = tmp_path / "one.jsonl"
    first = Journal(path, plan(a="1"))
    first.add(run("a", "1"))
    first.close()
    with path.open("ab") as file:
        file.write(filler * (MAX_RECORD + 1 - path.stat().st_size))
    journal = Journal(path, plan(a="1"))
    assert journal.done == {}
    journal.add(run("a", "1"))
    assert path.stat().st_size == MAX_RECORD + 1
    assert capsys.readouterr().err == (
        f"apidiff: note: the journal {path} is larger than 48 MiB; nothing of it is taken up, and what this run does is not "
        "kept. Delete it.\n"
    )
    remove_journal(path)
    path.symlink_to("/dev/zero")
    assert Journal(path, plan(a="1")).done == {}


def test_a_journal_is_for_its_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Journal(tmp_path / "unfinished" / "one.jsonl", plan(a="1")).close()
    finally:
        os.umask(before)
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in (tmp_path / "unfinished").glob("**/*")}
    assert modes == {"one.jsonl": "0o600"}
    assert oct((tmp_path / "unfinished").stat().st_mode & 0o777) == "0o700"


def _linked(path: Path) -> None:
    path.rename(path.with_suffix(".other"))
    path.symlink_to(path.with_suffix(".other"))


def _of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on this process is somebody else, to whom the folder belongs but not the file."""
    mine, stranger = os.geteuid(), os.geteuid() + 1
    users = iter([mine])
    monkeypatch.setattr(os, "geteuid", lambda: next(users, stranger))


# (what is done to a journal, what is said of it)
FOREIGN: list[tuple[Callable[[Path, pytest.MonkeyPatch], object], str]] = [
    (lambda path, _: path.chmod(0o620), "is no file of yours, or others may write to it; "),
    (lambda path, _: path.chmod(0o602), "is no file of yours, or others may write to it; "),
    (lambda path, _: path.parent.chmod(0o770), "lies in a folder that is not yours, or that others may write to; "),
    (lambda path, _: path.parent.chmod(0o707), "lies in a folder that is not yours, or that others may write to; "),
    (lambda path, _: _linked(path), "is a link; "),
    (lambda _, patch: _of_another_user(patch), "is no file of yours, or others may write to it; "),
    (lambda _, patch: patch.setattr(os, "geteuid", lambda: -2), "lies in a folder that is not yours"),
    (lambda path, _: (path.unlink(), os.mkfifo(path, 0o600)), "is no file of yours, or others may write to it; "),
]


@pytest.mark.parametrize(("change", "said"), FOREIGN)
def test_what_another_user_could_have_written_is_not_taken_up(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[Path, pytest.MonkeyPatch], object],
    said: str,
) -> None:
    path = tmp_path / "unfinished" / "one.jsonl"
    first = Journal(path, plan(a="1", b="2"))
    first.add(run("a", "1"))
    first.close()
    with monkeypatch.context() as patch:
        change(path, patch)
        journal = Journal(path, plan(a="1", b="2"))
        assert journal.done == {}
        journal.add(run("b", "2"))
        journal.close()
        note = capsys.readouterr().err
        remove_journal(path)
    assert note.startswith(f"apidiff: note: the journal {path} {said}")
    assert "nothing of it is taken up, and what this run does is not kept. " in note
    assert note.count("\n") == 1
    assert capsys.readouterr().err == ""
    assert path.is_fifo() or path.read_bytes().count(b'"end"') == 1


def _fail(*_: object, **__: object) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


# (what fails, lines that are left, what is said): as in a folder that was made read-only, is on a disk that only grows,
# or can no longer be looked into.
KEPT: list[tuple[tuple[str, ...], int, str]] = [
    (("unlink",), 0, ""),
    (
        ("unlink", "truncate"),
        1,
        " is no longer needed, and can neither be removed nor emptied (Operation not permitted); ",
    ),
    (("exists",), 1, ""),
    (("is_symlink",), 1, ""),
]


@pytest.mark.parametrize(("fails", "left", "said"), KEPT, ids=[" ".join(fails) for fails, _, _ in KEPT])
def test_a_journal_that_cannot_be_removed_loses_no_result(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fails: tuple[str, ...],
    left: int,
    said: str,
) -> None:
    path = tmp_path / "one.jsonl"
    first = Journal(path, plan(a="1"))
    first.add(run("a", "1"))
    first.close()

    class Stuck(FileIO):
        truncate = _fail

    with monkeypatch.context() as patch:
        for name in fails:
            if name == "truncate":
                patch.setattr("apidiff.execute.journal.FileIO", Stuck)
            else:
                patch.setattr(Path, name, _fail)
        remove_journal(path)
    note = capsys.readouterr().err
    assert note == (
        f"apidiff: note: the journal {path}{said}the next run would take it up. Delete it.\n" if said else ""
    )
    assert len(Journal(path, plan(a="1")).done) == left


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("mode", [0o500, 0])
def test_a_folder_that_was_closed_loses_no_result(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "unfinished" / "one.jsonl"
    first = Journal(path, plan(a="1"))
    first.add(run("a", "1"))
    first.close()
    path.parent.chmod(mode)
    try:
        remove_journal(path)
    finally:
        path.parent.chmod(0o700)
    assert len(Journal(path, plan(a="1")).done) == (mode == 0)
