"""Keeps pages to their own text: they show files of the examples and their own alone, and set no syntax of their own.

Sphinx would read, and publish, any file of the machine that a page names; of a page's own settings MyST takes templates, which
are code. Pages may be a stranger's, as in a pull request that somebody builds to look at it.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.nodes import Node
from docutils.parsers.rst import directives
from myst_parser.config.main import TopmatterReadError, read_topmatter
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.errors import ExtensionError
from sphinx.util.typing import OptionSpec

from apidiff.database.paths import examples_folder
from apidiff.database.regular_files import read_text
from apidiff.real_path import real_path


class ExampleInclude(LiteralInclude):
    """``literalinclude`` of files below ``executable_examples/`` and beside the pages, which are text within bounds.

    Of its options there is the language alone: a caption may hold directives, an encoding or a width takes minutes and gigabytes.
    """

    option_spec: ClassVar[OptionSpec] = {"language": directives.unchanged_required}

    def run(self) -> list[Node]:
        """Return the block of code, or an error that names what else was asked for."""
        name = self.arguments[0]
        path = real_path(Path(self.env.relfn2path(name)[1]))
        folders = examples_folder(), Path(self.env.srcdir)
        if not any(path.is_relative_to(real_path(folder)) for folder in folders):
            raise self.error(f"{name} lies outside of executable_examples/. Show a file of that folder.")
        try:
            read_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise self.error(f"{name} cannot be shown ({error}). Name a text file of executable_examples/.") from error
        settings = self.state.document.settings
        settings.file_insertion_enabled = True  # conf/docutils.conf allows no other directive to
        try:
            return super().run()
        finally:
            settings.file_insertion_enabled = False


def refuse_settings(app: Sphinx, page: str, source: list[str]) -> None:
    """Raises ExtensionError for a page that sets in its front matter how it is read."""
    if Path(app.env.doc2path(page)).suffix != ".md":
        return
    try:
        front = read_topmatter(source[0])
    except TopmatterReadError as error:
        raise ExtensionError(
            f"{app.env.doc2path(page)}:1: its front matter is no YAML. Mend it, or take it out."
        ) from error
    if front and "myst" in front:
        found = "its front matter sets `myst`, which conf/conf.py alone does"
        raise ExtensionError(f"{app.env.doc2path(page)}:1: {found}. Take that key out.")


def refuse_files(app: Sphinx, tree: nodes.document) -> None:
    """Raises ExtensionError for a page with an image or a download of this machine, which would be published: no page has one."""
    for node in tree.findall(lambda one: isinstance(one, nodes.image | download_reference)):
        name = node.get("uri") or node.get("reftarget") or ""  # type: ignore[attr-defined]
        if not name.startswith(("http://", "https://")):
            found = f"{name[:200]!r} is a file of this machine"
            raise ExtensionError(f"{app.env.doc2path(app.env.docname)}: {found}. Link to an address of the web.")
