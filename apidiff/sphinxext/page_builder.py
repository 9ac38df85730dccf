"""Makes the nodes of one page: words of its language, references, badges, and what depends on chosen versions."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from docutils import nodes
from sphinx import addnodes

from apidiff.messages.dates import spelt_date
from apidiff.messages.evidence import evidence_lines
from apidiff.messages.labels import between_sentences, in_words, label, pieces
from apidiff.model.base import Language, Text
from apidiff.model.verdict import Evidence
from apidiff.model.views import DocumentEntry
from apidiff.sphinxext.nodes import (
    Inline,
    Marked,
    block,
    code,
    details,
    external,
    folded,
    late,
    literal,
    moment,
    paragraph,
    prose,
)
from apidiff.sphinxext.versions import Releases, carry, marked_inline, marked_section


class PageBuilder:
    """Makes the nodes of one page in one language.

    ``docname`` is the page the nodes are for; references need it. ``releases``: those between which the page tells apart;
    a page of which nothing depends on them has none. ``links``: those made so far (`ref`).
    """

    def __init__(
        self, language: Language, document: nodes.document, docname: str, releases: Releases | None = None
    ) -> None:
        self.language = language
        self.document = document
        self.docname = docname
        self.releases = releases or Releases()
        self.links: list[addnodes.pending_xref] = []

    def word(self, key: str, **values: str | int) -> str:
        """Return the words under ``key``, with ``{names}`` filled in."""
        return label(key, self.language, **values)

    def framework(self, name: str) -> str:
        """Return the framework's name as readers write it."""
        return self.word(f"framework.{name}")

    def listed(self, names: Iterable[str]) -> str:
        """Join names by the commas of the language."""
        return self.word("site.comma").join(names)

    def sentence(self, key: str, **values: str | int) -> nodes.paragraph:
        """Make a paragraph of the words under ``key``."""
        return paragraph(nodes.Text(self.word(key, **values)))

    def command(self, key: str, command: str, **values: str | int) -> list[nodes.Node]:
        """Show a command that a reader can copy below the words under ``key``."""
        return [self.sentence(key, **values), block("", code(command, "bash"), classes=["apidiff-command"])]

    def phrase(self, key: str, name: str) -> list[nodes.Node]:
        """Return the words under ``key`` with its ``{name}`` shown as code."""
        return self.filled(key, name=[literal(name)])

    def filled(self, key: str, **values: Inline) -> list[nodes.Node]:
        """Return the words under ``key`` with nodes in the place of its ``{names}``."""
        words: list[nodes.Node] = []
        for piece in pieces(key, self.language, values):
            words += [nodes.Text(piece)] if isinstance(piece, str) else piece
        return words

    def chosen(self, framework: str) -> Inline:
        """Show the version that the reader chose; the first one shown until then."""
        version = marked_inline("", self.releases.first(framework))
        carry(version, data_chosen=framework)
        return [version]

    def only(
        self,
        node: Marked,
        *,
        torch: Collection[str] | None = None,
        mindspore: Collection[str] | None = None,
        hide: bool = True,
    ) -> Marked:
        """Mark a node to be shown for these releases alone; None: whichever is chosen.

        Hidden until others are chosen where the one shown first is not among them, unless ``hide`` is false.
        """
        for framework, versions in (("torch", torch), ("mindspore", mindspore)):
            if versions is not None:
                self.only_in(node, framework, versions, hide=hide)
        return node

    def only_in(self, node: Marked, framework: str, versions: Collection[str], *, hide: bool = True) -> Marked:
        """Mark a node to be shown for these releases of one framework alone."""
        if self.releases.others(framework, versions):
            carry(node, **{f"data_{framework}": self.releases.spans(framework, versions)})
            if hide and self.releases.first(framework) not in versions:
                carry(node, hidden="hidden")
        return node

    def words_for(self, *keys: str) -> str:
        """Write words for an element, as its attribute data-words: the last part of each key with the words under it."""
        return json.dumps({key.rpartition(".")[2]: self.word(key) for key in keys}, ensure_ascii=False)

    def pick(self, text: Text) -> str:
        """Return the text in the page's language."""
        return text.said_in(self.language)

    def between_sentences(self) -> nodes.Text:
        """Make what stands between two sentences: Chinese full stops bring their own room."""
        return nodes.Text(between_sentences(self.language))

    def date(self, exact: str) -> nodes.Node:
        """Show a moment as records name it, ``2026-11-21T13:14:10Z``, for a reader; what is no such moment stays as it is."""
        return moment("", spelt_date(exact, self.language), exact=exact, classes=["apidiff-date"])

    def text(self, text: Text) -> list[nodes.Node]:
        """Show bilingual prose of a record as inline nodes."""
        return prose(self.pick(text))

    def span(self, text: str) -> str:
        """Write a version range as it is shown; a sign stays on the line of its version."""
        return re.sub("([≤≥]) ", "\\1\N{NO-BREAK SPACE}", in_words(text, self.language))

    def section(self, anchor_id: str, title: str | Inline, *children: nodes.Node) -> marked_section:
        """Make a section whose anchor is ``anchor_id``, the same in every language."""
        words = prose(title) if isinstance(title, str) else list(title)
        section = marked_section("", nodes.title("", "", *words), *_held_back(children), ids=[anchor_id])
        self.document.note_explicit_target(section)
        return section

    def line(self, anchor_id: str, head: Inline, *children: nodes.Node) -> details:
        """Make a line of a list that opens, with an anchor the same in every language; a filter looks through all of it."""
        line = folded(head, *children)
        line["ids"], line["classes"] = [anchor_id], ["apidiff-line"]
        self.document.note_explicit_target(line)
        return line

    def document_link(self, document: DocumentEntry) -> list[nodes.Node]:
        """Link a document by its title, its Chinese twin on Chinese pages."""
        return external(document.address(self.language), nodes.Text(document.name(self.language)))

    def lid(self, anchor_id: str, title: str | Inline, *children: nodes.Node) -> block:
        """Make a part that opens on demand under ``title``; a link to ``anchor_id`` opens it."""
        part = block("", folded(title, *children), ids=[anchor_id], classes=["apidiff-lid"])
        self.document.note_explicit_target(part)
        return part

    def counted(self, key: str, count: int) -> str:
        """Return the words under ``key`` with how many there are of it: 'Parameters (3)'."""
        return self.word(key) + self.word("site.aside", text=count)

    def badge(self, kind: str, value: str) -> nodes.inline:
        """Make a word on a colour: ``kind`` is risk, status or outcome."""
        words = self.word(f"{kind}.{value}")
        return nodes.inline("", words, classes=["apidiff-badge", f"apidiff-{kind}-{value.replace(' ', '-')}"])

    def lead(self, key: str) -> nodes.strong:
        """Return the words under ``key`` in bold, with a colon: a name that something follows."""
        return nodes.strong("", self.word(key) + self.word("site.colon"))

    def term(self, key: str, *children: nodes.Node) -> nodes.paragraph:
        """Make a line that begins with a name in bold: 'Stated by: …'."""
        return paragraph(self.lead(key), *children, classes=["apidiff-term"])

    def ref(
        self, role: str, target: str, *children: nodes.Node, part: str = "", optional: bool = False
    ) -> addnodes.pending_xref:
        """Link to a mapping, claim, api or run, resolved when pages are written.

        ``part`` names another anchor on the goal's page; ``optional``: plain text where there is no goal.
        """
        link = addnodes.pending_xref(
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
        self.links.append(link)
        return link

    def evidence(self, facts: Iterable[Evidence], *, more: bool = False) -> list[nodes.Node]:
        """List facts, one per item; nothing where there are none. ``more``: whether an ellipsis follows them."""
        lines = evidence_lines(facts, self.language) + ["…"] * more
        items = [nodes.list_item("", paragraph(literal(line))) for line in lines]
        return [nodes.bullet_list("", *items, classes=["apidiff-evidence"])] if items else []


def _held_back(children: Sequence[nodes.Node]) -> list[nodes.Node]:
    """Put each run of children that are no sections into one node for the writer."""
    kept: list[nodes.Node] = []
    for is_section, run in groupby(children, lambda child: isinstance(child, nodes.section)):
        if is_section:
            kept += run
            continue
        holder = late("", content=list(run))
        for child in holder["content"]:
            child.parent = holder
        kept.append(holder)
    return kept
