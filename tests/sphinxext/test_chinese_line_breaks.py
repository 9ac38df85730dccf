"""Lines of Chinese prose are joined, and no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_site import Site

# Lines of a paragraph, and how they are written on a Chinese page.
PARAGRAPHS = [
    ("中文\n中文。", "中文中文。"),
    ("中文 PyTorch\nreduce 中文", "中文 PyTorch\nreduce 中文"),
    ("中文 PyTorch\nreduce 中文\n中文。", "中文 PyTorch\nreduce 中文中文。"),
    ("中文\n中文 PyTorch\nreduce 中文\n中文。", "中文中文 PyTorch\nreduce 中文中文。"),
    ("one\ntwo *中文\n中文*\nthree", "one\ntwo <em>中文中文</em>\nthree"),
]


@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_lines_are_joined_where_both_sides_are_chinese(make_site: Callable[..., Site], language: str) -> None:
    site = make_site(language=language)
    text = "\n\n".join(["# 标题", *(lines for lines, _ in PARAGRAPHS)])
    (site.src / "glance.md").write_text(f"{text}\n", "utf-8")
    html = site.build().html("glance")
    for lines, joined in PARAGRAPHS:
        shown = joined if language == "zh_CN" else lines.replace("*中文\n中文*", "<em>中文\n中文</em>")
        assert f"<p>{shown}</p>" in html
