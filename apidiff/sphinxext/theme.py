"""Slims the theme: its style sheet without what this site has no use for is most of what a first visit loads.

The theme ships Bootstrap, an icon font and styles for other projects' add-ons in one file. What goes is named here by
classes; a test holds the table against the classes of the built pages.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from apidiff.database.regular_files import read_regular
from apidiff.process_group import remove_folder
from apidiff.sphinxext.supported_builders import writes_site
from apidiff.sphinxext.written_files import naming_the_file
from apidiff.writers.exports.files import write_if_changed

# Families of classes that no page, template or script of this site uses.
_UNUSED = re.compile(
    r"""(?x)
    fa(-.*|[brs]|[a-z]{2})?          # Font Awesome; the site draws its few icons itself
    | sd-.* | ablog.* | jp-.* | nb.* | .*cell.* | rendered_html | thebe.* | xr-.* | dataframe | gp-.* | graphviz
    | (accordion|carousel|offcanvas|modal|toast|popover|tooltip|spinner|progress|pagination|placeholder|ratio)(-.*)?
    | bs-.* | (card|list-group|alert|badge|figure|vr|stretched-link|hstack|vstack|clearfix|spinner)(-.*)?
    | (input-group|form-floating|form-range|form-switch|was-validated|is-valid|is-invalid|valid|invalid)(-.*)?
    | btn-(toolbar|close|lg|success|danger|warning|info|light|dark|check)(-.*)?
    | (nav-(tabs|pills|underline|fill|justified)|tab-.*|drop(up|end|start)(-.*)?|navbar-(nav-scroll|toggler.*|text|brand-.*))
    | (link|text-bg|bg|border|rounded|shadow|opacity|focus-ring|icon-link|object-fit|z|overflow|translate|sticky)-.*
    | (m|p)[tbsexy]?-(sm|md|lg|xl|xxl)-.* | (g|gx|gy|gap|row-gap|column-gap|order|offset|col|row-cols)(-.*)?
    | (d|flex|float|justify-content|align-items|align-content|align-self|text)-(sm|md|lg|xl|xxl)-.*
    | (fs|fw|lh|w|h|mw|vw|mh|vh|vw|min-vw|min-vh|top|bottom|start|end|user-select|pe|font)-.*
    | container-(sm|md|lg|xl|xxl|fluid) | display-\d | ethical.* | ea-.* | docsearch.* | DocSearch.* | prev-next.*
    | bd-header-announcement | version-switcher.* | pst-(async-banner|sidebar-collapse|squeeze|expand|collapse).*
    | (admonition|topic|sidebar|versionadded|versionchanged|deprecated|versionmodified|field-odd)-none
    """
)
_CLASS = re.compile(r"\.((?:[\w-]|\\.)+)")
_EMBEDDED = re.compile(r'url\("data:[^"]*"\)|url\(data:[^)]*\)')
_TOC_TAG = re.compile(r'</?ul>|<li>|<a class="reference internal"')
_STYLES = "theme.css"
# What Sphinx and the theme put beside the pages and no page loads.
_UNUSED_FILES = (
    *("doctools.js", "language_data.js", "searchtools.js"),
    *("check-solid.svg", "copy-button.svg", "copybutton_funcs.js"),
    *("sphinx_highlight.js", "base-stemmer.js", "translations.js"),
    *("file.png", "minus.png", "plus.png", "webpack-macros.html"),
)
_UNUSED_FOLDERS = ("scripts", "styles", "vendor")


def slim(css: str) -> str:
    """Drop from ``css`` (minified) the rules that only serve unused classes, and images written into it.

    Embedded images go because the policy of the pages takes images from files of the site only.
    """
    return _EMBEDDED.sub("none", "".join(_kept(css)))


def theme_css() -> str:
    """Return the theme's style sheet, slimmed."""
    return slim(_whole().read_text("utf-8"))


def _whole() -> Traversable:
    return (
        files("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static" / "styles" / "pydata-sphinx-theme.css"
    )


def _made_of() -> bytes:
    """Return the digest of what the slimmed styles are made from."""
    return hashlib.sha256(_whole().read_bytes() + Path(__file__).read_bytes()).hexdigest().encode()


def classes(selector: str) -> set[str]:
    """List the classes that an element must have, or stand below, for ``selector`` to match it."""
    return {re.sub(r"\\(.)", r"\1", name) for name in _CLASS.findall(_without_parts(selector))}


def rules(css: str) -> Iterator[tuple[str, str]]:
    """Split ``css`` into the rules at its top: what stands before the brace, and what stands between it and its partner.

    A statement without braces has an empty body and keeps its semicolon.
    """
    depth, start, opened, at = 0, 0, 0, 0
    while at < len(css):
        mark = css[at]
        if mark in "\"'":
            at = _end_of_string(css, at)
        elif css.startswith("/*", at):
            at = css.index("*/", at) + 1
            if depth == 0:
                start = at + 1
        elif mark == "{":
            depth += 1
            if depth == 1:
                opened = at
        elif mark == "}":
            depth -= 1
            if depth == 0:
                yield css[start:opened], css[opened + 1 : at]
                start = at + 1
        elif mark == ";" and depth == 0:
            yield css[start : at + 1], ""
            start = at + 1
        at += 1


def _end_of_string(css: str, at: int) -> int:
    quote, at = css[at], at + 1
    while css[at] != quote:
        at += 2 if css[at] == "\\" else 1
    return at


def _kept(css: str) -> Iterator[str]:
    for head, body in rules(css):
        name = head.split("(")[0].split(" ")[0]
        if head.endswith(";"):
            yield head
        elif name in {"@media", "@supports"}:
            inner = "".join(_kept(body))
            if inner:
                yield f"{head}{{{inner}}}"
        elif head.startswith("@"):
            if "fontawesome" not in body and "Font Awesome" not in body:
                yield f"{head}{{{body}}}"
        else:
            used = [selector for selector in _selectors(head) if not any(map(_UNUSED.fullmatch, classes(selector)))]
            if used:
                yield f"{','.join(used)}{{{body}}}"


def _selectors(head: str) -> list[str]:
    """Split a list of selectors; a comma in brackets separates none."""
    selectors, depth = [""], 0
    for mark in head:
        depth += (mark in "([") - (mark in ")]")
        if mark == "," and depth == 0:
            selectors.append("")
        else:
            selectors[-1] += mark
    return selectors


def _without_parts(selector: str) -> str:
    """Drop what stands in brackets: ``:not(.a)`` asks for no class."""
    kept, depth = "", 0
    for mark in selector:
        depth += mark in "(["
        kept += mark if depth == 0 else ""
        depth -= mark in ")]"
    return kept


def page_toc(toc: str) -> str:
    """Write a page's table of contents as the theme does, which parses each three times for it.

    Args:
        toc: the nested list that Sphinx makes of the page's headings, its title first.

    Returns:
        The list below the title with the theme's classes; nothing where the title is all there is.
    """
    depth = 0

    def classed(tag: re.Match[str]) -> str:
        nonlocal depth
        depth += {"<ul>": 1, "</ul>": -1}.get(tag[0], 0)
        if tag[0] == "<ul>":
            return f'<ul class="{"pst-show_toc_level " * (depth < 3)}nav section-nav flex-column">'
        if tag[0] == "<li>":
            return f'<li class="toc-h{depth} nav-item toc-entry">'
        return tag[0] if tag[0] == "</ul>" else '<a class="reference internal nav-link"'

    shown = _TOC_TAG.sub(classed, toc)
    if shown.count("toc-h1") != 1:
        return shown
    begin = shown.find("<ul", shown.find("<ul") + 1)
    return shown[begin : shown.rindex("</ul>", 0, shown.rindex("</ul>")) + len("</ul>")] if begin > 0 else ""


def slim_theme(app: Sphinx) -> None:
    """Have the site load the slimmed styles alone, and ship no files of Sphinx and the theme that its templates do not load.

    It is for the site's own configuration: pages with the theme's own templates load all of them.
    """
    app.connect("config-inited", _publish_theme_css)
    app.connect("build-finished", _drop_unused_files)


def _publish_theme_css(app: Sphinx, config: Config) -> None:
    """Make the slimmed styles a static file that pages load before all others."""
    folder = Path(app.doctreedir) / "static"
    # To slim them takes longer than to read a page, and they change with the theme or with this file alone.
    note, made_of = Path(app.doctreedir) / "theme.sha256", _made_of()
    with naming_the_file(folder.parent):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / _STYLES).is_file() or not note.is_file() or read_regular(note, len(made_of) + 1) != made_of:
            write_if_changed(folder / _STYLES, theme_css().encode())
            write_if_changed(note, made_of)
    config.html_static_path.append(str(folder))
    app.add_css_file("basic.css", priority=90)  # Sphinx' own; the theme imports it
    app.add_css_file(_STYLES, priority=100)


def _drop_unused_files(app: Sphinx, exception: Exception | None) -> None:
    """Take away what no page loads: scripts, icons and source maps of Sphinx and the theme."""
    if exception is not None or not writes_site(app.builder):
        return
    static = Path(app.outdir) / "_static"
    with naming_the_file(static):
        for name in _UNUSED_FILES:
            (static / name).unlink(missing_ok=True)
    for name in _UNUSED_FOLDERS:
        remove_folder(str(static / name))
