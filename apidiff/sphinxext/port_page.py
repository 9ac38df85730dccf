"""Builds the page for porting a snippet: its element, its scripts, and the data that it loads when it is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from apidiff.messages.labels import LABELS, label
from apidiff.model.base import Language
from apidiff.model.vocabulary import AnswerKind, DifferenceKind, Risk, Status
from apidiff.sphinxext.build_cache import BuildCache
from apidiff.sphinxext.languages import language_of
from apidiff.writers.exports.files import write_if_changed

DATA = "_port/data.js"
_PARSER = "_static/elements/port-parser.js"
_MARK = "apidiff-port"
_ENUMERATIONS = (("risk", Risk), ("status", Status), ("answer", AnswerKind), ("difference", DifferenceKind))


class port_panel(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """The custom element; its children are what a reader without script sees in its place."""


class PortDirective(SphinxDirective):
    """``apidiff-port``: the panel, with ``:rows:`` lines in its box; the content is for readers without script."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"rows": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        """Make the panel and note that this page needs its script."""
        self.env.metadata[self.env.docname][_MARK] = True
        return [port_panel("", *self.parse_content_to_nodes(), rows=self.options.get("rows"))]


def _words(language: Language) -> dict[str, str]:
    """Return the words of the element by key, without the prefix that tells them from those of other parts."""
    enumerated = [f"{prefix}.{member.value}" for prefix, enumeration in _ENUMERATIONS for member in enumeration]
    return {
        **{key.removeprefix("port."): label(key, language) for key in LABELS if key.startswith("port.")},
        **{key: label(key, language) for key in [*enumerated, "site.comma", "site.colon"]},
    }


def _open_panel(self: Any, node: nodes.Element) -> None:
    language = language_of(self.config).words
    words = json.dumps(_words(language), ensure_ascii=False, separators=(",", ":"))
    told = {"data-words": words, "data-table": DATA, "data-parser": _PARSER}
    if node["rows"]:
        told["data-rows"] = str(node["rows"])
    self.body.append(self.starttag(node, "apidiff-port", "", **told))


def _close_panel(self: Any, _node: nodes.Element) -> None:
    self.body.append("</apidiff-port>\n")


PORT_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {port_panel: (_open_panel, _close_panel)}


def add_port_script(
    app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the element's script on the pages that hold it and on no other."""
    if doctree is not None and _MARK in app.env.metadata.get(pagename, {}):
        app.add_js_file("elements/port.js", loading_method="defer")


def write_port_data(cache: BuildCache, outdir: Path, language: Language) -> None:
    """Write the data that the element loads, unless it is there already."""
    write_if_changed(outdir / DATA, cache.read(f"port/{language}", str).encode())
