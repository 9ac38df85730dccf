"""Registers the extension with Sphinx.

``register`` registers the domain ``apidiff``, its roles and directives, and the events that keep pages right under
parallel reading, incremental builds, edited records and deleted ones.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from apidiff.database.paths import conf_file
from apidiff.lookup.made_entries import code_files
from apidiff.sphinxext import site_content
from apidiff.sphinxext.build_cache import BuildCache, Outline
from apidiff.sphinxext.build_tuning import BuildTuning
from apidiff.sphinxext.conf_options import add_options, wrong_derived
from apidiff.sphinxext.coverage_page import BAR_NODES
from apidiff.sphinxext.directives import DIRECTIVES
from apidiff.sphinxext.domain import ApidiffDomain, keep_words
from apidiff.sphinxext.former_build import refuse_other_kinds, refuse_what_is_no_file, remove_broken_info
from apidiff.sphinxext.index_table import TABLE_NODES, add_table_script
from apidiff.sphinxext.kept_readings import KeptReadings
from apidiff.sphinxext.languages import THEME_WORDS, ChineseComments, ChineseLineBreaks, ExplicitAnchors, language_of
from apidiff.sphinxext.nodes import HTML_NODES, Translator
from apidiff.sphinxext.outdated_pages import OutdatedPages
from apidiff.sphinxext.own_templates import name_templates
from apidiff.sphinxext.packed_tocs import pack_tocs
from apidiff.sphinxext.page_context import add_head, add_policy, add_versions, add_words, configure_head, leave_out_card
from apidiff.sphinxext.page_parts import pages_under_parts, write_parts
from apidiff.sphinxext.part_links import link_parts
from apidiff.sphinxext.picture import add_picture_files
from apidiff.sphinxext.port_page import PORT_NODES, PortDirective, add_port_script, write_port_data
from apidiff.sphinxext.raw_files import copy_raw_files, raw_files
from apidiff.sphinxext.search_index import note_parts, write_search_index
from apidiff.sphinxext.stub_pages import write_stubs
from apidiff.sphinxext.supported_builders import Refusal, on_site, writes_site
from apidiff.sphinxext.trace_table import TRACE_NODES
from apidiff.sphinxext.versions import Releases
from apidiff.sphinxext.written_files import naming_the_file, remove_former


def _env_version() -> int:
    """Return a number over the code and words that make pages: when it changes, every page is read again."""
    files = code_files(("sphinxext", "messages", "data/messages"))
    files.append(conf_file("scope.yaml"))
    # Names of categories and modules stand in pages; and for an edited catalogue Sphinx writes no page again.
    files += [THEME_WORDS] if THEME_WORDS.is_file() else []
    return int(hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8], 16)


class _Session:
    """One build and what there are pages of."""

    def __init__(self) -> None:
        self.outline: Outline | None = None
        self.outdated_pages = OutdatedPages()

    @property
    def releases(self) -> Releases:
        return self.outline.releases if self.outline else Releases()

    def lay_out(self, app: Sphinx) -> None:
        """Write derived files and stub pages before Sphinx looks for pages."""
        cache = BuildCache.of(app.config, app.doctreedir)
        if app.config.apidiff_derived:
            with naming_the_file(cache.folder):
                cache.wait()
        else:
            content = site_content.load()
            with naming_the_file(cache.folder):
                cache.publish(content)
        try:
            self.outline = cache.read("outline", Outline)
        except (OSError, ValueError, RecursionError) as error:  # msgspec's own errors are of the second
            raise wrong_derived(app.config, "has no outline.json that can be read") from error
        write_stubs(Path(app.srcdir), self.outline, cache.keys("evidence"))
        if writes_site(app.builder):
            # Pages are searched by an index of our own (`search_index`); Sphinx' would be built and shipped for nothing.
            app.builder.search = False

    def outdated(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """List the pages to write besides those that were read anew."""
        return self.outdated_pages.find(app, env, self.releases)

    def add_versions(
        self, app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
    ) -> None:
        """Tell the templates which versions can be chosen."""
        add_versions(context, language_of(app.config).words, self.releases)

    def remove_former(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Take away the pages, and the files beside them, that earlier builds wrote and this one has no more."""
        if self.outline is None or not writes_site(app.builder):
            return
        out = Path(app.outdir)
        pages = [Path(app.builder.get_outfilename(name)) for name in env.found_docs]
        with naming_the_file(out):
            remove_former(out, [*pages, *raw_files(self.outline, BuildCache.of(app.config, app.doctreedir), out)])

    def finish(self, app: Sphinx, exception: Exception | None) -> None:
        """Put beside the pages what they lead to, and what their scripts load."""
        if exception is not None or self.outline is None or not writes_site(app.builder):
            return
        out, cache = Path(app.outdir), BuildCache.of(app.config, app.doctreedir)
        with naming_the_file(out):
            copy_raw_files(raw_files(self.outline, cache, out))
            write_search_index(app, cache)
            write_port_data(cache, out, language_of(app.config).words)
            self.outdated_pages.finish(app, self.releases)  # last: whatever a killed build left undone is done again


def register(app: Sphinx) -> ExtensionMetadata:
    """Register everything with Sphinx."""
    app.setup_extension("sphinxext.opengraph")
    session, tuning, readings = _Session(), BuildTuning(), KeptReadings()
    add_options(app)
    app.add_domain(ApidiffDomain)
    app.add_transform(ExplicitAnchors)
    app.add_transform(ChineseComments)
    app.add_transform(ChineseLineBreaks)
    for name, directive in {**DIRECTIVES, "apidiff-port": PortDirective}.items():
        app.add_directive(name, directive)
    written = {**HTML_NODES, **PORT_NODES, **TRACE_NODES, **BAR_NODES, **TABLE_NODES}
    for node, visitors in written.items():
        app.add_node(node, html=visitors)
    app.set_translator("html", Translator)
    app.connect("config-inited", refuse_what_is_no_file, priority=60)  # before Sphinx opens a file of an earlier build
    app.connect("config-inited", remove_broken_info, priority=60)
    app.connect("config-inited", readings.check, priority=70)
    app.connect("config-inited", tuning.begin, priority=100)  # before Sphinx reads all that it keeps of pages
    app.connect("config-inited", configure_head)
    app.connect("builder-inited", pack_tocs)
    app.connect("builder-inited", name_templates)
    # It may wait for the content: after what others do.
    app.connect("builder-inited", tuning.or_end(session.lay_out), priority=800)
    app.connect("builder-inited", tuning.settle, priority=900)
    app.connect("doctree-read", note_parts)
    app.connect("env-get-outdated", readings.damaged)
    app.connect("env-get-outdated", session.outdated_pages.begin)
    app.connect("env-before-read-docs", refuse_other_kinds)  # the first that knows which pages there are
    app.connect("env-before-read-docs", readings.forget, priority=900)  # after others have said which pages are read
    app.connect("env-check-consistency", readings.note, priority=100)  # at once: Sphinx has just kept what it read
    app.connect("env-updated", pages_under_parts)
    app.connect("env-updated", session.outdated)
    app.connect("env-updated", session.remove_former, priority=900)  # after others have said which pages there are
    app.connect("doctree-resolved", Refusal(*written))
    app.connect("doctree-resolved", session.outdated_pages.remember_written)
    app.connect("missing-reference", keep_words)
    app.connect("html-page-context", on_site(tuning.remember_tags))
    app.connect("html-page-context", on_site(add_words))
    app.connect("html-page-context", on_site(session.add_versions))
    app.connect("html-page-context", on_site(add_table_script))
    app.connect("html-page-context", on_site(add_port_script))
    app.connect("html-page-context", on_site(add_picture_files))
    app.connect("html-page-context", on_site(add_head), priority=400)  # before sphinxext-opengraph reads what it says
    app.connect("html-page-context", leave_out_card, priority=400)
    app.connect("html-page-context", on_site(add_policy), priority=900)  # after the theme has added its scripts
    app.connect("html-page-context", on_site(write_parts), priority=950)
    app.connect("build-finished", link_parts)
    app.connect("build-finished", session.finish)
    app.connect("build-finished", tuning.end)
    return {
        "version": "1",
        "env_version": _env_version(),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
