"""Sphinx extension: pages from the database.

``setup`` registers the domain ``apidiff``, its roles and directives, and the events that keep pages right under
parallel reading, incremental builds, edited records and deleted ones.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from apidiff.execute.submissions.signed import signature_path
from apidiff.messages.labels import Language, between_sentences, label
from apidiff.sphinxext import source
from apidiff.sphinxext.bars import BAR_NODES
from apidiff.sphinxext.build_cache import Content, Shelf, replace_folder, write_stubs
from apidiff.sphinxext.build_tuning import Pace
from apidiff.sphinxext.contribute import EXAMPLES, RECORDS, published
from apidiff.sphinxext.deferred_refs import ResolveLate
from apidiff.sphinxext.directives import DIRECTIVES
from apidiff.sphinxext.domain import ApidiffDomain, keep_words
from apidiff.sphinxext.head import add_head, set_base_address
from apidiff.sphinxext.index_table import HTML_VISITORS, add_script, index_table
from apidiff.sphinxext.languages import ChineseLineBreaks, ExplicitAnchors, add_language_context
from apidiff.sphinxext.nodes import HTML_NODES
from apidiff.sphinxext.page_context import add_shell_context, drop_unused_files, publish_theme_css
from apidiff.sphinxext.policy import add_policy
from apidiff.sphinxext.port import PORT_NODES, PortDirective, add_port_script, write_port_data
from apidiff.sphinxext.search_index import write_search_index
from apidiff.sphinxext.search_parts import note_parts
from apidiff.sphinxext.trace_table import TRACE_NODES
from apidiff.sphinxext.translator import Translator


def _env_version() -> int:
    """A number over the code that makes pages: when it changes, every page is read again."""
    folder = Path(__file__).parent
    package = folder.parent
    shared = [*(package / "messages").glob("*.py"), *(package / "data" / "messages").glob("*.yaml")]
    files = [*sorted(folder.glob("*.py")), *sorted(folder.glob("*.html")), *sorted(shared)]
    # Sphinx compiles an edited catalogue and writes no page again for it.
    files += sorted((folder.parents[1] / "conf" / "locale").rglob("*.po"))
    return int(hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8], 16)


class _Session:
    """One build and the content it shows."""

    def __init__(self) -> None:
        self.content: Content | None = None

    def lay_out(self, app: Sphinx) -> None:
        """Write derived files and stub pages before Sphinx looks for pages."""
        made = app.config.apidiff_content
        self.content = source.read(Path(made)) if made else source.load()
        shelf = Shelf(app.doctreedir)
        shelf.publish(self.content)
        write_stubs(Path(app.srcdir), self.content, shelf.evidence_keys())
        if isinstance(app.builder, StandaloneHTMLBuilder):
            # Pages are searched by an index of our own (`search_index`); Sphinx' would be built and shipped for nothing.
            app.builder.search = False

    def outdated(self, _app: Sphinx, env: BuildEnvironment) -> list[str]:
        """Pages to write again: those whose links lead elsewhere, and all where other releases can be chosen."""
        domain = env.get_domain("apidiff")
        assert isinstance(domain, ApidiffDomain)
        known = self.content.releases.known if self.content else {}
        before, domain.data["releases"] = domain.data.get("releases"), known
        moved = domain.moved()
        return moved if before in (None, known) else sorted(env.found_docs)

    def add_versions(
        self, app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
    ) -> None:
        """Tell templates which versions can be chosen, and give them the words of the chooser."""
        context["apidiff_known"] = self.content.releases.known if self.content else {}
        words: Language = "zh" if app.config.language.startswith("zh") else "en"
        said = {key: label(f"chooser.{key}", words) for key in ("label", "newest", "back", "said", "unknown")}
        said |= {framework: label(f"framework.{framework}", words) for framework in ("torch", "mindspore")}
        said["space"] = between_sentences(words)
        context["apidiff_chooser"] = json.dumps(said, ensure_ascii=False)

    def finish(self, app: Sphinx, exception: Exception | None) -> None:
        """Put the raw run records beside the pages, and take away the output of pages that are gone."""
        if exception is not None or self.content is None or not isinstance(app.builder, StandaloneHTMLBuilder):
            return
        _remove_stale_pages(app)
        shelf, folder = Shelf(app.doctreedir), Path(app.outdir) / "_runs"
        raw = {folder / f"{run_id}.json": shelf.run_file(run_id).read_bytes() for run_id in self.content.runs}
        signatures = {
            signature_path(folder / f"{run_id}.json"): shelf.signature_file(run_id).read_bytes()
            for run_id in self.content.runs
            if shelf.signature_file(run_id).is_file()
        }
        replace_folder(folder, raw, "**/*.json")
        replace_folder(folder, signatures, "**/*.minisig")
        write_search_index(app, self.content)
        write_port_data(self.content, Path(app.outdir), "zh" if app.config.language.startswith("zh") else "en")
        out = Path(app.outdir)
        files = {out / path: text for path, text in published(self.content.records, self.content.entries).items()}
        for name, pattern in ((RECORDS, "*.yaml"), (EXAMPLES, "*/*.py")):
            mine = {path: text for path, text in files.items() if path.is_relative_to(out / name)}
            replace_folder(out / name, mine, pattern)


def _remove_stale_pages(app: Sphinx) -> None:
    """Remove every page that this build does not know, whenever it was that its source went away."""
    outdir = Path(app.outdir)
    known = {*app.env.found_docs, *app.config.html_additional_pages, "genindex", "search"}
    for page in outdir.rglob("*.html"):
        path = page.relative_to(outdir)
        if path.parts[0] != "_static" and path.with_suffix("").as_posix() not in known:
            page.unlink()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register everything with Sphinx."""
    session, pace = _Session(), Pace()
    app.add_config_value("apidiff_content", "", "", str)
    app.add_domain(ApidiffDomain)
    app.add_config_value("apidiff_repository", "", "env", str)
    # A page that is not built again keeps the commit it was built at, where its record is the same.
    app.add_config_value("apidiff_commit", "", "", str)
    app.add_transform(ExplicitAnchors)
    app.add_transform(ChineseLineBreaks)
    app.add_post_transform(ResolveLate)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.set_translator("html", Translator)
    app.add_directive("apidiff-port", PortDirective)
    for kinds in (HTML_NODES, PORT_NODES, TRACE_NODES, BAR_NODES):
        for node, visitors in kinds.items():
            app.add_node(node, html=visitors)
    # The address of the site's root, ending in a slash, or empty; pages are written again when it changes.
    app.add_config_value("apidiff_site_url", "", "html", str)
    app.connect("config-inited", set_base_address)
    app.connect("builder-inited", pace.begin, priority=100)
    app.connect("builder-inited", session.lay_out)
    app.connect("builder-inited", pace.settle, priority=900)
    app.add_node(index_table, html=HTML_VISITORS)
    app.connect("doctree-read", note_parts)
    app.connect("env-updated", session.outdated)
    app.connect("missing-reference", keep_words)
    app.connect("html-page-context", add_language_context)
    app.connect("html-page-context", add_shell_context)
    app.connect("html-page-context", add_policy, priority=900)  # after the theme has added its scripts
    app.connect("config-inited", publish_theme_css)
    app.connect("build-finished", drop_unused_files)
    app.connect("html-page-context", session.add_versions)
    app.connect("html-page-context", add_script)
    app.connect("html-page-context", add_port_script)
    app.connect("html-page-context", add_head)
    app.connect("build-finished", session.finish)
    app.connect("build-finished", pace.end)
    return {
        "version": "1",
        "env_version": _env_version(),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
