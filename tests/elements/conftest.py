"""The sources of the site's elements with what they are built with."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "conf" / "elements"


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with what they are built with: nothing of the checkout is written."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed; on Debian: apt-get install npm")
    folder = tmp_path_factory.mktemp("elements") / "elements"
    shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("node_modules"))
    command = ["npm", "ci", "--ignore-scripts", "--silent", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return folder
