"""Keeps pages to their own text: they have the directives that are listed here, and show files of the examples alone.

Sphinx would read, and publish, any file of the machine that a page names; of a page's own settings MyST takes templates, which
are code; and with a few words a directive may ask for gigabytes. Pages may be a stranger's, as in a pull request that somebody
builds to look at it. What is refused is named and left out, and the rest of the page is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.nodes import Node
from docutils.parsers import Parser, get_parser_class
from docutils.parsers.rst import Directive, directives
from myst_parser.config.main import TopmatterReadError, read_topmatter
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

from apidiff.database.paths import examples_folder
from apidiff.database.regular_files import read_text
from apidiff.real_path import real_path

_EVERYWHERE: Mapping[str, set[str]] = {
    "code-block": set(),
    "literalinclude": {"language"},
    "note": set(),
    "toctree": {"hidden", "maxdepth", "titlesonly"},
    "warning": set(),
}
"""Directives that any page may have, with the options that they may have there."""

_OF_PAGES: Mapping[str, set[str]] = {
    "index": {"search-box", "port", "most-used", "measured", "figures", "index", "meanings"},
    "port": {"port"},
    "coverage": {"coverage"},
    "counterparts": {"counterparts"},
    "documents": {"documents"},
    "mappings": {"table"},
    "new": {"news"},
    "risks": {"index"},
    "runs": {"runs"},
    "statements": {"statements"},
    "mappings/": {"mapping"},
    "runs/": {"run"},
    "evidence/": {"evidence", "mapping-evidence"},
}
"""Directives ``apidiff-…`` and the page, or the folder of pages, that has each of them once."""

_OF_MODULES: Mapping[str, set[str]] = {
    "autodoc2-docstring": {"allowtitles", "parser", "summary"},
    "list-table": {"align", "class"},
    "rubric": set(),
}
"""Directives of the pages below ``api/``, which autodoc2 writes, with their options; they have the Python domain's besides."""

_SETTINGS = {"html_theme.sidebar_secondary.remove", "orphan"}
_LONGEST_SETTINGS = 500
"""Characters of a page's front matter."""
_MOST_CELLS = 10_000
"""Cells of a page's tables, where every line had as many as the longest of its table."""
_MOST_TARGETS = 500
"""Targets ``(name)=`` of a page; docutils hands the names of each on to the next."""

_logger = logging.getLogger(__name__)


class ExampleInclude(LiteralInclude):
    """``literalinclude`` of files below ``executable_examples/`` and beside the pages, which are text within bounds."""

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


class _Refused(SphinxDirective):
    """A directive that its page may not have, whatever it asks for."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[Node]:
        listed = ", ".join(sorted(_EVERYWHERE))
        raise self.error(f"This page has no `{self.name[:100]}`. Take it out; pages may have {listed}.")


def keep_pages(app: Sphinx) -> None:
    """Have the pages of this site kept to what is listed here."""
    app.connect("source-read", _keep_settings)
    app.connect("source-read", _keep_to_list)
    app.add_directive("literalinclude", ExampleInclude, override=True)
    app.connect("doctree-read", _leave_out_files, priority=100)


def _keep_to_list(_app: Sphinx, page: str, _source: list[str]) -> None:
    """Have directives looked up in the lists while ``page`` is read; Sphinx sets the function anew for the next one."""
    look_up = directives.directive
    had: set[str] = set()

    def listed(name: str, *rest: Any) -> tuple[type[Directive] | None, list[nodes.system_message]]:
        key = name.lower()
        options = _OF_MODULES.get(key) if page.startswith("api/") else None
        options = _EVERYWHERE.get(key, options)
        if options is None and (key in had or not _is_of(page, key)):
            return _Refused, []
        if not key.startswith("py:"):
            had.add(key)
        found, told = look_up(name, *rest)
        if found is None or options is None:
            return found, told
        forms = {option: form for option, form in (found.option_spec or {}).items() if option in options}
        if "parser" in forms:
            forms["parser"] = _rst_alone
        return type(found.__name__, (found,), {"option_spec": forms}), told

    directives.directive = listed  # type: ignore[assignment]


def _is_of(page: str, name: str) -> bool:
    """Whether ``page`` has a directive once, or as a page of modules any number of times."""
    folder = f"{page.partition('/')[0]}/" if "/" in page else ""
    if folder == "api/" and name.startswith("py:"):
        return True
    kind = name.removeprefix("apidiff-")
    return kind != name and kind in (_OF_PAGES.get(page) or _OF_PAGES.get(folder, set()))


def _rst_alone(argument: str) -> type[Parser]:
    """The parser of docstrings: any other would be imported by its name."""
    return get_parser_class(directives.choice(argument, ("rst",)))


def _keep_settings(_app: Sphinx, page: str, source: list[str]) -> None:
    """Empty a page that sets how it is read, changes the syntax, or has tables or targets of which too much would be made."""
    found = _unfit_settings(source[0]) or _unfit_tables(source[0])
    if len(re.findall(r"\)=[ \t]*$", source[0], re.MULTILINE)) > _MOST_TARGETS:
        found = found or f"It has more than {_MOST_TARGETS} targets. Take some out."
    if "{eval-rst}" in source[0]:
        found = found or "It has reStructuredText (`eval-rst`). Write it as Markdown."
    if found:
        _logger.warning(f"{found} The page is left out.", location=(page, 1))
        source[0] = "# –\n"


def _unfit_settings(text: str) -> str:
    if not text.startswith("---"):
        return ""
    front = re.split(
        r"^(?:---|\.\.\.)", text.partition("\n")[2][: _LONGEST_SETTINGS + 1], maxsplit=1, flags=re.MULTILINE
    )
    if len(front) == 1:
        return f"Its front matter has more than {_LONGEST_SETTINGS} characters. Cut it."
    try:
        settings = read_topmatter(text) or {}
    except TopmatterReadError:
        return "Its front matter is no YAML mapping. Mend it, or take it out."
    for key, value in settings.items():
        if key not in _SETTINGS:
            listed = ", ".join(sorted(_SETTINGS))
            return f"Its front matter sets `{str(key)[:100]}`. Take that key out; pages may set {listed}."
        if not isinstance(value, bool):
            return f"Its front matter sets `{key}` to no truth value. Write true or false."
    return ""


def _unfit_tables(text: str) -> str:
    """What is wrong where short rows below a wide head, which are filled up, make too many cells."""
    blocks = [block.splitlines() for block in re.split(r"\n[ \t]*\n", text)]
    cells = sum(max((line.count("|") for line in lines), default=0) * len(lines) for lines in blocks)
    return (
        ""
        if cells <= _MOST_CELLS
        else f"Its tables have more than {_MOST_CELLS:,} cells. Cut them, or divide the page."
    )


def _leave_out_files(_app: Sphinx, tree: nodes.document) -> None:
    """Leave out images and downloads of this machine's files, which would be published: no page has one."""
    found = list(tree.findall(lambda one: isinstance(one, nodes.image | download_reference)))
    for node in found:
        name = node.get("uri") or node.get("reftarget") or ""  # type: ignore[attr-defined]
        if not name.startswith(("http://", "https://")):
            said = f"{name[:200]!r} is a file of this machine, and left out. Link to an address of the web."
            _logger.warning(said, location=node)
            node.parent.remove(node)
