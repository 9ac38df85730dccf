"""Validating every record, as `apidiff check` does, against reading the same files."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import yaml

from apidiff.database import load
from apidiff.database.checks import check_coverage, check_records
from apidiff.database.paths import DATA
from tests.bench.measure import Measure

_LIMIT = 5.0
_TIMES = 3


def measure_validation() -> Measure:
    """The best of a few times of each, in processor time. Run records are left out: they are checked byte by byte."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "data"
        shutil.copytree(DATA, root, ignore=shutil.ignore_patterns("runs", "schema"))
        files = sorted(root.rglob("*.yaml"))
        records = len(list((root / "mappings").rglob("*.yaml")))
        return Measure(
            f"validating {records} records, without runs (best of {_TIMES})",
            f"reading the {len(files)} YAML files with libyaml",
            min(_validate(root) for _ in range(_TIMES)),
            min(_read(files) for _ in range(_TIMES)),
            _LIMIT,
        )


def _validate(root: Path) -> float:
    start = time.process_time()
    data = load(root)
    check_records(data)
    check_coverage(data)
    return time.process_time() - start


def _read(files: list[Path]) -> float:
    start = time.process_time()
    for path in files:
        yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return time.process_time() - start
