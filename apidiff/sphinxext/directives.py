"""Directives: each reads derived files, names them as what its page depends on, and hands back finished nodes."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from apidiff.derive.evidence import ApiEvidence
from apidiff.messages.labels import Language
from apidiff.model import RunRecord
from apidiff.model.picture import Picture
from apidiff.model.views import Entry
from apidiff.sphinxext import tables
from apidiff.sphinxext.build_cache import MappingPage, Shelf
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.changed_page import changed_sections
from apidiff.sphinxext.contribute import contribute_section
from apidiff.sphinxext.counterparts import counterpart_sections
from apidiff.sphinxext.coverage_page import coverage_sections
from apidiff.sphinxext.domain import ApidiffDomain, trace_name
from apidiff.sphinxext.evidence_page import defined, evidence_section
from apidiff.sphinxext.head import describe, describe_mapping
from apidiff.sphinxext.index_table import index_table
from apidiff.sphinxext.mapping_page import mapping_section
from apidiff.sphinxext.nodes import anchor, every, paragraph
from apidiff.sphinxext.official_page import official_sections
from apidiff.sphinxext.repository import Repository, checked
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

    @property
    def repository(self) -> Repository | None:
        address, commit = self.config.apidiff_repository, self.config.apidiff_commit
        return Repository(address=checked(address), commit=commit) if address else None

    def finished(self, found: list[nodes.Node]) -> list[nodes.Node]:
        """The nodes, once it is noted which objects they refer to."""
        for node in found:
            for link in every(node, addnodes.pending_xref):
                self.domain.note_use(self.env.docname, link["reftype"], link["reftarget"])
                if link["reftype"] == "run" and link["apidiff_part"]:
                    trace = trace_name(link["reftarget"], link["apidiff_part"])
                    self.domain.note_use(self.env.docname, "trace", trace)
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
        make = Builder(self.make.language, self.state.document, self.env.docname, page.releases)
        section = mapping_section(make, page.entry, self._picture(page))
        section += contribute_section(make, page.entry, page.newest, self.repository)
        self.env.metadata[self.env.docname].update(describe_mapping(page.entry, self.make.language))
        self._define(page.entry)
        return self.finished([section])

    def _picture(self, page: MappingPage) -> Picture | None:
        if not page.pictured:
            return None
        self.env.note_dependency(str(self.shelf.picture_file(page.entry.id)))
        return self.shelf.picture(page.entry.id)

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
        self.env.metadata[self.env.docname].update(describe(self.make.word("run.summary")))
        self.domain.note(self.env.docname, "run", run_id)
        self.env.note_dependency(str(self.shelf.signed_file(run_id)))
        return self.finished([run_section(self.make, run_id, record, self.shelf.signed(run_id))])


class EvidenceDirective(_Directive):
    """``apidiff-evidence`` KEY: the page of an API's evidence."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The page, once it is noted what verdicts point at on it."""
        file = self.shelf.evidence_file(self.arguments[0])
        self.env.note_dependency(str(file))
        if not file.is_file():
            raise self.error(
                f"No evidence {self.arguments[0]!r}: remove this directive; a build writes such pages itself."
            )
        found = msgspec.json.decode(file.read_bytes(), type=ApiEvidence)
        for name, goal in defined(found):
            self.domain.note(self.env.docname, "trace", name, goal)
        return self.finished([evidence_section(self.make, found)])


_INDEXES = {"category": tables.by_category, "risk": tables.by_risk}


class IndexDirective(_Directive):
    """``apidiff-index`` category | risk: all mappings."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The sections."""
        order = directives.choice(self.arguments[0], tuple(_INDEXES))
        pages = self.listed(order)
        newest = pages[0].newest["mindspore"] if pages else ""
        build = _INDEXES[order]
        return self.finished(build(self.make, pages, newest))


class MeaningsDirective(_Directive):
    """``apidiff-meanings``: what the words of risks and of answers mean."""

    def run(self) -> list[nodes.Node]:
        """The lists."""
        return tables.meanings(self.make)


class TableDirective(_Directive):
    """``apidiff-table``: the table of all mappings; with ``:toctree:`` also their place in the contents."""

    option_spec: ClassVar[dict[str, Any]] = {"toctree": directives.flag}

    def run(self) -> list[nodes.Node]:
        """The table."""
        self.env.note_dependency(str(self.shelf.index_file))
        index = self.shelf.index()
        if not index.rows:
            return [paragraph(nodes.Text(self.make.word("index.empty")))]
        tree = self.toctree([f"mappings/{row.id}" for row in index.rows])
        return [index_table("", index=index, language=self.make.language), *tree]


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


class CoverageDirective(_Directive):
    """``apidiff-coverage``: what was run and what was not."""

    def run(self) -> list[nodes.Node]:
        """One section a question."""
        self.env.note_dependency(str(self.shelf.coverage_file))
        return self.finished(coverage_sections(self.make, self.shelf.coverage()))


class ChangedDirective(_Directive):
    """``apidiff-changed``: which version changed which behaviour."""

    def run(self) -> list[nodes.Node]:
        """One section a version."""
        for file in (self.shelf.changed_file, self.shelf.coverage_file):
            self.env.note_dependency(str(file))
        return self.finished(changed_sections(self.make, self.shelf.changed(), self.shelf.coverage().places))


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
    "apidiff-evidence": EvidenceDirective,
    "apidiff-index": IndexDirective,
    "apidiff-meanings": MeaningsDirective,
    "apidiff-table": TableDirective,
    "apidiff-refuted": RefutedDirective,
    "apidiff-runs": RunsDirective,
    "apidiff-official": OfficialDirective,
    "apidiff-coverage": CoverageDirective,
    "apidiff-changed": ChangedDirective,
    "apidiff-counterparts": CounterpartsDirective,
}
