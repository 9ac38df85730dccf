"""The pages of made-up mappings: their build's growth from 500 to 2,300, its ratio to plain Sphinx, and a build after one edit.

Plain Sphinx builds the same text, in both languages at once as the site's build does (`tests.bench.plain_site`). It takes
longer, so the two are compared at the smaller number; the growth of the site's own build is what ties that to the whole.
What no mapping at all takes (guides, this package's own pages) is left out of the growth.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from apidiff.database.paths import PACKAGE
from apidiff.model.base import Text
from apidiff.sphinxext import site_content
from apidiff.sphinxext.site_content import Content
from tests.bench.clock import Spent, run_timed
from tests.bench.made_up_pages import LANGUAGES, MadeUpSite, made_up
from tests.bench.measure import Measure
from tests.bench.plain_site import plain_build, write_plain

_COUNTS = (500, 2300)
_PLAIN_LIMIT = 1.0
_GROWTH_LIMIT = 1.2
_WHOLE_LIMIT_S = 300.0
_EDIT_LIMIT_S = 10.0
_EDITED = "Something else that this does."


def measure_site(tell: Callable[[str], None]) -> list[Measure]:
    """Four ratios. ``BENCH_COUNTS`` in the environment gives other numbers of mappings, such as 50,200; with
    ``BENCH_CLOCK=processor`` half the processor time counts, which is what two cores of their own would take."""
    clock = os.environ.get("BENCH_CLOCK", "wall")
    few, many = map(int, os.environ.get("BENCH_COUNTS", ",".join(map(str, _COUNTS))).split(","))
    content = site_content.load()
    with tempfile.TemporaryDirectory() as folder:
        spent: dict[int, float] = {}
        for count in (0, few, many):
            tell(f"building the pages of {count} mappings")
            shown = made_up(content, count)
            site = MadeUpSite(shown, _made(Path(folder) / str(count)))
            spent[count] = _seconds(site.build(), clock)
            if count == few:
                tell(f"building the text of {count} mappings with plain Sphinx")
                plain = _seconds(_plain(site), clock)
        tell("building them again after an edit")
        again = _seconds(_edited(site, shown), clock)
    fixed, first, full = (spent[count] for count in (0, few, many))
    return [
        Measure(f"building the pages of {few} mappings, 2 languages", "plain Sphinx", first, plain, _PLAIN_LIMIT),
        Measure(
            f"a mapping of {many}, without what none takes ({fixed:.1f} s)",
            f"one of {few}",
            (full - fixed) / many,
            (first - fixed) / few,
            _GROWTH_LIMIT,
        ),
        Measure(f"building the pages of {many} mappings, 2 languages", "what it may take", full, _WHOLE_LIMIT_S, 1.0),
        Measure(f"the pages of {many} again after one edit", "what it may take", again, _EDIT_LIMIT_S, 1.0),
    ]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _seconds(spent: Spent, clock: str) -> float:
    return spent.processor / 2 if clock == "processor" else spent.wall


def _edited(site: MadeUpSite, content: Content) -> Spent:
    """The second build; it shows the edit or the measure means nothing."""
    name = min(content.entries)
    entry = replace(content.entries[name], summary=Text(en=_EDITED, zh=_EDITED))
    site.content = replace(content, entries=content.entries | {name: entry})
    spent = site.build()
    page = site.folder / "site" / "en" / "mappings" / f"{name}.html"
    if _EDITED not in page.read_text("utf-8"):
        raise SystemExit(f"bench: after the edit {page.name} does not say {_EDITED!r}: the build did not notice it")
    return spent


def _plain(site: MadeUpSite) -> Spent:
    commands: list[Sequence[str]] = []
    for language in LANGUAGES:
        write_plain(site.doctrees(language), site.folder / "plain" / language)
        commands.append(plain_build(site.folder / "plain" / language, LANGUAGES[language]))
    return run_timed(commands, PACKAGE.parent)
