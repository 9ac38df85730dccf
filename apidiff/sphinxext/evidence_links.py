"""Leads from the page of a mapping to what it rests on: one line, by the parts of the evidence page."""

from __future__ import annotations

from docutils import nodes

from apidiff.model.views import Entry
from apidiff.sphinxext.nodes import Inline, joined, paragraph
from apidiff.sphinxext.page_builder import PageBuilder


def evidence_links(make: PageBuilder, entry: Entry, *, pictured: bool) -> nodes.paragraph:
    """Name what the evidence page holds, each a link to its place there. ``pictured``: there is a picture among it."""
    shown = {
        "claims": make.counted("claims", len(entry.claims)) if entry.claims else "",
        "picture": make.word("picture.title") if pictured else "",
        "sweeps": make.word("sweeps") if any(claim.swept for claim in entry.claims) else "",
        "examples": make.counted("examples", len(entry.examples)) if entry.examples else "",
        "timeline": make.word("timeline") if entry.history else "",
        "repeat": make.word("repeat"),
        "contribute": make.word("contribute"),
    }
    links: list[Inline] = [
        [make.ref("evidence", entry.id, nodes.Text(words), part=part)] for part, words in shown.items() if words
    ]
    whole = make.ref("evidence", entry.id, nodes.strong("", make.word("evidence")))
    colon = nodes.Text(make.word("site.colon"))
    return paragraph(whole, colon, *joined(links, " · "), classes=["apidiff-evidence-links"])
