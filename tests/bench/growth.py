"""Whether time grows with the number of records and no faster: 10 and 100 times as many, made up."""

from __future__ import annotations

import dataclasses
import gc
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from apidiff.database import Data, load
from apidiff.database.checks import check_coverage, check_records
from apidiff.database.paths import DATA
from apidiff.lookup.entry import entries
from tests.bench.measure import Measure

S = TypeVar("S")
T = TypeVar("T")

_LIMIT = 1.5
_TIMES = (10, 100)
# The target is a real one, so that its claims meet the traces of real runs.
_RECORD = """\
category: collective
summary: {{en: "Reduces a tensor over all ranks, number {number}.", zh: "对所有 rank 上的张量做规约操作，编号 {number}。"}}
source:
  probes:
    sync: {{set: {{tensor: {{shape: [2]}}}}}}
    async: {{like: sync, set: {{async_op: true}}}}
  claims:
    writes-tensor: {{writes: tensor, by: [sync, async]}}
    holds-sum: {{result: sum, at: tensor, of: tensor, by: [sync, async]}}
    returns-none: {{returns: None, by: sync}}
targets:
  mindspore.mint.distributed.all_reduce:
    since: "2.7"
    probes:
      sync: {{set: {{tensor: {{shape: [3]}}}}}}
      async: {{like: sync, set: {{async_op: true}}}}
    claims:
      writes-tensor: {{writes: tensor, by: [sync, async]}}
      holds-sum: {{result: sum, at: tensor, of: tensor, by: [sync, async]}}
      returns-none: {{returns: None, by: sync}}
    has: [group]
    parameters:
      op: {{note: {{en: "By default `sum`.", zh: "默认为 `sum`。"}}}}
    differences:
      in-place: {{kind: in_place, risk: silent, source: writes-tensor, target: writes-tensor}}
"""


def measure_growth(tell: Callable[[str], None]) -> list[Measure]:
    """Two ratios of the time a record takes: of validating, and of building entries.

    It is the processor's time, which other programs do not add to. What no record at all takes is left out of both.
    """
    real = load()
    counts = [times * len(real.mappings) for times in _TIMES]
    validated, built = [], []
    for count in (0, *counts):
        tell(f"{count} records")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "data"
            _make(root, count)
            data, seconds = _timed(_validated, root)
        validated.append(seconds)
        built.append(_timed(entries, dataclasses.replace(data, runs=real.runs))[1])
        del data
    return [
        Measure(
            f"{what} {counts[1]} records made up, processor time of {counts[0]}",
            f"{what} {counts[0]}",
            (seconds[2] - seconds[0]) * counts[0] / counts[1],
            seconds[1] - seconds[0],
            _LIMIT,
        )
        for what, seconds in (("validating", validated), ("building entries of", built))
    ]


def _make(root: Path, count: int) -> None:
    for name in ("documents.yaml", "frameworks.yaml"):
        root.mkdir(exist_ok=True)
        shutil.copy(DATA / name, root / name)
    shutil.copytree(DATA / "signatures", root / "signatures")
    folder = root / "mappings" / "torch" / "distributed"
    folder.mkdir(parents=True)
    for number in range(count):
        text = _RECORD.format(number=number)
        (folder / f"made_up_{number}.yaml").write_text(text, encoding="utf-8")


def _validated(root: Path) -> Data:
    data = load(root)
    check_records(data)
    check_coverage(data)
    return data


def _timed(what: Callable[[S], T], given: S) -> tuple[T, float]:
    gc.collect()
    start = time.process_time()
    found = what(given)
    return found, time.process_time() - start
