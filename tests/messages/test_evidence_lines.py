"""Lines of evidence in both languages: our words are translated, what a framework said is not."""

from __future__ import annotations

import pytest

from apidiff.messages.evidence import evidence_lines, observed_entry
from apidiff.model.verdict import Evidence, EvidenceCode, Observation, Outcome, evidence

# a fact, its line in English and in Chinese
LINES = [
    (evidence(EvidenceCode.NO_EXCEPTION, 0), "rank 0: no exception", "rank 0: 没有抛出异常"),
    (evidence(EvidenceCode.TIMEOUT, 2), "rank 2: timeout", "rank 2: 超时"),
    (evidence(EvidenceCode.CRASH, 1), "rank 1: crash", "rank 1: 崩溃"),
    (evidence(EvidenceCode.RETURNED, 0, value="None"), "rank 0: returned None", "rank 0: 返回 None"),
    (
        evidence(EvidenceCode.SAME_OBJECT, 0, slot="return.tensor", other="tensor"),
        "rank 0: return.tensor, tensor: object",
        "rank 0: return.tensor 与 tensor：同一对象",
    ),
    (
        evidence(EvidenceCode.PRINTED_NOTHING, 0, wanted="'a'"),
        "rank 0: printed nothing where 'a' is expected",
        "rank 0: 应打印 'a'，实际没有打印",
    ),
    (
        evidence(EvidenceCode.RAISED_WITHOUT_FAULT, 0, error="TypeError: bad op", probe="'sync'"),
        "rank 0: TypeError: bad op (also by probe 'sync')",
        "rank 0: TypeError: bad op（探针 'sync' 也如此）",
    ),
    (
        evidence(EvidenceCode.CHANGED, 1, slot="tensor", before="[10, 20]", after="[110, 220]"),
        "rank 1: tensor [10, 20] → [110, 220]",
        "rank 1: tensor [10, 20] → [110, 220]",
    ),
    (
        evidence(EvidenceCode.REST_CHANGED, 0, slot="tensor", before="[-2]", after="[-222]"),
        "rank 0: around tensor [-2] → [-222]",
        "rank 0: tensor 周围 [-2] → [-222]",
    ),
    (
        evidence(EvidenceCode.NOT_IN_BUFFER, 0, slot="tensor", value="[3]", buffer="[1]"),
        "rank 0: tensor [3], in the larger tensor [1]",
        "rank 0: tensor [3]，较大张量中的同一位置为 [1]",
    ),
    # What a framework said is shown as it is, even where it is one of our words or looks like a placeholder.
    (evidence(EvidenceCode.RAISED, 1, error="E: timeout"), "rank 1: E: timeout", "rank 1: E: timeout"),
    (evidence(EvidenceCode.RAISED, 1, error="E: {rank}"), "rank 1: E: {rank}", "rank 1: E: {rank}"),
    (evidence(EvidenceCode.SIGNATURE, signature="reduce(tensor, dst)"), "reduce(tensor, dst)", "reduce(tensor, dst)"),
    (evidence(EvidenceCode.ATTEMPT, number=2, outcome="refuted"), "2: refuted", "2: 不成立"),
    (evidence(EvidenceCode.MORE, count=7), "… 7", "… 7"),
]


@pytest.mark.parametrize(("fact", "english", "chinese"), LINES)
def test_a_line(fact: Evidence, english: str, chinese: str) -> None:
    assert evidence_lines([fact], "en") == [english]
    assert evidence_lines([fact], "zh") == [chinese]


def test_an_observation_has_both_and_says_nothing_twice() -> None:
    where = {"framework": "torch", "framework_version": "2.13.0", "backend": "gloo", "device": "cpu", "world_size": 2}
    facts = [evidence(EvidenceCode.SIGNATURE, signature="f()")]
    alike = observed_entry(Observation(outcome=Outcome.HOLDS, probe="sync", run="a/b", facts=facts, **where))
    assert (alike.evidence, alike.evidence_zh, alike.facts) == (["f()"], [], facts)
    facts = [*facts, evidence(EvidenceCode.TIMEOUT, 1)]
    told = observed_entry(Observation(outcome=Outcome.TIMEOUT, probe="sync", run="a/b", facts=facts, **where))
    assert (told.evidence, told.evidence_zh) == (["f()", "rank 1: timeout"], ["f()", "rank 1: 超时"])


def test_of_a_value_that_would_fill_pages_the_ends_are_told() -> None:
    [line] = evidence_lines([evidence(EvidenceCode.RETURNED, 0, value=f"[{'1, ' * 10**6}2]")], "en")
    assert len(line) < 3000
    assert line.endswith("1, 2]")


def test_what_many_claims_rest_on_takes_memory_once() -> None:
    first, second = (evidence(EvidenceCode.RAISED, 0, error="".join(["E: ", "wrong " * 30])) for _ in range(2))
    assert first.values["error"] is second.values["error"]
    assert evidence_lines([first], "en")[0] is evidence_lines([second], "en")[0]
