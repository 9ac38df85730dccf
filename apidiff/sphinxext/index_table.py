"""The node of the index of all mappings, and the script that its page needs."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from apidiff.sphinxext.index_html import table_html


class index_table(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """All mappings as rows: ``index`` holds them, ``language`` is the page's."""

    def astext(self) -> str:
        """Nothing: what is in the rows is found on the pages that they lead to."""
        return ""


def add_script(
    app: Sphinx, _pagename: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the element's script on pages with a table."""
    if doctree is not None and next(iter(doctree.findall(index_table)), None) is not None:
        app.add_js_file("elements/table.js", loading_method="defer")


def _write(self: Any, node: nodes.Element) -> None:
    builder, here = self.builder, self.builder.current_docname

    def link(mapping_id: str, part: str) -> str:
        address = builder.get_relative_uri(here, f"mappings/{mapping_id}")
        return f"{address}#{part}" if part else str(address)

    self.body.append(table_html(node["index"], node["language"], link))
    raise nodes.SkipNode


def _close(self: Any, node: nodes.Element) -> None:
    pass


HTML_VISITORS = (_write, _close)
