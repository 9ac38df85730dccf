"""The index is built when the data change, kept where it can be, and safe when several processes build it."""

from __future__ import annotations

import lzma
import os
import pwd
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from factories import write_data
from unlisted_folders import refuse_listing

import apidiff
from apidiff.database import load as load_data
from apidiff.database import paths
from apidiff.errors import ApidiffError
from apidiff.lookup import cache as index_cache
from apidiff.lookup.build import build
from apidiff.lookup.index import unpacked
from apidiff.lookup.knowledge import KnowledgeBase, load
from apidiff.model.signed import Signed, State

# Looks something up in a process of its own, in the data folder that it is given.
LOOKUP = """
import sys
from pathlib import Path
import apidiff.database.data
apidiff.database.data.DATA = Path(sys.argv[1])
from apidiff.lookup.knowledge import load
print(load().lookup('dist.all_reduce').id)
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of one mapping: where the index lies and what becomes of it is no question of its size."""
    data = write_data(tmp_path / "data")
    (data / "frameworks.yaml").write_text("mindspore: [{version: 2.5.0}]\ntorch: [{version: 2.13.0}]\n")
    monkeypatch.setattr("apidiff.database.data.DATA", data)
    return data


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def test_kept_once_and_used_again(small: Path, cache: Path) -> None:
    load()
    (kept,) = files(cache)
    assert kept == index_cache.index_file()
    before = kept.stat().st_mtime_ns
    load()
    assert kept.stat().st_mtime_ns == before


def test_what_was_changed_while_an_index_was_made_is_not_kept(
    small: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is what a process of former code makes: later commands would hand on entries that other code made."""
    states = iter(["one", "two", "two", "two", "two"])
    monkeypatch.setattr(index_cache, "fingerprint", lambda: next(states))
    assert index_cache.open_index().fingerprint == "one"
    assert list(files(cache)) == []
    assert index_cache.open_index(keep=False).fingerprint == "two"
    assert list(files(cache)) == []
    index_cache.open_index()
    assert list(files(cache)) == [index_cache.index_file()]


def test_the_state_of_the_code_is_that_of_all_code_and_of_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "_PACKAGE", tmp_path)
    for name in ("judge/a.py", "data/b.yaml"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    before = index_cache.code_state()
    (tmp_path / "data" / "b.yaml").write_text("{}")
    assert index_cache.code_state() == before
    (tmp_path / "judge" / "a.py").write_text("a = 1")
    assert index_cache.code_state() != before


def test_everyday_words_that_cannot_be_read_stop_no_answer(
    small: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """APIs are found by their names and texts then; each call tells it, also the one that finds the index."""
    broken = tmp_path / "terms.yaml"
    broken.write_text("{")
    monkeypatch.setattr("apidiff.database.terms.conf_file", lambda _name: broken)
    for _ in range(2):
        knowledge = load()
        assert knowledge.lookup("dist.all_reduce").id
        assert knowledge.search("all_reduce").results
        assert f"passed over: {broken}" in capfd.readouterr().err


def test_the_index_of_a_wheel_is_unpacked_once(
    small: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shipped = tmp_path / "index.msgpack.xz"
    index_cache.write_shipped(shipped)
    content = shipped.read_bytes()
    monkeypatch.setattr(index_cache, "SHIPPED", shipped)
    monkeypatch.setattr(index_cache, "_in_checkout", lambda: False)
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    kept = index_cache.index_file()
    assert (shipped.read_bytes(), [*files(cache)], capfd.readouterr().err) == (content, [kept], "")
    before = kept.stat().st_ino
    load()
    assert kept.stat().st_ino == before
    shipped.write_bytes(content[:-1])  # one that cannot be read: an index is built as in a checkout
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert kept.stat().st_ino != before


def test_an_index_that_lies_in_a_checkout_is_not_read_and_is_named(
    small: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has it taken in with other files could answer anything by it."""
    shipped = tmp_path / "index.msgpack.xz"
    monkeypatch.setattr(index_cache, "SHIPPED", shipped)
    assert list(index_cache.stray_index()) == []
    forged = msgspec.structs.replace(build(apidiff.__version__), names={}, encoded_entries={})
    shipped.write_bytes(lzma.compress(msgspec.msgpack.encode(forged)))
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    [error] = index_cache.stray_index()
    assert str(error).startswith(f"{shipped}: is an index of a wheel, and this is a checkout. Delete it")
    monkeypatch.setattr(index_cache, "_in_checkout", lambda: False)
    assert list(index_cache.stray_index()) == []


def test_built_again_when_the_data_are_others(small: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load()
    before = index_cache.index_file().stat().st_ino
    monkeypatch.setattr(index_cache, "fingerprint", lambda: "others")
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert index_cache.index_file().stat().st_ino != before


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "index.msgpack")
    assert index_cache._read(tmp_path / "index.msgpack") is None


@pytest.mark.parametrize("content", [b"", b"no database", msgspec.msgpack.encode({"fingerprint": "1"})])
def test_a_broken_file_is_replaced(small: Path, cache: Path, content: bytes) -> None:
    kept = index_cache.index_file()
    kept.parent.mkdir(parents=True)
    kept.write_bytes(content)
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert len(kept.read_bytes()) > len(content)


def test_an_index_of_another_state_of_the_program_is_no_damaged_one(
    small: None, cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = index_cache.index_file()
    kept.parent.mkdir(parents=True)
    kept.write_bytes(index_cache._sealed(msgspec.msgpack.encode({"fingerprint": "1", "of": "another shape"})))
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("goal", ["file", "folder", "nothing"])
@pytest.mark.parametrize("stays", [False, True], ids=["set aside", "cannot be set aside"])
def test_a_link_in_the_place_of_an_index_is_not_followed(
    small: None, cache: Path, tmp_path: Path, goal: str, stays: bool
) -> None:
    """The folder may be another user's, who has the caller overwrite what he cannot."""
    load()
    kept, victim = index_cache.index_file(), tmp_path / "victim"
    kept.unlink()
    if goal == "file":
        victim.write_text("precious")
        victim.chmod(0o664)
    elif goal == "folder":
        victim.mkdir()
    kept.symlink_to(victim)
    if stays:
        (kept.with_name(f"{kept.name}.damaged") / "x").mkdir(parents=True)
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert not kept.is_symlink()
    assert index_cache._read(kept) is not None
    if goal == "file":
        assert (victim.read_text(), victim.stat().st_mode & 0o777) == ("precious", 0o664)
    assert [path.name for path in kept.parent.iterdir() if path.name.endswith(".tmp")] == []


def test_a_linked_index_is_not_read(small: None, cache: Path, tmp_path: Path) -> None:
    load()
    kept = index_cache.index_file()
    kept.rename(tmp_path / "index")
    kept.symlink_to(tmp_path / "index")
    assert index_cache._read(kept) is None


@pytest.mark.parametrize("part", ["releases", "run"])
def test_an_index_whose_releases_are_none_is_made_anew(small: None, cache: Path, part: str) -> None:
    load()
    kept = index_cache.index_file()
    content = msgspec.msgpack.decode(kept.read_bytes()[: -index_cache._DIGEST])
    content[part]["torch"] = ["next"]
    kept.write_bytes(index_cache._sealed(msgspec.msgpack.encode(content)))
    assert index_cache._read(kept) is None
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"


def test_an_entry_is_unpacked_no_further_than_any_is_long() -> None:
    bomb = zlib.compress(bytes(2**29), 9)
    tracemalloc.start()
    try:
        with pytest.raises(zlib.error):
            unpacked(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2**28
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("bound", "found"),
    [
        ("LONGEST", "of 0 MiB, where 0 are the most"),
        ("_LONGEST_OF_ALL", "with which all have more than 0 MiB, after 0 MiB"),
    ],
)
def test_an_entry_that_is_longer_than_any_is_named_and_stops_no_other(
    small: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], bound: str, found: str
) -> None:
    """An index was written that could not be read, and stopped every answer from then on; hundreds of long ones took 4 GB."""
    monkeypatch.setattr(f"apidiff.lookup.made_entries.{bound}", 100)
    with pytest.raises(ApidiffError, match=rf"\.yaml: makes an entry {found}\. Write fewer"):
        load().lookup("torch.distributed.all_reduce")
    assert load().search("reduce").results == []
    assert "damaged, and passed over" in capfd.readouterr().err


def test_a_former_entry_that_cannot_be_read_is_made_anew(small: Path, cache: Path) -> None:
    index = build("fingerprint")
    [(name, digest)] = index.digests.items()
    assert index.made_of(name, digest) == index.entry(name)
    for content in (b"", zlib.compress(b""), zlib.compress(b"\x80")):
        broken = msgspec.structs.replace(index, encoded_entries={name: memoryview(content)})
        assert broken.made_of(name, digest) is None
        assert build("other", broken).entry(name) == index.entry(name)


PARTS = [
    ("encoded_entries", lambda kb: kb.lookup("dist.all_reduce")),
    ("encoded_entries", lambda kb: dict(kb.entries)),
    ("encoded_serves", lambda kb: kb.lookup("mindspore.mint.distributed.all_reduce")),
    ("encoded_counterparts", lambda kb: dict(kb.counterparts)),
    ("encoded_call_facts", lambda kb: [kb._index.call_facts(name) for name in kb._index.encoded_call_facts]),
    ("words", lambda kb: kb.search("reduce")),
]


@pytest.mark.parametrize(("part", "asked"), PARTS)
def test_an_index_with_wrong_parts_is_named_with_a_remedy(
    small: None, cache: Path, part: str, asked: Callable[[KnowledgeBase], object]
) -> None:
    """Its digest is right: somebody wrote it so."""
    load()
    kept = index_cache.index_file()
    index = index_cache._read(kept)
    assert index is not None
    bomb = zlib.compress(bytes(2**27), 9)
    for wrong in (b"", b"no entry", zlib.compress(b"no entry"), msgspec.msgpack.encode({"id": 3}), bomb, bomb[:-9]):
        given = wrong if part == "words" else dict.fromkeys(getattr(index, part), wrong)
        index_cache._keep(msgspec.structs.replace(index, **{part: given}), kept)
        with pytest.raises(ApidiffError, match="holds what no index holds") as caught:
            asked(load())
        assert str(caught.value).startswith(str(kept))


def test_a_damaged_index_is_set_aside_and_made_anew(
    small: Path, cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """At any byte, by one changed bit: whatever it is that would come of it, it is not read."""
    load()
    kept = index_cache.index_file()
    whole = kept.read_bytes()
    for place in range(0, len(whole), len(whole) // 12):
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
        note = capfd.readouterr().err
        assert note.startswith("apidiff: note: the index was damaged; it is made anew"), place
        assert len(note.splitlines()) == 1
        assert kept.read_bytes() == whole
    # Bytes that are the same are as good, whenever they were written.
    os.utime(kept)
    load()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("mapped", [False, True])
def test_an_index_larger_than_any_is_set_aside_unread(
    small: Path, cache: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, mapped: bool
) -> None:
    load()
    kept = index_cache.index_file()
    os.truncate(kept, 2**40)
    monkeypatch.setattr(index_cache, "_is_whole", pytest.fail)
    assert index_cache.open_index(mapped=mapped).fingerprint
    assert capfd.readouterr().err.startswith("apidiff: note: the index was damaged; it is made anew")
    assert kept.stat().st_size < 2**20
    assert kept.with_name(f"{kept.name}.damaged").stat().st_size == 2**40


def test_an_index_damaged_by_the_disk_that_is_none_any_more_is_told(
    small: Path, cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its time of change says that nobody wrote into it; it was made anew without a word."""
    load()
    kept = index_cache.index_file()
    whole, state = kept.read_bytes(), kept.stat()
    kept.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2 - 32) + whole[-32:])
    os.utime(kept, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert capfd.readouterr().err.startswith("apidiff: note: the index was damaged; it is made anew")
    assert kept.read_bytes() == whole


def test_an_entry_damaged_by_the_disk_is_seen_when_it_is_asked_for_and_its_index_is_made_anew(
    small: Path, cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    load()
    kept = index_cache.index_file()
    whole, state = kept.read_bytes(), kept.stat()
    [content] = index_cache._read(kept).encoded_entries.values()
    place = whole.index(bytes(content)) + len(content) // 2
    kept.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    os.utime(kept, ns=(state.st_atime_ns, state.st_mtime_ns))
    with pytest.raises(ApidiffError, match=r"was damaged, and is set aside\. Give the command again"):
        load().lookup("dist.all_reduce")
    assert len(capfd.readouterr().err.splitlines()) == 1
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert kept.read_bytes() == whole


# Who may write an index that lies in the cache folder: its permissions and its owner.
FOREIGN = [
    (0o664, None),
    (0o646, None),
    pytest.param(0o644, 12345, marks=pytest.mark.skipif(os.geteuid() != 0, reason="gives a file away")),
]


@pytest.mark.parametrize(("mode", "owner"), FOREIGN)
def test_an_index_that_others_could_write_is_made_anew(
    small: Path, cache: Path, capfd: pytest.CaptureFixture[str], mode: int, owner: int | None
) -> None:
    """Its digest says nothing: whoever writes an index makes one."""
    load()
    kept = index_cache.index_file()
    index = index_cache._read(kept)
    assert index is not None
    former = os.umask(0o002)
    try:
        index_cache._keep(msgspec.structs.replace(index, encoded_entries={}), kept)
        kept.chmod(mode)
        if owner is not None:
            os.chown(kept, owner, -1)
        for notes in (1, 0):
            assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
            assert capfd.readouterr().err.count("index could have been written by others; it is made anew") == notes
        assert index_cache._read(kept) == index
    finally:
        os.umask(former)


def test_cache_that_cannot_be_written(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file/\x1b[31m\u202e"))
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    note = capfd.readouterr().err
    assert "cannot be kept" in note
    assert "Not a directory" in note
    assert "/file/\\x1b[31m\\u202e/" in note
    assert "XDG_CACHE_HOME" in note
    assert {path.name for path in tmp_path.iterdir()} == {"data", "file"}


def test_the_name_of_a_damaged_index_steers_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "\x1b[31m\u202e"
    path.touch()
    assert index_cache._read(path) is None
    assert capsys.readouterr().err.endswith("lies in " + str(tmp_path) + "/\\x1b[31m\\u202e.damaged\n")


def test_a_full_disk_leaves_no_half_of_an_index(small: Path, cache: Path) -> None:
    limited = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))" + LOOKUP
    done = subprocess.run([sys.executable, "-c", limited, small], capture_output=True, text=True, timeout=500)
    assert (done.returncode, done.stdout) == (0, "torch.distributed.all_reduce\n")
    assert "cannot be kept" in done.stderr
    assert list(files(cache)) == []


def test_several_processes_at_once(small: Path, cache: Path) -> None:
    command = [sys.executable, "-c", LOOKUP, str(small)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    results = [process.communicate(timeout=1000) for process in running]
    assert results == [("torch.distributed.all_reduce\n", "")] * 3
    assert [path.name for path in files(cache)] == ["index.msgpack"]


UNANSWERED = [
    (Signed(state=State.LISTED), []),
    (Signed(state=State.LISTED, key="0" * 16), ["own_records.txt"]),
    (Signed(state=State.NOT_CHECKED, key="0" * 16), ["torch-2.13.0/one"]),
    (Signed(state=State.VERIFIED, key="0" * 16), []),
]


@pytest.mark.parametrize(("signed", "unchecked"), UNANSWERED)
def test_an_index_says_which_signatures_nothing_checked(
    small: Path, monkeypatch: pytest.MonkeyPatch, signed: Signed, unchecked: list[str]
) -> None:
    data = replace(load_data(), signed={"torch-2.13.0/one": signed})
    monkeypatch.setattr("apidiff.lookup.build.load", lambda: data)
    assert build("").unchecked == unchecked


# (whether minisign is there, whether the index is kept)
UNCHECKED = [(True, False), (False, True)]


@pytest.mark.parametrize(("here", "kept"), UNCHECKED)
def test_an_index_without_an_answer_of_minisign_is_not_kept(
    here: bool,
    kept: bool,
    small: Path,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """What is signed counts as unsigned in it, and the next call may have an answer."""
    built = msgspec.structs.replace(build(""), unchecked=["torch-2.13.0/one", "torch-2.13.0/two"])
    monkeypatch.setattr(index_cache, "find_program", lambda _name: "/bin/minisign" if here else None)
    monkeypatch.setattr(
        "apidiff.lookup.build.build", lambda wanted, _former: msgspec.structs.replace(built, fingerprint=wanted)
    )
    for _ in range(2):
        load()
        assert "the signature of torch-2.13.0/one and 1 more is not checked" in capfd.readouterr().err
    assert bool(list(files(cache))) is kept
    with pytest.raises(ApidiffError, match="its signature was not checked"):
        index_cache.write_shipped(tmp_path / "shipped")
    # Where there is one that answers, the kept one is made anew, and without it again what was checked stays.
    answered = msgspec.structs.replace(built, unchecked=[])
    monkeypatch.setattr(
        "apidiff.lookup.build.build", lambda wanted, _former: msgspec.structs.replace(answered, fingerprint=wanted)
    )
    for program in ("/bin/minisign", None):
        monkeypatch.setattr(index_cache, "find_program", lambda _name, program=program: program)
        load()
        assert capfd.readouterr().err == ""


# (the fingerprint of now, what was not checked, whether minisign is there, whether it is to be asked; whether it is the same)
RENEWED = [
    ("as it was", [], True, True, True),
    ("another", [], True, True, False),
    ("another", [], True, False, False),
    ("as it was", ["torch-2.13.0/one"], False, True, True),
    ("as it was", ["torch-2.13.0/one"], True, False, True),
    ("as it was", ["torch-2.13.0/one"], True, True, False),
]


@pytest.mark.parametrize(("now", "unchecked", "here", "ask_again", "same"), RENEWED)
def test_what_answers_for_long_is_made_anew_as_for_one_answer(
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
    now: str,
    unchecked: list[str],
    here: bool,
    ask_again: bool,
    same: bool,
) -> None:
    index = msgspec.structs.replace(build("as it was"), unchecked=unchecked)
    monkeypatch.setattr(index_cache, "fingerprint", lambda: now)
    monkeypatch.setattr(index_cache, "find_program", lambda _name: "/bin/minisign" if here else None)
    monkeypatch.setattr(index_cache, "open_index", lambda **_: build(now))
    assert (index_cache.renewed(index, ask_again=ask_again, keep=True) is index) is same


def test_who_holds_an_index_outlives_its_file(small: Path, cache: Path) -> None:
    """A mapped file that somebody empties ends the process that looks into it."""
    load()
    [path] = files(cache)
    held = load()
    path.write_bytes(b"")
    assert held.lookup("dist.all_reduce").id == "torch.distributed.all_reduce"


def test_strange_folder_names(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a b?c#d%20é"))
    load()
    assert index_cache.index_file().is_file()


@pytest.mark.parametrize("value", ["", "  ", "below/here", None])
def test_without_a_cache_variable_it_is_below_home(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    expected = f"/somewhere/.cache/apidiff/{apidiff.__version__}{paths.DATA}/index.msgpack"
    assert str(index_cache.index_file()) == expected


@pytest.mark.parametrize("home", [None, "~", "below/here"])
def test_a_user_without_a_home_folder_is_answered(
    home: str | None, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As in a container that runs with a user number that its system does not know."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    assert index_cache.index_file() is None
    assert index_cache.former_index() is None
    assert load().lookup("dist.all_reduce").id == "torch.distributed.all_reduce"
    assert capfd.readouterr().err == (
        "apidiff: note: the index cannot be kept (no home folder is known) and is built for this call only; set XDG_CACHE_HOME "
        "to a folder that can be written.\n"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


def test_without_a_home_variable_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    user = pwd.struct_passwd(("me", "x", os.getuid(), os.getgid(), "", "/somewhere", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda _number: user)
    assert str(index_cache.index_file()).startswith("/somewhere/.cache/apidiff/")


def fingerprint_of(package: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(index_cache, "_PACKAGE", package)
    return index_cache.fingerprint()


CHANGES = [
    "data/mappings/torch/distributed/reduce.yaml",
    "data/runs/torch-2.13.0/gloo-cpu-3-0123456789ab.json",
    "data/runs/torch-2.13.0/gloo-cpu-3-0123456789ab.json.minisig",
    "data/own_records.txt",
    "data/documents.yaml",
    "model/claim.py",
    "judge/oracle.py",
    "derive/api_history.py",
    "messages/phrases.py",
    "database/checks/ranges.py",
    "lookup/build.py",
    "../conf/terms.yaml",
    "../conf/signers.toml",
    "../executable_examples/torch.distributed.reduce/torch_example.py",
]


@pytest.mark.parametrize("name", CHANGES)
def test_what_makes_it_stale(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "apidiff"
    (tmp_path / "conf").mkdir()
    (tmp_path / "pyproject.toml").touch()
    path = (package / name).resolve()
    seen = [fingerprint_of(package, monkeypatch)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("one")
    seen.append(fingerprint_of(package, monkeypatch))
    path.write_text("longer")
    seen.append(fingerprint_of(package, monkeypatch))
    os.utime(path, ns=(1, 1))
    seen.append(fingerprint_of(package, monkeypatch))
    written = path.stat().st_ctime_ns
    while path.stat().st_ctime_ns == written:  # the clock of a file system ticks every few milliseconds
        path.write_text("LONGER")  # as many bytes, and the time is set back
        os.utime(path, ns=(1, 1))
    seen.append(fingerprint_of(package, monkeypatch))
    assert len(set(seen)) == 5
    path.unlink()
    assert fingerprint_of(package, monkeypatch) == seen[0]


def test_compiled_files_do_not_make_it_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_of(tmp_path, monkeypatch)
    (tmp_path / "lookup" / "__pycache__").mkdir(parents=True)
    (tmp_path / "lookup" / "__pycache__" / "build.pyc").touch()
    assert fingerprint_of(tmp_path, monkeypatch) == before


def test_what_lies_behind_a_link_makes_it_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers follow links, also into folders whose names mean something else elsewhere in the package."""
    package, shared = tmp_path / "apidiff", tmp_path / "shared"
    (package / "data" / "runs").mkdir(parents=True)
    shared.mkdir()
    (shared / "circle").symlink_to(shared)
    seen = [fingerprint_of(package, monkeypatch)]
    for name in ("torch-2.13.0", "static"):
        (package / "data" / "runs" / name).symlink_to(shared)
        (shared / f"{name}.json").touch()
        seen.append(fingerprint_of(package, monkeypatch))
        (package / "data" / "runs" / name).unlink()
    assert len(set(seen)) == 3
    (package / "data" / "runs" / "a").mkdir()
    seen.append(fingerprint_of(package, monkeypatch))
    (package / "data" / "runs" / "b").symlink_to("a")  # what lies there is read twice
    seen.append(fingerprint_of(package, monkeypatch))
    assert seen[-1] != seen[-2]


def test_a_link_to_itself_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_of(tmp_path, monkeypatch)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "notes.yaml").symlink_to("notes.yaml")
    assert fingerprint_of(tmp_path, monkeypatch) == before


def test_no_index_fits_data_in_which_a_folder_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changes in it is not seen, and may be read all the same."""
    (tmp_path / "data" / "runs").mkdir(parents=True)
    assert fingerprint_of(tmp_path, monkeypatch) == fingerprint_of(tmp_path, monkeypatch)
    code = index_cache.code_state()
    refuse_listing(tmp_path / "data" / "runs", monkeypatch)
    assert fingerprint_of(tmp_path, monkeypatch) != fingerprint_of(tmp_path, monkeypatch)
    refuse_listing(tmp_path / "data", monkeypatch)
    assert fingerprint_of(tmp_path, monkeypatch) != fingerprint_of(tmp_path, monkeypatch)
    assert index_cache.code_state() == code


def test_the_name_of_a_file_need_not_be_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "\udcff.yaml").touch()
    assert fingerprint_of(tmp_path, monkeypatch).encode()


# Some mappings of either execution are enough: entries are made by the same code, and most of it is imported at once.
LOADED = """
import dataclasses, sys
from apidiff.lookup.knowledge import load; load()
from apidiff.lookup import build
from apidiff.database import load
from apidiff.lookup.entry import entries
data = load()
entries(dataclasses.replace(data, mappings=dict(list(data.mappings.items())[::40])))
print(*[m.__file__ for n, m in sys.modules.items() if n.startswith('apidiff.')], sep='\\n')
"""


def test_all_code_that_makes_entries_is_listed() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=500)
    listed = {line.rsplit(" ", 3)[0] for line in index_cache.fingerprint().splitlines()[1:]}
    assert "apidiff/lookup/entry.py" in done.stdout
    assert set(done.stdout.split()) - listed == set()
