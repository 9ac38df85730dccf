"""Looks whether a backend's framework and device are there, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec

import msgspec

from apidiff.database.backends import Backend
from apidiff.execute.variables import package_path, without_settings
from apidiff.model.trace import DeviceFound
from apidiff.process_group import run
from apidiff.scratch_folder import scratch_folder

_DEADLINE = 120.0  # seconds; a first import of a framework from a cold disk takes tens


@dataclass(frozen=True)
class Availability:
    """Whether a backend can run here, and the one line that says what was looked for and what was found.

    ``device``: what there is of devices and versions, None where the check told nothing.
    """

    available: bool
    text: str
    device: DeviceFound | None = None


def look_for(backend: Backend) -> Availability:
    """Runs the backend's device check. Raises nothing for what it finds."""
    head = f"{backend.name} ({backend.framework}, {backend.device})"
    if find_spec(backend.framework) is None:
        remedy = f"pip install 'apidiff[{backend.framework}]'"
        return Availability(
            False, f"{head}: looked for the package {backend.framework}, which is not installed ({remedy})"
        )
    with scratch_folder("apidiff-") as folder:
        try:
            done = run(
                [sys.executable, "-c", backend.check.code],
                _DEADLINE,
                folder=folder,
                environment=without_settings(os.environ) | backend.environment | {"PYTHONPATH": package_path()},
                scratch=folder,
            )
        except subprocess.TimeoutExpired:
            return Availability(False, f"{head}: looked for {backend.check.in_words}; no answer in {_DEADLINE:g} s")
    lines = [line for line in (done.errors if done.code else done.output).splitlines() if line.strip()]
    last = lines[-1].strip()[:200] if lines else f"exit code {done.code}"
    device = _device(lines)
    if done.code == 0 and last == "ok":
        what = f" ({in_words(device)})" if device else ""
        return Availability(True, f"{head}: found {backend.check.in_words}{what}", device)
    return Availability(False, f"{head}: looked for {backend.check.in_words}; found: {last}", device)


def in_words(device: DeviceFound) -> str:
    """Writes ``2 × NVIDIA H200, torch 2.13.0+cu130, CUDA 13.0``: names with their numbers, then versions."""
    names = [f"{count} × {name}" for name, count in Counter(device.names).items()]
    return ", ".join([*names, *(f"{name} {version}" for name, version in device.versions.items())])


def _device(lines: Iterable[str]) -> DeviceFound | None:
    """Decodes what the check printed as JSON; frameworks may print lines of their own beside it."""
    for line in lines:
        with contextlib.suppress(msgspec.DecodeError):
            return msgspec.json.decode(line, type=DeviceFound)
    return None
