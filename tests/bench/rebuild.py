"""Building the site again after one edited record, against building it whole and against what that may take."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from apidiff.database.paths import PACKAGE
from tests.bench.measure import Measure

_RECORD = "apidiff/data/mappings/torch/distributed/reduce.yaml"
_EDIT = ("Reduces a tensor", "Totals a tensor")
_LIMIT = 0.25
_LIMIT_S = 10.0


def measure_rebuild(tell: Callable[[str], None]) -> list[Measure]:
    """Two ratios of both builds, in a copy of the project; the second shows the edit or the measure means nothing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        unneeded = shutil.ignore_patterns(".*", "build", "tests", "__pycache__")
        shutil.copytree(PACKAGE.parent, copy, ignore=unneeded)
        tell("building the site")
        full = _build(copy)
        record = copy / _RECORD
        text = record.read_text(encoding="utf-8")
        record.write_text(text.replace(*_EDIT), encoding="utf-8")
        os.sync()  # two gigabytes of the first build are still being written to the disk, which is none of the edit's work
        tell("building it again after an edit")
        again = _build(copy)
        pages = [
            page for page in (copy / "build" / "site" / "en").rglob("*.html") if _EDIT[1] in page.read_text("utf-8")
        ]
        if not pages:
            raise SystemExit(f"bench: after the edit no page says {_EDIT[1]!r}: the second build did not notice it")
    what = "building the site again after one edited record"
    return [
        Measure(what, "a full build", again, full, _LIMIT),
        Measure(what, "what it may take", again, _LIMIT_S, 1.0),
    ]


def _build(copy: Path) -> float:
    command = [sys.executable, "-m", "apidiff.site_builder", "build"]
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True, text=True, timeout=900
    )
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command)} failed:\n{done.stderr}")
    return time.perf_counter() - start
