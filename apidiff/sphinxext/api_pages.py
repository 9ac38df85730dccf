"""Renders pages of this package's own modules: autodoc2's, with headings in the page's language and anchors of their own."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar

from autodoc2.config import Config
from autodoc2.db import InMemoryDb
from autodoc2.render.myst_ import MystRenderer
from autodoc2.utils import ItemData
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config as SphinxConfig
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

from apidiff.messages.labels import label
from apidiff.model.base import Language

# What autodoc2 calls the parts of a page, and their anchors.
_PARTS = {
    "## Subpackages": "subpackages",
    "## Submodules": "submodules",
    "## Package Contents": "contents",
    "## Module Contents": "contents",
    "### Classes": "classes",
    "### Functions": "functions",
    "### Data": "data",
    "### External": "external",
    "### API": "members",
}


class _Database(InMemoryDb):
    """autodoc2's database with the children of every item listed: that goes through all items for each one's."""

    def __init__(self, plain: InMemoryDb) -> None:
        self._items, self._overloads = plain._items, plain._overloads
        self._children = _by_parent(plain, len(plain._items))

    def get_children(
        self, full_name: str, types: set[str] | None = None, *, sort_name: bool = False
    ) -> Iterable[ItemData]:
        """List the children of an item, in the order in which they were added or by name."""
        children = [item for item in self._children.get(full_name, ()) if types is None or item["type"] in types]
        return sorted(children, key=lambda item: item["full_name"]) if sort_name else children


@lru_cache(maxsize=1)
def _by_parent(plain: InMemoryDb, _count: int) -> Mapping[str, list[ItemData]]:
    """List all items by the one that each is in; once for all pages of a package, whose items were counted."""
    children: dict[str, list[ItemData]] = defaultdict(list)
    for name, item in plain._items.items():
        children[name.rpartition(".")[0]].append(item)
    return children


class EnglishRenderer(MystRenderer):
    """autodoc2's Markdown with an anchor before every heading."""

    language: ClassVar[Language] = "en"

    def __init__(self, db: InMemoryDb, config: Config, **rest: Any) -> None:
        super().__init__(_Database(db), config, **rest)

    def render_package(self, item: ItemData) -> Iterable[str]:
        """Render the page of a package or module, line by line."""
        return self._labelled(item["full_name"], super().render_package(item))

    def _labelled(self, name: str, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            part = _PARTS.get(line)
            if part:
                yield f"({name}--{part})="
                yield f"{line.partition(' ')[0]} {label(f'autodoc.{part}', self.language)}"
            else:
                yield f"({name})=\n{line}" if line.startswith("# {py:mod}") else line


class ChineseRenderer(EnglishRenderer):
    """The same with Chinese headings; docstrings stay as they are in the source."""

    language: ClassVar[Language] = "zh"


def resolve_annotation(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, contnode: nodes.Element
) -> nodes.reference | None:
    """Resolve links of annotations that Sphinx does not find by itself.

    An annotation names a class where it was imported from (``apidiff.model.Api``), while its page has it where it is
    defined (``apidiff.model.mapping.Api``); and a type alias is data, which the role for classes never matches.
    """
    if node.get("refdomain") != "py":
        return None
    domain = env.domains.python_domain
    package, _, name = node["reftarget"].rpartition(".")
    module = package or node.get("py:module") or ""
    if not is_documented(app.config, module):  # it is imported below
        return None
    documented = _documented(env).get(name, [])
    meant = _value(f"{module}.{name}")
    names = [full for full in documented if meant is not None and _value(full) is meant] or documented
    if len(names) != 1:
        return None
    goal = domain.objects[names[0]]
    return make_refnode(app.builder, node["refdoc"], goal.docname, goal.node_id, contnode, names[0])


def is_documented(config: SphinxConfig, module: str) -> bool:
    """Whether autodoc2 writes pages of the package that a module is in; of the rest of the code nothing is imported."""
    return any(f"{module}.".startswith(f"{package}.") for package in documented_packages(config))


def documented_packages(config: SphinxConfig) -> list[str]:
    """The names of the packages and modules that autodoc2 writes pages of."""
    return [package["module"] for package in getattr(config, "autodoc2_packages", [])]


@lru_cache(maxsize=1)
def _documented(env: BuildEnvironment) -> Mapping[str, list[str]]:
    """List the package's documented names by their last part; references are resolved when all pages have been read."""
    names: dict[str, list[str]] = defaultdict(list)
    for full in env.domains.python_domain.objects:
        if full.startswith("apidiff."):
            names[full.rpartition(".")[2]].append(full)
    return names


def _value(full_name: str) -> object:
    """Import what a name stands for; None where it is no member of a module."""
    module, _, name = full_name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
