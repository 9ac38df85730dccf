"""Which share of the names that real code uses is answered, and which by an answer that was run.

``census/`` holds what was counted in November 2026: references to PyTorch's names in the Python source of three libraries,
and calls of each name that is a method of a Tensor, whatever they are called on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from apidiff.database.census import read_census
from apidiff.lookup.cache import open_index
from apidiff.lookup.census import census_report
from tests.bench.measure import Measure

_FOLDER = Path(__file__).parent / "census"
_UNANSWERED = 0.02
_NOT_RUN = 0.1


def measure_census(tell: Callable[[str], None]) -> list[Measure]:
    """Return for each census two ratios, of references without an answer and of those without one that was run."""
    index, found = open_index(), []
    for path in sorted(_FOLDER.glob("*.csv")):
        report = census_report(index, read_census(path))
        answered, run = report.share(report.answered), report.share(report.run)
        tell(
            f"{path.stem}: {report.references} references, answered {answered:.2f} %, by an answer that was run {run:.2f} %"
        )
        for what, count, limit in (
            ("without an answer", report.references - report.answered, _UNANSWERED),
            ("without an answer that was run", report.references - report.run, _NOT_RUN),
        ):
            every = f"all references of {path.stem}"
            found.append(Measure(f"references {what} ({path.stem})", every, count, report.references, limit, unit=""))
    return found
