"""The text of the built site as static Markdown pages, for plain Sphinx to build.

Each page is written from the doctree that the site's own build left: headings, paragraphs, lists, tables, code blocks and
links to other pages become what a person would type for them in Markdown. What is folded stands open. Left out is what
only costs the plain build more: anchors, links within a page and the colours of badges. Blocks in a cell of a table
stand in one line. So the plain build has all the text and somewhat less markup, which is to its advantage.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment

from apidiff.sphinxext.nodes import late

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&{}])")
_TICKS = re.compile(r"`+")


def write_pages(env: BuildEnvironment, folder: Path) -> int:
    """Write every page that ``env`` knows below ``folder``, with the same tables of contents. Returns how many."""
    pages = {
        (found.kind, found.name): docname
        for docname, all_found in env.domaindata["apidiff"]["defined"].items()
        for found in all_found
    }
    for docname in sorted(env.found_docs):
        page = _Page(docname, pages, env.found_docs)
        text = "\n\n".join(page.blocks(env.get_doctree(docname), 0))
        if held := env.toctree_includes.get(docname):
            text += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(f"/{name}" for name in held) + "\n```"
        path = folder / f"{docname}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", "utf-8")
    return len(env.found_docs)


class _Page:
    """Writes one page."""

    def __init__(self, docname: str, pages: Mapping[tuple[str, str], str], known: Collection[str]) -> None:
        self.docname, self.pages, self.known = docname, pages, known

    def blocks(self, parent: nodes.Element, depth: int) -> Iterator[str]:
        """What stands in ``parent``, a block at a time; ``depth``: how many sections are around it."""
        line: list[nodes.Node] = []
        for child in parent.children:
            if isinstance(child, nodes.Text | nodes.Inline | addnodes.pending_xref):
                line.append(child)
                continue
            if text := self.inline(line):
                yield text
            line = []
            yield from self.block(child, depth)
        if text := self.inline(line):
            yield text

    def block(self, node: nodes.Node, depth: int) -> Iterator[str]:
        match node:
            case nodes.section():
                yield from self.blocks(node, depth + 1)
            case nodes.title() | nodes.rubric():
                yield f"{'#' * max(1, min(depth, 6))} {self.inline(node.children)}"
            case late():
                holder = nodes.Element()
                holder.children = node["content"]
                yield from self.blocks(holder, depth)
            case nodes.literal_block():
                yield self._code(node)
            case nodes.bullet_list() | nodes.enumerated_list():
                yield self._list(node, depth)
            case nodes.table():
                yield self._table(node)
            case nodes.field_list():
                rows = [(self.line(field[0]), self.line(field[1])) for field in node.children]  # type: ignore[index]
                yield "\n".join(f"- **{name}** {value}" for name, value in rows)
            case addnodes.toctree() | nodes.Invisible():
                pass
            case addnodes.desc_signature():
                yield f"`{node.astext()}`"
            case nodes.TextElement():
                if text := self.inline(node.children):
                    yield text
            case nodes.Element():
                yield from self.blocks(node, depth)

    def _code(self, node: nodes.literal_block) -> str:
        text = node.astext()
        longest = max((len(found) for found in _TICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{node.get('language', 'text')}\n{text}\n{fence}"

    def _list(self, node: nodes.Element, depth: int) -> str:
        mark = "1. " if isinstance(node, nodes.enumerated_list) else "- "
        items = []
        for item in node.children:
            assert isinstance(item, nodes.Element)
            text = "\n\n".join(self.blocks(item, depth))
            items.append(mark + text.replace("\n", "\n" + " " * len(mark)))
        return "\n".join(items)

    def _table(self, node: nodes.table) -> str:
        rows = [[self.line(cell) for cell in row.children] for row in node.findall(nodes.row)]
        lines = [f"| {' | '.join(cells)} |" for cells in rows]
        return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])

    def line(self, node: nodes.Node) -> str:
        """Everything in ``node`` in one line, as a cell of a table holds it."""
        if isinstance(node, nodes.Text | nodes.Inline | addnodes.pending_xref):
            return self.inline([node])
        if not isinstance(node, nodes.Element):
            return ""
        inside = node.children
        if isinstance(node, nodes.TextElement) or all(isinstance(child, nodes.Text | nodes.Inline) for child in inside):
            return self.inline(inside)
        return " ".join(filter(None, (self.line(child) for child in inside)))

    def inline(self, children: Any) -> str:
        """Inline nodes as Markdown."""
        return " ".join("".join(self._inline(child) for child in children).split())

    def _inline(self, node: nodes.Node) -> str:
        match node:
            case nodes.Text():
                return _SPECIAL.sub(r"\\\1", node.astext())
            case nodes.literal():
                return _ticked(node.astext())
            case nodes.strong():
                return f"**{self.inline(node.children)}** "
            case nodes.emphasis():
                return f"*{self.inline(node.children)}*"
            case nodes.reference() if node.get("refuri", "").startswith("http"):
                return f"[{self.inline(node.children)}]({node['refuri']})"
            case addnodes.pending_xref():
                goal = self._goal(node)
                text = self.inline(node.children)
                return f"[{text}]({goal})" if goal else text
            case nodes.Element():
                return self.inline(node.children)
        return ""

    def _goal(self, node: addnodes.pending_xref) -> str | None:
        """The Markdown address of the page that a link leads to; None where that is this page, or not one of ours."""
        found: str | None = None
        if node.get("refdomain") == "apidiff":
            found = self.pages.get((node["reftype"], node["reftarget"]))
        elif node.get("reftype") in ("doc", "myst") and node["reftarget"] in self.known:
            found = node["reftarget"]
        up = "../" * (len(PurePosixPath(self.docname).parts) - 1)
        return None if found in (None, self.docname) else f"{up}{found}.md"


def _ticked(text: str) -> str:
    longest = max((len(found) for found in _TICKS.findall(text)), default=0)
    ticks, gap = "`" * (longest + 1), " " if longest else ""
    text = " ".join(text.split()).replace("|", "\\|")
    return f"{ticks}{gap}{text}{gap}{ticks}"
