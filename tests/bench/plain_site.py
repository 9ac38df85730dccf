"""Builds the same text with plain Sphinx: theme, options, sidebars and templates of the site, without its extension.

``python -m tests.bench.plain_site PROJECT LANGUAGE`` writes the pages of a built project as Markdown below
``build/plain``; `plain_build` is the command that builds them. It runs in the project's folder.
"""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path

from sphinx.environment import BuildEnvironment

from tests.bench.markdown_pages import write_pages

LANGUAGES = {"en": "en", "zh-cn": "zh"}

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
    from apidiff.sphinxext.languages import add_language_context
    app.connect("html-page-context", add_language_context)
    app.connect("builder-inited", _lenient)
"""


def write_plain(project: Path, language: str) -> int:
    """Write the pages of the built ``project`` in ``language`` (a folder of the site) as Markdown, with a conf.py."""
    doctrees = project / "build" / ".site" / "doctrees" / language
    env = pickle.loads((doctrees / "environment.pickle").read_bytes())
    assert isinstance(env, BuildEnvironment)
    env.doctreedir = doctrees
    folder = project / "build" / "plain" / language
    shutil.rmtree(folder, ignore_errors=True)
    count = write_pages(env, folder / "pages")
    (folder / "conf.py").write_text(_CONF.format(conf=str(project / "conf")), "utf-8")
    return count


def plain_build(project: Path, language: str) -> list[str]:
    """The command that builds the pages in ``language``, as the site's own build calls Sphinx."""
    folder = project / "build" / "plain" / language
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "auto", "-t", LANGUAGES[language], "-q"]
    command += ["-c", str(folder), "-d", str(folder / "doctrees")]
    return [*command, str(folder / "pages"), str(folder / "html")]


if __name__ == "__main__":
    sys.stdout.write(f"{write_plain(Path(sys.argv[1]), sys.argv[2])}\n")
