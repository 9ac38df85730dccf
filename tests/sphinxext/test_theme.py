"""The theme's style sheet without what the site has no use for."""

from __future__ import annotations

import gzip

import pytest

from apidiff.sphinxext.theme import classes, rules, slim, theme_css

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
