"""What the tests of pages take for a sentence."""

from __future__ import annotations

import pytest
from page_text import sentences_of

CUT = [
    ("It sums. It returns nothing.", ["It sums.", "It returns nothing."]),
    ("求和。不返回。", ["求和。", "不返回。", ""]),
    (
        "PyTorch raises RuntimeError: diag(): Supports 1D or 2D tensors. Got 3D; MindSpore returns.",
        ["PyTorch raises RuntimeError: diag(): Supports 1D or 2D tensors. Got 3D; MindSpore returns."],
    ),
    (
        "抛出 TypeError: It supports Float16. But got Bool。只在 CPU 上。",
        ["抛出 TypeError: It supports Float16. But got Bool。", "只在 CPU 上。", ""],
    ),
]


@pytest.mark.parametrize(("text", "sentences"), CUT)
def test_sentences_of(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences
