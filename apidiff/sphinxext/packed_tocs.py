"""Keeps the table of contents of every page packed until the page needs it.

Sphinx pickles what it knows of all pages at the end of a build and reads it at the beginning of the next. Of the
four thousand pages few are read again, but their tables of contents, trees of objects, took two thirds of that time.
"""

from __future__ import annotations

import pickle
from collections import UserDict
from collections.abc import Mapping
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


class PackedTocs(UserDict[str, "nodes.bullet_list | bytes"]):
    """Page → its table of contents: one that was read from the file of the former build is a tree once it is asked for."""

    def __getitem__(self, page: str) -> nodes.bullet_list:
        toc = self.data[page]
        if isinstance(toc, bytes):
            toc = self.data[page] = pickle.loads(toc)  # noqa: S301 - a part of the file that Sphinx unpickles
        return toc

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_packed, ({page: _packed(toc) for page, toc in self.data.items()},)


def pack_tocs(app: Sphinx) -> None:
    """Have Sphinx keep its tables of contents packed."""
    tocs: Mapping[str, nodes.bullet_list] = app.env.tocs
    if not isinstance(tocs, PackedTocs):
        app.env.tocs = PackedTocs(tocs)  # type: ignore[assignment]


def _of_packed(packed: dict[str, bytes]) -> PackedTocs:
    tocs = PackedTocs()
    tocs.data.update(packed)
    return tocs


def _packed(toc: nodes.bullet_list | bytes) -> bytes:
    return toc if isinstance(toc, bytes) else pickle.dumps(toc, pickle.HIGHEST_PROTOCOL)
