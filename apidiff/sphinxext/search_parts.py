"""What of a page that people wrote can be searched: its sections, and the objects of Python that it describes.

Pages of mappings and what records put on other pages are left out: they are searched as entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import docname_join

from apidiff.sphinxext.domain import ApidiffDomain, Part
from apidiff.sphinxext.index_table import index_table
from apidiff.sphinxext.nodes import block, late

_LONGEST = 3000  # characters of one part
# What a reference is called is known only when all pages are read: its place is kept until then.
_TITLE = re.compile("\x02(doc|ref) ([^\x03]*)\x03")
_CUT = re.compile("\x02[^\x03]*$")
_ELSEWHERE = (
    *(nodes.section, nodes.title, nodes.Invisible, nodes.raw, addnodes.desc, addnodes.toctree),
    *(nodes.system_message, block, late, index_table),
)


def note_parts(app: Sphinx, doctree: nodes.document) -> None:
    """Record the parts of the page that was just read."""
    domain = app.env.get_domain("apidiff")
    assert isinstance(domain, ApidiffDomain)
    docname = app.env.docname
    if not docname.startswith("mappings/"):
        domain.note_parts(docname, list(_parts(docname, doctree)))


def resolved(env: BuildEnvironment, text: str) -> str:
    """The text with the titles of what it refers to."""

    def title(found: re.Match[str]) -> str:
        kind, goal = found.groups()
        if kind == "doc":
            return env.titles[goal].astext() if goal in env.titles else goal
        labels = env.domains.standard_domain.labels
        return str(labels[goal][2]) if goal in labels else goal

    return _TITLE.sub(title, text)


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
    return _CUT.sub("", found[:_LONGEST])


def _pieces(holder: nodes.Element) -> Iterator[str]:
    for child in holder.children:
        if isinstance(child, _ELSEWHERE):
            continue
        if isinstance(child, nodes.TextElement):
            yield "".join(_words(child))
        elif isinstance(child, nodes.Element):
            yield from _pieces(child)


def _words(holder: nodes.Element) -> Iterator[str]:
    for child in holder.children:
        if isinstance(child, addnodes.pending_xref) and child["reftype"] in {"doc", "ref"} and not child["refexplicit"]:
            goal = child["reftarget"]
            if child["reftype"] == "doc":
                goal = docname_join(child["refdoc"], goal)
            yield f"\x02{child['reftype']} {goal}\x03"
        elif isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.Element):
            yield from _words(child)
