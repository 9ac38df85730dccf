"""The agreed words and Chinese punctuation, in records and in messages: each rule is shown to fail on a bad case."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database.checks import languages
from apidiff.database.checks.languages import messages_keep_to_terms, word_faults
from apidiff.database.terms import Term, load_terms
from apidiff.model.base import Text

# English, Chinese, what is found
BAD = [
    (" ", "总是", "en holds nothing but white space"),
    ("Always", "\u3000\n", "zh holds nothing but white space"),
    ("A claim", "一条论断", "zh says '论断' for 'claim'"),
    ("Silent", "静默", "zh says '静默' for 'silent'"),
    ("Documents say: no", "文档称没有", "zh says '文档称'"),
    ("The page says no", "据 MindSpore 文档，没有", "en says 'The page says'"),
    ("Instead", "替代做法", "zh says '替代做法' for 'instead'"),
    ("Launcher", "启动器", "zh says '启动器' for 'launcher'"),
    ("Repository", "代码仓库", "zh says '代码仓' for 'repository'"),
    ("Ranks", "进程总数", "zh says '进程总数' for 'number of ranks'"),
    ("Ranks", "world size 为 3", "zh says 'world size' for 'number of ranks'"),
    ("In place", "就地修改", "zh says '就地' for 'in place'"),
    ("It waits for ever", "一直等待", "en says 'for ever' for 'indefinitely'"),
    ("Two, three", "二, 三", "zh sets punctuation amiss: '二,'"),
    ("Two. Three", "二。 三", "zh sets punctuation amiss: '。 三'"),
    ("`a`: two", "`a` ：二", "zh sets punctuation amiss: ' ：'"),
    ("On the GPU", "位于GPU。", "zh lacks a space: '位于GPU。'"),
    ("Needs `src`", "`src`必填", "zh lacks a space: '`x`必填'"),
]
GOOD = [
    ("The number of ranks is `WORLD_SIZE`", "rank 数为 `WORLD_SIZE`"),
    ("for every rank: 3", "对每个 rank：3"),
    ("`f(a, b)` works", "`f(a, b)` 可用"),
    ("rank {rank}: {fact}", "rank {rank}: {fact}"),
]


@pytest.mark.parametrize(("en", "zh", "message"), BAD)
def test_words_that_are_not_agreed_are_refused(en: str, zh: str, message: str) -> None:
    (fault,) = word_faults(Text(en=en, zh=zh), load_terms())
    assert message in fault[0]


@pytest.mark.parametrize(("en", "zh"), GOOD)
def test_agreed_words_pass(en: str, zh: str) -> None:
    assert list(word_faults(Text(en=en, zh=zh), load_terms())) == []


def test_words_are_looked_for_as_patterns_only_where_they_may_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of 19 kB, 26 words 100 times each and a text for each record in which they end others, took minutes."""
    terms = [Term(en="a rank", zh="rank", avoid_en=["zj", "two words"] * 50) for _ in range(26)]
    monkeypatch.setattr(languages, "_as_word", pytest.fail)
    assert list(word_faults(Text(en="zzj " * 1_000 + "two wordss", zh="无"), terms)) == []
    monkeypatch.undo()
    found = list(word_faults(Text(en="zzj zj two words", zh="无"), terms[:1]))
    assert {fault for fault, _ in found} == {"en says 'zj' for 'a rank'", "en says 'two words' for 'a rank'"}


def test_messages_are_checked(tmp_path: Path) -> None:
    bad = 'risk.silent:\n  en: "silent"\n  zh: "静默"\n'
    (tmp_path / "names.yaml").write_text(f'risk.none:\n  en: "none"\n  zh: "无风险"\n{bad}', "utf-8")
    (tmp_path / "synonyms.yaml").write_text(bad.replace("risk", "synonyms"), "utf-8")
    (error,) = messages_keep_to_terms(tmp_path, load_terms())
    assert str(error).startswith(f"{tmp_path / 'names.yaml'}:4: risk.silent: zh says '静默'")
