"""Scanning the files that a commit changes, as a hook names them: ten, with the start of the command."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.bench.clock import run_timed
from tests.bench.measure import Measure

_ROOT = Path(__file__).resolve().parents[2]
_MODEL = _ROOT / "executable_examples" / "porting" / "vit.py"
_CHANGED, _TIMES = 10, 3
_LIMIT_S = 1.0


def measure_changed_files() -> Measure:
    """The best of a few times, by the clock on the wall."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"model_{number}.py" for number in range(_CHANGED)]
        for path in paths:
            shutil.copy(_MODEL, path)
        command = [sys.executable, "-m", "apidiff", "scan", "--no-config", *map(str, paths)]
        wall = min(run_timed([command], _ROOT).wall for _ in range(_TIMES))
    return Measure(f"scanning {_CHANGED} changed files", "allowed", wall, _LIMIT_S, 1.0)
