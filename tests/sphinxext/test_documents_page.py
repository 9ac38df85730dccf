"""The page of what documents describe and runs show otherwise, in both languages."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import msgspec
import pytest
from small_site import Site

from apidiff.derive.document_differences import DocumentRow
from apidiff.model.base import Text
from apidiff.model.views import DocumentEntry

ADDRESS = Text(en="https://www.mindspore.cn/en/f.html", zh="https://www.mindspore.cn/zh/f.html")
ROW = DocumentRow(
    kind="device",
    mapping="torch.f",
    target="mindspore.mint.f",
    stated="Ascend, <b>CPU</b>",
    shown=[Text(en="On the CPU, it has no `kernel`", zh="CPU 上没有 `kernel`")],
    version="2.10.0",
    device="cpu",
    address=ADDRESS,
    command='python -c "print(1)"',
)
TWICE = msgspec.structs.replace(ROW, kind="type", stated="dim: tuple", shown=[], address=None)
WORDS = {
    "en": ["fails (1)", "refused (2)", "On the CPU, it has no kernel", "Is refused by 2.10.0", ADDRESS.en],
    "zh_CN": ["设备（1）", "参数类型（2）", "CPU 上没有 kernel", "2.10.0 拒绝该类型", ADDRESS.zh],
}


@pytest.mark.parametrize("language", WORDS)
def test_each_row_is_a_line_with_its_command(make_site: Callable[..., Site], language: str) -> None:
    site = make_site("documents", language)
    site.content = msgspec.structs.replace(site.content, documents=[ROW, TWICE, TWICE])
    built = site.build()
    page = built.html("documents")
    assert built.warnings == ""
    text = html.unescape(re.sub(r"<[^>]+>", "", page))
    for words in WORDS[language][:-1]:
        assert words in text, words
    assert f'href="{WORDS[language][-1]}"' in page
    assert text.count(ROW.command) == 3
    heads = [
        html.unescape(re.sub(r"<[^>]+>", "", head)) for head in re.findall(r"<summary.*?</summary>", page, re.DOTALL)
    ]
    shown = [WORDS[language][2], *[WORDS[language][3]] * 2]
    assert [words in head for words, head in zip(shown, heads, strict=True)] == [True] * 3
    assert all(head.strip().startswith(ROW.target) for head in heads), "a docstring is that of the target"
    assert "<b>" not in page
    lines = re.findall(r'<details class="apidiff-line" id="([^"]+)">', page)
    assert len(set(lines)) == 3
    assert lines[0] == "device--torch.f--mindspore.mint.f"


@pytest.mark.parametrize(("language", "address"), [("en", "/en/r2.4.10/"), ("zh_CN", "/zh-CN/r2.4.10/")])
def test_a_page_leads_to_upstreams_page_on_the_difference(
    make_site: Callable[..., Site], language: str, address: str
) -> None:
    site = make_site("difference", language)
    key, entry = next(iter(site.content.entries.items()))
    url = "https://www.mindspore.cn/docs/{}/r2.4.10/note/api_mapping/pytorch_diff/f.html"
    page = DocumentEntry(
        title="Differences with torch.f",
        title_zh="比较与 torch.f 的差异",
        url=url.format("en"),
        url_zh=url.format("zh-CN"),
        framework="mindspore",
        version="2.4.10",
    )
    other = msgspec.structs.replace(page, url="https://www.mindspore.cn/docs/en/r2.4.10/other.html")
    for documents, expected in (({"page": page}, True), ({"page": other}, False)):
        site.content.entries[key] = msgspec.structs.replace(entry, documents=documents)
        html_pages = site.build().pages()
        assert any(f"{address}note/api_mapping/pytorch_diff/f.html" in text for text in html_pages.values()) is expected
