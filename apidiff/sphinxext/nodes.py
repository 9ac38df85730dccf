"""docutils nodes from records: their text stays text.

Records hold prose in which backticks mark code; nothing else in them is markup. Nodes are therefore built directly and
no text of a record is ever given to a parser.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, TypeVar

from docutils import nodes
from sphinx import addnodes

from apidiff.model import Text
from apidiff.render.evidence_words import in_language
from apidiff.render.labels import Language, label
from apidiff.render.spans import in_words
from apidiff.render.visible import visible
from apidiff.sphinxext.releases import Releases
from apidiff.sphinxext.shown import SHOWN_NODES, carried, carry, marked_inline, marked_row, marked_section

Found = TypeVar("Found", bound=nodes.Node)
Marked = TypeVar("Marked", bound=nodes.Element)
Inline = Sequence[nodes.Node]
Cell = Inline | str

_CODE = re.compile(r"`+([^`]+)`+")
# A cell with more characters in a line outside of code than this is given the width that sentences need.
_PROSE_CHARACTERS = 16
_NOT_ANCHOR = re.compile(r"[^A-Za-z0-9._-]+")


class block(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """A ``<div>`` without the classes that docutils' container brings (the theme gives those a width).

    ``filter``: the words of a box that filters the rows of the table inside or, where none is, of all tables in the
    section around; the site's script puts it there.
    """


class late(nodes.General, nodes.Element):  # noqa: N801
    """Finished nodes that only the writer sees, under ``content``.

    Sphinx and its extensions walk over every node of a page some fifty times, which was a third of a build. What comes
    from a record needs none of it but its links (`apidiff.sphinxext.late` resolves them).
    """

    def astext(self) -> str:
        """The text of the content."""
        return "\n\n".join(child.astext() for child in self["content"])


class markup(nodes.General, nodes.Element):  # noqa: N801
    """HTML that a template of ours has written, ``html``; what came from a record was escaped there."""


class details(nodes.General, nodes.Element):  # noqa: N801
    """A part that opens on demand; its first child is a ``summary``."""


class summary(nodes.General, nodes.TextElement):  # noqa: N801
    """The line of a ``details`` that is always visible."""


def anchor(text: str) -> str:
    """An ASCII anchor for ``text``: a claim's ID with '#' as '--', anything else that is unusual in an ID as '-'."""
    return _NOT_ANCHOR.sub("-", text.replace("#", "--")).strip("-")


def prose(text: str) -> list[nodes.Node]:
    """``text`` as nodes: what stands between backticks becomes a literal, all else is plain text."""
    found: list[nodes.Node] = []
    for index, piece in enumerate(_CODE.split(text)):
        if piece:
            found.append(nodes.literal(piece, piece) if index % 2 else nodes.Text(piece))
    return found


def paragraph(*children: nodes.Node, classes: Sequence[str] = ()) -> nodes.paragraph:
    """A paragraph of inline nodes."""
    return nodes.paragraph("", "", *children, classes=list(classes))


def code(text: str, language: str = "python") -> nodes.literal_block:
    """A code block; text that ``language`` cannot lex is shown all the same."""
    text = visible(text)  # the highlighter writes it, not the translator
    return nodes.literal_block(text, text, language=language, force=True)


def literal(text: str) -> nodes.literal:
    """``text`` as code in a line."""
    return nodes.literal(text, text)


def table(
    header: Sequence[str], rows: Iterable[Sequence[Cell] | nodes.row], classes: Sequence[str] = ()
) -> nodes.table:
    """A table with one header row; a cell is a string (taken as prose) or inline nodes or blocks, a row may be finished."""
    width = len(header)
    group = nodes.tgroup("", cols=width)
    group.extend(nodes.colspec("", colwidth=100 // width) for _ in header)
    group += nodes.thead("", table_row(header))
    body = nodes.tbody()
    body.extend(row if isinstance(row, nodes.row) else table_row(row) for row in rows)
    group += body
    return nodes.table("", group, classes=["apidiff-table", *classes])


def table_row(cells: Sequence[Cell]) -> nodes.row:
    """One row of a table, which may be marked with the versions it is shown for."""
    row = marked_row()
    for cell in cells:
        children = prose(cell) if isinstance(cell, str) else list(cell)
        if all(isinstance(child, nodes.Inline | nodes.Text) for child in children):
            children = [paragraph(*children)] if children else []
        row += nodes.entry("", *children, classes=["apidiff-prose"] if _is_prose(children) else [])
    return row


def _is_prose(children: Sequence[nodes.Node]) -> bool:
    """Whether a cell holds sentences, which need room, rather than a name or a number, or several below one another."""
    plain = (sum(len(text) for text in child.findall(nodes.Text) if _in_sentence(text)) for child in children)
    return max(plain, default=0) > _PROSE_CHARACTERS


def _in_sentence(text: nodes.Text) -> bool:
    """Whether a text is neither a name nor in words that are shown for some versions only."""
    return not isinstance(text.parent, nodes.literal | marked_inline) and not isinstance(
        text.parent.parent, marked_inline
    )


def folded(title: str | Inline, *children: nodes.Node) -> details:
    """A part that opens on demand under ``title``."""
    words = prose(title) if isinstance(title, str) else list(title)
    return details("", summary("", "", *words), *children)


def joined(parts: Iterable[Inline], separator: str) -> list[nodes.Node]:
    """The parts, with ``separator`` between them."""
    found: list[nodes.Node] = []
    for part in parts:
        if found:
            found.append(nodes.Text(separator))
        found.extend(part)
    return found


def external(url: str, *children: nodes.Node) -> list[nodes.Node]:
    """A link to another site; an address that is not http(s) is left out and its text stays."""
    if re.match(r"https?://", url):
        return [nodes.reference("", "", *children, refuri=url, internal=False)]
    return list(children)


class Builder:
    """Makes the nodes of one page in one language.

    ``docname`` is the page the nodes are for; references need it. ``releases``: those between which the page tells apart;
    a page of which nothing depends on them has none.
    """

    def __init__(
        self, language: Language, document: nodes.document, docname: str, releases: Releases | None = None
    ) -> None:
        self.language = language
        self.document = document
        self.docname = docname
        self.releases = releases or Releases()

    def word(self, key: str, **values: str | int) -> str:
        """The words under ``key``, with ``{names}`` filled in."""
        text = label(key, self.language)
        return text.format(**values) if values else text

    def phrase(self, key: str, name: str) -> list[nodes.Node]:
        """The words under ``key`` with its ``{name}`` shown as code."""
        return self.filled(key, name=[literal(name)])

    def filled(self, key: str, **values: Inline) -> list[nodes.Node]:
        """The words under ``key`` with nodes in the place of its ``{names}``."""
        found: list[nodes.Node] = []
        for text, name, _, _ in string.Formatter().parse(self.word(key)):
            found += [nodes.Text(text)] if text else []
            found += values[name] if name else []
        return found

    def chosen(self, framework: str) -> Inline:
        """The version that the reader chose; the newest until then."""
        newest = self.releases.newest(framework)
        found = marked_inline("", newest)
        carry(found, data_chosen=framework)
        return [found]

    def only(
        self,
        node: Marked,
        *,
        torch: Collection[str] | None = None,
        mindspore: Collection[str] | None = None,
        hide: bool = True,
    ) -> Marked:
        """The node, marked to be shown for these releases alone; None: whichever is chosen.

        Hidden until others are chosen where the newest is not among them, unless ``hide`` is false.
        """
        for framework, versions in (("torch", torch), ("mindspore", mindspore)):
            if versions is not None:
                self.only_in(node, framework, versions, hide=hide)
        return node

    def only_in(self, node: Marked, framework: str, versions: Collection[str], *, hide: bool = True) -> Marked:
        """The same for one framework."""
        if self.releases.others(framework, versions):
            carry(node, **{f"data_{framework}": self.releases.spans(framework, versions)})
            if hide and self.releases.newest(framework) not in versions:
                carry(node, hidden="hidden")
        return node

    def words_for(self, *keys: str) -> str:
        """Words for an element, as its attribute data-words: the last part of each key with the words under it."""
        return json.dumps({key.rpartition(".")[2]: self.word(key) for key in keys}, ensure_ascii=False)

    def pick(self, text: Text) -> str:
        """The text in the page's language."""
        return text.en if self.language == "en" else text.zh

    def text(self, text: Text) -> list[nodes.Node]:
        """Bilingual prose of a record as inline nodes."""
        return prose(self.pick(text))

    def span(self, text: str) -> str:
        """A version range as it is shown; a sign stays on the line of its version."""
        return re.sub("([≤≥]) ", "\\1\N{NO-BREAK SPACE}", in_words(text, self.language))

    def section(self, anchor_id: str, title: str | Inline, *children: nodes.Node) -> marked_section:
        """A section whose anchor is ``anchor_id``, the same in every language."""
        words = prose(title) if isinstance(title, str) else list(title)
        section = marked_section("", nodes.title("", "", *words), *_held_back(children), ids=[anchor_id])
        self.document.note_explicit_target(section)
        return section

    def badge(self, kind: str, value: str) -> nodes.inline:
        """A word on a colour: ``kind`` is risk, status or outcome."""
        words = self.word(f"{kind}.{value}")
        return nodes.inline("", words, classes=["apidiff-badge", f"apidiff-{kind}-{value.replace(' ', '-')}"])

    def lead(self, key: str) -> nodes.strong:
        """The words under ``key`` in bold, with a colon: a name that something follows."""
        return nodes.strong("", self.word(key) + self.word("site.colon"))

    def term(self, key: str, *children: nodes.Node) -> nodes.paragraph:
        """A line that begins with a name in bold: 'Stated by: …'."""
        return paragraph(self.lead(key), *children, classes=["apidiff-term"])

    def ref(
        self, role: str, target: str, *children: nodes.Node, part: str = "", optional: bool = False
    ) -> addnodes.pending_xref:
        """A link to a mapping, claim, api or run, resolved when pages are written.

        ``part`` names another anchor on the goal's page; ``optional``: plain text where there is no goal.
        """
        return addnodes.pending_xref(
            "",
            *(children or (literal(target),)),
            refdomain="apidiff",
            reftype=role,
            reftarget=target,
            refdoc=self.docname,
            refwarn=True,
            refexplicit=True,
            apidiff_part=part,
            apidiff_optional=optional,
        )

    def evidence(self, lines: Iterable[str]) -> list[nodes.Node]:
        """Facts in neutral notation, one a line, as a list; nothing where there are none."""
        items = [nodes.list_item("", paragraph(literal(one))) for one in in_language(lines, self.language)]
        return [nodes.bullet_list("", *items, classes=["apidiff-evidence"])] if items else []


def _held_back(children: Sequence[nodes.Node]) -> list[nodes.Node]:
    """The children with each run of those that are no sections put into one node for the writer."""
    found: list[nodes.Node] = []
    for is_section, run in groupby(children, lambda child: isinstance(child, nodes.section)):
        if is_section:
            found += run
            continue
        holder = late("", content=list(run))
        for child in holder["content"]:
            child.parent = holder
        found.append(holder)
    return found


def every(node: nodes.Node, kind: type[Found]) -> Iterator[Found]:
    """All nodes of ``kind`` in ``node``, those in content for the writer included."""
    for found in node.findall(lambda one: isinstance(one, kind | late)):
        if isinstance(found, late):
            for child in found["content"]:
                yield from every(child, kind)
        elif isinstance(found, kind):
            yield found


def relative(page: str, path: str) -> str:
    """The address of ``path`` (from the site's root) as seen from the page ``page`` (a docname)."""
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


def _open_details(self: Any, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "details", ""))


def _close_details(self: Any, _node: nodes.Element) -> None:
    self.body.append("</details>\n")


def _open_summary(self: Any, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "summary", ""))


def _close_summary(self: Any, _node: nodes.Element) -> None:
    self.body.append("</summary>\n")


HTML_NODES: dict[type[nodes.Element], tuple[Any, Any]] = {
    block: (_open_block, _close_block),
    late: (_write_late, _close_late),
    markup: (_write_markup, _close_late),
    details: (_open_details, _close_details),
    summary: (_open_summary, _close_summary),
    **SHOWN_NODES,
}
