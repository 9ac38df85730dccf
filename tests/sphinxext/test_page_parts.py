"""What a heavy page keeps on pages of its own: light enough, complete, found by its anchors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from docutils import nodes
from small_site import Site
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from whole_page import whole_page

from apidiff.sphinxext.nodes import folded, paragraph, portion
from apidiff.sphinxext.page_parts import CUT, END, LIMIT, UNDER_LID, lighten, part_mark
from apidiff.sphinxext.part_links import lead_to_parts

MakeSite = Callable[..., Site]
LONG = "<p>words</p>\n" * 1000  # 13 KB
_MARKS = re.compile("<!--.*?-->")


def lid(name: str, *content: str) -> str:
    inner = "".join(content)
    return f'<details id="lid-{name}"><summary>{name}</summary>\n{UNDER_LID}<b id="in-{name}">{name}</b>{inner}{END}</details>\n'


def read_again(tmp_path: Path, body: str) -> tuple[str, str, list[str]]:
    """The light text, the same with all its parts, and the pages of the parts."""
    text, parts = lighten(body, "x", "en")
    for number, page in enumerate(parts.pages, 1):
        (tmp_path / f"x.part-{number}.html").write_text(f"<main>\n{page}\n</main>")
    (tmp_path / "x.html").write_text(text)
    return text, re.sub(r"<span id=[^>]*></span>", "", whole_page(tmp_path / "x.html")), parts.pages


def test_a_light_page_stays_as_it_is(tmp_path: Path) -> None:
    body = lid("a", LONG) + part_mark("rest") + LONG + CUT + END
    text, _, pages = read_again(tmp_path, body)
    assert text == _MARKS.sub("", body)
    assert pages == []


BODIES = [
    pytest.param(lid("a", LONG * 3) + lid("b", LONG * 4), id="lids"),
    pytest.param(lid("a", *(lid(f"a{number}", LONG) for number in range(20))), id="lids in a lid"),
    pytest.param(LONG + part_mark("rest") + LONG * 5 + END, id="a long list"),
    pytest.param("<p>first</p>" + part_mark("rest") + (LONG + CUT) * 40 + END, id="what has to be divided"),
    pytest.param(lid("a", LONG) + part_mark("rest") + lid("b", LONG * 5) + END + lid("c", LONG), id="both"),
]


@pytest.mark.parametrize("body", BODIES)
def test_every_page_is_light_and_nothing_is_lost(tmp_path: Path, body: str) -> None:
    text, whole, pages = read_again(tmp_path, body)
    assert pages
    assert max(len(page) for page in [text, *pages]) <= LIMIT + 500  # and the lines around one part
    assert _plain(whole) == _plain(_MARKS.sub("", body))


def _plain(html: str) -> str:
    """The text without the lids that moved lists were given."""
    return re.sub(
        r'<details class="apidiff-part-lid"><summary>[^<]*</summary>(.*?)</details>\n', r"\1", html, flags=re.DOTALL
    )


def test_what_is_marked_as_long_goes_first(tmp_path: Path) -> None:
    text, _, _ = read_again(tmp_path, lid("a", LONG) + part_mark("the rest") + LONG * 5 + END)
    assert 'id="in-a"' in text
    assert '<details class="apidiff-part-lid"><summary>the rest</summary>' in text


def test_the_deepest_lids_go_first(tmp_path: Path) -> None:
    text, _, _ = read_again(tmp_path, lid("a", *(lid(f"a{number}", LONG) for number in range(9))))
    assert 'id="lid-a8"' in text
    assert text.count("Show this on a page of its own") >= 4


def test_what_only_a_script_shows_is_not_shown_on_a_light_page() -> None:
    body = part_mark("others", "template") + "<p>x</p>" + END
    assert lighten(body, "x", "en")[0] == "<template><p>x</p></template>"


def test_anchors_lead_to_their_parts(tmp_path: Path) -> None:
    inner = [lid(f"a{number}", f'<i id="deep-{number}"></i>', LONG * 2) for number in range(4)]
    text, parts = lighten(lid("a", *inner) + lid("b", LONG * 4), "x", "en")
    table = json.loads(parts.table())
    for number in range(4):
        assert f'id="deep-{number}"' in text or f"deep-{number}" in table["anchors"]
    for inside, around in table["inside"].items():
        assert f'#part-{inside}"' in "".join(parts.pages)
        assert f'id="part-{around}"' in "".join(parts.pages)
    # While there is room, the anchors of a part stand in its place, so that a link leads there without script, too.
    assert re.search(r'<p class="apidiff-part">(<span id="[^"]*"></span>)*<span id="deep-0"></span>', text)


LED = [
    ("index.html", "folder/x.html#deep", "folder/x.part-2.html#deep"),
    ("index.html", "folder/x.html#here", "folder/x.html#here"),
    ("index.html", "folder/x.part-2.html#here", "folder/x.html#here"),  # it stood in the part before
    ("index.html", "folder/x.part-1.html#part-1", "folder/x.part-1.html#part-1"),
    ("folder/x.html", "#deep", "x.part-2.html#deep"),
    ("folder/x.html", "#here", "#here"),
    ("folder/x.part-2.html", "x.html#here", "x.html#here"),
    ("folder/y.html", "../folder/x.html#deep", "../folder/x.part-2.html#deep"),
    ("folder/y.html", "x.html#gone", "x.html#gone"),
    ("folder/y.html", "https://example.org/folder/x.html#deep", "https://example.org/folder/x.html#deep"),
]


KNOWN = {"index", "folder/x", "folder/y", "x", "first", "second"}


@pytest.mark.parametrize(("page", "address", "expected"), LED)
def test_links_lead_to_what_is_written(tmp_path: Path, page: str, address: str, expected: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "x.html").write_text('<p id="here">x</p>')
    (folder / "x.part-1.html").write_text('<section id="part-1"><p id="shallow">x</p></section>')
    (folder / "x.part-2.html").write_text('<section id="part-2"><p id="deep">x</p></section>')
    (folder / "x.parts.json").write_text('{"anchors": {"deep": 2, "shallow": 1}, "inside": {}}')
    path = tmp_path / page
    before = path.read_text() if path.is_file() else ""
    path.write_text(f'{before}<a class="x" href="{address}">x</a>')
    lead_to_parts(tmp_path, tmp_path / "kept.json", KNOWN)
    assert path.read_text() == f'{before}<a class="x" href="{expected}">x</a>'


@pytest.mark.timeout(60)
def test_links_that_are_begun_over_and_over_are_searched_once(tmp_path: Path) -> None:
    """In a page of a user's own; it took minutes, as long for each beginning as for the rest of the page."""
    (tmp_path / "index.html").write_text(text := "<a " * 300_000)
    lead_to_parts(tmp_path, tmp_path / "kept.json", KNOWN)
    assert (tmp_path / "index.html").read_text() == text
    assert lighten(f"{part_mark('x')}{text}{END}", "index", "en")[1].pages


def test_pages_of_an_earlier_build_are_led_again_where_an_anchor_moved(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.json", '<a class="x" href="x.html#{}">x</a>'
    (tmp_path / "x.html").write_text('<p id="here">x</p>')
    (tmp_path / "x.part-1.html").write_text('<section id="part-1"><p id="deep">x</p></section>')
    (tmp_path / "x.parts.json").write_text('{"anchors": {"deep": 1}, "inside": {}}')
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    first.write_text(link.format("deep"))
    lead_to_parts(tmp_path, kept, KNOWN)
    assert 'href="x.part-1.html#deep"' in first.read_text()
    second.write_text(link.format("deep"))
    lead_to_parts(tmp_path, kept, KNOWN)
    assert 'href="x.part-1.html#deep"' in second.read_text()
    (tmp_path / "x.part-1.html").write_text('<section id="part-1">x</section>')
    (tmp_path / "x.part-2.html").write_text('<section id="part-2"><p id="deep">x</p></section>')
    lead_to_parts(tmp_path, kept, KNOWN)
    assert [path.read_text().count('href="x.part-2.html#deep"') for path in (first, second)] == [1, 1]


TABLES = ["", '{"anchors', "[]", '{"anchors": 1}', '{"inside": {}}', "[" * 100_000]


@pytest.mark.parametrize("table", TABLES)
def test_links_to_a_page_whose_table_cannot_be_read_lead_to_the_page(tmp_path: Path, table: str) -> None:
    link = '<a class="x" href="x.html#deep">x</a>'
    (tmp_path / "x.html").write_text('<p id="here">x</p>')
    (tmp_path / "x.part-1.html").write_text('<section id="part-1"><p id="deep">x</p></section>')
    (tmp_path / "x.parts.json").write_text(table)
    (tmp_path / "kept.json").write_text(table)
    (tmp_path / "first.html").write_text(link)
    lead_to_parts(tmp_path, tmp_path / "kept.json", KNOWN)
    assert (tmp_path / "first.html").read_text() == link


# What was done to the file that a build keeps: its bytes then.
KEPT: list[Callable[[bytes], bytes]] = [
    lambda content: content,
    lambda content: content.replace(b"x.part-1.html", b"y.part-1.html"),
    lambda content: b'{"x.html": 5}',
    lambda content: b'{"x.html": {"deep": "y.html"}}',
    lambda content: content[:-5],
    lambda content: b"[" * 100_000,
]


@pytest.mark.parametrize("edit", KEPT)
def test_what_is_kept_is_made_anew_where_it_is_not_as_it_was_written(
    tmp_path: Path, edit: Callable[[bytes], bytes]
) -> None:
    link, kept, second = '<a class="x" href="{}#deep">x</a>', tmp_path / "kept.json", tmp_path / "second.html"
    (tmp_path / "x.html").write_text('<p id="here">x</p>')
    (tmp_path / "x.part-1.html").write_text('<section id="part-1"><p id="deep">x</p></section>')
    (tmp_path / "x.parts.json").write_text('{"anchors": {"deep": 1}, "inside": {}}')
    lead_to_parts(tmp_path, kept, KNOWN)
    whole = kept.read_bytes()
    kept.write_bytes(edit(whole))
    second.write_text(link.format("x.html"))
    lead_to_parts(tmp_path, kept, KNOWN)
    assert second.read_text() == link.format("x.part-1.html")
    assert kept.read_bytes() == whole


def test_a_page_that_is_no_utf_8_keeps_its_bytes(tmp_path: Path) -> None:
    link = '\xe9\r\n<a class="x" href="{}#deep">\xe9</a>'
    (tmp_path / "x.html").write_bytes(b'<p id="\xff">x</p>')
    (tmp_path / "x.part-1.html").write_bytes(b'<section id="part-1"><p id="deep">\xff</p></section>')
    (tmp_path / "x.parts.json").write_text('{"anchors": {"deep": 1}, "inside": {}}')
    (tmp_path / "first.html").write_bytes(link.format("x.html").encode("latin-1"))
    lead_to_parts(tmp_path, tmp_path / "kept.json", KNOWN)
    assert (tmp_path / "first.html").read_bytes() == link.format("x.part-1.html").encode("latin-1")


def test_pages_that_are_not_of_the_build_stay_as_they_are(tmp_path: Path) -> None:
    link = '<a class="x" href="x.html#deep">x</a>'
    (tmp_path / "x.html").write_text('<p id="here">x</p>')
    (tmp_path / "x.part-1.html").write_text('<section id="part-1"><p id="deep">x</p></section>')
    (tmp_path / "x.parts.json").write_text('{"anchors": {"deep": 1}, "inside": {}}')
    (tmp_path / "other.parts.json").write_text("not ours")
    (tmp_path / "other.html").write_text(link)
    (tmp_path / "first.html").write_text(link)
    lead_to_parts(tmp_path, tmp_path / "kept.json", KNOWN)
    assert (tmp_path / "first.html").read_text() != link
    assert (tmp_path / "other.html").read_text() == link


def test_links_within_the_page_lead_back_to_it() -> None:
    body = lid("a", '<a class="x" href="#in-b">b</a>', LONG * 6)
    for name, address in (("x", "x"), ("8-notes", "8-notes"), ("2024", "2024"), ("a b#c", "a%20b%23c")):
        text, parts = lighten(body, name, "en")
        assert f'<a class="x" href="{address}.html#in-b">' in parts.pages[0]
        assert f'<a href="{address}.part-1.html#part-1">' in text


def test_titles_are_escaped() -> None:
    body = part_mark("a <b>--> c") + LONG * 6 + END
    text, parts = lighten(body, "x", "en")
    assert "<summary>a &lt;b&gt;--&gt; c</summary>" in text
    assert "<h2>a &lt;b&gt;--&gt; c</h2>" in parts.pages[0]


# Comments in a user's page, and what is shown of it.
OF_USERS = [
    ("<!--part:open:x--> hello <!--/part--> <!--/part-->", "<!--part:open:x--> hello <!--/part--> <!--/part-->"),
    ("<!--part:template:x--> hello", "<!--part:template:x--> hello"),
    ("a <!--cut--> <!--anchors:--> <!--anchors:7--> b", "a <!--cut--> <!--anchors:--> <!--anchors:7--> b"),
    (f"a {END} b {END} c", "a  b  c"),
    ("<!--apidiff:anchors:--> a", "<!--apidiff:anchors:--> a"),
]


@pytest.mark.parametrize(("text", "shown"), OF_USERS)
@pytest.mark.parametrize("heavy", [False, True])
def test_comments_of_users_begin_and_end_nothing(tmp_path: Path, text: str, shown: str, heavy: bool) -> None:
    parts = lid("a", *[LONG] * (6 if heavy else 1))
    light, whole, pages = read_again(tmp_path, f"<p>{text}</p>{parts}<p>{text}</p>")
    assert bool(pages) == heavy
    assert [light.count(f"<p>{shown}</p>"), whole.count(f"<p>{shown}</p>")] == [2, 2]
    assert whole.count("<p>words</p>") == (6000 if heavy else 1000)


def test_a_page_with_comments_of_users_is_built(make_site: MakeSite) -> None:
    site = make_site()
    (site.src / "glance.md").write_text("# Mine\n\n<!--part:open:x--> hello <!--/part--> <!--/part-->\n", "utf-8")
    assert "<!--part:open:x--> hello <!--/part--> <!--/part-->" in site.build().html("glance")


def _heavy(app: Sphinx, doctree: nodes.document) -> None:
    if app.env.docname == "notes":
        text = "word " * 4000
        section = next(iter(doctree.findall(nodes.section)))
        section += [folded("Under a lid", paragraph(nodes.Text(text))) for _ in range(5)]
        section += portion("", paragraph(nodes.Text(text)), title="The rest")


def test_a_page_that_is_called_like_a_part_is_kept(make_site: MakeSite) -> None:
    site = make_site(
        conf="def setup(app):\n    from test_page_parts import _heavy\n    app.connect('doctree-read', _heavy)\n"
    )
    site.build()
    (site.src / "notes.part-2.md").write_text("# Mine\n\nMY OWN\n")
    with pytest.raises(ExtensionError, match=r"notes\.part-\d has the name of a part of the page notes") as caught:
        site.build()
    assert "Give it another name" in str(caught.value)
    conf = site.conf.joinpath("conf.py")
    conf.write_text(conf.read_text().partition("def setup")[0])
    (site.src / "notes.md").write_text("# Notes\n\n(twin)=\n## Twin\n")
    built = site.build()
    assert "MY OWN" in built.html("notes.part-2")
    assert [path.name for path in built.out.glob("notes.part*")] == ["notes.part-2.html"]
    (site.src / "notes.md").unlink()
    assert "MY OWN" in site.build().html("notes.part-2")


def test_parts_come_and_go_with_their_page(make_site: MakeSite) -> None:
    site = make_site(
        conf="def setup(app):\n    from test_page_parts import _heavy\n    app.connect('doctree-read', _heavy)\n"
    )
    built = site.build()
    page = (built.out / "notes.html").read_text()
    assert len(page) < 100_000
    assert {path.name for path in built.out.glob("notes.part*")} >= {"notes.part-1.html", "notes.parts.json"}
    assert built.html("notes").count("word ") == 24_000
    assert '<meta name="robots" content="noindex"/>' in (built.out / "notes.part-1.html").read_text()
    site.conf.joinpath("conf.py").write_text(site.conf.joinpath("conf.py").read_text().partition("def setup")[0])
    (site.src / "notes.md").write_text("# Notes\n\n(twin)=\n## Twin\n")
    site.build()
    assert list(built.out.glob("notes.part*")) == []
