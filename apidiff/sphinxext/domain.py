"""Lets pages define mappings, claims, APIs and run records and link to them: the ``apidiff`` domain.

Content that only the writer sees (`nodes.late`) is out of reach of Sphinx' own resolver; `write_link` resolves its links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

from docutils import nodes
from docutils.nodes import Element
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

_logger = logging.getLogger(__name__)


class Defined(NamedTuple):
    """One object on one page. ``anchor`` is empty for the page itself."""

    kind: str  # mapping, claim, api, run or trace
    name: str
    anchor: str
    rank: int  # where pages share a name, the lowest leads


class Part(NamedTuple):
    """A section of a page, or an object that it describes, with the text that stands directly in it."""

    kind: str  # page, python or run
    title: str
    anchor: str
    text: str


def trace_name(run: str, part: str) -> str:
    """Name what a run recorded of one probe, or of one API. No role leads there: references to runs do."""
    return f"{run}#{part}"


class _Role(XRefRole):
    """A reference that remembers which page holds it, so that the page is written again when its goal moves.

    A name is shown as code; words in its place, as in ``PyTorch <torch.distributed.barrier#x>``, are shown as words.
    """

    def result_nodes(
        self,
        document: nodes.document,
        env: BuildEnvironment,
        node: Element,
        is_ref: bool,
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if not is_ref:  # its target begins with "!"
            return super().result_nodes(document, env, node, is_ref)
        domain = env.get_domain("apidiff")
        assert isinstance(domain, ApidiffDomain)
        domain.note_use(env.docname, node["reftype"], node["reftarget"])
        if node["refexplicit"]:
            node[:] = [nodes.inline("", node.astext())]
        return super().result_nodes(document, env, node, is_ref)


_Places: TypeAlias = dict[tuple[str, str], tuple[str, str]]


class ApidiffDomain(Domain):
    """Objects by page, so that purging a page or merging a parallel reader is one dictionary operation.

    ``data['defined']``: docname → objects on it. ``data['used']``: docname → (kind, name) its roles refer to.
    ``data['places']``: the digest of where everything stood when last asked. ``data['resolved']``: docname → the digest of where
    its roles led when that last changed. ``data['parts']``: docname → its parts that can be searched.
    """

    name = "apidiff"
    label = "API differences"
    data_version = 2
    object_types: dict[str, ObjType] = {
        "mapping": ObjType("mapping", "mapping"),
        "claim": ObjType("claim", "claim"),
        "api": ObjType("api", "api"),
        "run": ObjType("run", "run"),
    }
    roles: dict[str, Any] = {kind: _Role(warn_dangling=True) for kind in ("mapping", "claim", "api", "run")}
    initial_data: dict[str, dict[str, Any]] = {"defined": {}, "used": {}, "resolved": {}, "parts": {}}
    dangling_warnings: dict[str, str] = {
        "mapping": "no mapping %(target)r: its ID is the full name of a source API",
        "claim": "no claim %(target)r: its ID is <API name>#<claim>",
        "api": "no API %(target)r in any mapping, as source or as target",
        "run": "no run record %(target)r",
        "evidence": "no evidence page of the mapping %(target)r",
    }

    _index: tuple[_Places, _Places] | None = None

    def note(self, docname: str, kind: str, name: str, anchor: str = "", rank: int = 0) -> None:
        """Record that ``docname`` defines the object ``name`` of ``kind`` at ``anchor``."""
        self.data["defined"].setdefault(docname, []).append(Defined(kind, name, anchor, rank))
        self._index = None

    def note_use(self, docname: str, kind: str, name: str) -> None:
        """Record that ``docname`` refers to the object."""
        self.data["used"].setdefault(docname, set()).add((kind, name))

    def note_parts(self, docname: str, parts: list[Part]) -> None:
        """Record what of the page can be searched."""
        self.data["parts"][docname] = parts

    def parts(self) -> dict[str, list[Part]]:
        """Return what can be searched, by page, in the order of their names."""
        return dict(sorted(self.data["parts"].items()))

    def clear_doc(self, docname: str) -> None:
        """Forget what the page defined and used."""
        self.data["defined"].pop(docname, None)
        self.data["used"].pop(docname, None)
        self.data["parts"].pop(docname, None)
        self._index = None

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        """Take over what a parallel reader found on its pages."""
        for docname in docnames:
            for part in ("defined", "used", "parts"):
                if docname in otherdata[part]:
                    self.data[part][docname] = otherdata[part][docname]
        self._index = None

    def find(self, kind: str, name: str) -> tuple[str, str] | None:
        """Find the page and anchor of an object; where several pages define it, the one of lowest rank, then by name."""
        return self._places()[0].get((kind, name))

    def find_last(self, kind: str, name: str) -> tuple[str, str] | None:
        """Find the place of highest rank: of an API, that in a list of all of them rather than on a mapping's page."""
        return self._places()[1].get((kind, name))

    def _places(self) -> tuple[_Places, _Places]:
        """List the first and the last place of every object, by rank."""
        if self._index is None:
            ordered = sorted(
                (defined.rank, docname, defined)
                for docname, objects in self.data["defined"].items()
                for defined in objects
            )
            places = [((defined.kind, defined.name), (docname, defined.anchor)) for _, docname, defined in ordered]
            self._index = dict(reversed(places)), dict(places)
        return self._index

    def moved(self) -> list[str]:
        """List pages whose roles lead elsewhere than when last asked; they must be written again."""
        places = sha256(repr(sorted(self._places()[0].items())).encode()).digest()
        former, self.data["places"] = self.data.get("places"), places
        if places == former:
            return []  # what pages refer to that were read anew does not matter: they are written
        now = {
            docname: sha256(repr(sorted((kind, name, self.find(kind, name)) for kind, name in used)).encode()).digest()
            for docname, used in self.data["used"].items()
        }
        before, self.data["resolved"] = self.data["resolved"], now
        return sorted(docname for docname, led in now.items() if docname in before and before[docname] != led)

    def resolve_xref(
        self,
        env: BuildEnvironment,  # noqa: ARG002 - as Sphinx calls it
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> nodes.reference | None:
        """Resolve a link; None where nothing of this kind and name exists.

        A part of a run leads to the page of its evidence; where there is none, to the part's row on the run's own page.
        """
        part = node.get("apidiff_part") or ""
        place = (self.find("trace", trace_name(target, part)) if typ == "run" and part else None) or None
        if place is not None:
            return make_refnode(builder, fromdocname, *place, contnode, target)
        place = self.find(typ, target)
        if place is None:
            return None
        docname, anchor = place
        # A title that repeats the words of a link tells nothing.
        title = None if typ == "evidence" or contnode.astext() == target else target
        return make_refnode(builder, fromdocname, docname, part or anchor, contnode, title)

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> list[tuple[str, nodes.reference]]:
        """Resolve links of every kind that fits, for the role ``any``."""
        links = (
            (kind, self.resolve_xref(env, fromdocname, builder, kind, target, node, contnode)) for kind in self.roles
        )
        return [(f"apidiff:{kind}", link) for kind, link in links if link is not None]

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """List everything that can be linked to, for inventories."""
        for docname, objects in sorted(self.data["defined"].items()):
            for defined in objects:
                if defined.kind in self.roles and self.find(defined.kind, defined.name) == (docname, defined.anchor):
                    yield defined.name, defined.name, defined.kind, docname, defined.anchor, 1


def keep_words(
    _app: Sphinx, _env: BuildEnvironment, node: addnodes.pending_xref, contnode: nodes.TextElement
) -> nodes.TextElement | None:
    """Keep the words of an optional reference without a goal, without a link and without a warning."""
    return contnode if node.get("apidiff_optional") else None


def write_link(writer: Any, node: addnodes.pending_xref) -> None:
    """Write a reference in `late` nodes as its link; warn of one that leads nowhere, as Sphinx does.

    It is resolved when it is written, not before: looking for references was a seventh of the time that a page takes.
    """
    domain = writer.builder.env.get_domain(node["refdomain"])
    kind, target, words = node["reftype"], node["reftarget"], node.children
    shown = nodes.inline("", "", *words) if len(words) != 1 else words[0]
    docname = writer.builder.current_docname
    link = domain.resolve_xref(writer.builder.env, docname, writer.builder, kind, target, node, shown)
    if link is None and not node.get("apidiff_optional"):
        text = domain.dangling_warnings[kind] % {"target": target}
        _logger.warning(text, location=(docname, None), type="ref", subtype=kind)
    written = shown if link is None else link
    written.parent = node.parent
    written.walkabout(writer)
    raise nodes.SkipNode
