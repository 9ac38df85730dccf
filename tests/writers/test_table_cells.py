"""No bar in a cell of a Markdown table ends it."""

from __future__ import annotations

import pytest

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
