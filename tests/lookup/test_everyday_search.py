"""What people call things finds them, in the data as they are."""

from __future__ import annotations

import pytest
from searched import FOUND, LEADS, NEAR, NONSENSE, wrong

from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.lookup.words import Reading, readings

EVERYDAY = {
    "规约": ["reduce", "all_reduce"],
    "规约散射": ["reduce_scatter"],
    "point to point": ["send"],
    "world size": ["get_world_size"],
}
# what is typed, its words and phrases
READ = [
    ("规约", [(["规约"], ["reduce", "all_reduce"])]),
    ("规约散射", [(["规约 约散 散射"], ["reduce_scatter"])]),
    ("做规约操作", [(["做"], []), (["规约"], ["reduce", "all_reduce"]), (["操作"], [])]),
    ("Point-to-Point call", [(["point", "to", "point"], ["send"]), (["call"], [])]),
    ("world_size", [(["world_size"], ["get_world_size"])]),
    ("ｄｓｔ", [(["dst"], [])]),
    ("", []),
]


@pytest.mark.parametrize(("typed", "expected"), READ)
def test_words_and_phrases_of_a_query(typed: str, expected: list[tuple[list[str], list[str]]]) -> None:
    assert readings(typed, EVERYDAY) == [Reading(words, means) for words, means in expected]


@pytest.fixture(scope="module")
def real(knowledge: KnowledgeBase) -> KnowledgeBase:
    return knowledge


def _ids(real: KnowledgeBase, typed: str, limit: int = 10) -> list[str]:
    return [found.id for found in real.search(typed, limit=limit).results]


@pytest.mark.parametrize(("typed", "leads"), LEADS)
def test_what_leads(real: KnowledgeBase, typed: str, leads: list[str]) -> None:
    assert wrong(typed, _ids(real, typed), leads) == []


@pytest.mark.parametrize(("typed", "name"), FOUND)
def test_labels_are_found(real: KnowledgeBase, typed: str, name: str) -> None:
    assert f"torch.distributed.{name}" in _ids(real, typed, 1000)


@pytest.mark.parametrize("typed", NONSENSE)
def test_nonsense_finds_nothing(real: KnowledgeBase, typed: str) -> None:
    assert _ids(real, typed, 1000) == []


@pytest.mark.parametrize("typed", NEAR)
def test_the_nearest_are_few(real: KnowledgeBase, typed: str) -> None:
    assert 0 < len(_ids(real, typed, 1000)) <= 10


def test_what_overwrites_is_shown(real: KnowledgeBase) -> None:
    for typed in ("reduce overwrites", "tensor overwritten on other ranks", "partial result"):
        shown = [match.ref for match in real.search(typed).results[0].matches]
        assert any(ref.endswith(": partial-sums-on-other-ranks") for ref in shown), typed


def test_of_apis_called_the_same_the_one_used_most_leads(real: KnowledgeBase) -> None:
    found = _ids(real, "gather")
    same = [name for name in found if name.rpartition(".")[2] == "gather"]
    assert len(same) > 2
    assert found[: len(same)] == same
    uses = [real.entries[name].uses for name in same]
    assert uses == sorted(uses, reverse=True)
    assert "torch.distributed.all_gather" in found[: len(same) + 2]


# What is typed, and what leads.
OPERATIONS = [
    ("卷积", "torch.nn.Conv2d"),
    ("展平", "torch.Tensor.flatten"),
    ("拼接", "torch.cat"),
    ("转置", "torch.Tensor.transpose"),
    ("矩阵乘法", "torch.matmul"),
    ("全连接层", "torch.nn.Linear"),
    ("交叉熵损失", "torch.nn.functional.cross_entropy"),
    ("优化器", "torch.optim.AdamW"),
    ("自动求导", "torch.Tensor.grad"),
    ("梯度裁剪", "torch.nn.utils.clip_grad_norm_"),
    ("随机种子", "torch.manual_seed"),
    ("数据加载", "torch.utils.data.DataLoader"),
    ("保存模型", "torch.save"),
    ("convolution", "torch.nn.Conv2d"),
    ("concatenate", "torch.cat"),
    ("matrix multiplication", "torch.matmul"),
    ("fully connected layer", "torch.nn.Linear"),
    ("learning rate", "torch.optim.lr_scheduler.LambdaLR"),
]


@pytest.mark.parametrize(("typed", "name"), OPERATIONS)
def test_what_people_call_an_operation_finds_it(real: KnowledgeBase, typed: str, name: str) -> None:
    assert _ids(real, typed)[0] == name


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("embedding", ["torch.nn.functional.embedding", "torch.nn.Embedding"]),
        ("Linear", ["torch.nn.Linear", "torch.nn.functional.linear"]),
        ("crossentropy", ["torch.nn.functional.cross_entropy"]),
    ],
)
def test_names_in_another_style_come_next(real: KnowledgeBase, typed: str, names: list[str]) -> None:
    assert _ids(real, typed)[: len(names)] == names
