"""The theme's style sheet without what the site has no use for."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydata_sphinx_theme.toctree import add_toctree_functions
from small_site import Site
from sphinx.errors import ExtensionError

from apidiff.sphinxext.theme import classes, page_toc, rules, slim, theme_css

SLIM = [
    (".fa-bars:before{content:'}'}", ""),
    ("p,.sd-card{color:red}", "p{color:red}"),
    (".bd-main:not(.sd-card){color:red}", ".bd-main:not(.sd-card){color:red}"),
    (":is(.fa-x,.b) .c{color:red}", ":is(.fa-x,.b) .c{color:red}"),
    ("@media print{.fa-bars{color:red}}", ""),
    ("@media print{.fa-bars{color:red}p{color:blue}}", "@media print{p{color:blue}}"),
    ('@font-face{font-family:"Font Awesome 7";src:url(a)}', ""),
    ("@keyframes x{from{top:0}}", "@keyframes x{from{top:0}}"),
    ('@charset "utf-8";p{top:0}', '@charset "utf-8";p{top:0}'),
    ('p{background:url("data:image/svg+xml;a}b")}', "p{background:none}"),
    ("/* a{b */p{top:0}", "p{top:0}"),
]


@pytest.mark.parametrize(("css", "expected"), SLIM)
def test_slim(css: str, expected: str) -> None:
    assert slim(css) == expected


CLASSES = [
    (".a .b>p.c", {"a", "b", "c"}),
    (".a:not(.b)", {"a"}),
    (r".mt-1\.5", {"mt-1.5"}),
    ("p", set()),
]


@pytest.mark.parametrize(("selector", "expected"), CLASSES)
def test_classes(selector: str, expected: set[str]) -> None:
    assert classes(selector) == expected


def test_the_theme_is_a_third_of_what_it_was() -> None:
    css = theme_css()
    assert len(gzip.compress(css.encode())) < 26_000
    assert "data:" not in css
    heads = [head for head, _ in rules(css)]
    for needed in (".bd-article-container", ".skip-link", "#pst-primary-sidebar-modal", "html[data-theme=dark]"):
        assert any(needed in head for head in heads), needed


def _list(*items: str) -> str:
    return "<ul>\n" + "".join(f"<li>{item}</li>\n" for item in items) + "</ul>\n"


def _link(words: str, anchor: str = "") -> str:
    return f'<a class="reference internal" href="#{anchor}">{words}</a>'


TITLE, CODE = (
    _link("Title &amp; more"),
    _link('<code class="docutils literal"><span class="pre">f(x)</span></code>', "f"),
)
TOCS = [
    _list(TITLE),
    _list(TITLE + _list(_link("A", "a"))),
    _list(TITLE + _list(_link("A", "a") + _list(CODE, _link("D", "d") + _list(_link("E", "e"))))),
    _list(TITLE + _list(_link("A", "a") + _list(CODE), _link("B", "b"))),
    _list(_link("A", "a"), _link("B", "b") + _list(CODE)),
]


@pytest.mark.parametrize("toc", TOCS)
def test_the_contents_of_a_page_are_those_of_the_theme(toc: str) -> None:
    context = {"toc": toc, "theme_show_toc_level": 1}
    add_toctree_functions(None, "page", "page.html", context, None)
    assert page_toc(toc) == str(context["generate_toc_html"]())


_LOADED = re.compile(r'(?:href|src)="(_static/[^"?]+)')
_THEME = "html_theme = 'pydata_sphinx_theme'\nhtml_static_path = ['own']\n"
_SLIM = "from apidiff.sphinxext.theme import slim_theme as setup\n"
OWN = ["scripts/own.js", "vendor/own.js", "styles/own.css", "file.png", "doctools.js"]


def test_a_site_with_the_theme_keeps_what_its_pages_load_and_its_own_files(make_site: Callable[..., Site]) -> None:
    site = make_site(conf=f"{_THEME}html_js_files = {OWN[:2]}\nhtml_css_files = {OWN[2:3]}\n")
    for name in OWN:
        path = site.conf / "own" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    built = site.build()
    loaded = set(_LOADED.findall(built.html("index")))
    assert {*(f"_static/{name}" for name in OWN[:3]), "_static/scripts/pydata-sphinx-theme.js"} <= loaded
    assert [name for name in loaded if not (built.out / name).is_file()] == []
    assert {(built.out / "_static" / name).read_text() for name in OWN} == {"mine"}


def test_the_slim_theme_ships_what_its_pages_load_alone(make_site: Callable[..., Site]) -> None:
    site = make_site(conf=_THEME + _SLIM)
    (site.conf / "own").mkdir()
    built = site.build()
    assert "_static/theme.css" in _LOADED.findall(built.html("index"))
    assert not any((built.out / "_static" / name).exists() for name in ("scripts", "vendor", "styles", "doctools.js"))


def _file(path: Path) -> None:
    path.write_text("in the way")


# what stands where a build keeps the slimmed styles, or ships what it takes away
@pytest.mark.parametrize(
    ("name", "put_there"),
    [
        ("out-doctrees/static", _file),
        ("out-doctrees/static/theme.css", Path.mkdir),
        ("out-doctrees/theme.sha256", Path.mkdir),
        ("out/_static/file.png", Path.mkdir),
    ],
)
def test_what_stands_in_the_way_of_the_slim_theme_is_named(
    make_site: Callable[..., Site], name: str, put_there: Callable[[Path], None]
) -> None:
    site = make_site(conf=_THEME + _SLIM)
    (site.conf / "own").mkdir()
    path = site.folder / name
    path.parent.mkdir(parents=True)
    put_there(path)
    with pytest.raises(ExtensionError) as caught:
        site.build()
    assert str(caught.value).startswith(f"{path}: cannot be read or written (")
    assert "Take away what stands in its place" in str(caught.value)
