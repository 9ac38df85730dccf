"""What records say is shown as text, whatever it looks like."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from docutils import nodes
from entry_fixture import COMPOSED, NEW, SOURCE
from hostile_records import soil
from small_site import Built, Site

from apidiff.messages.escape_invisible import escapes, visible
from apidiff.model.trace import ObjectDump, ScalarDump, SequenceDump, TensorDump, Value
from apidiff.sphinxext.nodes import code, prose, recorded_code, relative
from apidiff.sphinxext.trace_table import show
from apidiff.writers.exports.address import anchor


class _Page(HTMLParser):
    """Tags, attributes and the visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts += data
        else:
            self.text += data


@pytest.fixture
def hostile(make_site: Callable[..., Site]) -> Built:
    site = make_site()
    soil(site)
    built = site.build()
    assert built.warnings == ""
    return built


def test_hostile_text_is_inert(hostile: Built) -> None:
    foreign = {"img", "i", "b", "svg"}
    runs = [name for name in hostile.pages() if name.startswith(("runs/", f"evidence/torch-2.13.0/gloo-cpu/{SOURCE}"))]
    assert len(runs) == 2
    mappings = (f"mappings/{SOURCE}.html", f"mappings/{COMPOSED}.html")
    for name in (*mappings, "mappings.html", "risks.html", "statements.html", "counterparts.html", *runs):
        page = _Page(hostile.pages()[name])
        for tag, attributes in page.tags:
            assert tag not in foreign, (name, tag, attributes)
            assert not any(key.startswith("on") for key in attributes), (name, attributes)
            address = attributes.get("href") or ""
            assert re.match(r"https?://|[^:]*$|[^:/]*[/#]", address), (name, attributes)
            assert not address.startswith("//"), (name, attributes)
        assert "alert" not in page.scripts
        if name == "mappings.html":  # a table of names, which may hold nothing else
            continue
        assert "<script>alert(1)</script>" in page.text, name
        assert "**bold** [link](javascript:alert(3))" in page.text, name


def test_what_cannot_be_seen_is_shown(hostile: Built) -> None:
    for name, html in hostile.pages().items():
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00\x1b]", html), name
    html = hostile.pages()[f"mappings/{SOURCE}.html"]
    for escape in ("\\u202egnihtyna\\u202c", "\\x1b[31mred", "\\u200bhidden"):
        assert escape in re.sub(r"<[^>]+>", "", html), escape


VISIBLE = [
    ("plain\ttext\n", "plain\ttext\n"),
    ("a\u202eb", "a\\u202eb"),
    ("\x1b[0m\x85", "\\x1b[0m\\x85"),
    ("中文，é", "中文，é"),
    ("\U000e0041\ufeff", "\\U000e0041\\ufeff"),
    ("\U0001d173\U00013430\u2028", "\\U0001d173\\U00013430\\u2028"),
]


@pytest.mark.parametrize(("text", "expected"), VISIBLE)
def test_visible(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_all_that_unicode_calls_formatting_is_shown() -> None:
    formatting = "".join(one for one in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(one) == "Cf")
    assert visible(formatting).isascii()
    assert {*escapes()} >= {*map(ord, formatting)}


def test_the_check_sees_raw_markup() -> None:
    page = _Page("<p><script>alert(1)</script><img src=x onerror=a></p>")
    assert "img" in [tag for tag, _ in page.tags]
    assert "alert" in page.scripts


PROSE = [
    ("plain", ["plain"]),
    ("`a` and ``b``", ["<literal>a</literal>", " and ", "<literal>b</literal>"]),
    ("unclosed ` tick", ["unclosed ` tick"]),
    ("```a` ``", ["<literal>a</literal>", " ``"]),
    pytest.param("`" * 400_000, ["`" * 400_000], id="a run that nothing closes"),  # from each on, it took an hour
    ("*no* **markup** :role:`x`", ["*no* **markup** :role:", "<literal>x</literal>"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), PROSE)
def test_prose(text: str, expected: list[str]) -> None:
    assert [node.astext() if isinstance(node, nodes.Text) else str(node) for node in prose(text)] == expected


ANCHORS = [
    (f"{SOURCE}#others-keep-tensor", f"{SOURCE}--others-keep-tensor"),
    (NEW, NEW),
    ("example:torch.distributed.reduce/torch_example.py", "example-torch.distributed.reduce-torch_example.py"),
    ("标题 x", "x"),
]


@pytest.mark.parametrize(("text", "expected"), ANCHORS)
def test_anchor(text: str, expected: str) -> None:
    assert anchor(text) == expected


@pytest.mark.parametrize(
    ("page", "expected"), [("index", "a.json"), ("runs/x", "../a.json"), ("runs/x/y", "../../a.json")]
)
def test_relative(page: str, expected: str) -> None:
    assert relative(page, "a.json") == expected


def _tensor(values: list[int | float | bool | str], shape: list[int]) -> TensorDump:
    return TensorDump(type="Tensor", dtype="float32", shape=shape, values=values, storage=1, object=1)


SHOWN: list[tuple[Value, str]] = [
    (_tensor([1.0, 2.5], [2]), "float32 (2,) [1, 2.5]"),
    (_tensor([], [0]), "float32 (0,) []"),
    (_tensor(["nan", 1000000.0], [1, 2]), "float32 (1, 2) [nan, 1000000]"),
    (_tensor([123456789.0], []), "float32 () [123456789]"),
    (_tensor(list(range(30)), [30]), f"float32 (30,) [{', '.join(map(str, range(24)))}, …]"),
    (SequenceDump(type="tuple", items=[ScalarDump(value=None)], object=1), "(None,)"),
    (SequenceDump(type="list", items=[ScalarDump(value=1), ScalarDump(value="a")], object=1), "[1, 'a']"),
    (ObjectDump(type="Work", text="", object=1), "Work"),
]


@pytest.mark.parametrize(("value", "expected"), SHOWN)
def test_show(value: Value, expected: str) -> None:
    assert show(value) == expected


@pytest.mark.parametrize(("numbers", "language"), [(10, "python"), (2000, "text")])
def test_code_with_thousands_of_numbers_in_a_line_has_no_colours(numbers: int, language: str) -> None:
    text = f"import torch\ninput = torch.tensor([{', '.join(['1.0'] * numbers)}])"
    assert (code(text)["language"], code(text).astext()) == (language, text)


RECORDED = [
    ("reduce(tensor, dst=0)", "python"),
    (f"reduce({'x' * 800})", "python"),
    (f"reduce({'x' * 1000})", "text"),
    ("x" + "\n " * 400 + "y", "text"),
    ("x" + "\r" * 400 + "y", "text"),
    ('"%' + "0" * 3990, "text"),
    ("", "python"),
]


@pytest.mark.parametrize(("text", "language"), RECORDED)
def test_what_a_record_says_is_code_has_colours_where_it_is_a_short_line(text: str, language: str) -> None:
    assert (recorded_code(text)["language"], recorded_code(text).astext()) == (language, visible(text))
