"""Makes docutils nodes from records and writes them as HTML: their text stays text.

Records hold prose in which backticks mark code; nothing else in them is markup. Nodes are therefore built directly and
no text of a record is ever given to a parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any, TypeVar

from docutils import nodes
from sphinx import addnodes
from sphinx.writers.html5 import HTML5Translator

from apidiff.messages.escape_invisible import escapes, visible
from apidiff.sphinxext.domain import write_link
from apidiff.sphinxext.page_parts import CUT, END, UNDER_LID, part_mark
from apidiff.sphinxext.versions import SHOWN_NODES, carried, marked_inline, marked_row

Marked = TypeVar("Marked", bound=nodes.Element)
Inline = Sequence[nodes.Node]
Cell = Inline | str
# From the first backtick of a run on and with all of it: a run that nothing closes is looked through once.
_CODE = re.compile(r"(?<!`)`++([^`]+)`+")
# A cell with more characters in a line outside of code than this is given the width that sentences need.
_PROSE_CHARACTERS = 16
# Of a line of code, characters.
_LONGEST_COLOURED = 4_000
# Of a text of a record, on some of which the lexer takes quadratic time: the longest genuine one has 750.
_LONGEST_RECORDED = 1_000
# Behind a dot, an underscore or the sign before a claim; not in a version or a number.
_JOINT = re.compile(r"(?<=\w)(?:[._#](?=[A-Za-z])|_(?=\w))")


class block(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """A ``<div>`` without the classes that docutils' container brings (the theme gives those a width).

    ``filter``: the words of a box that filters the rows of the table inside or, where none is, of all tables in the
    section around; the site's script puts it there.
    """


class late(nodes.General, nodes.Element):  # noqa: N801
    """Finished nodes that only the writer sees, under ``content``.

    Sphinx and its extensions walk over every node of a page some fifty times, which was a third of a build. What comes
    from a record needs none of it but its links (`write_link` resolves them).
    """

    def astext(self) -> str:
        """Return the text of the content."""
        return "\n\n".join(child.astext() for child in self["content"])


class moment(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A date for a reader, as a ``<time>`` that keeps the exact one, ``exact``."""


class markup(nodes.General, nodes.Element):  # noqa: N801
    """HTML that a template of ours has written, ``html``; what came from a record was escaped there."""


class details(nodes.General, nodes.Element):  # noqa: N801
    """A part that opens on demand; its first child is a ``summary``."""


class summary(nodes.General, nodes.TextElement):  # noqa: N801
    """The line of a ``details`` that is always visible."""


class portion(nodes.General, nodes.Element):  # noqa: N801
    """What a heavy page moves to a page of its own first, under a lid with the words ``title``; a light one shows it as it is."""


class cut(nodes.General, nodes.Element):  # noqa: N801
    """A place between children of a ``portion`` or a ``details`` where what is too much for one page may be divided."""


def prose(text: str) -> list[nodes.Node]:
    """Make nodes of a text: what stands between backticks becomes a literal, all else is plain text."""
    pieces: list[nodes.Node] = []
    for index, piece in enumerate(_CODE.split(text)):
        if piece:
            pieces.append(nodes.literal(piece, piece) if index % 2 else nodes.Text(piece))
    return pieces


def paragraph(*children: nodes.Node, classes: Sequence[str] = ()) -> nodes.paragraph:
    """Make a paragraph of inline nodes."""
    return nodes.paragraph("", "", *children, classes=list(classes))


def code(text: str, language: str = "python") -> nodes.literal_block:
    """Make a code block; text that ``language`` cannot lex is shown all the same.

    Code with a line of thousands of numbers has no colours, which would weigh ten times as much as the numbers.
    """
    text = visible(text)  # the highlighter writes it, not the translator
    if max(map(len, text.split("\n"))) > _LONGEST_COLOURED:
        language = "text"
    return nodes.literal_block(text, text, language=language, force=True)


def recorded_code(text: str) -> nodes.literal_block:
    """Make a code block of what a record says is Python; what is no short line is not given to the lexer."""
    is_short = len(text) <= _LONGEST_RECORDED and len(text.splitlines()) <= 1
    return code(text, "python" if is_short else "text")


def literal(text: str) -> nodes.literal:
    """Make code in a line."""
    return nodes.literal(text, text)


def table(
    header: Sequence[str], rows: Iterable[Sequence[Cell] | nodes.row], classes: Sequence[str] = ()
) -> nodes.table:
    """Make a table with one header row; a cell is a string (taken as prose) or inline nodes or blocks, a row may be finished."""
    width = len(header)
    group = nodes.tgroup("", cols=width)
    group.extend(nodes.colspec("", colwidth=100 // width) for _ in header)
    group += nodes.thead("", table_row(header))
    body = nodes.tbody()
    body.extend(row if isinstance(row, nodes.row) else table_row(row) for row in rows)
    group += body
    return nodes.table("", group, classes=["apidiff-table", *classes])


def table_row(cells: Sequence[Cell]) -> nodes.row:
    """Make a row of a table, which may be marked with the versions it is shown for."""
    row = marked_row()
    for cell in cells:
        children = prose(cell) if isinstance(cell, str) else list(cell)
        if all(isinstance(child, nodes.Inline | nodes.Text) for child in children):
            children = [paragraph(*children)] if children else []
        row += nodes.entry("", *children, classes=["apidiff-prose"] if _is_prose(children) else [])
    return row


def _is_prose(children: Sequence[nodes.Node]) -> bool:
    """Tell whether a cell holds sentences, which need room, rather than a name or a number, or several below one another."""
    plain = (sum(len(text) for text in child.findall(nodes.Text) if _in_sentence(text)) for child in children)
    return max(plain, default=0) > _PROSE_CHARACTERS


def _in_sentence(text: nodes.Text) -> bool:
    """Tell whether a text is neither a name nor in words that are shown for some versions only."""
    return not isinstance(text.parent, nodes.literal | marked_inline) and not isinstance(
        text.parent.parent, marked_inline
    )


def folded(title: str | Inline, *children: nodes.Node) -> details:
    """Make a part that opens on demand under ``title``."""
    words = prose(title) if isinstance(title, str) else list(title)
    return details("", summary("", "", *words), *children)


def joined(parts: Iterable[Inline], separator: str) -> list[nodes.Node]:
    """Join the parts with ``separator`` between them."""
    line: list[nodes.Node] = []
    for part in parts:
        if line:
            line.append(nodes.Text(separator))
        line.extend(part)
    return line


def external(url: str, *children: nodes.Node) -> list[nodes.Node]:
    """Link to another site; of an address that is not http(s) only the text stays."""
    if re.match(r"https?://", url):
        return [nodes.reference("", "", *children, refuri=url, internal=False)]
    return list(children)


def relative(page: str, path: str) -> str:
    """Return the address of ``path`` (from the site's root) as seen from the page ``page`` (a docname)."""
    return "../" * (len(PurePosixPath(page).parts) - 1) + path


def _open_block(self: Any, node: nodes.Element) -> None:
    words = {"data-apidiff-filter": node["filter"]} if "filter" in node else {}
    self.body.append(self.starttag(node, "div", "", **words, **carried(node)))


def _close_block(self: Any, _node: nodes.Element) -> None:
    self.body.append("</div>\n")


def _write_late(self: Any, node: nodes.Element) -> None:
    for child in node["content"]:
        child.walkabout(self)
    raise nodes.SkipNode


def _close_late(self: Any, node: nodes.Element) -> None:
    pass


def _write_markup(self: Any, node: nodes.Element) -> None:
    self.body.append(node["html"])
    raise nodes.SkipNode


def _open_moment(self: Any, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "time", "", datetime=node["exact"]))


def _close_moment(self: Any, _node: nodes.Element) -> None:
    self.body.append("</time>")


def _open_details(self: Any, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "details", ""))


def _close_details(self: Any, _node: nodes.Element) -> None:
    self.body.append(f"{END}</details>\n")


def _open_summary(self: Any, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "summary", ""))


def _close_summary(self: Any, _node: nodes.Element) -> None:
    self.body.append(f"</summary>\n{UNDER_LID}")


def _open_portion(self: Any, node: nodes.Element) -> None:
    self.body.append(part_mark(node["title"]))


def _close_portion(self: Any, _node: nodes.Element) -> None:
    self.body.append(END)


def _write_cut(self: Any, _node: nodes.Element) -> None:
    self.body.append(CUT)
    raise nodes.SkipNode


HTML_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {
    block: (_open_block, _close_block),
    late: (_write_late, _close_late),
    markup: (_write_markup, _close_late),
    moment: (_open_moment, _close_moment),
    details: (_open_details, _close_details),
    summary: (_open_summary, _close_summary),
    portion: (_open_portion, _close_portion),
    cut: (_write_cut, _close_late),
    **SHOWN_NODES,
}


class Translator(HTML5Translator):
    """The writer of the site's pages."""

    special_characters = {**HTML5Translator.special_characters, **escapes()}

    def visit_literal(self, node: nodes.Element) -> None:
        """Open code in a line; a single word of it, which is most, without the elements that hold several together."""
        if _is_word(node):
            self.body.append('<code class="literal pre">')
        else:
            super().visit_literal(node)

    def depart_literal(self, node: nodes.Element) -> None:
        """Close code in a line."""
        if _is_word(node):
            self.body.append("</code>")
        else:
            super().depart_literal(node)

    def visit_pending_xref(self, node: addnodes.pending_xref) -> None:
        """Write a link of what only the writer sees."""
        write_link(self, node)

    def visit_Text(self, node: nodes.Text) -> None:  # noqa: N802 - the name docutils looks for
        """Write a text; a narrow window may break a name in a heading or a link at its joints, not within a word."""
        before = len(self.body)
        super().visit_Text(node)
        if isinstance(node.parent, nodes.literal) and isinstance(node.parent.parent, nodes.title | nodes.reference):
            self.body[before:] = [_JOINT.sub(r"\g<0><wbr>", piece) for piece in self.body[before:]]


def _is_word(node: nodes.Element) -> bool:
    """Tell whether code in a line is a single word without an anchor or a class."""
    return not node["classes"] and not node["ids"] and len(node.astext().split()) == 1
