"""Evidence in Chinese: our words are translated, a framework's are not."""

from __future__ import annotations

import pytest

from apidiff.judge.evidence_messages import TEMPLATES, said
from apidiff.messages.evidence_words import in_language
from apidiff.messages.labels import LABELS

# a line as the judge writes it, the same on a Chinese page
LINES = [
    ("rank 0: no exception", "rank 0: 没有抛出异常"),
    ("rank 2: timeout", "rank 2: 超时"),
    ("rank 1: crash", "rank 1: 崩溃"),
    ("rank 0: returned None", "rank 0: 返回 None"),
    ("rank 0: returned (Tensor, CommHandle)", "rank 0: 返回 (Tensor, CommHandle)"),
    ("rank 0: return.tensor, tensor: object", "rank 0: return.tensor 与 tensor：同一对象"),
    ("rank 0: printed 'a' ≠ '(no line)'", "rank 0: 打印了 'a' ≠ '(no line)'"),
    (
        "rank 0: TypeError: bad op (also by probe 'sync')",
        "rank 0: TypeError: bad op（探针 'sync' 也如此）",
    ),
    ("rank 1: tensor [10, 20] → [110, 220]", "rank 1: tensor [10, 20] → [110, 220]"),
    ("rank 1: RuntimeError: timeout", "rank 1: RuntimeError: timeout"),
    ("rank 1: RuntimeError: no exception", "rank 1: RuntimeError: no exception"),
    ("rank 1: ValueError: expected a, b: object", "rank 1: ValueError: expected a, b: object"),
    ("reduce(tensor, dst)", "reduce(tensor, dst)"),
    ("… 7", "… 7"),
]


@pytest.mark.parametrize(("line", "chinese"), LINES)
def test_a_line(line: str, chinese: str) -> None:
    assert in_language([line], "zh") == [chinese]
    assert in_language([line], "en") == [line]


@pytest.mark.parametrize("key", sorted(TEMPLATES))
def test_the_words_of_the_judge_are_those_of_the_table(key: str) -> None:
    assert LABELS[f"said.{key}"].en == TEMPLATES[key]
    names = dict.fromkeys(("value", "slot", "other", "got", "wanted", "error", "probe"), "x")
    written = said(3, key, **names)
    assert in_language([written], "zh") == [f"rank 3: {LABELS[f'said.{key}'].zh.format(**names)}"]
