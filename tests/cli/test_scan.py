"""`apidiff scan` as it is typed: what it prints, where, and its exit codes."""

from __future__ import annotations

import errno
import json
import subprocess
from pathlib import Path

import pytest

from apidiff.cli import main

CODE = "import torch\nx = torch.eye(3)\nx.tanh()\ntorch.mean(x, -1)\ntorch.nowhere.thing()\n"
SILENT = "x.tanh()"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder beside the one that commands run in."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "model.py").write_text(CODE)
    (folder / "broken.py").write_text("print 'x'")
    return folder


@pytest.mark.parametrize(
    ("language", "head", "problem"),
    [
        ("en", "Scan for MindSpore 2.10.0", "not parsed as Python"),
        ("zh", "面向 MindSpore 2.10.0 的扫描结果", "无法按 Python 解析"),
    ],
)
def test_table(run, project: Path, language: str, head: str, problem: str) -> None:
    done = run("scan", str(project), "--lang", language)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{head}\n")
    assert "torch.Tensor.tanh" in done.stdout
    assert "torch.nowhere.thing" in done.stdout
    assert done.stderr.count("\n") == 1
    assert problem in done.stderr


def test_json_has_every_field(run, project: Path) -> None:
    done = run("scan", str(project), "--json", "--mindspore", "2.10", "--device", "cpu")
    made = json.loads(done.stdout)
    assert {"files", "references", "answered", "findings"} <= made.keys()
    assert (made["references"], made["answered"], made["device"]) == (4, 3, "cpu")
    found = next(one for one in made["findings"] if one["source"] == "torch.Tensor.tanh")
    names = "file line column end_line end_column source target kind risk reach headline fix"
    assert set(names.split()) <= found.keys()
    assert (found["line"], found["column"], found["end_line"], found["end_column"]) == (3, 1, 3, 7)
    assert found["headline"].keys() == {"en", "zh"}


CODES = [
    ([], 0, ""),
    (["--fail-on", "silent"], 1, ""),
    (["--fail-on", "rewrite"], 1, ""),
    (["--mindspore", "9.9"], 2, "Name one of these: "),
    (["--mindspore", "x"], 2, "Name one of these: "),
    (["--mindspore", ""], 2, "'' is no known release of MindSpore. Name one of these: "),
    (["--baseline", "nowhere.json"], 2, "--write-baseline nowhere.json"),
    (["--diff", "HEAD"], 2, "git"),
    (["nowhere"], 2, "nowhere: no such file or folder"),
    (["--fail-on", "none"], 2, "invalid choice"),
]


@pytest.mark.parametrize(("options", "code", "said"), CODES, ids=[" ".join(row[0]) or "-" for row in CODES])
def test_exit_codes(run, project: Path, options: list[str], code: int, said: str) -> None:
    done = run("scan", str(project), *options)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("form", "start"),
    [("sarif", "{"), ("github", "::error "), ("markdown", "# Scan"), ("html", "<!doctype html>"), ("json", "{")],
)
def test_formats(run, project: Path, form: str, start: str) -> None:
    done = run("scan", str(project), "--format", form, "--lang", "en", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(start)
    assert "torch.Tensor.tanh" in done.stdout


# Where code may hold half a character as an escape, which no output can hold.
HALVES = [
    'getattr(torch, "\\ud800")(1)',
    'torch.mean(x, "\\ud800", dim="\\ud800", dtype="\\ud800")',
    'torch.mean(x, **{"\\ud800": 1, "dim": "\\ud800"})',
    '__all__ = ["\\ud800"]',
    'def f(x: "\\ud800", y: "torch.Tensor\\ud800") -> "\\ud800": x.tanh()',
    'm.register_buffer("\\ud800", torch.ones(1))',
    'import importlib\nimportlib.import_module("torch.\\ud800").ones(1)',
    'setattr(torch, "\\ud800", torch.ones(1))',
]


@pytest.mark.parametrize("code", HALVES)
def test_halves_of_characters_reach_no_output(run, project: Path, code: str) -> None:
    (project / "broken.py").unlink()
    (project / "model.py").write_text(f"{CODE}{code}\n")
    for form in ("table", "json", "sarif", "github", "markdown", "html"):
        done = run("scan", str(project), "--format", form)
        assert (done.returncode, done.stderr) == (0, ""), form
        assert "tanh" in done.stdout
    for how in ([], ["--diff"], ["--check"]):
        done = run("port", str(project), *how)
        assert (done.returncode, "Traceback" in done.stderr) == (int("--check" in how), False)


def test_baseline_and_settings(run, project: Path) -> None:
    baseline = project / "known.json"
    assert run("scan", str(project), "--write-baseline", str(baseline), "--lang", "en").returncode == 0
    (project / "pyproject.toml").write_text('[tool.apidiff.scan]\nbaseline = "known.json"\nfail-on = "silent"\n')
    assert run("scan", str(project)).returncode == 0
    assert run("scan", str(project), "--no-config", "--fail-on", "silent").returncode == 1
    (project / "model.py").write_text(CODE + SILENT)
    assert run("scan", str(project)).returncode == 1
    (project / "pyproject.toml").write_text('[tool.apidiff.scan]\nexclude = ["model.py"]\nfail-on = "silent"\n')
    assert run("scan", str(project)).returncode == 0


@pytest.mark.parametrize(("option", "value"), [("--baseline", "project/known.json"), ("--diff", "HEAD")])
def test_no_baseline_is_written_of_a_part_of_the_findings(run, project: Path, option: str, value: str) -> None:
    """It would take the place of one that holds them all."""
    written = ["scan", "project", "--write-baseline", "project/known.json"]
    assert run(*written).returncode == 0
    before = (project / "known.json").read_bytes()
    assert b"torch" in before
    done = run(*written, option, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        f"--write-baseline writes all findings, and {option} leaves some out. Leave out one of the two." in done.stderr
    )
    assert (project / "known.json").read_bytes() == before
    # What the settings name is left aside, since they stand for every scan.
    (project / "pyproject.toml").write_text('[tool.apidiff.scan]\nbaseline = "known.json"\n')
    assert run(*written).returncode == 0
    assert (project / "known.json").read_bytes() == before


# What `baseline` of the settings names, what is said of it, and what is to be done
NO_BASELINES = [
    (".", "it is no regular file", "Name another file."),
    ("/dev/zero", "it is no regular file", "Name another file."),
    ("model.py/x", "Not a directory", "Name another file."),
    ("x" * 300, "File name too long", "Name another file."),
    ("model.py", "is no baseline", "Name another file"),
    ("gone.json", "No such file or directory", "Write a baseline with --write-baseline "),
    ("a\\u0000b", "`baseline` holds a NUL", "Name a file."),
]


@pytest.mark.parametrize(("name", "found", "remedy"), NO_BASELINES, ids=[row[0][:9] for row in NO_BASELINES])
def test_a_setting_that_names_no_baseline_is_told(run, project: Path, name: str, found: str, remedy: str) -> None:
    (project / "pyproject.toml").write_text(f'[tool.apidiff.scan]\nbaseline = "{name}"\n')
    done = run("scan", str(project))
    assert done.returncode == 2
    for said in ("`baseline`", "[tool.apidiff.scan]", str(project / "pyproject.toml"), found, remedy):
        assert said in done.stderr
    if "NUL" not in found:
        done = run("scan", str(project), "--baseline", str(project / name))
        assert (done.returncode, found in done.stderr, remedy in done.stderr) == (2, True, True), done.stderr
        assert "[tool.apidiff.scan]" not in done.stderr


def test_a_baseline_that_a_stranger_names_ends_no_quote(run, project: Path) -> None:
    """Its name stood as a sentence of ours, and in a command that we tell to run."""
    for name in ("known.json: all is verified. Passed", "a; touch b #"):
        (project / "pyproject.toml").write_text(f'[tool.apidiff.scan]\nbaseline = "{name}"\n')
        done = run("scan", str(project))
        path = project / name
        remedy = f"Write a baseline with --write-baseline '{path}'"
        assert done.stderr.endswith(f"`baseline` names '{path}': No such file or directory. {remedy}\n")


def test_a_setting_of_a_stranger_begins_no_line_of_its_own(run, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.apidiff.scan]\n"x\\nall is well" = 1\n')
    done = run("scan", str(project))
    assert done.returncode == 2
    assert r"unknown field 'x\nall is well'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_only_what_differs_from_a_revision(run, project: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True)

    git("init")
    git("add", "-A")
    git("commit", "-m", "all")
    (project / "new.py").write_text(CODE)
    made = json.loads(run("scan", str(project), "--diff", "HEAD", "--json").stdout)
    assert [Path(file["file"]).name for file in made["files"]] == ["new.py"]
    (project / "model.py").write_text(f"# changed\n{CODE}")
    made = json.loads(run("scan", str(project), "--diff", "HEAD", "--json").stdout)
    assert [Path(file["file"]).name for file in made["files"]] == ["model.py", "new.py"]
    assert run("scan", str(project), "--diff", "--output=x").returncode == 2


GIT = [
    (
        FileNotFoundError(errno.ENOENT, "No such file or directory", "git"),
        "--diff needs git (No such file or directory)",
    ),
    (OSError(errno.E2BIG, "Argument list too long", "git"), "Argument list too long. Leave --diff out, or mend the"),
    (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "no more files, processes, threads or memory"),
    (OSError(errno.EMFILE, "Too many open files", "temporary"), "no more files, processes, threads or memory"),
]


@pytest.mark.parametrize(("error", "said"), GIT, ids=[type(row[0]).__name__ for row in GIT])
def test_git_that_cannot_be_started_is_not_taken_for_missing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: OSError, said: str
) -> None:
    def refused(*_: object) -> None:
        raise error

    monkeypatch.setattr("apidiff.porting.source_files.git_answer", refused)
    assert main(["scan", str(project), "--no-config", "--jobs", "1", "--diff", "HEAD"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert ("Install it" in told) == (error.errno == errno.ENOENT)


def test_a_table_has_a_thousand_places_of_a_difference(run, tmp_path: Path) -> None:
    (tmp_path / "up.py").write_text("from torch.distributed import new_group\n" + "new_group(x)\n" * 1_100)
    shown = run("scan", "up.py", "--all").stdout
    assert (shown.count("up.py:1001:1"), shown.count("up.py:1002:1")) == (shown.count("… +100"), 0)
    assert "… +100" in shown


def test_edge_cases_are_asked_for(run, tmp_path: Path) -> None:
    (tmp_path / "up.py").write_text("import torch.nn.functional as F\nF.interpolate(x, scale_factor=2)\n")
    assert "torch.nn.functional.interpolate" not in run("scan", "up.py").stdout
    assert "torch.nn.functional.interpolate" in run("scan", "up.py", "--all").stdout
    assert run("scan", "up.py", "--fail-on", "error").returncode == 0
    assert run("scan", "up.py", "--fail-on", "error", "--all").returncode == 1


@pytest.mark.parametrize(
    "patterns", [["[a-" * 40_000], [f"p{number}*" for number in range(80_000)]], ids=["long", "many"]
)
def test_patterns_that_would_keep_a_scan_from_ending_are_refused(run, tmp_path: Path, patterns: list[str]) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.apidiff.scan]\nexclude = {json.dumps(patterns)}\n")
    (tmp_path / "model.py").write_text("import torch\n")
    done = run("scan", ".")
    assert (done.returncode, "patterns to exclude" in done.stderr) == (2, True)


def test_help_tells_exit_codes(run) -> None:
    text = run("scan", "--help").stdout
    assert "exit codes: 0 scanned; 1 " in text
    assert "characters" in text
