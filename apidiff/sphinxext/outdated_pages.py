"""Finds the pages to write besides those that were read anew.

Sphinx keeps what it read of all pages before it writes any, and the next build compares a page with its source alone. A build
that is killed in between, one with another builder and one of single pages would leave old pages as they are for good. So the
output folder says what its pages were written from; where that is not what is known of them, all are written. It says what was
written, too: a page that was cut or edited since is written again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from apidiff.atomic_write import refuse_irregular
from apidiff.sphinxext.domain import ApidiffDomain
from apidiff.sphinxext.file_digests import file_digest, read_note
from apidiff.sphinxext.page_parts import held_by, pages_below
from apidiff.sphinxext.supported_builders import writes_site
from apidiff.sphinxext.versions import Releases
from apidiff.sphinxext.written_files import INFO, naming_the_file
from apidiff.writers.exports.files import write_if_changed

NOTE = ".apidiff-written-from"


class OutdatedPages:
    """What one build has to write, and what it wrote."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._due: set[str] = set()
        self._written: set[str] = set()
        self._pages: dict[str, str] = {}

    def begin(
        self, _app: Sphinx, env: BuildEnvironment, _added: set[str], _changed: set[str], _removed: set[str]
    ) -> list[str]:
        """Remember when each page was read, before any is read anew; asks for none."""
        self._before = dict(env.all_docs)
        return []

    def find(self, app: Sphinx, env: BuildEnvironment, releases: Releases) -> list[str]:
        """List the pages whose links lead elsewhere, and those in the output folder that are not as they were written.

        All are listed where they were written from something else, and where Sphinx' own note of the configuration is missing:
        it would take them for pages of the present one. The note of what they were written from is taken away: a build that is
        killed may leave half a page.
        """
        domain = env.get_domain("apidiff")
        assert isinstance(domain, ApidiffDomain)
        pages = domain.moved()
        if not writes_site(app.builder):
            return pages
        note = Path(app.outdir) / NOTE
        said = read_note(note)
        if said.get("from") != _state(self._before, releases) or not note.with_name(INFO).exists():
            pages = sorted(env.found_docs)
        else:
            self._pages, written = _digests(note.parent, env.found_docs), said.get("pages")
            written = written if isinstance(written, dict) else {}
            pages = sorted({*pages, *(name for name in env.found_docs if self._pages.get(name) != written.get(name))})
        with naming_the_file(note.parent):
            refuse_irregular(note)
            note.unlink(missing_ok=True)
        self._due = {*pages, *(name for name, read in env.all_docs.items() if self._before.get(name) != read)}
        return pages

    def remember_written(self, _app: Sphinx, _doctree: nodes.document, docname: str) -> None:
        """Remember that the page is written."""
        self._written.add(docname)

    def finish(self, app: Sphinx, releases: Releases) -> None:
        """Say in the output folder what its pages were written from and what they are, once all that were due are written."""
        if self._due <= self._written:
            read = app.env.all_docs if self._due else self._before  # with nothing due Sphinx keeps what it kept before
            note = Path(app.outdir) / NOTE
            # Where a page was written, links of others may lead elsewhere.
            pages = _digests(note.parent, app.env.found_docs) if self._written else self._pages
            write_if_changed(note, json.dumps({"from": _state(read, releases), "pages": pages}, indent=0).encode())


def _state(read: Mapping[str, int], releases: Releases) -> str:
    """Return a digest of when each page was read, and of the releases that every page lets a reader choose from."""
    return hashlib.sha256(repr((sorted(read.items()), releases.known)).encode()).hexdigest()


def _digests(out: Path, pages: Collection[str]) -> dict[str, str]:
    """Return a digest of what lies in the output folder of each page: its file, those of its parts and their table."""
    files: dict[str, list[tuple[str, str]]] = {}
    for path in pages_below(out, pages):
        files.setdefault(held_by(path, pages), []).append((path, file_digest(out / path)))
    return {page: hashlib.sha256(repr(sorted(held)).encode()).hexdigest() for page, held in sorted(files.items())}
