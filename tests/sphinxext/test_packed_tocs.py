"""Tables of contents that are kept packed are those that Sphinx made, however often they are kept."""

from __future__ import annotations

import pickle
from collections.abc import Callable

from docutils import nodes
from small_site import Site

from apidiff.sphinxext.packed_tocs import PackedTocs


def toc(text: str) -> nodes.bullet_list:
    return nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", text)))


def test_a_table_is_a_tree_when_it_is_asked_for_and_packed_until_then() -> None:
    tocs = PackedTocs(one=toc("first"), two=toc("second"))
    for _ in range(2):
        tocs = pickle.loads(pickle.dumps(tocs))
        assert [type(kept) for kept in tocs.data.values()] == [bytes, bytes]
    assert tocs["one"].astext() == "first"
    tocs["one"].append(nodes.list_item("", nodes.paragraph("", "third")))
    assert [type(kept) for kept in tocs.data.values()] == [nodes.bullet_list, bytes]
    again = pickle.loads(pickle.dumps(tocs))
    assert "third" in again["one"].astext()
    assert {page: tree.astext() for page, tree in again.items()} == {page: tree.astext() for page, tree in tocs.items()}


def test_pages_after_an_edit_are_those_of_a_new_build(make_site: Callable[..., Site]) -> None:
    site = make_site()
    site.build()
    notes = site.src / "notes.md"
    notes.write_text(notes.read_text("utf-8") + "\n## One more\n\nText.\n", "utf-8")
    edited = site.build()
    assert "notes" in edited.read
    assert "mappings" not in edited.read
    assert edited.pages() == site.build(out="new").pages()
