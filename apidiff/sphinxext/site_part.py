"""Chooses what a part of the site shows: a site for looking at pages and testing them, which builds in a fraction of the time.

A part has all pages there are one of, and some of the mappings; traces of recorded calls it shows of fewer. A link to what is
left out is plain words, as on the site itself where nothing is known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from apidiff.database import Data
from apidiff.model.mapping import Mapping
from apidiff.sphinxext.site_content import Content

GENERATED = frozenset({"mappings", "runs", "evidence", "api"})
"""The folders that a build writes below the sources of a language."""


@dataclass(frozen=True)
class SitePart:
    """Some of the mappings: those of which ``due`` says so, by ID, and those that ``always`` names, by ID or by a target.

    ``traced``: those with traces, beside those that are due.
    """

    due: Callable[[str], bool]
    always: Collection[str] = ()
    traced: Collection[str] = ()

    def _chosen(self, mapping: str) -> bool:
        return mapping in self.always or self.due(mapping)

    def of_data(self, data: Data) -> Data:
        """Leave out what is not shown.

        With a mapping the one is shown that holds the claims of its target, where several share it, and always those that
        MindSpore APIs without a source of their own name as the nearest.
        """
        shown: set[str] = set()
        wanted = {name for alone in data.mindspore_only.values() for name in alone.nearest}
        wanted |= {key for key, mapping in data.mappings.items() if self._chosen(key) or self._names_target(mapping)}
        while wanted:
            shown |= wanted
            targets = [target for key in wanted for target in data.mappings[key].targets]
            wanted = {holder for target in targets if (holder := target.api.defined_in)} - shown
        return dataclasses.replace(data, mappings={key: data.mappings[key] for key in data.mappings if key in shown})

    def _names_target(self, mapping: Mapping) -> bool:
        return any(target.api.name in self.always for target in mapping.targets)

    def of_content(self, content: Content) -> Content:
        """Leave out traces that are not shown."""
        traced = {key for key in content.entries if key in self.traced or self.due(key)}
        return replace(content, traced=frozenset(traced))


def mirror_sources(root: Path, mirror: Path, languages: Collection[str]) -> None:
    """Lay out links to the site's sources below ``mirror``, so that a part writes its stubs beside them and not in ``root``.

    Args:
        root: the checkout.
        mirror: the folder of the part; links of an earlier build may be there, also of the checkout that ``root`` is a copy of.
        languages: folders below ``docs``.
    """
    _link(root / "apidiff", mirror / "apidiff")
    _link(root / "executable_examples", mirror / "executable_examples")
    for language in languages:
        folder = mirror / "docs" / language
        folder.mkdir(parents=True, exist_ok=True)
        sources = {path.name: path for path in (root / "docs" / language).iterdir() if path.name not in GENERATED}
        for stale in folder.iterdir():
            if stale.is_symlink() and stale.name not in sources:
                stale.unlink()
        for name, path in sources.items():
            _link(path, folder / name)


def _link(goal: Path, link: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.is_symlink():
        if link.readlink() == goal:
            return
        link.unlink()
    link.symlink_to(goal)
