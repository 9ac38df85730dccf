"""What runs on machines of others: actions are named by their digest and may do no more than they need."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"

# Of these no digest is asked: what stands here or was built from it, and the build that a caller of claims.yml wants to try.
UNLOCKED = re.compile(
    r"""install (--quiet )?(--no-deps (--no-build-isolation )?(--editable \.|dist/\*\.whl|"\$ACTION")|"\$\{wanted\[@\]\}")$"""
)


def steps(path: Path) -> list[dict[str, Any]]:
    """The steps of a workflow or of an action."""
    told = yaml.safe_load(path.read_text("utf-8"))
    jobs = told["jobs"].values() if "jobs" in told else [told["runs"]]
    return [step for job in jobs for step in job.get("steps", [])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_little(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert "permissions" in workflow, "without it a job may do what the repository's settings allow"
    assert "write-all" not in str(workflow["permissions"])


@pytest.mark.parametrize("path", [*WORKFLOWS, ACTION], ids=lambda path: path.name)
def test_actions_are_pinned(path: Path) -> None:
    for step in steps(path):
        if "uses" in step and not step["uses"].startswith("./"):
            assert re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_scripts_of_packages_are_not_run() -> None:
    for line in (ROOT / "Makefile").read_text("utf-8").splitlines():
        if "npm ci" in line or "npm install" in line:
            assert "--ignore-scripts" in line


LOCKS = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "conf" / "locks").glob("*.txt"))}
LOCKED = re.compile(
    r"^(\S+)==([^ ;]+)(?: ; ([^\\\n]+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_a_digest_for_all_and_no_address(lock: str) -> None:
    text = LOCKS[lock]
    assert (
        LOCKED.sub("", text)
        == f"# Written by `make lock`. Install with: pip install --no-deps --require-hashes -r {lock}.txt\n"
    )
    assert "//" not in text


@pytest.mark.parametrize(
    ("extra", "locks"),
    [
        ("", ["core"]),
        ("site", ["core", "site"]),
        ("dev", ["core", "site", "dev"]),
        ("mindspore", ["core", "site", "dev", "test"]),
        ("torch", ["core", "site", "dev", "test"]),
    ],
)
def test_the_locks_fit_what_is_required(extra: str, locks: list[str]) -> None:
    """A requirement that is added or changed without `make lock` would be installed by nothing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    locked = {canonicalize_name(row[0]): row[1] for lock in locks for row in LOCKED.findall(LOCKS[lock])}
    extras = project["optional-dependencies"]
    required = [*project["dependencies"], *extras.get(extra, [])]
    required += [name for text in required for part in Requirement(text).extras for name in extras[part]]
    for requirement in map(Requirement, required):
        if requirement.name == "torch":
            assert [pin.operator for pin in requirement.specifier] == ["=="], "it is not locked, so its version is here"
        elif requirement.name != "apidiff":
            assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), requirement


def test_what_make_installs_is_locked() -> None:
    """Of this package alone no digest is asked: it is what stands here."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "LOCKED := $(PIP) --no-deps --require-hashes\n" in makefile
    plain = [line.strip() for line in makefile.splitlines() if line.startswith("\t") and "$(PIP)" in line]
    assert plain == ["@$(PIP) 'uv>=0.9,<1'"], "what writes the locks is not in them"


@pytest.mark.parametrize("path", [*WORKFLOWS, ACTION], ids=lambda path: path.name)
def test_what_workflows_and_the_action_install_is_locked(path: Path) -> None:
    for step in steps(path):
        for line in step.get("run", "").splitlines():
            if "pip install" in line:
                locked = re.search(r"--no-deps --require-hashes --requirement \S*conf/locks/[a-z]+\.txt\"?$", line)
                assert locked or UNLOCKED.search(line), line


def test_releases_are_attested() -> None:
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert "attest-build-provenance@" in release
