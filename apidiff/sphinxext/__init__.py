"""Sphinx extension: pages from the database.

``setup`` registers the domain ``apidiff``, its roles and directives, and the events that keep pages right under
parallel reading, incremental builds, edited records and deleted ones.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from apidiff.sphinxext import source
from apidiff.sphinxext.content import Content, Shelf, replace_folder, write_stubs
from apidiff.sphinxext.directives import DIRECTIVES
from apidiff.sphinxext.domain import ApidiffDomain, keep_words
from apidiff.sphinxext.languages import ChineseLineBreaks, ExplicitAnchors, add_language_context
from apidiff.sphinxext.late import ResolveLate
from apidiff.sphinxext.nodes import HTML_NODES


def _env_version() -> int:
    """A number over the code that makes pages: when it changes, every page is read again."""
    folder = Path(__file__).parent
    files = [*sorted(folder.glob("*.py")), folder.parent / "render" / "labels.py"]
    return int(hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8], 16)


class _Session:
    """One build and the content it shows."""

    def __init__(self) -> None:
        self.content: Content | None = None

    def lay_out(self, app: Sphinx) -> None:
        """Write derived files and stub pages before Sphinx looks for pages."""
        self.content = source.load()
        Shelf(app.doctreedir).publish(self.content)
        write_stubs(Path(app.srcdir), self.content)
        if isinstance(app.builder, StandaloneHTMLBuilder):
            # Pagefind searches the finished site; Sphinx' own index would be built and shipped for nothing.
            app.builder.search = False

    def finish(self, app: Sphinx, exception: Exception | None) -> None:
        """Put the raw run records beside the pages, and take away the output of pages that are gone."""
        if exception is not None or self.content is None or not isinstance(app.builder, StandaloneHTMLBuilder):
            return
        _remove_stale_pages(app)
        shelf, folder = Shelf(app.doctreedir), Path(app.outdir) / "_runs"
        raw = {folder / f"{run_id}.json": shelf.run_file(run_id).read_bytes() for run_id in self.content.runs}
        replace_folder(folder, raw, "**/*.json")


def _remove_stale_pages(app: Sphinx) -> None:
    """Remove every page that this build does not know, whenever it was that its source went away."""
    outdir = Path(app.outdir)
    known = {*app.env.found_docs, *app.config.html_additional_pages, "genindex", "search"}
    for page in outdir.rglob("*.html"):
        path = page.relative_to(outdir)
        if path.parts[0] != "_static" and path.with_suffix("").as_posix() not in known:
            page.unlink()


def _moved(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    domain = env.get_domain("apidiff")
    return domain.moved() if isinstance(domain, ApidiffDomain) else []


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register everything with Sphinx."""
    session = _Session()
    app.add_domain(ApidiffDomain)
    app.add_transform(ExplicitAnchors)
    app.add_transform(ChineseLineBreaks)
    app.add_post_transform(ResolveLate)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    for node, visitors in HTML_NODES.items():
        app.add_node(node, html=visitors)
    app.connect("builder-inited", session.lay_out)
    app.connect("env-updated", _moved)
    app.connect("missing-reference", keep_words)
    app.connect("html-page-context", add_language_context)
    app.connect("build-finished", session.finish)
    return {
        "version": "1",
        "env_version": _env_version(),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
