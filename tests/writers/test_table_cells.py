"""No bar in a cell of a Markdown table ends it."""

from __future__ import annotations

import pytest

from apidiff.derive.document_differences import DocumentRow
from apidiff.writers.documents import documents_text
from apidiff.writers.markdown import code_span, prose, table_cell


@pytest.mark.parametrize(
    ("markdown", "cell"),
    [
        ("a|b", r"a\|b"),
        (r"a\|b", r"a\|b"),
        (r"a\\|b", r"a\\\|b"),
        (code_span("a|b"), r"`a\|b`"),
        (prose("a|b"), r"a\|b"),
        (prose(r"a\|b"), r"a\\\|b"),
        ("||", r"\|\|"),
    ],
)
def test_a_bar_ends_no_cell(markdown: str, cell: str) -> None:
    assert table_cell(markdown) == cell


def test_no_name_in_the_report_on_documents_ends_its_code() -> None:
    row = DocumentRow(
        kind="consistent",
        mapping="torch.a",
        target="b` <img src=x> `",
        stated="consistent",
        shown=[],
        version="2.10.0",
        device="cpu",
        address=None,
        command="c`d",
    )
    [line] = [line for line in documents_text([row], "en").split("\n") if "torch.a" in line]
    assert "| `` b` <img src=x> ` `` |" in line
    assert "| ``c`d`` |" in line
