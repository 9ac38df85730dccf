"""The workflow for teams of frameworks, and the commands of the guide, where nothing but pytest and the build is installed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from apidiff.database.backends import load_backends

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "claims.yml").read_text("utf-8"))
JOB = WORKFLOW["jobs"]["claims"]
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in JOB["steps"] if "run" in step}
# True is what YAML 1.1 makes of the key `on`.
INPUTS = {name: one.get("default", "") for name, one in WORKFLOW[True]["workflow_call"]["inputs"].items()}
PYTEST_LINE = re.compile(r"^pytest --apidiff-backend .*$", re.MULTILINE)

# Stands for pip: links what is installed beside these tests, and what that requires, instead of fetching it.
PIP = """
import re, sys, sysconfig
from importlib.metadata import Distribution
from pathlib import Path

def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()

here = Path(sysconfig.get_path("purelib"))
known = {plain(one.metadata["Name"]): one for one in reversed(list(Distribution.discover(path=BESIDE)))}
done = set()

def link(name):
    if name in done or name not in known:
        return
    done.add(name)
    for top in {file.parts[0] for file in known[name].files or ()} - {"..", "__pycache__"}:
        if not top.endswith(".pth") and not (here / top).exists():
            (here / top).symlink_to(known[name].locate_file(top))
    for wanted in known[name].requires or ():
        if "extra ==" not in wanted:
            link(plain(re.match(r"[\\w.-]+", wanted)[0]))

with (here / "pip.log").open("a") as log:
    log.write(repr(sys.argv[1:]) + "\\n")
for word in sys.argv[2:]:
    if word == ".":
        link("apidiff")
        (here / "checkout.pth").write_text(str(Path.cwd()))
    elif word.endswith(".txt"):
        for name in re.findall("^([a-z0-9-]+)==", Path(word).read_text(), re.MULTILINE):
            link(plain(name))
    elif not word.startswith("-") and "://" not in word:
        link(plain(re.match(r"[\\w.-]+", word)[0]))
"""


class Runner:
    """A machine of a CI service: a checkout, an interpreter with nothing installed, and what a step shows on its job's page."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self.page, self.venv = folder / "checkout", folder / "page.md", folder / "venv"
        self.checkout.mkdir()
        for name in ("pyproject.toml", "README.md", "apidiff", "conf", "executable_examples", "tests"):
            (self.checkout / name).symlink_to(ROOT / name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.venv], check=True, timeout=500)
        (self.packages,) = self.venv.glob("lib/python3*/site-packages")
        (self.packages / "pip").mkdir()
        (self.packages / "pip" / "__main__.py").write_text(f"BESIDE = {sys.path!r}\n{PIP}", encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "CUDA"))}
        self.environment = kept | {
            "PATH": f"{self.venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "XDG_STATE_HOME": str(folder / "state"),
            "GITHUB_STEP_SUMMARY": str(self.page),
        }

    def step(self, name: str, inputs: dict[str, str], **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a step as the service does where `shell` is bash, with these inputs."""
        given = {
            key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: (INPUTS | inputs)[found[1]], value)
            for key, value in STEPS[name].get("env", {}).items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        return self.run(command, **given, **environment)

    def run(self, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.checkout,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=1000,
            check=False,
        )


def installed(folder: Path, build: str) -> Runner:
    """A machine after the step that installs ``build``, an input of several lines."""
    try:
        distribution("apidiff")
    except PackageNotFoundError:
        pytest.skip("apidiff is not installed: make test installs it")
    runner = Runner(folder)
    found = runner.step("Install the build and the claims", {"install": build})
    assert found.returncode == 0, found.stderr
    return runner


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A machine for which the build that was named brought no framework."""
    return installed(
        tmp_path_factory.mktemp("bare"), "--pre no-such-build\n  --index-url https://example.org/nightly/cpu\n"
    )


def test_every_night_all_claims_are_run_on_each_backend_that_has_no_device() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8"))["jobs"]
    on_cpu = {backend.name for backend in load_backends() if backend.device == "cpu"}
    assert set(jobs["claims"]["strategy"]["matrix"]["backend"]) == on_cpu
    run = next(step["run"] for step in jobs["claims"]["steps"] if step.get("name") == "Run every claim")
    assert re.findall(r"--apidiff-\S+", run) == ["--apidiff-backend", "--apidiff-summary"], "nothing is left out"
    (command,) = [step["run"] for step in jobs["tests"]["steps"] if "run" in step]
    assert os.access(ROOT / command, os.X_OK)


def test_the_steps_are_those_that_are_tried_here() -> None:
    assert list(STEPS) == ["Install the build and the claims", "Run the claims", "Show what changed"]
    assert JOB["defaults"]["run"]["shell"] == "bash"


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_sound_and_holds_no_text_of_a_caller(name: str) -> None:
    script = STEPS[name]["run"]
    checked = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, timeout=300, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "${{" not in script


def test_every_line_of_what_is_to_be_installed_counts(bare: Runner) -> None:
    assert (bare.packages / "pip.log").read_text("utf-8").splitlines() == [
        "['install', '--pre', 'no-such-build', '--index-url', 'https://example.org/nightly/cpu']",
        "['install', '--no-deps', '--require-hashes', '--requirement', 'conf/locks/core.txt']",
        "['install', '--no-deps', '--no-build-isolation', '--editable', '.']",
    ]
    there = {path.name for path in bare.packages.iterdir()}
    assert {"pytest", "_pytest", "msgspec"} <= there
    assert not there & {"pytest_timeout.py", "xdist", "torch"}


@pytest.mark.turning(days=3, group="jobs")
@pytest.mark.parametrize("sizes", ["", "2"])
def test_without_the_build_the_job_fails_and_says_why(bare: Runner, sizes: str) -> None:
    found = bare.step("Run the claims", {"backend": "gloo", "world-sizes": sizes})
    assert found.returncode == 5, found.stdout + found.stderr
    bare.page.unlink(missing_ok=True)
    assert bare.step("Show what changed", {}).returncode == 0
    assert "**Nothing was compared: gloo &#40;torch, cpu&#41;: looked for the package torch," in bare.page.read_text(
        "utf-8"
    )


@pytest.mark.turning(days=3, group="jobs")
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_with_the_build_the_job_compares(tmp_path: Path) -> None:
    runner = installed(tmp_path, "torch")
    chosen = "torch.distributed.get_rank"
    found = runner.step("Run the claims", {"backend": "gloo", "world-sizes": "2"}, PYTEST_ADDOPTS=chosen)
    assert found.returncode == 0, found.stdout + found.stderr
    assert runner.step("Show what changed", {}).returncode == 0
    assert "Every verdict that was compared is what is recorded." in runner.page.read_text("utf-8")
    assert f'classname="{chosen}"' in (runner.checkout / "claims.xml").read_text("utf-8")


def commands(language: str) -> list[list[str]]:
    text = (ROOT / "docs" / language / "guide" / "verifying.md").read_text("utf-8")
    return [shlex.split(line, comments=True) for line in PYTEST_LINE.findall(text)]


def test_both_guides_show_the_same_commands() -> None:
    assert len(commands("en")) == 6
    assert commands("en") == commands("zh")


@pytest.mark.turning(days=3)
@pytest.mark.parametrize("command", commands("en"), ids=shlex.join)
def test_a_command_of_the_guide_needs_nothing_but_pytest(bare: Runner, command: list[str]) -> None:
    assert shutil.which(command[0], path=bare.environment["PATH"])
    found = bare.run(["python", "-m", *command, "--collect-only", "--quiet"])
    assert found.returncode == 0, found.stdout + found.stderr
    chosen = [line for line in found.stdout.splitlines() if "#" in line]
    wanted = [word for word in command if word.startswith("torch.")]
    assert chosen
    if wanted:
        assert all(one.startswith(wanted[0]) for one in chosen)
        assert len(chosen) == 1 or "#" not in wanted[0]
