"""`apidiff port` as it is typed: what it prints and writes, what it refuses, and that no file is ever half written."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import COMMAND

from apidiff.cli import main, port
from apidiff.porting import guarded_write, source_text
from apidiff.porting.changes import Ported
from apidiff.porting.port_files import PortedFile, write_ported

CODE = "import torch\ny = torch.cat([a, b], dim=1)\n"
PORTED = "from mindspore import mint\ny = mint.cat([a, b], dim=1)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder beside the one that commands run in."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "model.py").write_text(CODE)
    return folder


def test_standard_output_is_the_file_and_nothing_else(run, project: Path) -> None:
    done = run("port", str(project / "model.py"), "--lang", "en")
    assert (done.returncode, done.stdout) == (0, PORTED)
    assert "1 edits made (1 verified, 0 with conditions)" in done.stderr
    assert (project / "model.py").read_text() == CODE


def test_names_that_the_database_does_not_hold_are_named_and_bounded(run, project: Path) -> None:
    (project / "model.py").write_text(
        "import torch\n" + "".join(f"torch.no_such_{n}()\n" for n in range(12)) + "torch.no_such_3\n"
    )
    told = run("port", str(project / "model.py"), "--lang", "en").stderr.splitlines()[-1]
    assert told.startswith("  not in the database: torch.no_such_3, torch.no_such_0, ")
    assert told.endswith(", torch.no_such_7, …")


def test_the_summary_speaks_chinese(run, project: Path) -> None:
    assert "已改写 1 处" in run("port", str(project / "model.py"), "--lang", "zh").stderr


PARTS = [  # files that are added, and how many of all are ported in part
    ({}, 0),
    ({"other.py": "import torch\nx = torch.no_such()\n"}, 0),
    ({"other.py": f"{CODE}torch.no_such()\n", "third.py": f"{CODE}torch.rand(2)\n"}, 2),
    ({"other.py": f"{CODE}with torch.no_grad(): ...\n"}, 1),
]


@pytest.mark.parametrize(("files", "count"), PARTS)
def test_files_that_are_ported_in_part_are_told(run, project: Path, files: dict[str, str], count: int) -> None:
    for name, text in files.items():
        (project / name).write_text(text)
    for form in ("--diff", "--write"):
        told = run("port", str(project), form, "--lang", "en").stderr
        assert told.count("part PyTorch, part MindSpore now") == bool(count)
        assert f"part MindSpore now: {count}. Finish" in told or not count
    assert "part MindSpore" not in run("port", str(project), "--check", "--lang", "en").stderr


def test_several_files_do_not_go_to_standard_output(run, project: Path) -> None:
    (project / "other.py").write_text(CODE)
    done = run("port", str(project))
    assert done.returncode == 2
    assert "--diff, --check or --write" in done.stderr
    assert done.stdout == ""


def test_diff_and_check_write_nothing(run, project: Path) -> None:
    done = run("port", str(project), "--diff")
    assert done.stdout.startswith(f"--- a{project / 'model.py'}\n+++ b{project / 'model.py'}\n")
    assert "-y = torch.cat([a, b], dim=1)\n+from mindspore import mint\n+y = mint.cat([a, b], dim=1)\n" in done.stdout
    check = run("port", str(project), "--check", "--lang", "en")
    assert (check.returncode, check.stdout) == (1, f"{project / 'model.py'}: would be ported\n")
    assert (project / "model.py").read_text() == CODE


def test_write_keeps_permissions_and_a_second_run_changes_nothing(run, project: Path) -> None:
    path = project / "model.py"
    path.chmod(0o755)
    assert run("port", str(project), "--write").returncode == 0
    assert path.read_text() == PORTED
    assert path.stat().st_mode & 0o777 == 0o755
    assert run("port", str(project), "--check").returncode == 0
    assert [one.name for one in project.iterdir()] == ["model.py"]


def test_a_link_stays_a_link(run, project: Path) -> None:
    (project / "real.txt").write_text(CODE)
    (project / "model.py").unlink()
    (project / "model.py").symlink_to("real.txt")
    assert run("port", str(project), "--write").returncode == 0
    assert (project / "model.py").is_symlink()
    assert (project / "real.txt").read_text() == PORTED


@pytest.mark.parametrize("name", ["a_link.py", "z_link.py"])
def test_a_file_that_a_link_leads_to_is_ported_once(run, project: Path, name: str) -> None:
    (project / name).symlink_to("model.py")
    done = run("port", str(project), "--write", "--lang", "en")
    assert done.returncode == 0
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == [str(project / "model.py")]
    assert (project / "model.py").read_text() == PORTED
    assert (project / name).is_symlink()


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True, capture_output=True
    )


def test_a_repository_that_git_refuses_is_not_taken_for_none(run, project: Path) -> None:
    _git(project, "init", "-q")
    (project / ".git" / "config").write_text("[core\n")
    done = run("port", str(project), "--write")
    assert done.returncode == 2
    assert f"{project}: git cannot tell which files have changes that are in no commit" in done.stderr
    assert (project / "model.py").read_text() == CODE
    assert run("port", str(project), "--write", "--force").returncode == 0


def test_changes_in_no_commit_are_not_mixed_with_a_port(run, project: Path) -> None:
    _git(project, "init", "-q")
    done = run("port", str(project), "--write")  # a new file, which is in no commit at all
    assert done.returncode == 2
    assert "--force" in done.stderr
    _git(project, "add", ".")
    _git(project, "commit", "-q", "-m", "one")
    (project / "model.py").write_text(f"{CODE}# more\n")
    assert run("port", str(project), "--write").returncode == 2
    assert (project / "model.py").read_text() == f"{CODE}# more\n"
    assert run("port", str(project), "--write", "--force").returncode == 0
    _git(project, "commit", "-q", "-a", "-m", "two")
    assert run("port", str(project), "--write").returncode == 0


def test_nothing_that_a_repository_names_is_run(run, project: Path, tmp_path: Path) -> None:
    _git(project, "init", "-q")
    (project / ".gitattributes").write_text("*.py filter=x=.y\n")
    _git(project, "add", ".")
    _git(project, "commit", "-q", "-m", "one")
    run_it = f"touch {tmp_path / 'run'}; cat"
    with (project / ".git" / "config").open("a") as config:
        config.write(f'[core]\nfsmonitor = "{run_it}"\n[filter "x=.y"]\nclean = "{run_it}"\nrequired = true\n')
    (project / "model.py").write_text(f"{CODE}# more\n")
    done = run("port", str(project), "--write")
    assert (done.returncode, "--force" in done.stderr) == (2, True)
    scanned = run("scan", str(project), "--diff", "HEAD")
    assert scanned.returncode == 0, scanned.stderr
    assert not (tmp_path / "run").exists()
    subprocess.run(["git", "status"], cwd=project, check=False, capture_output=True)
    assert (tmp_path / "run").exists()  # as git alone would do


def test_a_file_whose_name_is_no_utf8(run, project: Path) -> None:
    (project / "model.py").rename(project / os.fsdecode(b"a\xff.py"))
    for form in ("table", "json", "sarif", "github", "markdown", "html"):
        done = run("scan", str(project), "--format", form, "--all")
        assert done.returncode == 0, done.stderr
        assert form != "json" or "a\\\\udcff.py" in done.stdout


def test_a_tree_of_names_that_are_no_text(run, project: Path) -> None:
    for number in range(50):  # so many that several processes scan
        (project / os.fsdecode(b"%d\xff.py" % number)).write_text(CODE)
    for command in (["scan"], ["port", "--check"], ["port", "--diff"]):
        done = run(*command, str(project), "--jobs", "2", "--lang", "en")
        assert done.returncode == int("--check" in command), done.stderr
        assert "scan" in command or "49\\udcff.py" in done.stdout


def test_no_name_of_a_file_begins_a_line(run, project: Path) -> None:
    (project / "a\napidiff: fine\r.py").write_text(CODE + "torch.std(x)\n")
    (project / "b\napidiff: fine\r.py").write_text("(")
    for command in (["scan", "--all"], ["port", "--check"], ["port", "--diff"]):
        done = run(*command, str(project), "--lang", "en", COLUMNS="200")
        assert "a\\napidiff: fine\\r.py" in done.stdout
        assert "b\\napidiff: fine\\r.py:1: not parsed" in done.stderr
        assert "\napidiff: fine" not in done.stdout + done.stderr


def test_annotations_hold_no_escapes(run, project: Path) -> None:
    (project / "a\x1b[31m\u202e.py").write_text(CODE + "torch.std(x)\n")
    done = run("scan", str(project), "--format", "github", "--all")
    assert "a\\x1b[31m\\u202e.py" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_diff_has_the_bytes_and_the_lines_of_the_file(run, project: Path, environment: dict[str, str]) -> None:
    content = "# coding: gbk\nimport torch\ns = '注释\x0c\x1c'\ny = torch.cat([a], dim=1)\x0c\nz = 1".encode("gbk")
    (project / "model.py").write_bytes(content)
    made = subprocess.run(
        [*COMMAND, "port", "model.py", "--diff"],
        cwd=project,
        capture_output=True,
        check=True,
        env=environment | {"PYTHONIOENCODING": "ascii"},
    ).stdout
    subprocess.run(["git", "apply", "-"], input=made, cwd=project, check=True)
    assert (project / "model.py").read_bytes() == content.replace(b"torch.cat", b"mint.cat").replace(
        b"import torch", b"from mindspore import mint"
    )


@pytest.mark.parametrize("name", ["model.py", "page.md"])
def test_a_diff_of_a_file_that_repeats_its_lines(run, project: Path, name: str) -> None:
    """Lines of which each is less than a hundredth of a long file: `difflib` compares each with all like it, for minutes."""
    lines = [f"x{number % 150} = 1" if number % 20 else "y = torch.cat([a], dim=1)" for number in range(20_000)]
    text = "\n".join(["import torch", *lines, ""])
    text = text if name == "model.py" else f"```python\n{text}```\n"
    (project / name).write_text(text)
    made = run("port", f"project/{name}", "--diff")
    subprocess.run(["git", "apply", "-"], input=made.stdout.encode(), cwd=project.parent, check=True)
    wanted = text.replace("torch.cat", "mint.cat").replace("import torch", "from mindspore import mint")
    assert (project / name).read_text() == wanted


def test_a_link_that_leads_to_itself_is_told_and_the_rest_is_done(run, project: Path) -> None:
    _git(project, "init", "-q")
    _git(project, "add", "-A")
    _git(project, "commit", "-q", "-m", "all")
    (project / "self.py").symlink_to("self.py")
    scanned = run("scan", str(project), "--diff", "HEAD", "--lang", "en")
    assert scanned.returncode == 0, scanned.stderr
    done = run("port", str(project), "--write", "--force", "--lang", "en")
    assert (done.returncode, (project / "model.py").read_text()) == (0, PORTED), done.stderr
    assert "self.py: cannot be read" in done.stderr
    assert run("port", str(project), "--write", "--lang", "en").returncode == 2  # there are changes in no commit


def test_a_repository_that_git_cannot_read_keeps_files_as_they_are(run, project: Path) -> None:
    _git(project, "init", "-q")
    (project / ".git" / "index").write_bytes(b"broken")
    done = run("port", str(project), "--write")
    assert (done.returncode, (project / "model.py").read_text()) == (2, CODE)
    assert "git cannot tell" in done.stderr


BROKEN = {
    "python2.py": b"import torch\nprint 'x'\n",
    "typed.py": b"import torch\ndef f(:\n",
    "template.py": b"import torch\n{% if x %}\n",
    "latin.py": "import torch\ns = 'é'\n".encode("latin-1"),
    "cookie.py": b"# -*- coding: nonsense -*-\nimport torch\n",
    "binary.py": b"\x7fELF\0\0\0",
    "deep.py": b"x = " + b"(" * 4000 + b")" * 4000,
    "empty.ipynb": b"{}",
    "page.md": b"```python\nimport torch\nprint 'x'\n```\n",
}


def test_what_cannot_be_ported_is_told_in_a_line_each_and_the_rest_is_ported(run, project: Path) -> None:
    for name, content in BROKEN.items():
        (project / name).write_bytes(content)
    (project / "folder").mkdir()
    (project / "folder" / "loop").symlink_to(project)
    done = run("port", str(project), "--write", "--lang", "en")
    assert done.returncode == 0, done.stderr
    assert (project / "model.py").read_text() == PORTED
    told = [line for line in done.stderr.splitlines() if line.startswith("apidiff: ")]
    for name, content in BROKEN.items():
        assert sum(f"/{name}:" in line for line in told) == 1, (name, told)
        assert (project / name).read_bytes() == content
    assert sum("/loop:" in line for line in told) == 1
    assert len(told) == len(BROKEN) + 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_that_cannot_be_read_is_told(run, project: Path) -> None:
    (project / "closed").mkdir(mode=0)
    done = run("port", str(project), "--write", "--lang", "en")
    assert "closed: cannot be read" in done.stderr
    assert (project / "model.py").read_text() == PORTED


@pytest.mark.parametrize(
    ("content", "comment"),
    [
        ("# -*- coding: latin-1 -*-\nimport torch\ns = 'é'\ny = torch.cat([a], dim=1)\n".encode("latin-1"), b"\xe9"),
        (b"\xef\xbb\xbfimport torch\r\ny = torch.cat([a], dim=1)\r\n", b"\xef\xbb\xbf"),
        (
            "# -*- coding: gbk -*-\nimport torch\n# 注释\ny = torch.cat([a], dim=1)\n".encode("gbk"),
            "注释".encode("gbk"),
        ),
    ],
)
def test_encodings_and_line_ends_stay(run, project: Path, content: bytes, comment: bytes) -> None:
    (project / "model.py").write_bytes(content)
    assert run("port", str(project), "--write").returncode == 0
    after = (project / "model.py").read_bytes()
    assert comment in after
    assert b"mint.cat" in after
    assert after.count(b"\r\n") == content.count(b"\r\n")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_comments_are_written_in_what_the_encoding_holds(run, project: Path, language: str) -> None:
    """In the language that was asked for, else in English, without an ellipsis where there is none."""
    text = "# -*- coding: {} -*-\nimport torch\ny = torch.cat([a], dim=1)\nz = torch.utils.data.DataLoader(y)\n"
    encodings = ("ascii", "latin-1", "cp1252", "gbk")
    for name in encodings:
        (project / f"{name}.py").write_text(text.format(name))
    done = run("port", str(project), "--write", "--lang", language)
    assert (done.returncode, "coding" in done.stderr) == (0, False)
    after = {name: (project / f"{name}.py").read_bytes().decode(name) for name in encodings}
    chinese = language == "zh"
    assert [(".batch(...)" in one, "no rule writes this" in one) for one in after.values()] == [
        (True, True),
        (True, True),
        (chinese, True),
        (False, not chinese),
    ]


NOT_GIVEN_BACK = [  # an encoding, and a line of a module in it
    ("unicode_escape", b"x = 1"),
    ("unicode_escape", rb"#\nx = 1"),
    ("cp932", b'sign = "\x87\x90"'),  # ≒, which is 81 E0 too
    ("utf-7", b"# +AOk-"),
]


@pytest.mark.parametrize(("encoding", "line"), NOT_GIVEN_BACK)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_an_encoding_that_would_not_give_back_what_is_written_is_told(
    run, project: Path, encoding: str, line: bytes, end: bytes
) -> None:
    lines = [f"# coding: {encoding}".encode(), b"import torch", line, b"y = torch.cat([a], dim=1)", b""]
    content = end.join(lines)
    (project / "model.py").write_bytes(content)
    done = run("port", str(project), "--write", "--lang", "en")
    told = f"model.py: what would be written does not go into its encoding ({encoding} would not give back"
    assert told in done.stderr
    assert done.returncode == 0
    assert (project / "model.py").read_bytes() == content


def test_an_encoding_of_names_of_hosts_is_told(run, project: Path) -> None:
    (project / "model.py").write_bytes(b"# coding: idna\nimport torch\ny = torch.nope([a])\n")
    done = run("port", str(project), "--write", "--lang", "zh")
    assert done.returncode == 0
    assert "model.py" in done.stderr
    assert "idna" in done.stderr


GROWING = "import torch\n" + "torch.std(x)\n" * 50
GROWN = {
    "module.py": GROWING,
    "page.md": f"```python\n{GROWING}```\n",
    "notebook.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": GROWING}]}),
}


@pytest.mark.parametrize(("bound", "said"), [("_LARGEST_CODE", "larger than "), ("_MOST_TOKENS", "hold more than ")])
@pytest.mark.parametrize("name", GROWN)
def test_a_file_that_would_be_too_large_to_be_read_is_no_success(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bound: str, said: str, name: str
) -> None:
    """A page was told as one that is too large as it stands; a module was written, and passed over from then on."""
    page = project / name
    page.write_text(GROWN[name])
    monkeypatch.setattr(source_text, bound, 1_000)
    for form in ("--check", "--diff", "--write"):
        assert main(["port", str(page), "--unsafe", form, "--force", "--lang", "en"]) == 1
        told = capsys.readouterr().err
        assert f"{page}: with the edits it" in told
        assert said in told
        assert page.read_text() == GROWN[name]


def test_a_long_file(run, project: Path) -> None:
    lines = [f"x{number} = torch.cat([a, b], dim=1)" for number in range(5_000)]
    (project / "model.py").write_text("\n".join(["import torch", *lines, ""]))
    done = run("port", str(project), "--write", "--lang", "en")
    assert done.returncode == 0, done.stderr
    after = (project / "model.py").read_text()
    assert after.count("mint.cat") == 5_000
    ast.parse(after)


def _file(path: Path) -> PortedFile:
    return PortedFile(path, CODE.encode(), PORTED.encode(), CODE, Ported(PORTED, [], []))


def test_a_file_that_changed_while_it_was_read_stays(project: Path) -> None:
    path = project / "model.py"
    path.write_text("# somebody else\n")
    problem = write_ported(_file(path), path)
    assert problem is not None
    assert problem.code == "changed_meanwhile"
    assert path.read_text() == "# somebody else\n"
    assert [one.name for one in project.iterdir()] == ["model.py"]


def test_a_pipe_that_took_the_place_of_a_file_is_not_waited_for(project: Path) -> None:
    path = project / "model.py"
    path.unlink()
    os.mkfifo(path)
    problem = write_ported(_file(path), path)
    assert problem is not None
    assert (problem.code, problem.detail) == ("cannot_write", "it is no regular file")
    assert [one.name for one in project.iterdir()] == ["model.py"]


def test_a_link_to_itself_that_took_the_place_of_a_file_is_refused(project: Path) -> None:
    path = project / "model.py"
    path.unlink()
    path.symlink_to("model.py")
    problem = write_ported(_file(path), path)
    assert problem is not None
    assert (problem.code, problem.detail) == ("cannot_write", "Too many levels of symbolic links")
    assert [(one.name, one.is_symlink()) for one in project.iterdir()] == [("model.py", True)]


@pytest.mark.parametrize("what", [Path.unlink, lambda path: shutil.rmtree(path.parent)], ids=["file", "folder"])
def test_a_file_that_was_removed_is_not_made_again(project: Path, what: Callable[[Path], object]) -> None:
    path = project / "model.py"
    file = _file(path)
    what(path)
    problem = write_ported(file, path)
    assert problem is not None
    assert problem.code == "changed_meanwhile"
    assert not path.exists()


@pytest.mark.parametrize("when", ["port_files", "write_ported"])
def test_a_file_that_changed_meanwhile_ends_alike_whoever_notices(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], when: str
) -> None:
    noticing = getattr(port, when)

    def changed(*arguments: object) -> object:
        (project / "model.py").write_text("# somebody else\n")
        return noticing(*arguments)

    monkeypatch.setattr(port, when, changed)
    assert main(["port", str(project), "--write", "--jobs", "1", "--lang", "en"]) == 1
    assert capsys.readouterr().err.count("changed while it was read") == 1
    assert (project / "model.py").read_text() == "# somebody else\n"


@pytest.mark.parametrize("path", [".", "./", "./model.py", "../project", ".//model.py"])
def test_a_path_may_be_written_in_any_way(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    monkeypatch.chdir(project)
    path = path.replace("project", project.name)
    assert main(["port", path, "--check", "--jobs", "1"]) == 1
    assert main(["port", path, "--write", "--jobs", "1"]) == 0
    assert (project / "model.py").read_text() == PORTED
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["port", "scan"])
def test_an_empty_name_is_not_the_current_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(project)
    with pytest.raises(SystemExit) as ended:
        main([command, ""])
    assert ended.value.code == 2
    assert "an empty name is given" in capsys.readouterr().err
    assert (project / "model.py").read_text() == CODE


@pytest.mark.parametrize("when", ["_each_once", "scan_tree", "port_files"])
def test_a_folder_that_becomes_a_link_is_not_followed_out_of_the_tree(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """What lies there may be in no commit, and nobody named it."""
    (project / "part").mkdir()
    (project / "model.py").rename(project / "part" / "model.py")
    other = tmp_path / "other"
    shutil.copytree(project / "part", other)
    doing = getattr(port, when)

    def swapped(*given: object, **named: object) -> object:
        (project / "part").rename(tmp_path / "former")
        (project / "part").symlink_to(other)
        return doing(*given, **named)

    monkeypatch.setattr(port, when, swapped)
    main(["port", str(project), "--write", "--jobs", "1", "--lang", "en"])
    for folder in (other, tmp_path / "former"):
        assert [one.name for one in folder.iterdir()] == ["model.py"]
        assert (folder / "model.py").read_text() == CODE


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_run_that_is_killed_leaves_the_file_whole(project: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = project / "model.py"

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    if step == "fsync":
        monkeypatch.setattr(guarded_write.os, "fsync", killed)
    else:
        monkeypatch.setattr(guarded_write, "_put_in_place", killed)
    with pytest.raises(KeyboardInterrupt):
        write_ported(_file(path), path)
    assert path.read_text() == CODE
    assert [one.name for one in project.iterdir()] == ["model.py"]


def test_a_full_disk_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(guarded_write.os, "fsync", full)
    problem = write_ported(_file(project / "model.py"), project / "model.py")
    assert problem is not None
    assert (problem.code, problem.detail) == ("cannot_write", "No space left on device")
    assert (project / "model.py").read_text() == CODE
