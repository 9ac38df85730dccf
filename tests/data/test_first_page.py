"""What the first page says in fixed words of places where nothing was run is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database import Data

DOCS = Path(__file__).parents[2] / "docs"

SAID = [
    ("en", "Nothing was run on Ascend, and MindSpore not on a"),
    ("zh", "尚未在 Ascend 上运行过，MindSpore 也未在 GPU 上运行过"),
]


@pytest.mark.parametrize(("language", "words"), SAID)
def test_the_first_page_says_rightly_where_nothing_was_run(database: Data, language: str, words: str) -> None:
    ran = {(record.framework, record.device) for _, record in [*database.runs, *database.single_runs]}
    nothing_ran = not ran & {("mindspore", "cuda"), ("mindspore", "npu"), ("torch", "npu")}
    assert (words in (DOCS / language / "index.md").read_text(encoding="utf-8")) is nothing_ran
