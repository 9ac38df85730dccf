"""The picture on a page: complete without script, the same facts in its table, hostile text shown as text, rebuilt when due."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import msgspec
import pytest
from docutils.utils import new_document
from entry_fixture import NEW, OLD, SOURCE, reduce_entry
from small_site import Site

from apidiff.model.picture import Buffer, Cell, Origin, Picture, RankPart, Scene, Side
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.page_parts import lighten
from apidiff.sphinxext.picture import origins_text, picture_html

MakeSite = Callable[..., Site]
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"' &lt;b&gt; {{ 7*7 }} `x`"


def cell(value: float | str | None, ranks: list[int] | None = None, element: int = 0, **flags: bool) -> Cell:
    origin = Origin(ranks=ranks, buffer="tensor", element=element) if ranks else None
    return Cell(value=value, origin=origin, **flags)


def part(rank: int = 1, **changes: object) -> RankPart:
    """Rank 1 of torch's reduce on gloo: a partial sum where nothing was to be written."""
    buffer = Buffer(
        name="tensor",
        dtype="float32",
        shape=[2],
        before=[cell(10.0, [1]), cell(20.0, [1], 1)],
        after=[cell(110.0, [1, 2], changed=True, unexpected=True), cell(20.0, [1], 1)],
        written=True,
    )
    return msgspec.structs.replace(RankPart(rank=rank, buffers=[buffer], returned="None"), **changes)


def scene(*ranks: RankPart, **changes: object) -> Scene:
    plain = Scene(
        versions=["2.13.0"],
        runs=["torch-2.13.0/run"],
        backend="gloo",
        device="cpu",
        world_size=3,
        probe="sync",
        call="reduce(tensor)",
        ranks=list(ranks) or [part()],
    )
    return msgspec.structs.replace(plain, **changes)


def picture(*scenes: Scene, target: Side | None = None) -> Picture:
    source = Side(api=SOURCE, framework="torch", scenes=list(scenes) or [scene()])
    return Picture(source=source, targets=[target or Side(api=NEW, framework="mindspore", current=["2.9.0..2.10.0"])])


def html(shown: Picture, language: str = "en") -> str:
    make = PageBuilder(language, new_document("test"), "mappings/x")  # type: ignore[arg-type]
    drawing = picture_html(make, reduce_entry("run"), shown, "2.10.0")
    return lighten(drawing, "x", make.language)[0]


def drawn(text: str) -> str:
    """What is seen without script."""
    return re.sub(r"<template.*?</template>", "", text, flags=re.DOTALL)


def test_unexpected_values_are_marked_and_named() -> None:
    text = drawn(html(picture()))
    assert '<b class="c u" data-o="1 2;tensor;0">110<i class="f1" aria-hidden="true">1</i>' in text
    assert '<span class="pic-flag u">unexpected</span>' in text
    assert "<td>[110, 20]</td>" in text
    assert "110 ← rank 1 + rank 2: tensor[0]" in text


def test_the_run_is_named() -> None:
    assert f'href="../runs/torch-2.13.0/run.html#{SOURCE}--sync"' in html(picture())


def test_other_choices_wait_in_the_template() -> None:
    text = html(picture(scene(), scene(world_size=2), scene(asks_async=True, handle="Work")))
    assert drawn(text).count('data-size="3"') == 1
    assert 'data-size="2"' not in drawn(text)
    waiting = text[text.index("<template") :]
    assert 'data-size="2" data-mode="sync"' in waiting
    assert 'data-size="3" data-mode="async"' in waiting
    assert "What the buffers held before the wait was not recorded." in waiting


def test_both_sides_begin_at_a_world_size_that_both_have() -> None:
    target = Side(api=NEW, framework="mindspore", current=[], scenes=[scene(world_size=2)])
    text = drawn(html(picture(scene(), scene(world_size=2), target=target)))
    assert re.findall(r'data-size="(\d)"', text) == ["2", "2"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unsupported": True}, ["not supported on gloo", "RuntimeError: no kernel", "the same error as on rank 0"]),
        ({}, ["raised", "RuntimeError: no kernel"]),
        ({"flaky": True}, ["Two tries did not come out the same"]),
    ],
)
def test_errors_stand_where_the_buffers_would_be(changes: dict[str, bool], words: list[str]) -> None:
    before = msgspec.structs.replace(part().buffers[0], after=None, written=False)
    ranks = [part(rank, buffers=[before], error="RuntimeError: no kernel", returned="") for rank in (0, 1)]
    text = drawn(html(picture(scene(*ranks, **changes))))
    for word in words:
        assert word in text
    assert text.count("<code>RuntimeError: no kernel</code>") == 1 + 2  # once in the picture, on each rank in the table


@pytest.mark.parametrize(("end", "word"), [("timeout", "no answer in time"), ("crash", "crashed")])
def test_silent_ranks_are_told(end: str, word: str) -> None:
    assert word in drawn(html(picture(scene(RankPart(rank=0, silent=True), end=end))))


def test_a_target_without_a_run_and_a_version_without_a_target_say_so() -> None:
    assert f"No run of {NEW} with these settings is recorded." in drawn(html(picture()))
    entry = msgspec.structs.replace(reduce_entry("run"), targets=[])
    make = PageBuilder("zh", new_document("test"), "mappings/x")
    assert "MindSpore 2.10.0 中没有可直接替代它的单个接口" in drawn(picture_html(make, entry, picture(), "2.10.0"))


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([cell(1.0, [0], 0)], ""),  # stayed
        (
            [cell(11.0, [0, 1], 0, changed=True), cell(22.0, [0, 1], 1, changed=True)],
            "11, 22 ← rank 0 + rank 1: tensor[0–1]",
        ),
        (
            [cell(1.0, [0], 1, changed=True), cell(1.0, [0], 0, changed=True)],
            "1 ← rank 0: tensor[1]; 1 ← rank 0: tensor[0]",
        ),
        ([cell(37.0, None, changed=True), cell(1.5, None, changed=True)], "37, 1.5 ← ?"),
    ],
)
def test_origins_in_neutral_notation(cells: list[Cell], text: str) -> None:
    buffer = Buffer(name="tensor", shape=[2], before=[], after=cells)
    assert origins_text(RankPart(rank=0, buffers=[buffer]), buffer) == text


def test_one_value_has_no_element() -> None:
    own = Buffer(name="tensor", before=[cell("a", [0])])
    out = Buffer(name="out", shape=[1], before=[cell(None)], after=[cell("a", [0], changed=True)])
    assert origins_text(RankPart(rank=0, buffers=[own, out]), out) == "a ← rank 0: tensor"


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_text_is_text(language: str) -> None:
    buffer = Buffer(
        name=HOSTILE,
        dtype=HOSTILE,
        shape=[1],
        before=[Cell(value=HOSTILE)],
        after=[Cell(value=HOSTILE, changed=True, origin=Origin(ranks=[0], buffer=HOSTILE, element=0))],
        shares=[HOSTILE],
    )
    ranks = [
        RankPart(rank=0, buffers=[buffer], returned=HOSTILE, calls=HOSTILE),
        RankPart(rank=1, error=HOSTILE),
    ]
    bad = scene(
        *ranks, call=HOSTILE, backend=HOSTILE, device=HOSTILE, versions=[HOSTILE], runs=[HOSTILE], handle=HOSTILE
    )
    target = Side(api=NEW, framework="mindspore", current=[HOSTILE], scenes=[bad])
    page = _Tags(html(picture(bad, target=target), language))
    assert not {"script", "img"} & set(page.tags)
    assert not {"onerror", "style", "src"} & page.names
    assert page.text.count(HOSTILE) > 8
    assert "49" not in page.text


def test_the_element_has_its_words_and_targets() -> None:
    text = html(picture(), "zh")
    found = re.search(r'data-words="([^"]*)"', text)
    assert found
    words = json.loads(found[1].replace("&#34;", '"').replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">"))
    assert words["async"] == "异步"
    assert words["framework.torch"] == "PyTorch"


def test_a_page_shows_its_picture_and_follows_it(make_site: MakeSite) -> None:
    site = make_site()
    plain = site.build()
    assert "apidiff-picture" not in plain.html(f"evidence/{SOURCE}")
    site.content = msgspec.structs.replace(site.content, pictures={SOURCE: picture()})
    assert "110" in site.build(parallel=4).html(f"evidence/{SOURCE}")
    assert site.build().read == set()

    other = part(buffers=[msgspec.structs.replace(part().buffers[0], after=[cell(777.0, None, changed=True)])])
    site.content = msgspec.structs.replace(site.content, pictures={SOURCE: picture(scene(other))})
    built = site.build()
    assert built.read == {f"evidence/{SOURCE}"}  # indexes do not read pictures
    assert "777" in built.html(f"evidence/{SOURCE}")
    assert built.warnings == ""

    site.content = msgspec.structs.replace(site.content, pictures={})
    assert "apidiff-picture" not in site.build().html(f"evidence/{SOURCE}")


def test_an_old_target_can_be_chosen() -> None:
    old = Side(api=OLD, framework="mindspore", current=["2.4.0..2.8.0"], scenes=[scene()])
    text = html(picture(target=old))
    assert OLD in text[text.index("<template") :]
    assert "2.4.0..2.8.0" in text
