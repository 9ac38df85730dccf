"""Measures how many tensor methods a scan finds, and how many of those that it tells are right.

They are compared with labels that a person gave, reading PyTorch's own modules, before a scan had seen them
(`tensor_methods.csv`).
"""

from __future__ import annotations

import csv
import importlib.metadata
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from apidiff.model.source_names import SourceNames
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import ScannedFile, scan_tree

LABELLED_VERSION = "2.13.0"
_LABELS = Path(__file__).with_name("tensor_methods.csv")


class Accuracy(NamedTuple):
    """``recall``: of what is there, how much is found. ``precision``: of what is told, how much is there."""

    wanted: int
    told: int
    right: int
    missed: list[str]
    wrong: list[str]

    @property
    def recall(self) -> float:
        return self.right / self.wanted

    @property
    def precision(self) -> float:
        return self.right / self.told

    def __str__(self) -> str:
        return f"recall {self.recall:.3f} of {self.wanted}, precision {self.precision:.3f} of {self.told}"


def torch_folder() -> Path | None:
    """The folder of the installed PyTorch whose files were labelled; None where it is another or none."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return None
    version = importlib.metadata.version("torch").partition("+")[0]
    return Path(found.origin).parent if version == LABELLED_VERSION else None


def scanned(folder: Path, files: Sequence[str], names: SourceNames) -> list[ScannedFile]:
    return scan_tree(find_sources([folder / file for file in files])[0], names, jobs=1)


def tensor_methods(folder: Path, names: SourceNames) -> Accuracy:
    """Compare with the labels."""
    with _LABELS.open(newline="") as content:
        rows = [
            (row["file"], int(row["line"]), int(row["end_column"]), row["method"], row["of_a_tensor"])
            for row in csv.DictReader(content)
        ]
    labels = {row[:4]: row[4] == "yes" for row in rows}
    told = {
        (
            Path(file.names.path).relative_to(folder).as_posix(),
            one.span.end_line,
            one.span.end_column,
            one.name.rpartition(".")[2],
        )
        for file in scanned(folder, sorted({row[0] for row in rows}), names)
        for one in file.references
        if one.role == "call" and not one.possible and one.name.startswith("torch.Tensor.")
    }
    told &= labels.keys()
    wanted = {place for place, is_tensor in labels.items() if is_tensor}
    return _compared(wanted, told)


def _compared(wanted: set[tuple[str, int, int, str]], told: set[tuple[str, int, int, str]]) -> Accuracy:
    def shown(places: set[tuple[str, int, int, str]]) -> list[str]:
        return [f"{file}:{line}:{column} {name}" for file, line, column, name in sorted(places)]

    return Accuracy(len(wanted), len(told), len(wanted & told), shown(wanted - told), shown(told - wanted))
