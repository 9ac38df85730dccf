"""Looks whether a backend's framework and device are there, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec

from apidiff.store.backends import Backend

_DEADLINE = 120.0  # seconds; a first import of a framework from a cold disk takes tens


@dataclass(frozen=True)
class Found:
    """Whether a backend can run here, and the one line that says what was looked for and what was found."""

    available: bool
    text: str


def look_for(backend: Backend) -> Found:
    """Runs the backend's device check. Never raises for what it finds."""
    head = f"{backend.name} ({backend.framework}, {backend.device})"
    if find_spec(backend.framework) is None:
        remedy = f"pip install 'apidiff[{backend.framework}]'"
        return Found(False, f"{head}: looked for the package {backend.framework}, which is not installed ({remedy})")
    environment = os.environ | backend.environment
    with tempfile.TemporaryDirectory(prefix="apidiff-") as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-c", backend.check.code],
                capture_output=True,
                text=True,
                env=environment,
                cwd=folder,
                timeout=_DEADLINE,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Found(False, f"{head}: looked for {backend.check.looks_for}; no answer in {_DEADLINE:g} s")
    said = [line for line in (done.stdout if done.returncode == 0 else done.stderr).splitlines() if line.strip()]
    last = said[-1].strip()[:200] if said else f"exit code {done.returncode}"
    if done.returncode == 0 and last == "ok":
        return Found(True, f"{head}: found {backend.check.looks_for}")
    return Found(False, f"{head}: looked for {backend.check.looks_for}; found: {last}")
