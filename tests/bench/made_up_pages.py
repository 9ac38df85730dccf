"""A site whose mappings of single calls are copies of real ones, as many as are asked for, without other records.

A copy has the entry of a real mapping under another name, so its pages are as heavy as the real one's. Runs and what is
recorded of collectives are left out, as they do not grow with the mappings.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from msgspec.structs import replace

from apidiff.database.paths import PACKAGE
from apidiff.model.views import Entry
from apidiff.model.vocabulary import Execution
from apidiff.sphinxext.build_cache import BuildCache
from apidiff.sphinxext.site_content import Content
from apidiff.sphinxext.site_part import mirror_sources
from tests.bench.clock import Spent, run_timed

LANGUAGES = {"en": "en", "zh-cn": "zh"}
_ROOT = PACKAGE.parent


def made_up(content: Content, mappings: int) -> Content:
    """Return ``content`` with so many mappings of single calls and no others."""
    real = [entry for entry in content.entries.values() if entry.execution == Execution.SINGLE.value]
    # Spread over all kinds: neighbours in the alphabet are alike.
    step = next(step for step in count(997) if len(real) % step)
    spread = [real[number * step % len(real)] for number in range(len(real))]
    entries = {entry.id: entry for entry in islice(_copies(spread), mappings)}
    return replace(
        content,
        entries=dict(sorted(entries.items())),
        runs={},
        single_runs={},
        signed={},
        pictures={},
        calls={},
        records={},
    )


def _copies(real: list[Entry]) -> Iterator[Entry]:
    yield from real
    for number in count(2):
        for entry in real:
            yield replace(entry, id=f"{entry.id}_{number}", source=f"{entry.source}_{number}")


class MadeUpSite:
    """Builds of both languages of ``content`` below ``folder``, as `apidiff.site_builder` calls Sphinx."""

    def __init__(self, content: Content, folder: Path) -> None:
        self.folder, self.content = folder, content
        mirror_sources(_ROOT, folder / "sources", list(LANGUAGES.values()))

    def doctrees(self, language: str) -> Path:
        """Return the folder of what Sphinx keeps of a language."""
        return self.folder / "doctrees" / language

    def build(self) -> Spent:
        """Derive what pages show of the content, and build what changed.

        References to what was left out are plain words: no warning ends the build.
        """
        start, worked = time.perf_counter(), time.process_time()
        BuildCache(self.folder / "derived").publish(self.content)
        wall, processor = time.perf_counter() - start, time.process_time() - worked
        pages = run_timed([self._command(language) for language in LANGUAGES], _ROOT)
        return Spent(wall + pages.wall, processor + pages.processor)

    def _command(self, language: str) -> list[str]:
        words = LANGUAGES[language]
        command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "1", "-t", words, "-q"]
        command += [
            "-D",
            f"apidiff_derived={self.folder / 'derived'}",
            "-D",
            "exclude_patterns=guide/**,api/**",
        ]
        command += ["-D", "autodoc2_render_plugin=myst", "-c", str(_ROOT / "conf"), "-d", str(self.doctrees(language))]
        return [*command, str(self.folder / "sources" / "docs" / words), str(self.folder / "site" / language)]
