"""The site at about a thousand mappings: its build against plain Sphinx, its growth, and a build after one edit.

The mappings are made up from the real ones (`tests.bench.synthetic`); plain Sphinx builds the same text, in both
languages at once as the site's build does (`tests.bench.plain_site`). It takes several times as long, so the two are
compared at a fifth of the mappings; the growth of the site's own build is what ties that to the whole.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from apidiff.database.paths import PACKAGE
from tests.bench.clock import Spent, run_timed
from tests.bench.measure import Measure
from tests.bench.plain_site import LANGUAGES, plain_build, write_plain
from tests.bench.synthetic import make_project

_MAPPINGS = 1000
_SMALLER = 5  # how many times fewer there are in the build that growth is seen from
_RECORD = "apidiff/data/mappings/torch/distributed/reduce.yaml"
_EDIT = ("Reduces a tensor", "Totals a tensor")
_PLAIN_LIMIT = 1.3
_GROWTH_LIMIT = 1.5
_EDIT_LIMIT = 0.1


def measure_site(tell: Callable[[str], None]) -> list[Measure]:
    """Three ratios. ``BENCH_SETS`` in the environment says how many times the real mappings stand in the larger build,
    ``BENCH_CLOCK=processor`` that processor time counts, which other programs on the machine do not add to."""
    clock = os.environ.get("BENCH_CLOCK", "wall")
    real = len(list((PACKAGE / "data" / "mappings").rglob("*.yaml")))
    sets = int(os.environ.get("BENCH_SETS", "0")) or -(-_MAPPINGS // real)
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small", Path(folder) / "large"
        few, many = make_project(small, max(1, sets // _SMALLER)), make_project(large, sets)
        tell(f"building the site of {few} mappings")
        first = _seconds(_build(small), clock)
        tell(f"building the site of {many} mappings")
        full = _seconds(_build(large), clock)
        tell("building it again after an edit")
        again = _seconds(_edited(large), clock)
        tell(f"building the text of {few} mappings with plain Sphinx")
        plain = _seconds(_plain(small), clock)
    return [
        Measure(f"building the site of {few} mappings, 2 languages", "plain Sphinx", first, plain, _PLAIN_LIMIT),
        Measure(
            f"building the site, as of {few} of {many} mappings", f"of {few}", full * few / many, first, _GROWTH_LIMIT
        ),
        Measure(f"building the site of {many} again after one edit", "a full build", again, full, _EDIT_LIMIT),
    ]


def _seconds(spent: Spent, clock: str) -> float:
    return spent.processor if clock == "processor" else spent.wall


def _build(project: Path) -> Spent:
    return run_timed([[sys.executable, "-m", "apidiff.site_builder", "build"]], project)


def _edited(project: Path) -> Spent:
    """The second build; it shows the edit or the measure means nothing."""
    record = project / _RECORD
    record.write_text(record.read_text("utf-8").replace(*_EDIT), "utf-8")
    spent = _build(project)
    page = project / "build" / "site" / "en" / "mappings" / "torch.distributed.reduce.html"
    if _EDIT[1] not in page.read_text("utf-8"):
        raise SystemExit(f"bench: after the edit {page.name} does not say {_EDIT[1]!r}: the build did not notice it")
    return spent


def _plain(project: Path) -> Spent:
    commands: list[Sequence[str]] = []
    for language in LANGUAGES:
        write_plain(project, language)
        commands.append(plain_build(project, language))
    return run_timed(commands, project)
