"""Builds the same text with plain Sphinx: theme, options, sidebars and templates of the site, without its extension."""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path

from sphinx.environment import BuildEnvironment

from apidiff.database.paths import PACKAGE
from tests.bench.markdown_pages import write_pages

# The project's own configuration, less what makes pages. Its templates ask hooks of the extension for words and
# addresses: the one that answers is kept, and what others would tell reads as nothing.
_CONF = """
from pathlib import Path
import jinja2
_conf = Path({conf!r})
_names = {{"tags": tags, "__file__": str(_conf / "conf.py")}}
exec(compile((_conf / "conf.py").read_text("utf-8"), str(_conf / "conf.py"), "exec"), _names)
globals().update({{
    name: value for name, value in _names.items() if not name.startswith(("_", "autodoc2")) and name != "setup"
}})
extensions = [name for name in extensions if name not in ("autodoc2", "apidiff.sphinxext")]
html_static_path = [str(_conf / path) for path in html_static_path]
html_favicon = str(_conf / html_favicon)
templates_path = [str(_conf / path) for path in templates_path]
html_additional_pages = {{}}
nitpicky = False
suppress_warnings = ["myst", "toc", "ref", "misc"]

class _Nothing(jinja2.ChainableUndefined):
    def __call__(self, *args, **kwargs):
        return self

def _lenient(app):
    templates = app.builder.templates.environment
    templates.undefined = _Nothing
    templates.policies["json.dumps_kwargs"] = {{"default": lambda _: None}}

def setup(app):
    from apidiff.sphinxext.page_context import add_words
    app.connect("html-page-context", add_words)
    app.connect("builder-inited", _lenient)
"""


def write_plain(doctrees: Path, folder: Path) -> int:
    """Write the pages that Sphinx kept in ``doctrees`` as Markdown below ``folder``, with a conf.py. Returns how many."""
    env = pickle.loads((doctrees / "environment.pickle").read_bytes())
    assert isinstance(env, BuildEnvironment)
    env.doctreedir = doctrees
    shutil.rmtree(folder, ignore_errors=True)
    count = write_pages(env, folder / "pages")
    (folder / "conf.py").write_text(_CONF.format(conf=str(PACKAGE.parent / "conf")), "utf-8")
    return count


def plain_build(folder: Path, words: str) -> list[str]:
    """Return the command that builds the pages below ``folder`` in the language ``words``, as the site's build calls Sphinx."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "1", "-t", words, "-q"]
    command += ["-c", str(folder), "-d", str(folder / "doctrees")]
    return [*command, str(folder / "pages"), str(folder / "html")]
