"""Scanning a tree against parsing the same files, on one core, and what a scan of names gets right."""

from __future__ import annotations

import ast
import gc
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from apidiff.lookup.cache import open_index
from apidiff.model.source_names import SourceNames
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import scan_tree
from tests.bench.measure import Measure

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "porting"))
from measured_names import tensor_methods, torch_folder

_LIMIT = 2.0
_TIMES = 5
_FOLDERS = ("nn", "optim", "distributions")


def measure_scan(tell: Callable[[str], None]) -> list[Measure]:
    """The best of a few times of each, in processor time. None where the labelled PyTorch is not installed."""
    folder = torch_folder()
    if folder is None:
        tell("the labelled PyTorch is not installed: nothing is scanned")
        return []
    names = open_index().source_names
    tell(f"tensor methods against labels: {tensor_methods(folder, names)}")
    paths = [folder / name for name in _FOLDERS]
    files = [Path(file.path) for file in find_sources(paths)[0]]
    # In turns, since what else the machine does slows both down.
    times = [(_scan(paths, names), _parse(files)) for _ in range(_TIMES)]
    return [
        Measure(
            f"scanning {len(files)} files of PyTorch (best of {_TIMES})",
            "parsing them with ast",
            min(scan for scan, _ in times),
            min(parse for _, parse in times),
            _LIMIT,
        )
    ]


def _scan(paths: list[Path], names: SourceNames) -> float:
    gc.collect()
    start = time.process_time()
    scan_tree(find_sources(paths)[0], names, jobs=1)
    return time.process_time() - start


def _parse(files: list[Path]) -> float:
    gc.collect()
    gc.disable()
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in files:
            ast.parse(path.read_bytes())
    gc.enable()
    return time.process_time() - start
