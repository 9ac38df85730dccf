"""What runs on machines of others: actions are named by their digest and may do no more than they need."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_may_do_little(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert "permissions" in workflow, "without it a job may do what the repository's settings allow"
    assert "write-all" not in str(workflow["permissions"])
    for step in steps(workflow):
        if "uses" in step and not step["uses"].startswith("./"):
            assert re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_scripts_of_packages_are_not_run() -> None:
    for line in (ROOT / "Makefile").read_text("utf-8").splitlines():
        if "npm ci" in line or "npm install" in line:
            assert "--ignore-scripts" in line
