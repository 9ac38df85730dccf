"""Keeps pages to their own text: they have the directives and roles that are listed here, and show files of the examples alone.

Sphinx would read, and publish, any file of the machine that a page names; of a page's own settings MyST takes templates, which
are code; and with a few words a page may ask for gigabytes. Pages may be a stranger's, as in a pull request that somebody
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
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.states import Inliner
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

from apidiff.database.paths import examples_folder
from apidiff.database.regular_files import read_text
from apidiff.real_path import real_path
from apidiff.sphinxext.api_pages import documented_packages

_EVERYWHERE: Mapping[str, set[str]] = {
    "code-block": set(),
    "literalinclude": {"language"},
    "note": set(),
    "warning": set(),
}
"""Directives that any page may have, with the options that they may have there."""

_WITH_CONTENTS = {"index", "guide/index", "project", "python"}
"""Pages with a ``toctree``: pages that list pages in layers are gone through once for each way down."""

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
    "toctree": {"hidden", "maxdepth", "titlesonly"},
}
"""Directives of the pages of modules, which autodoc2 writes, with their options; they have the Python domain's besides."""

_ROLES = {"doc", "kbd", "ref"}
"""Roles that any page may have, besides those of the domain ``apidiff``; pages of modules have the Python domain's."""

_LANGUAGES = {"bash", "json", "lua", "pycon", "python", "sql", "text", "toml", "yaml"}
"""Languages of code: others may take minutes for a long line."""

_SETTINGS = ("html_theme.sidebar_secondary.remove", "orphan")
_FRONT = re.compile(rf"---\n(?:(?:{'|'.join(map(re.escape, _SETTINGS))}): true\n)*---\n")
_MOST_CELLS = 10_000
"""Cells of a page's tables, where every line had as many as the longest of its table."""
_MOST_TARGETS = 500
"""Targets ``(name)=`` of a page; docutils hands the names of each on to the next."""
_MOST_LAYERS = 60
"""Elements of a page that lie in one another; what goes through them calls itself for each."""
_MOST_OF_TITLE = 2_000
"""Characters of a title with all its marks, as docutils writes it: it stands on every page that lists the page."""

_LEFT_OUT = "# –\n"
_CODE = Path(__file__).resolve().parents[2]
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


class PageParser(MystParser):
    """MyST's parser of pages whose elements do not lie in one another too deeply."""

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a page; leave it out with a warning where it is too deep."""
        try:
            super().parse(inputstring, document)
            is_deep = _layers(document) > _MOST_LAYERS
        except RecursionError:
            is_deep = True
        if is_deep:
            source = document["source"]
            document.__init__(document.settings, document.reporter, source=source)  # type: ignore[misc] # all of it anew
            document.note_source(source, -1)
            said = f"It has emphasis, notes or lists in one another in more than {_MOST_LAYERS} layers. The page is left out."
            _logger.warning(said, location=(self.env.docname, 1))
            super().parse(_LEFT_OUT, document)


def _layers(tree: nodes.Element) -> int:
    """In how many layers elements lie in one another."""
    count, layer = 0, [tree]
    while layer:
        count, layer = count + 1, [child for node in layer for child in node if isinstance(child, nodes.Element)]
    return count


def keep_pages(app: Sphinx) -> None:
    """Have the pages of this site kept to what is listed here."""
    app.add_source_parser(PageParser, override=True)
    app.connect("source-read", _keep_settings)
    app.connect("source-read", _keep_to_lists)
    app.add_directive("literalinclude", ExampleInclude, override=True)
    app.connect("doctree-read", _leave_out, priority=100)


def _keep_to_lists(app: Sphinx, page: str, _source: list[str]) -> None:
    """Have directives and roles looked up in the lists while a page is read; Sphinx sets the functions anew for the next one."""
    look_up, look_up_role = directives.directive, roles.role
    is_module = _is_of_module(app, page)
    had: set[str] = set()

    def directive(name: str, *rest: Any) -> tuple[type[Directive] | None, list[nodes.system_message]]:
        key = name.lower()
        options = _EVERYWHERE.get(key)
        if key in _OF_MODULES and (is_module or (key == "toctree" and page in _WITH_CONTENTS and key not in had)):
            options = _OF_MODULES[key]
        may_be_there = (is_module and key.startswith("py:")) or (key not in had and _is_of(page, key))
        if options is None and not may_be_there:
            return _Refused, []
        had.add(key)
        found, told = look_up(name, *rest)
        if found is None or options is None:
            return found, told
        forms = {option: form for option, form in (found.option_spec or {}).items() if option in options}
        if "parser" in forms:
            forms["parser"] = _rst_alone
        return type(found.__name__, (found,), {"option_spec": forms}), told

    def role(name: str, *rest: Any) -> tuple[Any, list[nodes.system_message]]:
        key = name.lower()
        if key in _ROLES or key.startswith("apidiff:") or (is_module and (not key or key.startswith("py:"))):
            return look_up_role(name, *rest)
        return _refused_role, []

    directives.directive = directive  # type: ignore[assignment]
    roles.role = role  # type: ignore[assignment]


def _is_of_module(app: Sphinx, page: str) -> bool:
    """Whether ``page`` is one that autodoc2 has just written: of a module, which is there, of a package that it documents."""
    name = page.rpartition("/")[2]
    path = _CODE.joinpath(*name.split("."))
    is_there = path.with_name(f"{path.name}.py").is_file() or (path / "__init__.py").is_file()
    return is_there and any(
        page == f"api/{package}/{name}" and f"{name}.".startswith(f"{package}.")
        for package in documented_packages(app.config)
    )


def _is_of(page: str, name: str) -> bool:
    """Whether ``page`` has a directive once."""
    kind = name.removeprefix("apidiff-")
    return kind != name and kind in (_OF_PAGES.get(page) or _OF_PAGES.get(f"{page.partition('/')[0]}/", set()))


def _refused_role(
    name: str, _rawtext: str, _text: str, lineno: int, inliner: Inliner, *_rest: Any
) -> tuple[list[Node], list[nodes.system_message]]:
    listed = ", ".join(sorted(_ROLES))
    said = f"This page has no role `{name[:100]}`. Take it out; pages may have {listed} and those of `apidiff:`."
    return [], [inliner.reporter.error(said, line=lineno)]


def _rst_alone(argument: str) -> type[Parser]:
    """The parser of docstrings: any other would be imported by its name."""
    return get_parser_class(directives.choice(argument, ("rst",)))


def _keep_settings(_app: Sphinx, page: str, source: list[str]) -> None:
    """Empty a page that sets how it is read, changes the syntax, or has something of which too much would be made."""
    found = _unfit_settings(source[0]) or _unfit_tables(source[0]) or _unfit_text(source[0])
    if found:
        _logger.warning(f"{found} The page is left out.", location=(page, 1))
        source[0] = _LEFT_OUT


def _unfit_settings(text: str) -> str:
    """What is wrong of front matter. It is read by its letters, not as YAML, of which MyST's parts each read something else."""
    if not text.startswith("---") or _FRONT.match(text):
        return ""
    listed = " and ".join(f"`{key}: true`" for key in _SETTINGS)
    return f"Its front matter may set {listed}, each in a line between lines of three hyphens. Take out what else is there."


def _unfit_tables(text: str) -> str:
    """What is wrong where short rows below a wide head, which are filled up, make too many cells."""
    blocks = [block.split("\n") for block in re.split(r"\n[ \t]*\n", text)]
    cells = sum(max((line.count("|") for line in lines), default=0) * len(lines) for lines in blocks)
    return (
        ""
        if cells <= _MOST_CELLS
        else f"Its tables have more than {_MOST_CELLS:,} cells. Cut them, or divide the page."
    )


def _unfit_text(text: str) -> str:
    if len(re.findall(r"\)=\s*$", text, re.MULTILINE)) > _MOST_TARGETS:
        return f"It has more than {_MOST_TARGETS} targets. Take some out."
    if "{eval-rst}" in text:
        return "It has reStructuredText (`eval-rst`). Write it as Markdown."
    return ""


def _leave_out(_app: Sphinx, tree: nodes.document) -> None:
    """Leave out images and downloads of this machine's files, colours of other languages, and what is too long of titles."""
    for node in list(tree.findall(lambda one: isinstance(one, nodes.image | download_reference))):
        name = node.get("uri") or node.get("reftarget") or ""  # type: ignore[attr-defined]
        if not name.startswith(("http://", "https://")):
            said = f"{name[:200]!r} is a file of this machine, and left out. Link to an address of the web."
            _logger.warning(said, location=node)
            node.parent.remove(node)
    for block in tree.findall(nodes.literal_block):
        if (language := block.get("language", "text")) not in _LANGUAGES | {"default"}:
            listed = ", ".join(sorted(_LANGUAGES))
            _logger.warning(
                f"Code in {language[:100]!r} is shown without colours. Name one of {listed}.", location=block
            )
            block["language"] = "text"
    for title in tree.findall(nodes.title):
        if len(title.pformat()) > _MOST_OF_TITLE:
            _logger.warning("This title is too long, and cut. Shorten it.", location=title)
            cut = title.astext()[:50]
            title.children = []
            title += nodes.Text(cut)
