"""Measures everything and prints one table. Exit code 1 where a limit is missed.

Arguments choose what is measured: ``lookup``, ``validate``, ``census``, ``conditions``, ``growth``, ``rebuild``, ``search``,
``table``, ``scan``, ``changed``, ``names``, ``port``, ``editor``, ``agent``, ``site``, ``weight``, ``samples``, ``verify``,
``faults``; all without arguments. Folders may stand among them: those on whose code ``names`` is measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.bench.agent import measure_agent
from tests.bench.answer import measure_lookup
from tests.bench.census_shares import measure_census
from tests.bench.changed_files import measure_changed_files
from tests.bench.condition_checks import measure_conditions
from tests.bench.editor import measure_editor
from tests.bench.faults import measure_faults
from tests.bench.growth import measure_growth
from tests.bench.measure import Measure
from tests.bench.names import measure_names
from tests.bench.port import measure_port
from tests.bench.rebuild import measure_rebuild
from tests.bench.samples import measure_samples
from tests.bench.scan import measure_scan
from tests.bench.search import measure_search
from tests.bench.site_build import measure_site
from tests.bench.table import measure_table
from tests.bench.validation import measure_validation
from tests.bench.verification import measure_verification
from tests.bench.weight import measure_weight

_folders: list[Path] = []  # on whose code names are measured
_MEASURES: dict[str, Callable[[Callable[[str], None]], list[Measure]]] = {
    "lookup": lambda tell: measure_lookup(),
    "validate": lambda tell: [measure_validation()],
    "census": measure_census,
    "conditions": measure_conditions,
    "growth": measure_growth,
    "rebuild": measure_rebuild,
    "search": measure_search,
    "table": measure_table,
    "scan": measure_scan,
    "changed": lambda tell: [measure_changed_files()],
    "names": lambda tell: measure_names(tell, _folders),
    "port": measure_port,
    "editor": measure_editor,
    "agent": measure_agent,
    "site": measure_site,
    "weight": measure_weight,
    "samples": measure_samples,
    "verify": lambda tell: [measure_verification(tell)],
    "faults": lambda tell: [measure_faults(tell)],
}


def main(chosen: list[str]) -> int:
    _folders[:] = [Path(name) for name in chosen if name not in _MEASURES and Path(name).is_dir()]
    chosen = [name for name in chosen if Path(name) not in _folders]
    if unknown := set(chosen) - set(_MEASURES):
        sys.stderr.write(f"bench: no measure {', '.join(sorted(unknown))}. There are: {', '.join(_MEASURES)}.\n")
        return 2
    notes = Console(stderr=True, highlight=False, markup=False)
    found: list[Measure] = []
    for name in chosen or _MEASURES:
        notes.print(f"bench: {name}")
        found += _MEASURES[name](lambda text: notes.print(f"  {text}"))
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("measured, and what it is compared with")
    for title in ("measured", "ratio", "at most", ""):
        table.add_column(title, justify="right", no_wrap=True)
    for one in found:
        met = Text("met", "green") if one.met else Text("MISSED", "bold red")
        table.add_row(one.what, _shown(one.seconds, one.unit), f"{one.ratio:.2f}", f"{one.limit:.2f}", met)
        table.add_row(f"  {one.baseline}", _shown(one.baseline_seconds, one.unit), end_section=True)
    Console(markup=False).print(table)
    return 0 if all(one.met for one in found) else 1


def _shown(value: float, unit: str) -> str:
    digits = 0 if isinstance(value, int) else 3 if value < 1 else 1
    return f"{value:.{digits}f} {unit}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
