"""Directives: each reads derived files, names them as what its page depends on, and hands back finished nodes."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from apidiff.model import RunRecord
from apidiff.model.entry import Entry
from apidiff.render.labels import Language
from apidiff.sphinxext import tables
from apidiff.sphinxext.content import MappingPage, Shelf
from apidiff.sphinxext.counterparts import counterpart_sections
from apidiff.sphinxext.domain import ApidiffDomain
from apidiff.sphinxext.mapping_page import mapping_section
from apidiff.sphinxext.nodes import Builder, anchor, every
from apidiff.sphinxext.official_page import official_sections
from apidiff.sphinxext.run_page import run_section


class _Directive(SphinxDirective):
    """What the directives share: a builder in the page's language and the derived files."""

    @property
    def make(self) -> Builder:
        language: Language = "zh" if self.config.language.startswith("zh") else "en"
        return Builder(language, self.state.document, self.env.docname)

    @property
    def shelf(self) -> Shelf:
        return Shelf(self.env.doctreedir)

    @property
    def domain(self) -> ApidiffDomain:
        domain = self.env.get_domain("apidiff")
        assert isinstance(domain, ApidiffDomain)
        return domain

    def finished(self, found: list[nodes.Node]) -> list[nodes.Node]:
        """The nodes, once it is noted which objects they refer to."""
        for node in found:
            for link in every(node, addnodes.pending_xref):
                self.domain.note_use(self.env.docname, link["reftype"], link["reftarget"])
        return found

    def toctree(self, docnames: list[str]) -> list[nodes.Node]:
        """A hidden table of contents with these pages, where the option ``toctree`` asks for it.

        Sphinx' own, with ``:glob:``, warns where nothing matches, and a database without a run is a valid one.
        """
        if "toctree" not in self.options:
            return []
        tree = addnodes.toctree(
            parent=self.env.docname,
            entries=[(None, docname) for docname in docnames],
            includefiles=docnames,
            maxdepth=-1,
            caption=None,
            glob=False,
            hidden=True,
            includehidden=False,
            numbered=0,
            titlesonly=True,
        )
        return [nodes.compound("", tree, classes=["toctree-wrapper"])]

    def listed(self, name: str) -> list[MappingPage]:
        """What the list ``name`` shows of every mapping, noted as what this page depends on."""
        self.env.note_dependency(str(self.shelf.list_file(name)))
        return self.shelf.listed(name)


class MappingDirective(_Directive):
    """``apidiff-mapping`` ID: the whole page of a mapping."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The page, once its objects are noted."""
        mapping_id = self.arguments[0]
        file = self.shelf.mapping_file(mapping_id)
        self.env.note_dependency(str(file))
        if not file.is_file():
            raise self.error(
                f"No mapping {mapping_id!r}: name a file under apidiff/data/mappings or remove this directive."
            )
        page = self.shelf.mapping(mapping_id)
        section = mapping_section(self.make, page.entry, page.newest["mindspore"])
        self._define(page.entry)
        return self.finished([section])

    def _define(self, entry: Entry) -> None:
        note, here = self.domain.note, self.env.docname
        note(here, "mapping", entry.id)
        note(here, "api", entry.source)
        # A source's own page leads where the same API is a target of another mapping's page.
        # Of mappings that share a target, the one that holds its claims leads.
        ranks = {target.name: 2 if target.defined_in else 1 for target in entry.targets}
        for name, rank in ranks.items():
            note(here, "api", name, anchor(name), rank=rank)
        for claim in entry.claims:
            note(here, "claim", claim.id, anchor(claim.id), rank=ranks.get(claim.subject, 0))


class RunDirective(_Directive):
    """``apidiff-run`` ID: the page of a run record."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The page, once it is noted as that of its run."""
        run_id = self.arguments[0]
        file = self.shelf.run_file(run_id)
        self.env.note_dependency(str(file))
        if not file.is_file():
            raise self.error(f"No run record {run_id!r}: name a file under apidiff/data/runs or remove this directive.")
        record = msgspec.json.decode(file.read_bytes(), type=RunRecord)
        self.domain.note(self.env.docname, "run", run_id)
        return self.finished([run_section(self.make, run_id, record)])


_INDEXES = {"api": tables.by_api, "category": tables.by_category, "risk": tables.by_risk}


class IndexDirective(_Directive):
    """``apidiff-index`` api | category | risk: all mappings; with ``:toctree:`` also their place in the contents."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"toctree": directives.flag}

    def run(self) -> list[nodes.Node]:
        """The sections."""
        order = directives.choice(self.arguments[0], tuple(_INDEXES))
        pages = self.listed(order)
        newest = pages[0].newest["mindspore"] if pages else ""
        build = _INDEXES[order]
        tree = self.toctree([f"mappings/{page.entry.id}" for page in pages])
        return self.finished([*build(self.make, pages, newest), *tree])


class RefutedDirective(_Directive):
    """``apidiff-refuted``: what documents state and runs refute, over all mappings."""

    def run(self) -> list[nodes.Node]:
        """One section a mapping."""
        return self.finished(tables.refuted_statements(self.make, self.listed("refuted")))


class OfficialDirective(_Directive):
    """``apidiff-official``: what upstream's tables say, and what runs show."""

    def run(self) -> list[nodes.Node]:
        """One section a table."""
        self.env.note_dependency(str(self.shelf.official_file))
        return self.finished(official_sections(self.make, self.shelf.official()))


class CounterpartsDirective(_Directive):
    """``apidiff-counterparts``: MindSpore's communication APIs with the sources they serve."""

    def run(self) -> list[nodes.Node]:
        """One section a module, once its APIs are noted."""
        self.env.note_dependency(str(self.shelf.counterparts_file))
        found = self.shelf.counterparts()
        for one in found:  # after the pages of mappings, where an API is a target
            self.domain.note(self.env.docname, "api", one.name, anchor(one.name), rank=3)
        return self.finished(counterpart_sections(self.make, found))


class RunsDirective(_Directive):
    """``apidiff-runs``: the list of run records; with ``:toctree:`` also their place in the contents."""

    option_spec: ClassVar[dict[str, Any]] = {"toctree": directives.flag}

    def run(self) -> list[nodes.Node]:
        """The table."""
        self.env.note_dependency(str(self.shelf.run_list))
        lines = self.shelf.runs()
        tree = self.toctree([f"runs/{line.id}" for line in lines])
        return self.finished([*tables.runs(self.make, lines), *tree])


DIRECTIVES: dict[str, type[SphinxDirective]] = {
    "apidiff-mapping": MappingDirective,
    "apidiff-run": RunDirective,
    "apidiff-index": IndexDirective,
    "apidiff-refuted": RefutedDirective,
    "apidiff-runs": RunsDirective,
    "apidiff-official": OfficialDirective,
    "apidiff-counterparts": CounterpartsDirective,
}
