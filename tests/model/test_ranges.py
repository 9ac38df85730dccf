"""Version ranges as text."""

from __future__ import annotations

import pytest

from apidiff.messages.labels import in_words
from apidiff.model.ranges import between, held_in

BETWEEN = [
    (None, None, "*"),
    (None, "2.3", "≤ 2.3"),
    ("2.9", None, "≥ 2.9"),
    ("2.4", "2.8", "2.4 – 2.8"),
    ("2.4", "2.4", "2.4"),
]


@pytest.mark.parametrize(("since", "until", "text"), BETWEEN)
def test_both_ends(since: str | None, until: str | None, text: str) -> None:
    assert between(since, until) == text


TORCH = ["1.13.0", "2.4.0", "2.6.0", "2.13.0"]
MINDSPORE = ["2.7.0", "2.7.1", "2.7.2", "2.8.0", "2.10.0"]
# the versions that have it, all that are known, the text
HELD = [
    (TORCH, TORCH, None),
    ([], TORCH, None),
    (["2.6.0", "2.13.0"], TORCH, "≥ 2.6"),
    (["2.13.0"], TORCH, "≥ 2.13"),
    (["1.13.0", "2.4.0"], TORCH, "≤ 2.4"),
    (["2.4.0", "2.6.0"], TORCH, "2.4 – 2.6"),
    (["2.4.0"], TORCH, "2.4"),
    (["1.13.0", "2.6.0", "2.13.0"], TORCH, "≤ 1.13, ≥ 2.6"),
    (["2.7.0"], MINDSPORE, "≤ 2.7.0"),
    (["2.7.1", "2.7.2", "2.8.0"], MINDSPORE, "2.7.1 – 2.8"),
    (["2.7.2", "2.8.0", "2.10.0"], MINDSPORE, "≥ 2.7.2"),
]


@pytest.mark.parametrize(("having", "known", "text"), HELD)
def test_versions_that_have_it(having: list[str], known: list[str], text: str | None) -> None:
    assert held_in(having, known) == text


@pytest.mark.parametrize(
    ("text", "english", "chinese"), [("*", "all versions", "所有版本"), ("≥ 2.9", "≥ 2.9", "≥ 2.9"), ("", "", "")]
)
def test_in_words(text: str, english: str, chinese: str) -> None:
    assert (in_words(text, "en"), in_words(text, "zh")) == (english, chinese)
