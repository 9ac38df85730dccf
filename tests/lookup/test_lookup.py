"""Which API a name stands for, which target is answered, and what the answer holds."""

from __future__ import annotations

import json

import msgspec
import pytest
from kb_entries import (
    BARRIER,
    COMM_FUNC,
    GATHER,
    MINT,
    MINT_GATHER,
    MONITORED,
    PRIMITIVE,
    REDUCE,
    TRICKY,
    UNMATCHED,
    UNNAMED,
    all_entries,
    counterparts,
)

from apidiff.lookup.answer import Answer, AnsweredOtherwise
from apidiff.lookup.errors import AmbiguousName, NoCounterpart, UnknownName, UnknownVersion
from apidiff.lookup.knowledge import KnowledgeBase

# name as typed, mapping, target answered at the newest release
NAMES = [
    (REDUCE, REDUCE, MINT),
    ("distributed.reduce", REDUCE, MINT),
    ("dist.reduce", REDUCE, MINT),
    ("reduce", REDUCE, MINT),
    ('c10d "reduce"', REDUCE, MINT),
    (MINT, REDUCE, MINT),
    ("mint.distributed.reduce", REDUCE, MINT),
    ("ms.mint.distributed.reduce", REDUCE, MINT),
    (PRIMITIVE, REDUCE, PRIMITIVE),
    ("ops.Reduce", REDUCE, PRIMITIVE),
    ("Reduce", REDUCE, PRIMITIVE),
    ("comm_func.reduce", REDUCE, COMM_FUNC),
    ("communication.comm_func.reduce", REDUCE, COMM_FUNC),
    ("gather", GATHER, MINT_GATHER),
    ("monitored_barrier", MONITORED, None),
    (BARRIER, MONITORED, None),
    ("mint.distributed.barrier", MONITORED, None),
    ("barrier", MONITORED, None),
    ("mindspore.Tensor", MONITORED, None),
]


@pytest.mark.parametrize(("name", "mapping", "target"), NAMES, ids=[row[0] for row in NAMES])
def test_names(kb: KnowledgeBase, name: str, mapping: str, target: str | None) -> None:
    answer = kb.lookup(name)
    assert (answer.id, answer.target and answer.target.name, answer.asked.name) == (mapping, target, name)


# version as typed, the release it means, the target to use there and its range
VERSIONS = [
    (None, "2.10.0", MINT, "2.5–"),
    ("2.10", "2.10.0", MINT, "2.5–"),
    ("2.10.0", "2.10.0", MINT, "2.5–"),
    ("2", "2.10.0", MINT, "2.5–"),
    ("2.7", "2.7.2", MINT, "2.5–"),
    ("2.7.1", "2.7.1", MINT, "2.5–"),
    ("2.4", "2.4.0", COMM_FUNC, "2.4–2.4"),
    ("2.3", "2.3.1", PRIMITIVE, "–2.3"),
    ("2.3.1", "2.3.1", PRIMITIVE, "–2.3"),
]


@pytest.mark.parametrize(("typed", "release", "target", "span"), VERSIONS)
def test_versions(kb: KnowledgeBase, typed: str | None, release: str, target: str, span: str) -> None:
    answer = kb.lookup(REDUCE, mindspore=typed)
    assert answer.asked.mindspore == release
    assert answer.target is not None
    assert (answer.target.name, answer.target.range, answer.target.status) == (target, span, "current")
    assert answer.current == target


@pytest.mark.parametrize("typed", ["2.1", "2.10.1", "3", "", " ", "2.10 ", "v2.10", "banana", "2.10.0.0", "%", "２.10"])
def test_impossible_versions(kb: KnowledgeBase, typed: str) -> None:
    with pytest.raises(UnknownVersion, match="no known release of MindSpore") as caught:
        kb.lookup(REDUCE, mindspore=typed)
    assert caught.value.known == ["2.10.0", "2.8.0", "2.7.2", "2.7.1", "2.4.0", "2.3.1"]
    assert all(release in str(caught.value) for release in caught.value.known)


def test_impossible_torch_version(kb: KnowledgeBase) -> None:
    with pytest.raises(UnknownVersion, match=r"'9' is no known release of PyTorch.*2\.13\.0, 2\.6\.0"):
        kb.lookup(REDUCE, torch="9")


# target asked by name, version, its standing there, the target to use
STANDINGS = [
    (PRIMITIVE, "2.10", "available", MINT),
    (COMM_FUNC, "2.10", "deprecated", MINT),
    (COMM_FUNC, "2.8", "available", MINT),
    (COMM_FUNC, "2.3", None, PRIMITIVE),
    (MINT, "2.4", None, COMM_FUNC),
]


@pytest.mark.parametrize(("name", "version", "status", "current"), STANDINGS)
def test_reverse_lookup(kb: KnowledgeBase, name: str, version: str, status: str | None, current: str) -> None:
    answer = kb.lookup(name, mindspore=version)
    assert answer.target is not None
    assert (answer.target.name, answer.target.status, answer.current) == (name, status, current)
    assert {claim.subject for claim in answer.claims} <= {REDUCE, name}


# name asked for, version, mapping answered, full name of what was asked, sources it serves with role and standing there
SHARED = [
    (MINT_GATHER, "2.10", GATHER, MINT_GATHER, [(GATHER, "target", "current"), ("_single", "target", "current")]),
    (
        "mint.distributed.gather",
        "2.7",
        GATHER,
        MINT_GATHER,
        [(GATHER, "target", "current"), ("_single", "target", "available")],
    ),
    (GATHER, "2.10", GATHER, GATHER, [(GATHER, "target", "current"), ("_single", "target", "current")]),
    (GATHER, "2.4", GATHER, GATHER, []),
    (f"{GATHER}_single", "2.4", f"{GATHER}_single", f"{GATHER}_single", []),
    (MINT, "2.10", REDUCE, MINT, [(REDUCE, "target", "current")]),
    (BARRIER, "2.10", MONITORED, BARRIER, [(MONITORED, "used", "composed")]),
    (BARRIER, "2.7", MONITORED, BARRIER, [(MONITORED, "used", None)]),
    (MONITORED, "2.10", MONITORED, MONITORED, []),
]


@pytest.mark.parametrize(("name", "version", "mapping", "api", "serves"), SHARED)
def test_sources_that_an_api_serves(
    kb: KnowledgeBase, name: str, version: str, mapping: str, api: str, serves: list[tuple[str, str, str | None]]
) -> None:
    answer = kb.lookup(name, mindspore=version)
    assert (answer.id, answer.asked.api) == (mapping, api)
    expected = [
        (GATHER + source if source.startswith("_") else source, role, status) for source, role, status in serves
    ]
    assert [(one.source, one.role, one.status) for one in answer.serves] == expected


def test_where_the_same_name_is_not_current_another_source_is_answered(kb: KnowledgeBase) -> None:
    """No target of the name asked for is current: the source for which it stands at all is meant."""
    assert kb.lookup("mint.distributed.gather", mindspore="2.3").id == GATHER


# version, answer, its range, risk, what stands in the code
OTHERWISE = [
    ("2.3", None, None, "none", ""),
    ("2.4", "no_counterpart", "2.4–2.7", "error", ""),
    ("2.7.1", "no_counterpart", "2.4–2.7", "error", ""),
    ("2.8", "composed", "2.8–", "error", "barrier()"),
    ("2.10", "composed", "2.8–", "error", "barrier()"),
]


@pytest.mark.parametrize(("version", "kind", "span", "risk", "code"), OTHERWISE)
def test_answers_without_a_target(
    kb: KnowledgeBase, version: str, kind: str | None, span: str | None, risk: str, code: str
) -> None:
    answer = kb.lookup(MONITORED, mindspore=version)
    found = answer.otherwise
    assert (answer.answer, answer.target, answer.current, answer.risk, answer.after) == (kind, None, None, risk, code)
    assert (found and found.answer, found and found.range) == (kind, span)
    assert [one.range for one in answer.otherwise_ranges] == ["2.4–2.7", "2.8–"]
    if found:
        assert found.why.zh == f"为什么是 {kind}。"
        assert found.instead
        assert [one.url for one in found.stated] == ["https://example.org"]
        assert [one.id for one in answer.differences] == ["hangs"]
        assert bool(found.recipe) == (kind == "composed")


def test_a_mapping_with_a_target_answers_maps_to(kb: KnowledgeBase) -> None:
    answer = kb.lookup(REDUCE)
    assert (answer.answer, answer.otherwise, answer.otherwise_ranges) == ("maps_to", None, [])


@pytest.mark.parametrize(
    ("name", "api", "why"),
    [
        (UNMATCHED, UNMATCHED, "Names a communicator."),
        ("communication.get_comm_name", UNMATCHED, "Names a communicator."),
        (UNNAMED, UNNAMED, None),
    ],
)
def test_a_mindspore_api_without_a_counterpart(kb: KnowledgeBase, name: str, api: str, why: str | None) -> None:
    with pytest.raises(NoCounterpart, match="No PyTorch API corresponds") as caught:
        kb.lookup(name, mindspore="2.7")
    found = caught.value.unmatched
    assert (found.asked.name, found.asked.api, found.asked.mindspore) == (name, api, "2.7.2")
    assert (found.why and found.why.en) == why
    assert (found.nearest, [one.title for one in found.documents]) == (([REDUCE], ["A page"]) if why else ([], []))


def test_counterparts_are_those_the_index_was_built_from(kb: KnowledgeBase) -> None:
    assert dict(kb.counterparts) == counterparts()


def test_no_target_for_the_version(kb: KnowledgeBase) -> None:
    answer = kb.lookup("torch.distributed.gather", mindspore="2.4")
    assert (answer.target, answer.current, answer.differences, answer.parameters) == (None, None, [], [])
    assert [row.range for row in answer.targets] == ["2.5–"]
    assert [claim.id for claim in answer.claims] == ["torch.distributed.gather#handle"]


NEAR = [
    ("torch.distributed.redcue", REDUCE),
    ("dist.reduec", REDUCE),
    ("mint.distributed.gathr", "mindspore.mint.distributed.gather"),
    ("TORCH.DISTRIBUTED.REDUCE", REDUCE),
]


@pytest.mark.parametrize(("typo", "meant"), NEAR)
def test_near_matches(kb: KnowledgeBase, typo: str, meant: str) -> None:
    with pytest.raises(UnknownName, match="Did you mean") as caught:
        kb.lookup(typo)
    assert caught.value.near[0] == meant


@pytest.mark.parametrize("name", ["quaternion", "", "%", "*", "归约", "x" * 5000])
def test_unknown_names(kb: KnowledgeBase, name: str) -> None:
    with pytest.raises(UnknownName, match="apidiff search") as caught:
        kb.lookup(name)
    assert caught.value.near == []


def test_ambiguous_name(kb: KnowledgeBase) -> None:
    with pytest.raises(AmbiguousName, match="full name") as caught:
        kb.lookup("twice")
    assert caught.value.candidates == ["torch.distributed.gather", "torch.distributed.scatter"]


# versions asked (MindSpore, torch), then (version, world size, asked_version) of the observations of one claim, in order
OBSERVED = [
    (MINT, "2.7", None, [("2.7.2", 2, True), ("2.7.1", 3, True), ("2.7.1", 2, True), ("2.10.0", 3, False)]),
    (MINT, "2.7.1", None, [("2.7.1", 3, True), ("2.7.1", 2, True), ("2.10.0", 3, False), ("2.7.2", 2, False)]),
    (MINT, "2.8", None, [("2.10.0", 3, False), ("2.7.2", 2, False), ("2.7.1", 3, False), ("2.7.1", 2, False)]),
    (REDUCE, None, None, [("2.13.0", 3, True), ("2.6.0", 3, True)]),
    (REDUCE, None, "2.6", [("2.6.0", 3, True), ("2.13.0", 3, False)]),
]


@pytest.mark.parametrize(("subject", "mindspore", "torch", "expected"), OBSERVED)
def test_observations_of_the_version_asked_come_first_and_none_is_dropped(
    kb: KnowledgeBase, subject: str, mindspore: str | None, torch: str | None, expected: list[tuple[str, int, bool]]
) -> None:
    answer = kb.lookup(REDUCE, mindspore=mindspore, torch=torch)
    found = next(claim for claim in answer.claims if claim.subject == subject and claim.observed)
    assert [(one.framework_version, one.world_size, one.asked_version) for one in found.observed] == expected


def test_text_that_looks_like_a_member_is_left_alone(kb: KnowledgeBase) -> None:
    found = next(claim for claim in kb.lookup(REDUCE).claims if claim.id.endswith("#tricky"))
    assert (found.text.en, found.observed) == (TRICKY, [])


def test_differences_are_those_of_the_target_worst_first(kb: KnowledgeBase) -> None:
    assert [one.risk for one in kb.lookup(REDUCE).differences] == ["silent", "error", "none"]
    assert [one.risk for one in kb.lookup(COMM_FUNC).differences] == ["silent", "rewrite"]
    assert kb.lookup(PRIMITIVE).risk == "error"


def test_the_json_has_every_field_of_the_typed_answer(kb: KnowledgeBase) -> None:
    answer = kb.lookup(REDUCE, mindspore="2.10", torch="2.13")
    plain = json.loads(msgspec.json.encode(answer))
    assert msgspec.convert(plain, Answer) == answer
    assert set(plain) == set(Answer.__struct_fields__)
    claim = next(one for one in plain["claims"] if one["observed"])
    assert {"id", "subject", "kind", "text", "stated", "observed", "summary", "not_run"} <= set(claim)
    assert {"outcome", "framework_version", "backend", "device", "world_size", "run", "evidence"} <= set(
        claim["observed"][0]
    )
    assert {"document", "title", "url", "version", "part", "text"} <= set(claim["stated"][0])
    assert {"name", "range", "status", "since", "until"} == set(plain["targets"][0])


@pytest.mark.parametrize("version", ["2.3", "2.7", "2.10"])
def test_the_json_without_a_target_has_every_field_too(kb: KnowledgeBase, version: str) -> None:
    answer = kb.lookup(MONITORED, mindspore=version)
    plain = json.loads(msgspec.json.encode(answer))
    assert msgspec.convert(plain, Answer) == answer
    assert set(plain) == set(Answer.__struct_fields__)
    assert plain["otherwise"] is None or set(plain["otherwise"]) == set(AnsweredOtherwise.__struct_fields__)


def test_entries_are_those_the_index_was_built_from(kb: KnowledgeBase) -> None:
    assert dict(kb.entries) == all_entries()
