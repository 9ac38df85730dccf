"""Nodes that are shown for some versions only: they carry the spans of these and, where the newest pair is none, `hidden`.

The element ``<apidiff-versions>`` shows and hides them by the versions that the reader chose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes

Attributes = dict[str, str]


class marked_section(nodes.section):  # noqa: N801 - docutils names nodes in lower case
    """A section that carries attributes."""


class marked_row(nodes.row):  # noqa: N801
    """A row of a table that carries attributes."""


class marked_item(nodes.list_item):  # noqa: N801
    """An item of a list that carries attributes."""


class marked_inline(nodes.inline):  # noqa: N801
    """Words in a line that carry attributes."""


class custom_element(nodes.General, nodes.Element):  # noqa: N801
    """A custom element, empty but for its attributes: ``name`` is its tag."""


def carried(node: nodes.Element) -> Attributes:
    """The attributes that a node carries."""
    found: Attributes = node.get("carried", {})
    return found


def carry(node: nodes.Element, **attributes: str) -> None:
    """Make a node carry attributes; '_' in a name stands for '-'."""
    node["carried"] = carried(node) | {name.replace("_", "-"): value for name, value in attributes.items()}


def _like(kind: str, tag: str) -> Callable[[Any, nodes.Element], None]:
    """A visitor that writes what Sphinx writes for ``kind``, with the attributes in its tag."""

    def visit(self: Any, node: nodes.Element) -> None:
        getattr(self, f"visit_{kind}")(node)
        said = "".join(f' {name}="{self.attval(value)}"' for name, value in sorted(carried(node).items()))
        self.body[-1] = self.body[-1].replace(f"<{tag}", f"<{tag}{said}", 1)

    return visit


def _leave(kind: str) -> Callable[[Any, nodes.Element], None]:
    return lambda self, node: getattr(self, f"depart_{kind}")(node)


def _open_element(self: Any, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, node["name"], "", **carried(node)))


def _close_element(self: Any, node: nodes.Element) -> None:
    self.body.append(f"</{node['name']}>\n")


SHOWN_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {
    marked_section: (_like("section", "section"), _leave("section")),
    marked_row: (_like("row", "tr"), _leave("row")),
    marked_item: (_like("list_item", "li"), _leave("list_item")),
    marked_inline: (_like("inline", "span"), _leave("inline")),
    custom_element: (_open_element, _close_element),
}
