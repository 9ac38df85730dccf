"""Sphinx configuration of the site, for both languages.

``-t zh`` builds the Chinese pages.
"""

import html
import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT))

from apidiff.messages.labels import label  # noqa: E402 - the package may not be installed
from apidiff.sphinxext.languages import use_theme_words  # noqa: E402
from apidiff.sphinxext.repository import find_repository  # noqa: E402
from apidiff.writers.exports.address import MOVED  # noqa: E402

_ZH = tags.has("zh")  # noqa: F821 - Sphinx puts `tags` into this file's names
_WORDS = "zh" if _ZH else "en"

project = "apidiff"
author = "the apidiff contributors"
copyright = "apidiff"
language = "zh_CN" if _ZH else "en"

extensions = [
    "myst_parser",
    "autodoc2",
    "sphinx_copybutton",
    "apidiff.sphinxext",
]
_repository = find_repository(_ROOT, os.environ)
apidiff_repository = _repository.address if _repository else ""
apidiff_commit = _repository.commit if _repository else ""
# Records' text is shown as it stands: no curly quotes.
smartquotes = False
nitpicky = True
templates_path = ["templates"]
locale_dirs = []
if _ZH:
    use_theme_words()
exclude_patterns = ["_build"]
# Pages in reStructuredText would have a syntax of their own to be kept to, and there are none.
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 0
# Pages may be a stranger's: no HTML of theirs, and no address that stands once and is written for each link that names it.
myst_disable_syntax = ["html_block", "html_inline", "reference"]
# A link leads to an address, not to a file that would be looked for and published; roles lead to pages and their parts.
myst_all_links_external = True

html_theme = "pydata_sphinx_theme"
html_title = html.escape(label("site.title", _WORDS))
html_static_path = ["static"]
html_favicon = "static/favicon.svg"
# No colours by name in the page itself: without script the theme then shows its light ones.
html_context = {"default_mode": "", "apidiff_moved": MOVED}
html_css_files = [
    "apidiff.css",
    "platform.css",
    "search.css",
    "table.css",
    "port.css",
    "versions.css",
    "trust.css",
]
html_js_files = [
    "elements/early.js",
    ("elements/shell.js", {"defer": "defer"}),
    ("elements/search.js", {"defer": "defer"}),
    ("elements/versions.js", {"defer": "defer"}),
    ("elements/trust.js", {"defer": "defer"}),
]
html_additional_pages = {"search": "search.html", **dict.fromkeys(MOVED, "moved.html")}
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_use_index = False
html_domain_indices = False
html_sidebars = {
    **{page: ["sidebar-nav-bs.html"] for page in ("python", "api/**", "guide/**")},
    # Pages of records stand alone: a sidebar in each of them would cost most of the build.
    **{
        page: []
        for page in (
            "index",
            "search",
            "port",
            "mappings",
            "mappings/**",
            "counterparts",
            "risks",
            "documents",
            "statements",
            "new",
            "project",
        )
    },
    **{page: [] for page in ("coverage", "runs", "runs/**", "evidence/**")},
}
html_theme_options = {
    "collapse_navigation": True,
    "show_prev_next": False,
    "navigation_with_keys": False,
    "back_to_top_button": False,
    "primary_sidebar_end": [],
    "navbar_start": ["site-name.html"],
    "navbar_center": ["navbar-nav.html"],
    "navbar_end": ["version-chooser.html", "language-switch.html", "theme-switcher.html"],
    "navbar_persistent": ["search-box.html"],
    "disable_search": True,
    "navbar_align": "left",
    # On a phone the header has no room for the chooser of versions; there it stands above the page.
    "article_header_end": ["version-chooser.html"],
    "header_links_before_dropdown": 4,
    "header_dropdown_text": label("site.more", _WORDS),
    "secondary_sidebar_items": ["page-toc.html"],
    "footer_start": ["sphinx-version.html"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

_documented = ["judge", "derive/api_history.py", "lookup", "errors.py", "model", "database"]
autodoc2_packages = [
    {"path": f"../../apidiff/{path}", "module": f"apidiff.{path.removesuffix('.py').replace('/', '.')}"}
    for path in _documented
]
autodoc2_output_dir = "api"
autodoc2_docstring_parser_regexes = [(r".*", "rst")]
autodoc2_hidden_objects = {"private", "dunder", "inherited"}
autodoc2_module_summary = True
# A module's summary names its classes; an entry for every attribute would weigh more than the page.
toc_object_entries = False
autodoc2_index_template = None
autodoc2_render_plugin = f"apidiff.sphinxext.api_pages.{'Chinese' if _ZH else 'English'}Renderer"
nitpick_ignore_regex = [
    # Types of other projects; the site links to no inventory that would have to be fetched.
    (
        r"py:(class|obj|exc)",
        r"(ast|collections|enum|msgspec|numpy|os|packaging|pathlib|re|sqlite3|tokenize|types|typing)\..*",
    ),
    # Names of layers that have no pages here, and of an exception in a docstring that packaging's class hands down.
    (r"py:(class|obj|exc)", r"apidiff\.(?!model\.|database\.|judge\.|lookup\.|errors\.).*"),
    (r"py:exc", "InvalidVersion"),
    # autodoc2 writes type variables as if they were classes.
    (r"py:class", r"apidiff\.(\w+\.)*[A-Z]"),
]


def setup(app):
    """Pages kept to their own text, links and members of the package's own pages, and a theme no larger than the site needs."""
    from apidiff.sphinxext.api_pages import resolve_annotation
    from apidiff.sphinxext.long_lists import hold_members
    from apidiff.sphinxext.page_reach import keep_pages
    from apidiff.sphinxext.theme import slim_theme

    keep_pages(app)
    slim_theme(app)
    app.connect("missing-reference", resolve_annotation)
    app.connect("doctree-read", hold_members)
