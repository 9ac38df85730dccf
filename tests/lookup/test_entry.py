"""Entries: verdicts come from run records and from nowhere else, and both languages tell the same."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from apidiff.database import load
from apidiff.lookup.entry import entries
from apidiff.model import AnswerKind, Otherwise, Risk, Text
from apidiff.model.views import Entry

DATA = load()
ENTRIES = entries(DATA)
BARE = entries(dataclasses.replace(DATA, runs=[]))
REDUCE = ENTRIES["torch.distributed.reduce"]
RISKS = [risk.value for risk in Risk]


@pytest.mark.parametrize("entry", BARE.values(), ids=lambda entry: entry.id)
def test_without_run_records_nothing_holds(entry: Entry) -> None:
    for claim in entry.claims:
        assert not claim.observed
        assert not claim.summary
        assert claim.not_run
    for target in entry.targets:
        for difference in target.differences:
            assert not difference.evidence
            assert difference.parameter or "not run" in difference.text.en
            assert difference.parameter or "未运行" in difference.text.zh


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.id)
def test_every_verdict_names_a_run_record_that_is_there(entry: Entry) -> None:
    runs = dict(DATA.runs)
    for claim in entry.claims:
        for one in claim.observed:
            record = runs[one.run]
            assert (one.framework_version, one.backend, one.world_size) == (
                record.framework_version,
                record.backend,
                record.world_size,
            )
        for row in claim.summary:
            assert row.runs
            assert set(row.runs) <= set(runs)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.id)
def test_differences_stand_worst_first(entry: Entry) -> None:
    for target in entry.targets:
        found = [RISKS.index(difference.risk) for difference in target.differences]
        assert found == sorted(found)
        assert target.risk == (target.differences[0].risk if target.differences else "none")


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.id)
def test_anchors_are_unique(entry: Entry) -> None:
    claims = [claim.id for claim in entry.claims]
    assert len(claims) == len(set(claims))
    for target in entry.targets:
        differences = [difference.id for difference in target.differences]
        assert len(differences) == len(set(differences))


def test_a_partial_sum_on_another_rank_is_told_with_its_run() -> None:
    found = next(one for one in REDUCE.targets[0].differences if one.id == "partial-sums-on-other-ranks")
    assert found.risk == "silent"
    assert "refuted on gloo" in found.text.en
    assert "gloo 上不成立" in found.text.zh
    (line,) = [one for one in found.evidence if one.claim.endswith("#others-keep-tensor")]
    runs = [run_id for run_id, record in DATA.runs if (record.backend, record.world_size) == ("gloo", 3)]
    assert line.run == runs[0]
    for text in (line.text.en, line.text.zh):
        assert "rank 1: tensor [10, 20, 30] → [110, 220, 333]" in text


def test_a_claim_judged_from_another_call_is_not_run() -> None:
    mapping = DATA.mappings[REDUCE.id]
    plain = mapping.source.probes["sync"]
    probes = mapping.source.probes | {"sync": msgspec.structs.replace(plain, set=plain.set | {"dst": 1})}
    changed = msgspec.structs.replace(mapping, source=msgspec.structs.replace(mapping.source, probes=probes))
    entry = entries(dataclasses.replace(DATA, mappings={mapping.id: changed}))[mapping.id]
    claim = next(one for one in entry.claims if one.id.endswith("#some-other-tensor-overwritten"))
    assert not claim.observed, "runs of another call say nothing about this one"


def test_support_on_backends_without_a_run_is_said_to_be_not_run() -> None:
    claim = next(one for one in REDUCE.claims if one.id == "torch.distributed.reduce#dst-holds-sum")
    assert [text.en for text in claim.not_run] == [
        "gloo (cuda): not run",
        "nccl (cuda): not run",
        "hccl (npu): not run",
    ]


def test_an_answer_without_a_target() -> None:
    """What people do instead has the recipe's code, the source's own differences, and a risk of at least a rewrite."""
    mapping = DATA.mappings[REDUCE.id]
    recipe = "torch.distributed.reduce/mindspore_example.py"
    why = Text(en="So it is.", zh="如此。")
    answers = [
        Otherwise(answer=AnswerKind.NO_COUNTERPART, until="2.4", why=why, instead=why),
        Otherwise(answer=AnswerKind.COMPOSED, since="2.5", why=why, recipe=recipe, uses=["mindspore.Tensor"]),
    ]
    changed = msgspec.structs.replace(mapping, targets=[], otherwise=answers)
    entry = entries(dataclasses.replace(DATA, mappings={mapping.id: changed}))[mapping.id]
    first, second = entry.otherwise
    assert (first.answer, first.range, first.recipe, first.after) == ("no_counterpart", "≤ 2.4", None, "")
    assert (second.answer, second.range, second.uses) == ("composed", "≥ 2.5", ["mindspore.Tensor"])
    assert second.recipe
    assert second.recipe.path == recipe
    assert second.after
    assert second.after in second.recipe.code.replace("\n    ", "\n")
    assert recipe not in [example.path for example in entry.examples], "it is shown with the answer"
    assert "torch.distributed.reduce(tensor, dst=0)" in second.before
    assert {one.id for one in second.differences} == {one.id for one in mapping.caveats}
    assert (second.risk, entry.risk) == ("silent", "silent")
    bare = msgspec.structs.replace(changed, caveats=[])
    assert entries(dataclasses.replace(DATA, mappings={mapping.id: bare}))[mapping.id].risk == "rewrite"


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_a_call_stands_beside_one_told_alike(entry: Entry) -> None:
    for target in entry.targets:
        sides = target.before, target.after
        assert all(sides) or not any(sides), target.name
        assert len({"\n# " in side for side in sides}) == 1, target.name
        assert "ReduceOp()" not in target.after
        assert "CommHandle()" not in target.after
