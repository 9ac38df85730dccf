"""What of a page that people wrote can be searched: its sections, and the objects of Python that it describes.

Pages of mappings and what records put on other pages are left out: they are searched as entries.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from apidiff.sphinxext.domain import ApidiffDomain, Part
from apidiff.sphinxext.index_table import index_table
from apidiff.sphinxext.nodes import late

_LONGEST = 3000  # characters of one part
_ELSEWHERE = (
    nodes.section,
    nodes.title,
    nodes.Invisible,
    nodes.raw,
    addnodes.desc,
    addnodes.toctree,
    late,
    index_table,
)


def note_parts(app: Sphinx, doctree: nodes.document) -> None:
    """Record the parts of the page that was just read."""
    domain = app.env.get_domain("apidiff")
    assert isinstance(domain, ApidiffDomain)
    docname = app.env.docname
    if not docname.startswith("mappings/"):
        domain.note_parts(docname, list(_parts(docname, doctree)))


def _parts(docname: str, doctree: nodes.document) -> Iterator[Part]:
    described = docname.startswith("api/")
    for number, section in enumerate(doctree.findall(nodes.section)):
        title = next(iter(section.findall(nodes.title)), None)
        if title is None or not section["ids"]:
            continue
        if docname.startswith("runs/"):
            yield Part("run", title.astext(), "", "")
            return
        text = _text(section)
        if number == 0:
            yield Part("python" if described else "page", title.astext(), "", text)
        elif text and not described:
            yield Part("page", title.astext(), section["ids"][0], text)
    for signature in doctree.findall(addnodes.desc_signature):
        content = signature.next_node(addnodes.desc_content, descend=False, siblings=True)
        if signature["ids"]:
            name = signature["ids"][0]
            yield Part("python", name, name, _text(content) if content is not None else "")


def _text(holder: nodes.Element) -> str:
    """The text that stands in the part itself, not in a part of it, in one line."""
    found = " ".join(" ".join(_pieces(holder)).split())
    return found[:_LONGEST]


def _pieces(holder: nodes.Element) -> Iterator[str]:
    for child in holder.children:
        if isinstance(child, _ELSEWHERE):
            continue
        if isinstance(child, nodes.TextElement):
            yield child.astext()
        elif isinstance(child, nodes.Element):
            yield from _pieces(child)
