"""What is found for which words."""

from __future__ import annotations

import sqlite3

import pytest
from kb_entries import BARRIER, MONITORED, REDUCE, UNMATCHED, UNNAMED

from apidiff.errors import ApidiffError
from apidiff.lookup.index import Index
from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.lookup.search import Searcher
from apidiff.lookup.words import index_words, query_words

GATHER, SCATTER, SINGLE = "torch.distributed.gather", "torch.distributed.scatter", "torch.distributed.gather_single"

INDEXED = [
    ("all_reduce", "all_reduce all reduce"),
    ("AllReduce", "allreduce all reduce"),
    ("torch.distributed.all_reduce", "torch.distributed.all_reduce torch distributed all_reduce all reduce"),
    ("规约操作", "规约 约操 操作 规 约 操 作"),
    ("约", "约"),
    ("在 rank 0 上", "在 rank 0 上"),
    ("ＡＬＬ＿ＲＥＤＵＣＥ（１）", "all_reduce all reduce 1"),
    ("`dst`，或 -1。", "dst 或 1"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "words"), INDEXED)
def test_words_that_are_indexed(text: str, words: str) -> None:
    assert index_words(text) == words


QUERIES = [
    ("Reduce in-place", ["reduce", "in", "place"]),
    ("规约操作", ["规约 约操 操作"]),
    ("归", ["归"]),
    ('"; DROP', ["drop"]),
    ("*", []),
]


@pytest.mark.parametrize(("text", "words"), QUERIES)
def test_words_of_a_query(text: str, words: list[str]) -> None:
    assert query_words(text) == words


# words, IDs found, best first
FOUND = [
    ("reduce", [REDUCE]),
    ("torch.distributed.gather", [GATHER]),
    ("comm_func", [REDUCE]),
    ("ops.Reduce", [REDUCE]),
    ("keeps its values", [REDUCE]),
    ("规约", [REDUCE]),
    ("规", [REDUCE]),
    ("收集", [GATHER, SINGLE]),
    ("分发张量", [SCATTER]),
    ("返回句柄", [GATHER]),
    ("原地", [REDUCE, SINGLE, GATHER]),
    ("in place", [REDUCE, SINGLE, GATHER]),
    ("root_rank renamed", [REDUCE, GATHER, SINGLE]),
    ("refuted gloo", [REDUCE]),
    ("timeout", [REDUCE]),
    ("超时", [REDUCE, MONITORED]),
    ("composed", [MONITORED]),
    ("无对应 API", [MONITORED]),
    ("调试与日志", [MONITORED]),
    (BARRIER, [MONITORED]),
    ("mint.distributed.barrier", [MONITORED]),
    (UNMATCHED, [UNMATCHED]),
    ("通信域", [UNMATCHED]),
    (UNNAMED, [UNNAMED]),
    ("overwritten silent", [REDUCE]),
    ("Reduces", [REDUCE]),  # English is stemmed
]


@pytest.mark.parametrize(("words", "expected"), FOUND)
def test_found(kb: KnowledgeBase, words: str, expected: list[str]) -> None:
    result = kb.search(words)
    assert [found.id for found in result.results] == expected
    assert result.corrected == {}


@pytest.mark.parametrize(("words", "corrected"), [("redcue", "reduce"), ("scater", "scatter"), ("gathr", "gather")])
def test_misspelled_names_are_forgiven(kb: KnowledgeBase, words: str, corrected: str) -> None:
    result = kb.search(words)
    assert result.corrected == {words: corrected}
    assert result.results[0].id == f"torch.distributed.{corrected}"


@pytest.mark.parametrize("words", ["", "*", '"', "zzzzzz", "xylophone", "NEAR(zzzzzz", "zzzzzz*", "-zzzzzz", "龘"])
def test_nothing_is_found(kb: KnowledgeBase, words: str) -> None:
    assert kb.search(words).results == []


def test_half_of_the_words_are_enough_where_no_passage_has_all(kb: KnowledgeBase) -> None:
    assert GATHER in [found.id for found in kb.search("返回句柄 xylophone").results]
    assert kb.search("handle xylophone").results == []


def test_the_name_typed_comes_first_and_the_limit_is_kept(kb: KnowledgeBase) -> None:
    assert [found.id for found in kb.search("gather", limit=1).results] == [GATHER]
    assert kb.search("rank").results[0].score >= kb.search("rank").results[-1].score


def test_a_text_is_shown_once(kb: KnowledgeBase) -> None:
    matches = kb.search("root_rank").results[0].matches
    assert len({match.text.en for match in matches}) == len(matches)


# What damage leaves in the tables that searching reads.
DAMAGE = [
    "DELETE FROM found",
    "UPDATE found SET summary_en = NULL",
    "UPDATE found SET risk = 'nonf'",
    "UPDATE found SET uses = 'many'",
    "UPDATE passage SET text_zh = NULL",
    "UPDATE passage SET risk = 'nonf'",
    "UPDATE passage SET mapping = x'00'",
    "UPDATE passage SET weight = NULL",
    "UPDATE everyday SET api = NULL",
    "DROP TABLE everyday",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_told(index: Index, damage: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(bytes(index.words))
    connection.execute(damage)
    connection.commit()
    with pytest.raises(ApidiffError, match=r"Delete it; the next call makes it anew|Give the command again"):
        Searcher(connection.serialize(), index.names).search("reduce")
