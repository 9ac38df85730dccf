"""What the terminal shows of answers without a target, of shared targets and of APIs without a counterpart."""

from __future__ import annotations

import msgspec
import pytest
from kb_entries import BARRIER, GATHER, MINT_GATHER, MONITORED, UNMATCHED, UNNAMED
from rich.console import Console

from apidiff.lookup.errors import NoCounterpart
from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.model.base import Language, Text
from apidiff.writers.terminal import answer_text

NEAREST = "Nearest: torch.distributed.reduce\nA page (https://example.org/p)"


def shown(renderable) -> str:
    console = Console(width=100, markup=False, highlight=False, emoji=False, color_system=None)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


# name, version, language, what is shown, what is not
TEXTS: list[tuple[str, str, Language, list[str], list[str]]] = [
    (
        MONITORED,
        "2.10",
        "en",
        [
            "On MindSpore 2.10.0: composed (2.8–)",
            "Why it is composed.",
            "Instead: Wait with a deadline.",
            f"Uses: {BARRIER}, mindspore.Tensor",
            f"Recipe: {MONITORED}/mindspore_recipe.py",
            "msrun torch.distributed.monitored_barrier/mindspore_recipe.py",
            "Everyday risk: error",
            "1. [error] error behaviour",
            "- torch.distributed.monitored_barrier()",
            "+ barrier()",
            "no counterpart",
        ],
        ["No target is", "serves"],
    ),
    (
        MONITORED,
        "2.7",
        "zh",
        [
            "在 MindSpore 2.7.2 上：无对应 API（2.4–2.7）",
            "为什么是 no_counterpart。",
            "替代方案：等待时设置超时。",
            "日常风险：抛异常或挂起",
        ],
        ["组合写法", "用到的 API"],
    ),
    (MONITORED, "2.3", "en", ["No target is recorded for MindSpore 2.3.1."], ["Why", "Everyday risk"]),
    (BARRIER, "2.10", "en", [f"PyTorch APIs that {BARRIER} serves", f"• {MONITORED}  in its answer: composed"], []),
    (BARRIER, "2.7", "en", [f"• {MONITORED}  in its answer: not on MindSpore 2.7.2"], []),
    (
        MINT_GATHER,
        "2.7",
        "en",
        [f"• {GATHER}  target: recommended", f"• {GATHER}_single  target: available"],
        [],
    ),
    (f"{GATHER}_single", "2.10", "zh", [f"{MINT_GATHER} 对应的 PyTorch API", f"• {GATHER}  目标：推荐"], []),
    ("torch.distributed.reduce", "2.10", "en", [], ["serves"]),
]


@pytest.mark.parametrize(("name", "version", "language", "there", "absent"), TEXTS)
def test_answers(
    kb: KnowledgeBase, name: str, version: str, language: Language, there: list[str], absent: list[str]
) -> None:
    text = shown(answer_text(kb.lookup(name, mindspore=version), language, everything=True))
    assert [words for words in there if words not in text] == []
    assert [words for words in absent if words in text] == []


@pytest.mark.parametrize("everything", [True, False])
def test_what_a_record_says_is_shown_without_what_nobody_sees(kb: KnowledgeBase, *, everything: bool) -> None:
    answer = kb.lookup(MONITORED, mindspore="2.10")
    odd = Text(en="raises \x1b[31m\u202eX", zh="x")
    differences = [msgspec.structs.replace(one, text=odd, headline=odd) for one in answer.differences]
    text = shown(answer_text(msgspec.structs.replace(answer, differences=differences), "en", everything=everything))
    assert r"raises \x1b[31m\u202eX" in text
    assert not {"\x1b", "\u202e"} & set(text)


@pytest.mark.parametrize(
    ("name", "language", "words"),
    [
        (UNMATCHED, "en", "No PyTorch API corresponds to it.\nNames a communicator.\n" + NEAREST),
        (
            UNMATCHED,
            "zh",
            "没有与之对应的 PyTorch API。\n返回通信域的名称。\n" + NEAREST.replace("Nearest: ", "最接近的 API："),
        ),
        (UNNAMED, "en", "No record names it."),
    ],
)
def test_an_api_without_a_counterpart(kb: KnowledgeBase, name: str, language: Language, words: str) -> None:
    with pytest.raises(NoCounterpart) as caught:
        kb.lookup(name)
    text = shown(answer_text(caught.value.unmatched, language))
    assert text == f"{name}\n{words}\n"
