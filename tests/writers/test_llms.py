"""``llms.txt`` has the form of llmstxt.org, its links lead to files, and the Markdown of a mapping shows text as text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

import msgspec
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from published_site import HOSTILE, NEW, SOURCE, Published

from apidiff.messages.escape_invisible import hidden
from apidiff.messages.labels import LABELS
from apidiff.model.base import Text
from apidiff.writers.markdown import code_block, code_span, link, prose

PAGE = f"en/mappings/{SOURCE}.md"
INDEXES = ("llms.txt", "en/llms.txt", "zh-cn/llms.txt")
ROW = re.compile(r"- \[[^\]]+\]\([^)\s]+\)(: .+)?")


def tokens(text: str) -> Iterator[Token]:
    """All tokens of a Markdown text, read by CommonMark's rules with HTML allowed."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        yield token
        yield from token.children or []


def goals(text: str) -> list[str]:
    return [str(token.attrGet("href")) for token in tokens(text) if token.type == "link_open"]


def faults(text: str) -> list[str]:
    """What the form of llms.txt does not allow: a title, a summary, text without headings, sections of links."""
    first, second, *rest = [part for part in text.split("\n\n") if part]
    found = [] if re.fullmatch("# .+", first) else ["no title"]
    found += [] if re.fullmatch("> .+", second) else ["no summary"]
    sections = "\n\n".join(rest).split("\n## ")
    found += ["a heading before the sections"] if re.search("^#", sections[0], re.MULTILINE) else []
    for section in sections[1:]:
        title, _, body = section.partition("\n\n")
        rows = body.rstrip("\n").split("\n")
        found += [f"{title}: {row}" for row in rows if not ROW.fullmatch(row)]
    return found


BAD = [
    ("apidiff\n\n> x\n", "no title"),
    ("# apidiff\n\nx\n", "no summary"),
    ("# a\n\n> x\n\n### b\n", "a heading before the sections"),
    ("# a\n\n> x\n\ny\n\n## b\n\n- [c](d): e\n- f\n", "b: - f"),
]


@pytest.mark.parametrize(("text", "fault"), BAD)
def test_the_check_finds(text: str, fault: str) -> None:
    assert fault in faults(text)


@pytest.mark.parametrize("path", INDEXES)
def test_llms_txt_has_the_form_and_lists_every_mapping(make: Callable[..., Published], path: str) -> None:
    built = make()
    built.build()
    text = built.text(path)
    assert faults(text) == []
    here = posixpath.dirname(path)
    found = [posixpath.normpath(posixpath.join(here, unquote(goal))) for goal in goals(text)]
    folder = here or "en"
    pages = {f"{folder}/mappings/{key}.md" for key in built.content.entries}
    assert {goal for goal in found if goal.endswith(".md")} == pages
    assert {goal for goal in found if not goal.endswith(".html")} <= set(built.files())
    assert any(goal.endswith("llms.txt") for goal in found)


def test_links_are_absolute_where_the_address_is_known(make: Callable[..., Published]) -> None:
    built = make(url="https://example.org/docs")
    built.build()
    for path in (*INDEXES, PAGE, "zh-cn/llms-full.txt"):
        documents = {"https://example.org/reduce.html", "https://example.org/g"}
        ours = set(goals(built.text(path))) - documents
        assert ours
        assert all(goal.startswith("https://example.org/docs/") for goal in ours)


def test_a_page_says_what_the_mapping_says(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    entry = built.content.entries[SOURCE]
    for path, pick in ((PAGE, "en"), (PAGE.replace("en/", "zh-cn/"), "zh")):
        text = built.text(path)
        assert text.startswith(f"# `{SOURCE}`\n\n{getattr(entry.summary, pick)}\n")
        for one in (
            entry.claims[0].text,
            entry.targets[0].differences[0].text,
            entry.targets[0].differences[0].evidence[0].text,
        ):
            assert prose(getattr(one, pick)) in text
        for claim in entry.claims:
            assert f"`{claim.id}`" in text
        assert entry.examples[0].code.rstrip() in text
        assert "<https" not in text
        assert f"](../../api/v1/mappings/{SOURCE}.json)" in text
        assert getattr(LABELS["outcome.refuted"], pick) in text
    assert built.text(PAGE).index(f"## `{NEW}`") < built.text(PAGE).index(
        "## `mindspore.communication.comm_func.reduce`"
    )


def test_the_full_file_is_every_page(make: Callable[..., Published]) -> None:
    built = make()
    built.build()
    full = built.text("en/llms-full.txt")
    assert re.findall("^# `(.*)`$", full, re.MULTILINE) == sorted(built.content.entries)
    assert f"](mappings/{SOURCE}.html)" in full


@pytest.mark.parametrize("folder", ["en", "zh-cn"])
def test_hostile_text_stays_text(make: Callable[..., Published], folder: str) -> None:
    built = make()
    entry = built.content.entries[SOURCE]
    said = Text(en=f"{HOSTILE}\x1b[31m\u202e", zh=f"{HOSTILE}\x1b[31m\u202e")
    claims = [msgspec.structs.replace(one, text=said, reason=said) for one in entry.claims]
    documents = {
        HOSTILE: msgspec.structs.replace(entry.documents["seed-reduce"], title=HOSTILE, url="javascript:alert(4)")
    }
    examples = [msgspec.structs.replace(one, code=HOSTILE, expected=HOSTILE, path=HOSTILE) for one in entry.examples]
    changed = msgspec.structs.replace(
        entry, summary=said, aliases=[HOSTILE], claims=claims, documents=documents, examples=examples
    )
    path = f"{folder}/mappings/{SOURCE}.md"
    built.build()
    before = [token.type for token in tokens(built.text(path)) if token.type == "heading_open"]
    built.change(**{SOURCE.replace(".", "__"): changed})
    built.build()
    text = built.text(path)
    kinds = [token.type for token in tokens(text)]
    assert not {"html_block", "html_inline", "image"} & set(kinds)
    assert [kind for kind in kinds if kind == "heading_open"] == before
    assert goals(text) == [f"{SOURCE}.html", f"../../api/v1/mappings/{SOURCE}.json"]
    assert "alert(1)" in "".join(token.content for token in tokens(text) if token.type == "text")
    assert faults(built.text(f"{folder}/llms.txt")) == []
    assert [hidden(built.text(file)) for file in (path, f"{folder}/llms.txt", f"{folder}/llms-full.txt")] == [set()] * 3


PROSE = [
    ("Reduces a tensor.", "Reduces a tensor."),
    ("`a_b` and a_b", "`a_b` and a_b"),
    ("_a_ *b*", r"\_a\_ \*b\*"),
    ("[a](b) <c> &amp;", r"\[a\](b) \<c\> \&amp;"),
    ("one ` alone", r"one \` alone"),
    ("two\n\nlines", "two lines"),
    ("# no heading", r"\# no heading"),
    ("- no list", r"\- no list"),
    ("2. no list", r"2\. no list"),
    ("2.7 is a version", "2.7 is a version"),
    ("-1 is a number", "-1 is a number"),
    ("逐元素求和（`Σ_r tensor_r`）", "逐元素求和（`Σ_r tensor_r`）"),
]


@pytest.mark.parametrize(("text", "expected"), PROSE)
def test_prose(text: str, expected: str) -> None:
    assert prose(text) == expected
    shown = "".join(
        token.content for token in tokens(prose(text)) if token.type in {"text", "text_special", "code_inline"}
    )
    assert shown == " ".join(text.replace("`", "").split()) or text == "one ` alone"


def test_backticks_that_nothing_closes_are_looked_through_once() -> None:
    assert prose("`" * 400_000) == r"\`" * 400_000  # from each of them on, it took an hour


CODE = ["a", "a`b", "`", "``a", " a\nb ", "<b>"]


@pytest.mark.parametrize("text", CODE)
def test_code(text: str) -> None:
    (span,) = (token.content for token in tokens(f"x {code_span(text)} y") if token.type == "code_inline")
    assert span == " ".join(text.split())
    (block,) = (token.content for token in tokens(code_block(f"{text}\n```\n~~~", "python")) if token.type == "fence")
    assert block == f"{text}\n```\n~~~\n"


LINKS = [
    ("https://example.org/a b)c", "[x](https://example.org/a%20b%29c)"),
    ("a.html#b", "[x](a.html#b)"),
    ("javascript:alert(1)", "x"),
    ("JavaScript:alert(1)", "x"),
    ("data:text/html,x", "x"),
]


@pytest.mark.parametrize(("address", "expected"), LINKS)
def test_link(address: str, expected: str) -> None:
    assert link("x", address) == expected
