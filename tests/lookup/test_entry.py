"""Entries: verdicts come from run records and from nowhere else, and both languages tell the same."""

from __future__ import annotations

import dataclasses
from collections import Counter

import msgspec
import pytest

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.lookup.entry import Builder, entries
from apidiff.model.base import Text
from apidiff.model.collective import Collective
from apidiff.model.mapping import Otherwise
from apidiff.model.probe_resolution import collective_of
from apidiff.model.views import Entry
from apidiff.model.vocabulary import AnswerKind, Reach, Risk

REDUCE = "torch.distributed.reduce"
RISKS = [risk.value for risk in Risk]


@pytest.fixture(scope="module")
def builder(database: Data) -> Builder:
    return Builder(database, load_backends(), load_examples(examples_folder()))


def named(wrong: dict[str, list[str]]) -> dict[str, list[str]]:
    """What is wrong, by mapping, without those of which nothing is."""
    return {name: found for name, found in wrong.items() if found}


def unproven(entry: Entry) -> list[str]:
    """What an entry says holds, or what shows a difference, without a run."""
    found = [one.id for one in entry.claims if one.observed or one.summary or not one.not_run]
    for difference in (one for target in entry.targets for one in target.differences):
        said = "not run" in difference.text.en and "未运行" in difference.text.zh
        written = difference.parameter or difference.id == "composed"  # signatures and samples tell it
        if difference.evidence or not (written or said):
            found.append(difference.id)
    return found


def test_without_run_records_nothing_holds(database: Data) -> None:
    bare = entries(dataclasses.replace(database, runs=[], single_runs=[]))
    assert len(bare) > 100
    assert named({entry.id: unproven(entry) for entry in bare.values()}) == {}


def test_every_verdict_names_a_run_record_that_is_there(database: Data, all_entries: dict[str, Entry]) -> None:
    places = {run: (record.framework_version, record.backend, record.world_size) for run, record in database.runs}

    def elsewhere(entry: Entry) -> list[str]:
        return [
            claim.id
            for claim in entry.claims
            if any(
                places.get(one.run) != (one.framework_version, one.backend, one.world_size) for one in claim.observed
            )
            or any(not row.runs or not set(row.runs) <= set(places) for row in claim.summary)
        ]

    assert named({entry.id: elsewhere(entry) for entry in all_entries.values()}) == {}


def test_differences_stand_worst_first(all_entries: dict[str, Entry]) -> None:
    """What meets everybody before what few meet, and each of these by risk."""
    order = [reach.value for reach in Reach]
    for entry in all_entries.values():
        for target in entry.targets:
            found = [(order.index(one.reach), RISKS.index(one.risk)) for one in target.differences]
            assert found == sorted(found), (entry.id, target.name)


def test_anchors_are_unique(all_entries: dict[str, Entry]) -> None:
    def twice(entry: Entry) -> list[str]:
        anchors = [[claim.id for claim in entry.claims]]
        anchors += [[difference.id for difference in target.differences] for target in entry.targets]
        return [one for names in anchors for one, count in Counter(names).items() if count > 1]

    assert named({entry.id: twice(entry) for entry in all_entries.values()}) == {}


def test_a_partial_sum_on_another_rank_is_told_with_its_run(database: Data, all_entries: dict[str, Entry]) -> None:
    found = next(one for one in all_entries[REDUCE].targets[0].differences if one.id == "partial-sums-on-other-ranks")
    assert found.risk == "silent"
    assert "no longer true on gloo" in found.text.en
    assert "gloo 上已不成立" in found.text.zh
    lines = {one.run: one for one in found.evidence if one.claim.endswith("#others-keep-tensor")}
    places = {(record.backend, record.device, record.world_size): run_id for run_id, record in database.runs}
    line = lines[places["gloo", "cpu", 3]]
    assert len(lines) == 2  # on CPU and on a GPU
    assert places["gloo", "cuda", 2] in lines
    for text in (line.text.en, line.text.zh):
        assert "rank 1: tensor [10, 20, 30] → [110, 220, 333]" in text


def test_a_claim_judged_from_another_call_is_not_run(database: Data) -> None:
    mapping = database.mappings[REDUCE]
    probes = collective_of(mapping.source).probes
    changed_call = msgspec.structs.replace(probes["sync"], set=probes["sync"].set | {"dst": 1})
    other = Collective(root="dst", probes=probes | {"sync": changed_call})
    changed = msgspec.structs.replace(mapping, source=msgspec.structs.replace(mapping.source, collective=other))
    entry = entries(dataclasses.replace(database, mappings={mapping.id: changed}))[mapping.id]
    claim = next(one for one in entry.claims if one.id.endswith("#some-other-tensor-overwritten"))
    assert not claim.observed, "runs of another call say nothing about this one"


def test_support_on_backends_without_a_run_is_said_to_be_not_run(all_entries: dict[str, Entry]) -> None:
    claim = next(one for one in all_entries[REDUCE].claims if one.id == "torch.distributed.reduce#dst-holds-sum")
    assert [text.en for text in claim.not_run] == [
        "nccl (cuda): run with one rank only, which cannot show it",
        "hccl (npu): not run",
    ]


def test_an_answer_without_a_target(database: Data) -> None:
    """What people do instead has the recipe's code, the source's own differences, and a risk of at least a rewrite."""
    mapping = database.mappings[REDUCE]
    recipe = "torch.distributed.reduce/mindspore_example.py"
    why = Text(en="So it is.", zh="如此。")
    answers = [
        Otherwise(answer=AnswerKind.NO_COUNTERPART, until="2.4", why=why, instead=why),
        Otherwise(answer=AnswerKind.COMPOSED, since="2.5", why=why, recipe=recipe, uses=["mindspore.Tensor"]),
    ]
    changed = msgspec.structs.replace(mapping, targets=[], otherwise=answers)
    entry = entries(dataclasses.replace(database, mappings={mapping.id: changed}))[mapping.id]
    first, second = entry.otherwise
    assert (first.answer, first.range, first.recipe, first.after) == ("no_counterpart", "≤ 2.4", None, "")
    assert (second.answer, second.range, second.uses) == ("composed", "≥ 2.5", ["mindspore.Tensor"])
    assert second.recipe
    assert second.recipe.path == recipe
    assert second.after
    assert second.after in second.recipe.code.replace("\n    ", "\n")
    assert recipe not in [example.path for example in entry.examples], "it is shown with the answer"
    assert "dist.reduce(tensor, dst=0)" in second.before
    assert {one.id for one in second.differences} == {one.id for one in mapping.caveats}
    assert (second.risk, entry.risk) == ("rewrite", "rewrite"), "facts about the source alone make no risk"
    bare = msgspec.structs.replace(changed, caveats=[])
    assert entries(dataclasses.replace(database, mappings={mapping.id: bare}))[mapping.id].risk == "rewrite"


def test_a_call_stands_beside_one_told_alike(all_entries: dict[str, Entry]) -> None:
    for target in (target for entry in all_entries.values() for target in entry.targets):
        sides = target.before, target.after
        assert all(sides) or not any(sides), target.name
        assert len({"\n# " in side for side in sides}) == 1, target.name
        assert "ReduceOp()" not in target.after, target.name
        assert "CommHandle()" not in target.after, target.name


# The source, the target to use, and what its ordinary call is: one that runs saw both sides take.
TAKEN = [
    ("torch.zeros", "mindspore.mint.zeros", "mindspore.mint.zeros((2, 3))"),  # refuses `zeros(2, 3)`
    ("torch.ones", "mindspore.mint.ones", "mindspore.mint.ones((2, 3))"),
    ("torch.Tensor.new_zeros", "mindspore.Tensor.new_zeros", "tensor.new_zeros((2, 3))"),  # refuses `new_zeros(2, 3)`
    (
        "torch.histc",
        "mindspore.mint.histc",
        "mindspore.mint.histc(input, bins=4, min=0, max=3)",
    ),  # no kernel on the CPU
]


@pytest.mark.parametrize(("source", "name", "code"), TAKEN)
def test_an_ordinary_call_is_one_that_the_target_takes(builder: Builder, source: str, name: str, code: str) -> None:
    entry = builder.entry(builder.data.mappings[source])
    assert next(target.after for target in entry.targets if target.name == name) == code


# The source, the target, and parameters that one argument fills by position.
FILLED = [
    ("torch.nn.functional.gaussian_nll_loss", "mindspore.ops.gaussian_nll_loss", [("input", "x")]),
    ("torch.true_divide", "mindspore.ops.true_divide", [("input", "dividend"), ("other", "divisor")]),
    ("torch.nn.functional.rms_norm", "mindspore.ops.rms_norm", []),  # its second argument is refused
]


@pytest.mark.parametrize(("source", "name", "renamed"), FILLED)
def test_parameters_filled_by_position_stand_together(
    builder: Builder, source: str, name: str, renamed: list[tuple[str, str]]
) -> None:
    entry = builder.entry(builder.data.mappings[source])
    rows = next(target.parameters for target in entry.targets if target.name == name)
    assert [(row.source, row.target) for row in rows if row.relations == ["renamed"]] == renamed


def test_what_several_lines_replace_is_an_edit(builder: Builder) -> None:
    entry = builder.entry(builder.data.mappings["torch.nn.functional.scaled_dot_product_attention"])
    target = next(target for target in entry.targets if target.name == "mindspore.mint.nn.functional.softmax")
    assert target.composed
    assert target.risk == "rewrite"
    assert [difference.id for difference in target.differences if difference.reach == "everyday"] == ["composed"]
