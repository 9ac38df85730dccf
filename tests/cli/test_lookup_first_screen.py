"""What `apidiff lookup` prints first: what to write, where it runs, what must change, on one screen."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.console import Console

from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.model.base import Language
from apidiff.writers.terminal import answer_text

LINES = 30


def printed(knowledge: KnowledgeBase, name: str, language: Language) -> list[str]:
    console = Console(width=80, markup=False, highlight=False, emoji=False, no_color=True)
    with console.capture() as captured:
        console.print(answer_text(knowledge.lookup(name), language))
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_answer_is_one_screen(knowledge: KnowledgeBase, language: Language) -> None:
    too_long = {}
    for name in knowledge.entries:
        lines = printed(knowledge, name, language)
        if len(lines) > LINES or any(cell_len(line) > 80 for line in lines):
            too_long[name] = len(lines)
    assert too_long == {}


# what stands on the first screen of all_reduce, in this order
FIRST = [
    (
        "en",
        [
            "+ from mindspore.mint import distributed as dist",
            "Runs on: Ascend (documented",
            "Must change",
            "`PRODUCT` is `PROD`",
            "Watch",
        ],
    ),
    (
        "zh",
        [
            "+ from mindspore.mint import distributed as dist",
            "适用平台：Ascend（文档标明",
            "必须改",
            "`PRODUCT` 改为 `PROD`",
            "注意",
        ],
    ),
]


@pytest.mark.parametrize(("language", "said"), FIRST)
def test_what_comes_first(knowledge: KnowledgeBase, language: Language, said: list[str]) -> None:
    text = "\n".join(printed(knowledge, "torch.distributed.all_reduce", language))
    places = [text.find(words) for words in said]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("language", "target", "fact"),
    [
        ("en", "On the CPU: mindspore.ops.sort", "On the CPU, element 1 is `int32`, not `int64`"),
        ("zh", "在 CPU 上：mindspore.ops.sort", "下标为 1 的元素是 `int32`，而不是 `int64`"),
    ],
)
def test_what_bites_with_a_target_for_another_device(
    knowledge: KnowledgeBase, language: Language, target: str, fact: str
) -> None:
    lines = printed(knowledge, "torch.sort", language)
    start = next(number for number, line in enumerate(lines) if line.startswith(target))
    assert any(fact in line and line.startswith("  • ") for line in lines[start : start + 6])
