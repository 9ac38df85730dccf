"""git is asked with a deadline: what lies in a stranger's repository may keep it waiting for ever."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.errors import ApidiffError
from apidiff.porting import git_answers
from apidiff.porting.port_files import refuse_unsaved
from apidiff.porting.source_files import Changes, changed_since, is_changed
from apidiff.real_path import RealPaths


def pipe_for_index(repository: Path) -> None:
    (repository / ".git" / "index").unlink()
    os.mkfifo(repository / ".git" / "index")


def pipe_for_head(repository: Path) -> None:
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")


def names(changed: list[Changes]) -> set[str]:
    return {name for one in changed for name in one.names}


def answer(arguments: list[str], folder: Path) -> str:
    return git_answers.git_answer(arguments, folder, git_answers.git_deadline()).output


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(git_answers, "DEADLINE_S", 1.0)
    (tmp_path / "model.py").write_text("import torch\n")
    me = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "."], [*me, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("damage", [pipe_for_index, pipe_for_head])
def test_a_repository_that_keeps_git_waiting_is_named(repository: Path, damage: Callable[[Path], None]) -> None:
    damage(repository)
    with pytest.raises(ApidiffError, match="did not end within 1 s") as told:
        changed_since("HEAD", [repository])
    assert str(repository) in str(told.value)
    with pytest.raises(ApidiffError, match=r"did not end within 1 s.* Mend that, or write with --force") as told:
        refuse_unsaved([repository / "model.py"])
    assert str(repository) in str(told.value)
    assert answer(["--version"], Path("/")).startswith("git version")


@pytest.mark.parametrize(
    ("revision", "setting", "told"),
    [
        ("HEAD:model.py", "core.bare=false", r"git diff in .* says 'usage: git diff "),
        ("absent", "core.bare=false", r"git diff in .* says \"fatal: bad revision 'absent'\""),
        ("HEAD", "core.worktree=/absent", "/absent cannot be entered"),
    ],
)
def test_what_git_cannot_tell(repository: Path, revision: str, setting: str, told: str) -> None:
    subprocess.run(["git", "config", *setting.split("=")], cwd=repository, check=True)
    with pytest.raises(ApidiffError, match=told):
        changed_since(revision, [repository])


def test_settings_by_variables_stay(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's settings that stand in variables are kept beside those that take a repository's filters away."""
    ran = repository / "ran"
    subprocess.run(["git", "config", "filter.own.clean", f"touch {ran}; cat"], cwd=repository, check=True)
    (repository / ".gitattributes").write_text("* filter=own\n")
    for name, value in (("COUNT", "1"), ("KEY_0", "user.nickname"), ("VALUE_0", "Ada")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert answer(["config", "user.nickname"], repository) == "Ada\n"
    (repository / "model.py").write_text("import torch\ntorch.ones(1)\n")
    assert names(changed_since("HEAD", [repository])) >= {"model.py"}
    assert not ran.exists()


@pytest.fixture
def filtered(repository: Path) -> Path:
    """A repository with a changed file that goes through a program of its own; that makes the file ``ran``."""
    name = os.fsencode("é")
    setting = b'[filter "%b"]\nclean = "touch %b; cat"\n' % (name, os.fsencode(repository / "ran"))
    with (repository / ".git" / "config").open("ab") as config:
        config.write(setting)
    Path(repository, ".gitattributes").write_bytes(b"* filter=%b\n" % name)
    (repository / "model.py").write_text("import torch\ntorch.ones(1)\n")
    Path(repository, "é.py").write_text("import torch\n")
    return repository


@pytest.mark.parametrize(
    ("name", "value"), [("", "/dev/null"), *(("_COUNT", value) for value in ("zz", "-1", " 1", "99999"))]
)
def test_variables_that_hide_filters_from_git_config_let_none_run(
    filtered: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"GIT_CONFIG{name}", value)
    with contextlib.suppress(ApidiffError):
        assert names(changed_since("HEAD", [filtered])) >= {"model.py"}
    with pytest.raises(ApidiffError, match=r"in no commit|git cannot tell"):
        refuse_unsaved([filtered / "model.py"])
    assert not (filtered / "ran").exists()


@pytest.mark.parametrize("count", ["-18446744073709551615", "1" * 5000, "1_0"])
def test_a_number_of_settings_that_is_none_is_refused(
    repository: Path, monkeypatch: pytest.MonkeyPatch, count: str
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    with pytest.raises(ApidiffError):
        changed_since("HEAD", [repository])


@pytest.mark.parametrize("count", ["1", " 1", "+1", "00001", "0" * 5000 + "1"])
def test_settings_by_variables_stay_however_their_number_is_written(
    repository: Path, monkeypatch: pytest.MonkeyPatch, count: str
) -> None:
    for name, value in (("COUNT", count), ("KEY_0", "user.nickname"), ("VALUE_0", "Ada")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert answer(["config", "user.nickname"], repository) == "Ada\n"


def test_names_that_the_locale_does_not_give_back_are_refused(filtered: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As EUC-JP, in which three bytes are the same sign as one."""
    decode = os.fsdecode
    monkeypatch.setattr("apidiff.porting.git_answers.os.fsdecode", lambda printed: decode(printed).replace("é", "e"))
    for ask in (lambda: changed_since("HEAD", [filtered]), lambda: refuse_unsaved([filtered / "model.py"])):
        with pytest.raises(ApidiffError, match=r"does not give back as it is\. Set LC_ALL=C\.UTF-8\."):
            ask()
    assert not (filtered / "ran").exists()


# Prints the names of the files that differ, as bytes.
CHANGED = """
import os, sys
from pathlib import Path
from apidiff.porting.source_files import changed_since
[changed] = changed_since("HEAD", [Path(sys.argv[1])])
print(sorted(map(os.fsencode, changed.names)))
"""


@pytest.mark.parametrize("utf_8", [False, True])
def test_names_are_the_systems_whatever_the_locale(filtered: Path, utf_8: bool) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": str(int(utf_8)), "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", CHANGED, str(filtered)]
    done = subprocess.run(command, env=os.environ | locale, capture_output=True, check=False)
    assert done.stdout.decode() == f"{[b'.gitattributes', b'model.py', os.fsencode('é.py')]}\n", done.stderr.decode()
    assert not (filtered / "ran").exists()


def git(folder: Path, *arguments: str) -> None:
    me = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *me, *arguments], cwd=folder, check=True, capture_output=True)


def repository_called(folder: Path) -> Path:
    folder.mkdir()
    (folder / "model.py").write_text("import torch\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.mark.parametrize("name", ["rep ", "rep\t", "rep\n", "rep\n\n", " rep", "rep\r", "\u3000", "r\udcffep "])
def test_the_name_of_a_repository_may_end_in_anything(tmp_path: Path, name: str) -> None:
    repository_called(tmp_path / "rep")  # which has no changes
    folder = repository_called(tmp_path / name)
    assert names(changed_since("HEAD", [folder])) == set()
    refuse_unsaved([folder / "model.py"])
    (folder / "model.py").write_text("import torch\ntorch.ones(1)\n")
    [changed] = changed_since("HEAD", [folder])
    assert is_changed(str(folder / "model.py"), [changed], RealPaths())
    assert changed.names == {"model.py"}
    with pytest.raises(ApidiffError, match="changes that are in no commit"):
        refuse_unsaved([folder / "model.py"])


@pytest.mark.parametrize("name", ["12 model.py", "x.py"])
def test_the_former_name_of_a_file_names_no_other(tmp_path: Path, name: str) -> None:
    folder = repository_called(tmp_path / "rep")
    (folder / name).write_text("import torch\n" * 9)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "two")
    git(folder, "mv", name, "renamed.py")
    refuse_unsaved([folder / "model.py"])
    with pytest.raises(ApidiffError, match=r"renamed\.py: changes that are in no commit"):
        refuse_unsaved([folder / "renamed.py"])


@pytest.mark.parametrize("hidden", [["--assume-unchanged"], ["--skip-worktree"], []], ids=str)
def test_a_file_that_git_does_not_look_at_is_in_no_commit(tmp_path: Path, hidden: list[str]) -> None:
    folder = repository_called(tmp_path / "rep")
    (folder / "other.py").write_text("import torch\n")
    if hidden:
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "two")
        refuse_unsaved([folder / "other.py"])
        git(folder, "update-index", *hidden, "other.py")
    else:
        (folder / ".git" / "info" / "exclude").write_text("other.py\n")
    (folder / "other.py").write_text("import torch\ntorch.ones(1)\n")
    refuse_unsaved([folder / "model.py"])
    with pytest.raises(ApidiffError, match=r"other\.py: changes that are in no commit"):
        refuse_unsaved([folder / "model.py", folder / "other.py"])


def test_git_is_asked_once_for_all_folders_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes for each of 2,000 folders took a minute."""
    folders = [repository_called(tmp_path / name) for name in ("one", "two")]
    files = []
    for place in [*folders, tmp_path]:
        for number in range(5):
            file = place / f"f{number}" / "deep" / "model.py"
            file.parent.mkdir(parents=True)
            file.write_text("import torch\n")
            files.append(file)
    for folder in folders:
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "two")
    asked = []
    monkeypatch.setattr(
        "apidiff.porting.port_files.git_answer", lambda *given: asked.append(given) or git_answers.git_answer(*given)
    )
    refuse_unsaved(files)
    assert len(asked) == 3 * len(folders) + 1
    assert len({until for _, _, until in asked}) == 1  # a stranger may send any number of repositories that take long
    for file in files[4], files[9]:
        file.write_text("import torch\ntorch.ones(1)\n")
        with pytest.raises(ApidiffError, match=f"^{re.escape(str(file))}: changes that are in no commit"):
            refuse_unsaved(files)
        file.write_text("import torch\n")


def test_all_repositories_together_have_one_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 50 small repositories kept git busy for 18 s by a pattern in it."""
    folders = [repository_called(tmp_path / f"rep{number}") for number in range(3)]
    asked = []
    monkeypatch.setattr(
        "apidiff.porting.source_files.git_answer", lambda *given: asked.append(given) or git_answers.git_answer(*given)
    )
    assert names(changed_since("HEAD", [*folders, *folders])) == set()
    assert len(asked) == 3 * len(folders)
    assert len({until for _, _, until in asked}) == 1
    slow = ["-c", "alias.slow=!sleep 20", "slow"]  # a quick answer may come before the end of no time
    with pytest.raises(TimeoutError, match="did not end within 50 s"):
        git_answers.git_answer(slow, folders[0], git_answers.git_deadline() - git_answers.DEADLINE_S)


@pytest.mark.parametrize("name", ["info/attributes", "objects/info/alternates", "commondir"])
def test_what_has_no_end_takes_no_memory_without_end(tmp_path: Path, name: str) -> None:
    folder = repository_called(tmp_path / "rep")
    (folder / ".git" / name).symlink_to("/dev/zero")
    os.utime(folder / "model.py", (1, 1))  # so that git reads it, with its attributes
    with pytest.raises(ApidiffError, match=r"(?i)out of memory"):
        changed_since("HEAD", [folder])
    with pytest.raises(ApidiffError, match="git cannot tell which files have changes"):
        refuse_unsaved([folder / "model.py"])


def test_a_tree_that_holds_itself_ten_times_over_takes_no_memory_without_end(tmp_path: Path) -> None:
    """A commit of 300 kB that no work tree is of: git lists what differs from it before it tells any."""
    folder = repository_called(tmp_path / "rep")

    def put(*arguments: str, text: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=folder, input=text, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    tree = put("hash-object", "-w", "--stdin", text="x\n")
    for kind, mode in (("blob", "100644"), *[("tree", "040000")] * 8):
        tree = put("mktree", text="".join(f"{mode} {kind} {tree}\t{name}.py\n" for name in range(10)))
    me = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    commit = put(*me, "commit-tree", "-m", "bomb", tree, text="")
    with pytest.raises(ApidiffError, match=r"memory.*Name another commit|did not end"):
        changed_since(commit, [folder])


def test_files_that_differ_are_found_by_any_path(tmp_path: Path) -> None:
    folder = repository_called(tmp_path / "rep")
    (folder / "in").mkdir()
    for name in ("new.py", "in/new.py"):
        (folder / name).write_text("import torch\n")
    (folder / "link.py").symlink_to("model.py")
    (tmp_path / "beside").symlink_to("rep/in")
    (tmp_path / "one.py").symlink_to("rep/in/new.py")
    [changed] = changed_since("HEAD", [tmp_path / "beside"])
    paths = (
        "rep/new.py",
        "rep/in/new.py",
        "rep/link.py",
        "beside/new.py",
        "one.py",
        "rep/model.py",
        "rep/../rep/new.py",
    )
    assert [path for path in paths if not is_changed(str(tmp_path / path), [changed], RealPaths())] == ["rep/model.py"]


def index_of(folder: Path, count: int, name: str) -> None:
    """Gives a repository an index of ``count`` files that are not there, of which git looks for none.

    In the fourth form of an index each name says how much of the one before it stays, so that long ones take some bytes.
    """
    entries = [f"{name}{number:05}".encode() for number in range(count)]
    content, former = struct.pack(">4sII", b"DIRC", 4, count), b""
    for entry in entries:
        kept = next((at for at, (one, other) in enumerate(zip(former, entry, strict=False)) if one != other), 0)
        gone, coded = len(former) - kept, b""
        while True:  # as many bits of seven as it takes, each of those above less one
            coded = bytes([gone & 0x7F | (0x80 if coded else 0)]) + coded
            gone = (gone >> 7) - 1
            if gone < 0:
                break
        flags = 0x8000 | min(len(entry), 0xFFF)
        content += struct.pack(">10I20sH", *[0] * 6, 0o100644, 0, 0, 0, bytes(20), flags) + coded + entry[kept:] + b"\0"
        former = entry
    (folder / ".git" / "index").write_bytes(content + hashlib.sha1(content).digest())


def test_names_that_cost_some_bytes_where_they_are_kept_cost_no_more_where_they_are_told(tmp_path: Path) -> None:
    folder = repository_called(tmp_path / "rep")
    index_of(folder, 4000, "z" + "/d" * 2000)  # of each the real path would be looked for, folder by folder
    [changed] = changed_since("HEAD", [folder])
    assert is_changed(str(folder / "model.py"), [changed], RealPaths())  # which that index does not name
    with pytest.raises(ApidiffError, match="no commit"):
        refuse_unsaved([folder / "model.py"])
    index_of(folder, 7000, "z" + "d" * 20_000)
    with pytest.raises(ApidiffError, match="prints more than 64 MiB"):
        refuse_unsaved([folder / "model.py"])


def test_settings_that_name_filters_without_end_are_refused(tmp_path: Path) -> None:
    folder = repository_called(tmp_path / "rep")
    (folder / ".git" / "inner").write_text(f'[filter "{"d" * 12_000}"]\n clean = x\n')
    with (folder / ".git" / "config").open("a") as config:
        config.write("[include]\n path = inner\n" * 400)
    for ask in (lambda: changed_since("HEAD", [folder]), lambda: refuse_unsaved([folder / "model.py"])):
        with pytest.raises(ApidiffError, match=r"git config in .* prints more than 1 MiB"):
            ask()
