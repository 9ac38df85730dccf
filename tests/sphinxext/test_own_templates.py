"""A template of the site that is broken is named with its line, whatever is wrong with it."""

from __future__ import annotations

import html
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from small_site import Site
from sphinx.errors import ThemeError
from sphinx.util.tags import Tags

from apidiff.messages import labels
from apidiff.sphinxext import page_context

MakeSite = Callable[..., Site]

WITH_TEMPLATES = "templates_path = ['templates']\n"
LAYOUT = '{% extends "!layout.html" %}\n{% block extrahead %}\n{% include "more.html" %}\n{% endblock %}\n'
# What stands in the site's own `more.html`, and what is said of it after its path.
BROKEN = [
    ("<p>\n{{ nosuch.a.b }}", ":2: 'nosuch' is undefined"),
    ("\n\n{% if %}", ":3: Expected an expression, got 'end of statement block'"),
    ("{{ title|nosuch }}", ":1: No filter named 'nosuch'"),
    ("\n{{ 1/0 }}", ":2: division by zero"),
    ("\n{{ pathto() }}", ":2: .*missing 1 required positional argument"),
    ("\n{{ '\\ud800'.encode() }}", ":2: 'utf-8' codec can't encode character"),
    ('\n{% include "nosuch.html" %}', ":2: 'nosuch.html' not found in "),
    ('<p>\n{% extends "more.html" %}', ":2: maximum recursion depth exceeded"),
]


@pytest.mark.parametrize(("text", "told"), BROKEN)
def test_a_template_that_is_broken_is_named(make_site: MakeSite, text: str, told: str) -> None:
    site = make_site(conf=WITH_TEMPLATES)
    more = with_templates(site, text)
    with pytest.raises(ThemeError, match=rf"(?s){re.escape(str(more))}{told}.*\. Mend it, or restore it from version"):
        site.build()
    more.write_text("<meta>")
    assert "<meta>" in site.build().html("notes")


def test_a_template_that_another_fills_in_is_named_alone(make_site: MakeSite) -> None:
    fill_in = """
def add(app, _page, _template, context, _doctree):
    context["filled_in"] = lambda: app.builder.templates.render("inner.html", {})
def setup(app):
    app.connect("html-page-context", add)
"""
    site = make_site(conf=WITH_TEMPLATES + fill_in)
    inner = with_templates(site, "{{ filled_in() }}").with_name("inner.html")
    inner.write_text("{{ nosuch.a }}")
    with pytest.raises(ThemeError) as caught:
        site.build()
    assert f"Reason: ExtensionError(\"{inner}:1: 'nosuch' is undefined. Mend it" in str(caught.value)


def test_what_is_wrong_in_the_themes_own_templates_is_told_as_sphinx_tells_it(make_site: MakeSite) -> None:
    """Nothing is to be mended in the template that asks for it."""
    spoil = "def setup(app): app.connect('html-page-context', lambda *given: given[3].update(rellinks=1))\n"
    site = make_site(conf=WITH_TEMPLATES + spoil)
    with_templates(site, "<meta>")
    with pytest.raises(ThemeError, match=r"Reason: TypeError\(.*not iterable"):
        site.build()


def with_templates(site: Site, text: str) -> Path:
    """Write the site's own templates, of which ``text`` is one; returns its path."""
    folder = site.conf / "templates"
    folder.mkdir()
    (folder / "layout.html").write_text(LAYOUT)
    (folder / "more.html").write_text(text)
    return folder / "more.html"


def test_words_of_ours_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are files of data, which a pull request changes as any other."""
    for module in (labels, page_context):
        monkeypatch.setattr(module, "label", lambda *_, **__: "\"'><b>&")
    escaped = "&#34;&#39;&gt;&lt;b&gt;&amp;"
    app = MagicMock(config=SimpleNamespace(language="en"))
    context: dict[str, Any] = {}
    page_context.add_words(app, "index", "page.html", context, None)
    assert context["apidiff_word"]("search") == escaped
    assert html.unescape(escaped) == "\"'><b>&"
    conf = runpy.run_path(str(Path(__file__).parents[2] / "conf" / "conf.py"), {"tags": Tags()})
    assert conf["html_title"] == html.escape("\"'><b>&")
