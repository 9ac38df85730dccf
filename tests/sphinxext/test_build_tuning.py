"""A build's settings are put back, and kept code blocks are those that Sphinx makes, without elements that have no colour."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable

import pytest
from pygments.lexers.python import PythonLexer
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Text
from small_site import Site
from sphinx.errors import ExtensionError
from sphinx.highlighting import PygmentsBridge, lexers

from apidiff.sphinxext.build_tuning import _PLAIN, _Bridge

# The styles of conf/conf.py, for light and dark pages.
STYLES = ("a11y-high-contrast-light", "a11y-high-contrast-dark")
CODE = "import torch\n\ntorch.distributed.reduce(tensor, dst=0)  # <b>"


def test_settings_are_put_back(make_site: Callable[..., Site]) -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    make_site().build()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() <= frozen


def test_settings_are_put_back_where_a_build_is_refused(make_site: Callable[..., Site]) -> None:
    site = make_site()
    (site.src / "mappings").mkdir()
    (site.src / "mappings" / "torch.distributed.reduce.md").write_text("# Mine\n", encoding="utf-8")
    before = gc.get_threshold(), gc.isenabled()
    with pytest.raises(ExtensionError):
        site.build()
    assert (gc.get_threshold(), gc.isenabled()) == before


BRIDGE = """
import sys
from sphinx.jinja2glue import BuiltinTemplateLoader


class Bridge:
    def __init__(self):
        self._own = BuiltinTemplateLoader()

    def __getattr__(self, name):
        if name == "environment":
            raise AttributeError(name)
        return getattr(self._own, name)


sys.modules["own_bridge"] = sys.modules.get("own_bridge") or type(sys)("own_bridge")
sys.modules["own_bridge"].Bridge = Bridge
template_bridge = "own_bridge.Bridge"
"""


def test_templates_may_be_loaded_by_a_bridge_of_a_users_own(make_site: Callable[..., Site]) -> None:
    assert "<h1" in make_site(conf=BRIDGE).build().html("notes")


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("language", ["python", "bash", "text"])
def test_blocks_are_those_of_sphinx(language: str, force: bool) -> None:
    plain = PygmentsBridge("html", "sphinx")
    kept = _Bridge(PygmentsBridge("html", "sphinx"))
    expected = without_plain(plain.highlight_block(CODE, language, force=force, linenos=False))
    for _ in range(2):
        assert kept.highlight_block(CODE, language, opts={}, force=force, location=object(), linenos=False) == expected
    numbered = without_plain(plain.highlight_block(CODE, language, force=force, linenos="inline"))
    assert kept.highlight_block(CODE, language, force=force, linenos="inline") == numbered
    marked = without_plain(plain.highlight_block(CODE, language, force=force, hl_lines=[1]))
    assert kept.highlight_block(CODE, language, force=force, hl_lines=[1]) == marked


def test_a_lexer_that_conf_py_registered_serves_any_number_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(lexers, "own", PythonLexer(stripall=True))
    plain, kept = PygmentsBridge("html", "sphinx"), _Bridge(PygmentsBridge("html", "sphinx"))
    blocks = [f"{CODE} {number}" for number in range(1500)]
    expected = [without_plain(plain.highlight_block(block, "own")) for block in blocks[-2:]]
    assert [kept.highlight_block(block, "own") for block in blocks][-2:] == expected


# What a handler of conf.py puts among the scripts of pages, and how often it stands in one.
SCRIPTS = [("_static/own.js", 1), ("https://example.org/own.js", 1), ("_static/doctools.js", 0)]


@pytest.mark.parametrize(("script", "times"), SCRIPTS)
def test_a_script_may_be_named_by_a_string(make_site: Callable[..., Site], script: str, times: int) -> None:
    site = make_site(
        conf="def add(app, page, template, context, doctree):\n"
        f"    context['script_files'] = [*context['script_files'], {script!r}]\n\n\n"
        "def setup(app):\n    app.connect('html-page-context', add)\n"
    )
    assert site.build().html("notes").count(f'<script src="{script}"></script>') == times


@pytest.mark.parametrize("style", STYLES)
def test_what_loses_its_element_has_the_colour_of_text(style: str) -> None:
    tokens = get_style_by_name(style)
    for kind in _PLAIN:
        assert tokens.style_for_token(kind) == tokens.style_for_token(Text), kind


def without_plain(html: str) -> str:
    names = "|".join(STANDARD_TYPES[kind] for kind in _PLAIN if STANDARD_TYPES[kind])
    return re.sub(rf'<span class="(?:{names})">([^<]*)</span>', r"\1", html)
