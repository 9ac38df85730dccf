"""Defines the directives: each reads derived files, names them as what its page depends on, and returns finished nodes."""

from __future__ import annotations

import errno
import re
from typing import Any, ClassVar, TypeVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from apidiff.derive.document_differences import DocumentRow
from apidiff.derive.evidence import ApiEvidence, RunHead, SingleHead, place_of
from apidiff.derive.index_rows import Index
from apidiff.derive.official import OfficialReport
from apidiff.derive.verdicts_by_run import Changed
from apidiff.model.coverage import Coverage
from apidiff.model.picture import Picture
from apidiff.model.signed import Signed
from apidiff.model.trace import RunRecord
from apidiff.model.views import CounterpartEntry, Entry
from apidiff.sphinxext import index_pages
from apidiff.sphinxext.build_cache import BuildCache, MappingPage
from apidiff.sphinxext.coverage_page import coverage_sections
from apidiff.sphinxext.documents_page import documents_sections
from apidiff.sphinxext.domain import ApidiffDomain, trace_name
from apidiff.sphinxext.evidence_page import defined, evidence_section, of_its_api
from apidiff.sphinxext.home_page import figures, measured_last, most_used, search_box
from apidiff.sphinxext.index_table import table_of
from apidiff.sphinxext.languages import language_of
from apidiff.sphinxext.mapping_evidence import mapping_evidence_section
from apidiff.sphinxext.mapping_page import mapping_section
from apidiff.sphinxext.news_page import news_sections
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.page_context import describe, describe_mapping
from apidiff.sphinxext.picture import PICTURED
from apidiff.sphinxext.repository import Repository
from apidiff.sphinxext.run_addresses import run_pages
from apidiff.sphinxext.run_page import run_section, run_summary
from apidiff.sphinxext.site_content import DamagedFile
from apidiff.sphinxext.statements_page import statements_sections
from apidiff.sphinxext.versions import Releases
from apidiff.sphinxext.written_files import naming_the_file
from apidiff.writers.exports.address import anchor

T = TypeVar("T")
_NO_FILE = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}
_NAME = re.compile(r"\w[\w.+-]*(/\w[\w.+-]*)*")  # of a derived file: none leads out of its folder


class _Directive(SphinxDirective):
    """What the directives share: a builder in the page's language and the derived files."""

    def make(self, releases: Releases | None = None) -> PageBuilder:
        """Return a builder of the page's nodes."""
        self._made = PageBuilder(language_of(self.config).words, self.state.document, self.env.docname, releases)
        return self._made

    @property
    def domain(self) -> ApidiffDomain:
        domain = self.env.get_domain("apidiff")
        assert isinstance(domain, ApidiffDomain)
        return domain

    def read(self, name: str, kind: type[T], missing: str = "") -> T:
        """Read a derived file and note that the page depends on it. Raises DirectiveError with ``missing`` without one."""
        cache = BuildCache.of(self.config, self.env.doctreedir)
        if missing and not _NAME.fullmatch(name):
            raise self.error(missing)
        self.env.note_dependency(str(cache.file(name)))
        with naming_the_file(cache.folder):
            try:
                return cache.read(name, kind)
            except OSError as error:
                if missing and error.errno in _NO_FILE:
                    raise self.error(missing) from error
                raise

    def finished(self, page: list[nodes.Node]) -> list[nodes.Node]:
        """Return the nodes, once it is noted which objects they refer to."""
        for link in self._made.links:
            self.domain.note_use(self.env.docname, link["reftype"], link["reftarget"])
            if link["reftype"] == "run" and link["apidiff_part"]:
                self.domain.note_use(self.env.docname, "trace", trace_name(link["reftarget"], link["apidiff_part"]))
        return page

    def toctree(self, docnames: list[str]) -> list[nodes.Node]:
        """Return a hidden table of contents with these pages, where the option ``toctree`` asks for it.

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


class MappingDirective(_Directive):
    """``apidiff-mapping`` ID: the whole page of a mapping."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the page and note its objects."""
        key = self.arguments[0]
        missing = f"No mapping {key!r}: name a file under apidiff/data/mappings or remove this directive."
        page = self.read(f"mappings/{key}", MappingPage, missing)
        make = self.make(page.releases)
        section = mapping_section(make, page.entry, pictured=page.pictured, beside=page.beside)
        self.env.metadata[self.env.docname].update(describe_mapping(page.entry, make.language))
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


class MappingEvidenceDirective(_Directive):
    """``apidiff-mapping-evidence`` ID: the page of what a mapping rests on."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the page and note its claims."""
        key = self.arguments[0]
        missing = f"No mapping {key!r}: remove this directive; a build writes such pages itself."
        page = self.read(f"mappings/{key}", MappingPage, missing)
        picture = self.read(f"pictures/{key}", Picture) if page.pictured else None
        make = self.make(page.releases)
        section = mapping_evidence_section(make, page.entry, picture, self._repository())
        self.env.metadata[self.env.docname].update(describe(make.word("mapping_evidence.about")))
        if picture is not None:
            self.env.metadata[self.env.docname][PICTURED] = "yes"
        self._define(page.entry)
        return self.finished([section])

    def _repository(self) -> Repository | None:
        address, commit = self.config.apidiff_repository, self.config.apidiff_commit
        return Repository(address=address, commit=commit) if address else None

    def _define(self, entry: Entry) -> None:
        note, here = self.domain.note, self.env.docname
        note(here, "evidence", entry.id)
        # Of mappings that share a target, the one that holds its claims leads.
        ranks = {target.name: 2 if target.defined_in else 1 for target in entry.targets}
        for claim in entry.claims:
            note(here, "claim", claim.id, anchor(claim.id), rank=ranks.get(claim.subject, 0))


class RunDirective(_Directive):
    """``apidiff-run`` ID: the page of a run record."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the page and note it as that of its run."""
        run_id, make = self.arguments[0], self.make()
        missing = f"No run record {run_id!r}: name a file under apidiff/data/runs or remove this directive."
        record = self.read(f"runs/{run_id}", RunRecord, missing)
        signed = self.read(f"signed/{run_id}", Signed)
        self.env.metadata[self.env.docname].update(describe(make.word(run_summary(signed.trust))))
        self.domain.note(self.env.docname, "run", run_id)
        return self.finished([run_section(make, run_id, record, signed)])


class EvidenceDirective(_Directive):
    """``apidiff-evidence`` KEY: the page of an API's evidence."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the page and note what verdicts point at on it."""
        key = self.arguments[0]
        missing = f"No evidence {key!r}: remove this directive; a build writes such pages itself."
        without_runs = self.read(f"evidence/{key}", ApiEvidence, missing)
        runs = self.read(f"heads/{place_of(key)}", list[RunHead])
        evidence = of_its_api(without_runs, runs)
        for name, goal in defined(evidence):
            self.domain.note(self.env.docname, "trace", name, goal)
        return self.finished([evidence_section(self.make(), evidence)])


_INDEXES = {"category": index_pages.by_category, "risk": index_pages.by_risk}


class IndexDirective(_Directive):
    """``apidiff-index`` category | risk: all mappings."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build one section per category or risk."""
        order = self.arguments[0].lower()
        if order not in _INDEXES:
            raise self.error(f"No index {self.arguments[0]!r}: write {' or '.join(_INDEXES)}.")
        pages = self.read(f"lists/{order}", list[MappingPage])
        newest = pages[0].newest["mindspore"] if pages else ""
        return self.finished(_INDEXES[order](self.make(), pages, newest))


class MeaningsDirective(_Directive):
    """``apidiff-meanings``: what the words of risks and of answers mean."""

    def run(self) -> list[nodes.Node]:
        """Build the lists."""
        return index_pages.meanings(self.make())


_MAPPINGS = "mappings/"  # the folder of their records


class TableDirective(_Directive):
    """``apidiff-table``: the table of all mappings, and damaged records; with ``:toctree:`` also their place in the contents."""

    option_spec: ClassVar[dict[str, Any]] = {"toctree": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        index, make = self.read("index", Index), self.make()
        records = {
            path: found
            for path, found in self.read("damaged", dict[str, DamagedFile]).items()
            if path.startswith(_MAPPINGS)
        }
        damaged = index_pages.damaged_files(make, records)
        if not index.rows:
            return self.finished([make.sentence("index.empty"), *damaged])
        tree = self.toctree([f"mappings/{row.id}" for row in index.rows])
        return self.finished([table_of(index, make.language, self.env.docname), *damaged, *tree])


class StatementsDirective(_Directive):
    """``apidiff-statements``: what documents and upstream's tables state, and what runs show otherwise."""

    def run(self) -> list[nodes.Node]:
        """Build a line per API, then what the tables come to."""
        pages, report = self.read("lists/refuted", list[MappingPage]), self.read("official", OfficialReport)
        return self.finished(statements_sections(self.make(), pages, report))


class DocumentsDirective(_Directive):
    """``apidiff-documents``: what documents describe and runs show otherwise."""

    def run(self) -> list[nodes.Node]:
        """Build a section per kind of statement."""
        return self.finished(documents_sections(self.make(), self.read("documents", list[DocumentRow])))


class CoverageDirective(_Directive):
    """``apidiff-coverage``: what was run and what was not."""

    def run(self) -> list[nodes.Node]:
        """Build one section per question."""
        return self.finished(coverage_sections(self.make(), self.read("coverage", Coverage)))


class NewsDirective(_Directive):
    """``apidiff-news``: what was measured, and which version changed which behaviour."""

    def run(self) -> list[nodes.Node]:
        """Build a section of runs, and one of changes by version."""
        changes, places = self.read("changed", list[Changed]), self.read("coverage", Coverage).places
        runs, singles = self.read("runs", list[RunHead]), self.read("single_runs", list[SingleHead])
        return self.finished(news_sections(self.make(), changes, places, runs, singles))


class SearchBoxDirective(_Directive):
    """``apidiff-search-box``: a box to search in."""

    def run(self) -> list[nodes.Node]:
        """Build the box."""
        return [search_box(self.make())]


class MostUsedDirective(_Directive):
    """``apidiff-most-used``: the APIs that real code uses most."""

    def run(self) -> list[nodes.Node]:
        """Build the list."""
        return self.finished(most_used(self.make(), self.read("index", Index)))


class MeasuredDirective(_Directive):
    """``apidiff-measured``: what was measured last."""

    def run(self) -> list[nodes.Node]:
        """Build the list."""
        runs, singles = self.read("runs", list[RunHead]), self.read("single_runs", list[SingleHead])
        return self.finished(measured_last(self.make(), runs, singles))


class FiguresDirective(_Directive):
    """``apidiff-figures``: how much there is, and how much of it was run."""

    def run(self) -> list[nodes.Node]:
        """Build the figures."""
        return self.finished(figures(self.make(), self.read("coverage", Coverage), self.read("index", Index)))


class CounterpartsDirective(_Directive):
    """``apidiff-counterparts``: MindSpore's communication APIs with the sources they serve."""

    def run(self) -> list[nodes.Node]:
        """Build one section per module and note its APIs."""
        counterparts = self.read("counterparts", list[CounterpartEntry])
        for counterpart in counterparts:  # after the pages of mappings, where an API is a target
            self.domain.note(self.env.docname, "api", counterpart.name, anchor(counterpart.name), rank=3)
        return self.finished(index_pages.counterpart_sections(self.make(), counterparts))


class RunsDirective(_Directive):
    """``apidiff-runs``: the list of run records; with ``:toctree:`` also their place in the contents."""

    option_spec: ClassVar[dict[str, Any]] = {"toctree": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        runs, singles = self.read("runs", list[RunHead]), self.read("single_runs", list[SingleHead])
        tree = self.toctree(list(run_pages(run.id for run in runs).values()))
        make = self.make()
        damaged = index_pages.damaged_files(make, self.read("damaged", dict[str, DamagedFile]))
        return self.finished([*index_pages.runs(make, runs), *index_pages.single_runs(make, singles), *damaged, *tree])


DIRECTIVES: dict[str, type[SphinxDirective]] = {
    "apidiff-mapping": MappingDirective,
    "apidiff-mapping-evidence": MappingEvidenceDirective,
    "apidiff-run": RunDirective,
    "apidiff-evidence": EvidenceDirective,
    "apidiff-index": IndexDirective,
    "apidiff-meanings": MeaningsDirective,
    "apidiff-table": TableDirective,
    "apidiff-statements": StatementsDirective,
    "apidiff-documents": DocumentsDirective,
    "apidiff-runs": RunsDirective,
    "apidiff-coverage": CoverageDirective,
    "apidiff-news": NewsDirective,
    "apidiff-search-box": SearchBoxDirective,
    "apidiff-most-used": MostUsedDirective,
    "apidiff-measured": MeasuredDirective,
    "apidiff-figures": FiguresDirective,
    "apidiff-counterparts": CounterpartsDirective,
}
