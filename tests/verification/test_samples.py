"""Mappings whose calls are made in a single process: run under both frameworks, they show what is recorded."""

import argparse
import dataclasses
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import pytest
from turning import day, due

from apidiff.cli.samples import choose, refuse_unused
from apidiff.database import Data
from apidiff.database.devices import load_devices
from apidiff.database.single_runs import SingleTraces
from apidiff.errors import ApidiffError
from apidiff.judge.pairs import judge_target, unsupported_by
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.sample_run import SampleRun, SingleRecord
from apidiff.model.verdict import Evidence, EvidenceCode, evidence
from apidiff.model.vocabulary import Execution
from apidiff.verification.samples import devices_here, former_verdict, verdict_changed, verify_samples

INSTALLED = metadata.version("mindspore")
DAYS = 60  # within which all mappings are run
EXTRACTED_DAYS = 120  # and with the samples taken from PyTorch, of which there are three times as many
ALL_S = 3600  # for all of them on one machine, which takes a quarter of it
ADD, LINEAR, GELU = "torch.Tensor.add_", "torch.nn.Linear", "torch.nn.functional.gelu"


def recorded(data: Data, mapping: str, target: str) -> dict[tuple[str, Facet], Agreement]:
    found = data.mappings[mapping]
    api = next(one for one in found.targets if one.api.name == target)
    [newest, *_] = judge_target(found, api, SingleTraces(data.single_runs), unsupported_by(load_devices()))
    return {(one.sample, one.facet): one.agreement for one in newest.verdicts}


@pytest.mark.timeout(ALL_S)
def test_every_run_shows_what_is_recorded(database: Data, tmp_path: Path) -> None:
    """A function, a method and a module, end to end, and a part of all others that turns with the day."""
    single = [key for key, mapping in database.mappings.items() if mapping.execution is Execution.SINGLE]
    today = day()
    turning = single if today is None else due(single, DAYS, today)
    result = verify_samples(database, devices_here(), tmp_path, {ADD, LINEAR, GELU, *turning})
    assert [change.text() for change in result.changes] == []
    assert result.compared
    assert {record.framework for record in result.records} == {"torch", "mindspore"}
    # What ends a process is recorded so, or it were a change.
    assert {run.end for record in result.records for run in record.samples} <= {"completed", "crash", "timeout"}
    # What does not agree was made again in fresh processes.
    doubtful = {run.key for record in result.records for run in record.samples if run.confirmed}
    assert (ADD, "mindspore.Tensor.add_", "plain") in doubtful
    assert (LINEAR, "mindspore.mint.nn.Linear", "plain") not in doubtful


@pytest.mark.turning(days=3, group="a few")
def test_a_version_without_records_is_compared_with_nothing(database: Data, tmp_path: Path) -> None:
    newest = max(record.framework_version for _, record in database.single_runs if record.framework == "mindspore")
    others = [pair for pair in database.single_runs if pair[1].framework_version not in {newest, INSTALLED}]
    result = verify_samples(dataclasses.replace(database, single_runs=others), devices_here(), tmp_path, [LINEAR])
    assert set(result.counts) == {"mindspore.mint.nn.Linear"}
    assert (result.changes, result.compared) == ([], False)


def test_a_framework_that_is_missing_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "mindspore" else object())
    assert [device.framework for device in devices_here()] == ["torch"]
    with pytest.raises(ApidiffError, match="mindspore cannot be imported here"):
        devices_here("mindspore")


@pytest.mark.turning(days=3, group="a few")
def test_one_side_is_taken_from_the_records(database: Data, tmp_path: Path) -> None:
    """A machine that has one framework only judges by what is recorded of the other."""
    result = verify_samples(database, devices_here("torch"), tmp_path, [LINEAR])
    assert [record.framework for record in result.records] == ["torch"]
    assert set(result.counts) == {"mindspore.mint.nn.Linear"}
    assert result.changes == []


def test_an_unsigned_record_is_compared_with_nothing(database: Data, tmp_path: Path) -> None:
    """Neither what is recorded nor the side that is missing here is taken from it, however new it says to be."""
    forged = [(f"{key}-forged", _forged(record)) for key, record in database.single_runs]
    changed = dataclasses.replace(database, unsigned_single_runs=forged)
    result = verify_samples(changed, devices_here("torch"), tmp_path, [LINEAR])
    assert Agreement.CRASH not in result.counts["mindspore.mint.nn.Linear"]
    assert result.changes == []


def _forged(record: SingleRecord) -> SingleRecord:
    samples = [
        SampleRun(mapping=run.mapping, api=run.api, sample=run.sample, spec=run.spec, end="crash")
        for run in record.samples
        if run.mapping == LINEAR
    ]
    return msgspec.structs.replace(record, samples=samples, date="2099-01-01T00:00:00Z", measured_by="somebody")


def test_what_is_known_of_the_three(database: Data) -> None:
    add = recorded(database, ADD, "mindspore.Tensor.add_")
    assert add["plain", Facet.IN_PLACE] is add["plain", Facet.ALIAS] is Agreement.DIFFERS
    assert add["plain", Facet.VALUE] is Agreement.AGREES
    linear = recorded(database, LINEAR, "mindspore.mint.nn.Linear")
    assert linear["plain", Facet.VALUE] is linear["plain", Facet.GRADIENT] is Agreement.AGREES
    assert linear["device", Facet.ERROR] is Agreement.DIFFERS
    gelu = recorded(database, GELU, "mindspore.mint.nn.functional.gelu")
    assert gelu["plain", Facet.VALUE] is Agreement.UNSUPPORTED
    assert recorded(database, GELU, "mindspore.ops.gelu")["plain", Facet.VALUE] is Agreement.AGREES


def test_a_changed_sample_has_no_verdict_from_runs_of_the_former(database: Data) -> None:
    mapping = database.mappings[ADD]
    sample = msgspec.structs.replace(mapping.samples["plain"], seed=1)
    changed = msgspec.structs.replace(mapping, samples={**mapping.samples, "plain": sample})
    pairs = list(judge_target(changed, changed.targets[0], SingleTraces(database.single_runs), {}))
    samples = {verdict.sample for pair in pairs for verdict in pair.verdicts}
    assert pairs
    assert not {"plain", "float16"} & samples  # the second is like plain
    assert "number" in samples


@pytest.mark.parametrize(
    ("options", "collective", "single"),
    [
        ({}, None, None),
        ({"ids": [GELU]}, [], [GELU]),
        ({"ids": ["torch.distributed.reduce", GELU]}, ["torch.distributed.reduce"], [GELU]),
        ({"backend": ["gloo"]}, None, []),
        ({"world_size": [2]}, None, []),
        ({"execution": "single"}, [], None),
        ({"execution": "collective"}, None, []),
    ],
)
def test_what_a_command_runs(
    database: Data, options: dict[str, Any], collective: list[str] | None, single: list[str] | None
) -> None:
    given = {"ids": [], "backend": None, "world_size": None, "execution": None} | options
    choice = choose(database, argparse.Namespace(**given), launched=False)
    assert (choice.collective, choice.single) == (collective, single)


REDUCE = "torch.distributed.reduce"
UNUSED = [
    ({"ids": [GELU], "backend": ["gloo"]}, "--backend is about the ranks of a world"),
    ({"execution": "single", "world_size": [2]}, "--world-size is about the ranks of a world"),
    ({"ids": [REDUCE], "inputs": "written"}, "--inputs is about single processes"),
    ({"backend": ["gloo"], "inputs": "written"}, "--inputs is about single processes"),
    ({"ids": [GELU, REDUCE], "execution": "single"}, f"{REDUCE} runs in the ranks of a world, and --execution single"),
    ({"ids": [GELU], "execution": "collective"}, f"{GELU} runs in single processes, and --execution collective"),
    ({"ids": [GELU, REDUCE], "backend": ["gloo"], "inputs": "written"}, ""),
    ({"execution": "single", "inputs": "written"}, ""),
    ({"ids": [GELU], "execution": "single"}, ""),
    ({"inputs": "extracted"}, ""),
]


@pytest.mark.parametrize(("options", "said"), UNUSED)
def test_an_option_about_what_is_not_run_is_refused(database: Data, options: dict[str, Any], said: str) -> None:
    given = {"ids": [], "backend": None, "world_size": None, "execution": None, "inputs": None} | options
    args = argparse.Namespace(**given)
    choice = choose(database, args, launched=False)
    if not said:
        refuse_unused(args, choice)
        return
    with pytest.raises(ApidiffError) as refused:
        refuse_unused(args, choice)
    assert str(refused.value).startswith(f"verify: {said}")


def test_single_mappings_take_no_part_in_collective_runs(database: Data) -> None:
    from apidiff.execute.plan import apis_for

    names = {api.name for api in apis_for(database, "torch", "2.13.0")}
    assert not names & {key for key, one in database.mappings.items() if one.execution is Execution.SINGLE}


CHANGES = [
    ("agrees", "agrees", False),
    ("agrees", "differs", True),
    ("agrees", "flaky", True),
    ("differs", "agrees", True),
    ("differs", "flaky", False),
    ("flaky", "agrees", False),
    ("flaky", "differs", False),
    ("flaky", "crash", True),
]


@pytest.mark.parametrize(("former", "now", "changed"), CHANGES)
def test_what_comes_out_either_way_is_no_change(former: str, now: str, changed: bool) -> None:
    assert verdict_changed(verdict(former), verdict(now)) is changed


@pytest.mark.parametrize(("other", "changed"), [("agrees", False), ("differs", False), ("crash", True)])
def test_another_value_each_time_is_no_change(other: str, changed: bool) -> None:
    unwritten = verdict("differs", evidence(EvidenceCode.UNREPEATED, first="1", second="2"))
    assert verdict_changed(unwritten, verdict(other)) is verdict_changed(verdict(other), unwritten) is changed


# what is recorded of the values, whether a verdict on their accuracy, of which nothing is recorded, is a change
VALUES = [
    (None, True),
    (["differs"], True),
    (["flaky"], False),
    (["differs", evidence(EvidenceCode.UNREPEATED, first="1", second="2")], False),
]


@pytest.mark.parametrize(("recorded", "changed"), VALUES)
def test_what_is_judged_of_other_values_each_time_is_no_change(recorded: list | None, changed: bool) -> None:
    place = "torch.polar", "mindspore.mint.polar", "2.10.0", "cpu", "empty"
    before = {} if recorded is None else {(*place, Facet.VALUE): verdict(*recorded)}
    former = former_verdict(before, (*place, Facet.ACCURACY))
    assert (former is None or verdict_changed(former, verdict("agrees"))) is changed
    assert former is None or verdict_changed(former, verdict("crash"))


def verdict(agreement: str, *facts: Evidence) -> FacetVerdict:
    return FacetVerdict(sample="empty", facet=Facet.VALUE, agreement=Agreement(agreement), facts=list(facts))


@pytest.mark.timeout(ALL_S)
def test_extracted_samples_show_what_is_recorded(database: Data, tmp_path: Path) -> None:
    """Of a few APIs each day, so that all are made again in turn; a run that agrees is recorded without its trace."""
    names, today = sorted(database.extracted), day()
    turning = names if today is None else due(names, EXTRACTED_DAYS, today)
    result = verify_samples(database, devices_here(), tmp_path, {"torch.tanh", *turning}, extracted=True)
    assert result.compared
    assert [change.text() for change in result.changes] == []
    runs = {(run.api, run.sample): run for record in result.records for run in record.samples}
    agreeing = runs["mindspore.mint.tanh", "float64"]
    assert agreeing.trace is None
    assert {"value", "accuracy", "special_values", "layout"} <= set(agreeing.agrees)
    assert runs["mindspore.mint.tanh", "out"].trace is not None
    source = runs["torch.tanh", "float32-1"].trace
    assert source is not None
    assert source.errors
    assert not source.before
