"""The workflows, the action and the hooks: their steps are shell, name what exists, and do what they say."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from apidiff.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
SCRIPT = ROOT / ".github" / "scripts" / "new_release.py"


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job.get("steps", [])]


EVERY = [(path.name, step) for path in WORKFLOWS for step in steps(path)]
EVERY += [("action.yml", step) for step in ACTION["runs"]["steps"]]
SHELL = [(f"{name}: {step.get('name')}", step["run"]) for name, step in EVERY if "run" in step]


@pytest.mark.parametrize("code", [code for _, code in SHELL], ids=[name for name, _ in SHELL])
def test_steps_are_shell_and_take_no_text_from_outside(code: str) -> None:
    subprocess.run(["bash", "-n"], input=code, text=True, check=True)
    assert "${{" not in code  # a branch may be called anything: such texts come as variables


@pytest.mark.parametrize("code", [code for _, code in SHELL if "apidiff " in code])
def test_steps_name_commands_that_exist(code: str) -> None:
    named = re.findall(r"(?:^|[ /])apidiff ([a-z]+)\b", code, re.MULTILINE)
    assert set(named) <= COMMANDS.keys()


def test_every_workflow_says_what_it_may_do() -> None:
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text("utf-8"))["permissions"] == {"contents": "read"}, path.name


def test_publishing_keeps_no_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert "secrets." not in text
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert any("attest-build-provenance" in step.get("uses", "") for step in jobs["build"]["steps"])


def test_the_action_uses_every_input() -> None:
    used = set(re.findall(r"inputs\.([a-z-]+)", json.dumps(ACTION["runs"]) + json.dumps(ACTION["outputs"])))
    assert used == set(ACTION["inputs"])


# What the action is given, the code that its scan hands on, and the results in the log.
SCANS: list[tuple[dict[str, str], str, bool]] = [
    ({}, "0", True),
    ({"FAIL_ON": "silent"}, "1", True),
    ({"FAIL_ON": "silent", "PATHS": "good.py\n\n"}, "0", False),
    ({"PATHS": "bad.py\ngood.py", "MINDSPORE": "2.10", "DEVICE": "cpu", "LANGUAGE": "zh"}, "0", True),
    ({"MINDSPORE": "9.9"}, "2", False),
]


@pytest.mark.parametrize(("given", "code", "finds"), SCANS, ids=["plain", "fails", "two lines", "options", "wrong"])
def test_the_action_scans(tmp_path: Path, given: dict[str, str], code: str, finds: bool) -> None:
    (tmp_path / "bad.py").write_text("import torch\nx = torch.eye(3)\nx.tanh()\n")
    (tmp_path / "good.py").write_text("import torch\ntorch.eye(3)\n")
    (tmp_path / "kept").write_text("of the runner")
    (tmp_path / "apidiff.sarif").symlink_to("kept")  # by the repository that is scanned
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "scan")
    names = {name: re.findall(r"inputs\.([a-z-]+)", text)[0] for name, text in step["env"].items()}
    environment = {name: str(ACTION["inputs"][key]["default"]) for name, key in names.items()} | given
    output = tmp_path / "output"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env={**environment, **_environment(tmp_path), "GITHUB_OUTPUT": str(output)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if int(code) <= 1 else 1), done.stderr
    assert output.read_text() == f"code={code}\n"
    assert (tmp_path / "kept").read_text() == "of the runner"
    if int(code) <= 1:
        results = json.loads((tmp_path / "apidiff.sarif").read_text("utf-8"))["runs"][0]["results"]
        assert any(result["ruleId"].startswith("AD101/") for result in results) is finds


def _environment(folder: Path) -> dict[str, str]:
    """A shell that finds the command of this checkout, and the index that is kept."""
    command = folder / "bin" / "apidiff"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m apidiff "$@"\n')
    command.chmod(0o755)
    kept = {name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME") if name in os.environ}
    return {**kept, "PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def test_the_hook_is_a_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    program, command = hook["entry"].split()
    assert (program, command in COMMANDS, hook["language"]) == ("apidiff", True, "python")
    assert hook["args"][-1] == "--"  # a file may be called as an option is


def test_the_action_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "pip.py").write_text("open('run', 'w')")
    install = next(step["run"] for step in ACTION["runs"]["steps"] if "pip install" in step.get("run", ""))
    asked = re.sub(r"\binstall .*", "--version", install)
    assert asked.count("--version") == 2
    command = ["bash", "-ec", asked]
    subprocess.run(command, cwd=tmp_path, env=_environment(tmp_path), capture_output=True, check=True)
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def new_release() -> Any:
    spec = importlib.util.spec_from_file_location("new_release", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_new_release_is_added_to_the_data(new_release: Any) -> None:
    releases = 'torch:\n  - version: "2.13.0"\n  # a note\n'
    releases += 'mindspore:\n  - version: "2.9.0"\n  - version: "2.10.0"\n    since: x\n'
    matrix = '[[framework]]\nname = "mindspore"\nversions = ["2.9.0", "2.10.0"]\nbackends = ["mccl"]\n'
    assert new_release.known(releases, "torch") == ["2.13.0"]
    assert new_release.known(releases, "mindspore") == ["2.9.0", "2.10.0"]
    added = new_release.with_release(releases, matrix, "mindspore", "2.10.0", "2.11.0")
    assert yaml.safe_load(added[0])["mindspore"][-1] == {"version": "2.11.0"}
    assert yaml.safe_load(added[0])["mindspore"][-2] == {"version": "2.10.0", "since": "x"}
    assert 'versions = ["2.9.0", "2.10.0", "2.11.0"]' in added[1]


@pytest.mark.parametrize(
    ("offered", "newest"),
    [(["2.9.0", "2.10.0", "2.8.0"], "2.10.0"), (["2.11.0rc1", "2.10.0", "2.10.0.post1", "x"], "2.10.0"), ([], None)],
)
def test_only_final_releases_count(new_release: Any, offered: list[str], newest: str | None) -> None:
    assert new_release.newest(offered) == newest


def test_the_data_are_read(new_release: Any) -> None:
    for framework in ("torch", "mindspore"):
        releases = new_release.RELEASES.read_text("utf-8")
        last = new_release.known(releases, framework)[-1]
        changed = new_release.with_release(releases, new_release.MATRIX.read_text("utf-8"), framework, last, "99.0.0")
        assert new_release.known(changed[0], framework)[-1] == "99.0.0"
        assert '"99.0.0"]' in changed[1]
