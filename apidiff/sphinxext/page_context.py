"""What stands around every page: the theme's styles, slimmed, and the words of the site's own scripts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config

from apidiff.messages.labels import Language, label
from apidiff.sphinxext.build_cache import write_if_changed
from apidiff.sphinxext.theme_css import theme_css

_THEME = "pydata_sphinx_theme"
_STYLES = "theme.css"
# Words of conf/elements/src/shell.ts, each under `site.` in the labels.
_WORDS = ("copy", "copy.done", "copy.failed", "region.table", "region.code", "region.again")
# What Sphinx and the theme put beside the pages and no page loads.
_UNUSED_FILES = (
    *("doctools.js", "documentation_options.js", "language_data.js", "searchtools.js"),
    *("sphinx_highlight.js", "base-stemmer.js", "translations.js"),
    *("file.png", "minus.png", "plus.png", "webpack-macros.html"),
)
_UNUSED_FOLDERS = ("scripts", "styles", "vendor")


def publish_theme_css(app: Sphinx, config: Config) -> None:
    """Make the slimmed styles a static file that pages load before all others."""
    if config.html_theme != _THEME:
        return
    folder = Path(app.doctreedir) / "static"
    folder.mkdir(parents=True, exist_ok=True)
    write_if_changed(folder / _STYLES, theme_css().encode())
    config.html_static_path.append(str(folder))
    app.add_css_file("basic.css", priority=90)  # Sphinx' own; the theme imports it
    app.add_css_file(_STYLES, priority=100)


def add_shell_context(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Give the template the words of the scripts."""
    language: Language = "zh" if app.config.language.startswith("zh") else "en"
    words = {key: label(f"site.{key}", language) for key in _WORDS}
    context["apidiff_shell_words"] = json.dumps(words, ensure_ascii=False)


def drop_unused_files(app: Sphinx, exception: Exception | None) -> None:
    """Take away what no page loads: scripts, icons and source maps of Sphinx and the theme."""
    if exception is not None or app.config.html_theme != _THEME or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    static = Path(app.outdir) / "_static"
    for name in _UNUSED_FILES:
        (static / name).unlink(missing_ok=True)
    for name in _UNUSED_FOLDERS:
        shutil.rmtree(static / name, ignore_errors=True)
