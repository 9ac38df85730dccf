"""Shows parts of a page for some versions only: known releases, and nodes that carry the releases they are shown for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec
from docutils import nodes

from apidiff.model.base import Record
from apidiff.model.ranges import first_shown, holds, spans, told
from apidiff.model.version import Version

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
    """Return the attributes that a node carries."""
    attributes: Attributes = node.get("carried", {})
    return attributes


def carry(node: nodes.Element, **attributes: str) -> None:
    """Make a node carry attributes; '_' in a name stands for '-'."""
    node["carried"] = carried(node) | {name.replace("_", "-"): value for name, value in attributes.items()}


def _like(kind: str, tag: str) -> Callable[[Any, nodes.Element], None]:
    """Make a visitor that writes what Sphinx writes for ``kind``, with the attributes in its tag."""

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


class Releases(Record, frozen=True, kw_only=True):
    """What is known of versions, by framework, newest first.

    ``known``: every release that a reader can choose. ``signed``: those whose signatures were read. ``run``: those of which
    there are run records.
    """

    known: dict[str, list[str]] = {}
    signed: dict[str, list[str]] = {}
    run: dict[str, list[str]] = {}

    def first(self, framework: str) -> str:
        """Return the release that is shown until another is chosen: the newest that was run; empty where none is known."""
        return first_shown(self.known.get(framework, []), self.run.get(framework, []))

    def spans(self, framework: str, versions: Collection[str]) -> str:
        """Write the known releases among ``versions`` as spans, newest first: ``2.9.0..2.10.0 2.4.1``; empty for none."""
        return spans(self.known.get(framework, []), versions)

    def between(self, framework: str, since: str | None, until: str | None) -> list[str]:
        """List the known releases of a range, each end read at its precision (2.8 takes in 2.8.1), open where None."""
        return [release for release in self.known.get(framework, []) if holds(since, until, Version(release))]

    def told(self, framework: str, text: str) -> list[str]:
        """List the known releases of ranges as text: ``≥ 2.6``, ``≤ 2.0, 2.4 – 2.8``."""
        return told(self.known.get(framework, []), text)

    def others(self, framework: str, versions: Collection[str]) -> list[str]:
        """List the known releases that are not among ``versions``."""
        return [release for release in self.known.get(framework, []) if release not in versions]

    def without(self, framework: str, versions: Collection[str]) -> Releases:
        """Return what is known where the signatures of ``versions`` tell nothing."""
        left = [release for release in self.signed.get(framework, []) if release not in versions]
        return msgspec.structs.replace(self, signed={**self.signed, framework: left})

    def read_for(self, framework: str) -> dict[str, list[str]]:
        """List for each release with signatures the known releases that it speaks for: itself and those up to the next."""
        signed = [(Version(release), release) for release in self.signed.get(framework, [])]
        read: dict[str, list[str]] = {release: [] for _, release in signed}
        for release in self.known.get(framework, []):
            nearest = next((older for version, older in signed if version <= Version(release)), None)
            if nearest is not None:
                read[nearest].append(release)
        return read
