"""Scripts that a Chinese page includes show their comments in Chinese, and an English page shows them as they stand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_site import Site

MakeSite = Callable[..., Site]
SCRIPT = '"""On Ascend this has not been run."""\n\nBATCH = 8  # per rank\n'
SHOWN = [
    ("en", ["On Ascend this has not been run.", "# per rank"]),
    ("zh_CN", ["未在 Ascend 上运行过。", "# 每个 rank 的批次大小"]),
]


@pytest.mark.parametrize(("language", "lines"), SHOWN)
def test_comments_are_in_the_language_of_the_page(make_site: MakeSite, language: str, lines: list[str]) -> None:
    site = make_site(language=language)
    (site.src / "script.py").write_text(SCRIPT, "utf-8")
    page = "# Scripts\n\n```{literalinclude} script.py\n:language: python\n```\n"
    (site.src / "glance.md").write_text(page, "utf-8")
    html = site.build().html("glance")
    assert all(line in html for line in lines)
    assert "BATCH" in html
