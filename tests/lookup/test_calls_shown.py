"""The call that is shown as the ordinary one was taken by both sides where any was, or else the answer says that none was."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import msgspec
import pytest

from apidiff import load
from apidiff.database import Data
from apidiff.database.devices import load_devices
from apidiff.database.single_runs import SingleTraces
from apidiff.derive.answers import current_target, met_at, targets_beside
from apidiff.derive.sample_code import ordinary_code
from apidiff.judge.pairs import Unsupported, unsupported_by
from apidiff.model.mapping import Mapping, Target
from apidiff.model.sample_calls import ordinary_calls, samples_of, source_call, target_call, with_extracted
from apidiff.model.sample_run import SampleRun
from apidiff.model.views import Entry, TargetEntry
from apidiff.model.vocabulary import Execution
from apidiff.writers.short_answer import short_answer

NEWEST = {"torch": "2.13.0", "mindspore": "2.10.0"}


def shown_samples(mapping: Mapping, target: Target, entry: TargetEntry) -> Iterator[str]:
    """The samples of ``mapping`` whose ordinary code is what ``entry`` shows."""
    for name in samples_of(mapping, target):
        if [*map(ordinary_code, ordinary_calls(mapping, target, name))] == [entry.before, entry.after]:
            yield name


def raised(run: SampleRun, unsupported: Unsupported, framework: str) -> bool:
    """Whether a call ended with an exception that is not about a missing kernel.

    What PyTorch returned and what could not be read from there (8-bit floats) was a call all the same; one that raised only
    at one of two tries did not always raise.
    """
    if run.again is not None and not (run.again.trace and run.again.trace.error):
        return False
    error = run.trace.error if run.trace else None
    if error is not None and framework == "torch" and error.stage == "synchronise":
        return False
    patterns = unsupported.get((framework, "cpu"), ())
    return error is not None and not any(pattern.search(error.message) for pattern in patterns)


def test_where_the_call_that_is_shown_has_no_kernel_nothing_says_that_it_runs(all_entries: dict[str, Entry]) -> None:
    """Each has samples that run on the CPU: other modes, no training, other orders."""
    for name in ("torch.nn.functional.interpolate", "torch.nn.functional.dropout", "torch.linalg.matrix_norm"):
        target = next(one for one in all_entries[name].targets if ".mint." in one.name)
        cpu = next(place for place in target.runs_on if place.device == "cpu")
        assert cpu.outcomes[NEWEST["mindspore"]] == "unsupported", name
        assert any(row.device == "cpu" and "agrees" in row.counts for row in target.agreements), name


def test_calls_that_were_seen_to_raise_say_so(database: Data, all_entries: dict[str, Entry]) -> None:
    traces, unsupported = SingleTraces(database.single_runs), unsupported_by(load_devices())
    silent, told = [], 0
    for mapping in database.mappings.values():
        if mapping.execution is not Execution.SINGLE:
            continue
        extracted = with_extracted(mapping, database.extracted)
        for target, entry in zip(mapping.targets, all_entries[mapping.id].targets, strict=True):
            ends: list[bool] = []
            for of in [mapping, *([extracted] if extracted and target in extracted.targets else [])]:
                for name in shown_samples(of, target, entry):
                    calls = {"torch": source_call(of, name), "mindspore": target_call(of, target, name)}
                    runs = [
                        (framework, traces.find(framework, NEWEST[framework], "cpu", mapping.id, call.digest))
                        for framework, call in calls.items()
                    ]
                    seen = [(framework, found[1]) for framework, found in runs if found is not None]
                    if len(seen) == len(calls):
                        ends.append(any(raised(run, unsupported, framework) for framework, run in seen))
                if ends:
                    break
            told += entry.refused is not None
            if ends and all(ends) and entry.refused is None:
                silent.append((mapping.id, entry.name, entry.after))
    assert silent == []
    assert told  # so that the comparison above is one of something


# What is shown gives other values all the same: the last digits of `tanh`, numbers drawn from another generator, a slope
# that MindSpore draws, a layer that calculates in float16 and keeps its parameters.
OTHER_VALUES = {
    "torch.Tensor.tanh",
    "torch.manual_seed",
    "torch.nn.Module.to",
    "torch.nn.functional.tanh",
    "torch.tanh",
}


def test_what_is_shown_to_copy_gives_the_same_values_and_shapes(all_entries: dict[str, Entry]) -> None:
    """What an everyday call silently does otherwise is written out in the call shown, or another target is shown for there."""
    misleading = set()
    for entry in all_entries.values():
        target = current_target(entry, NEWEST["mindspore"])
        if target is None:
            continue
        beside = targets_beside(entry, target, NEWEST["mindspore"])
        for shown in [one.target for one in beside] or [target]:
            for row in met_at(shown.differences, NEWEST["mindspore"]):
                told = row.kind in ("value", "shape") and row.risk == "silent" and row.reach == "everyday"
                if told and any("plain" in one.samples and not one.inputs for one in row.evidence):
                    misleading.add(entry.id)
    assert misleading == OTHER_VALUES


@pytest.mark.parametrize(
    ("name", "on_cpu", "code"),
    [
        ("torch.optim.SGD", "mindspore.experimental.optim.SGD", "experimental.optim.SGD([weight], lr=0.1)"),
        ("torch.Tensor.add_", "mindspore.Tensor.copy_", "tensor.copy_(tensor.add(other))"),
        ("torch.std", "mindspore.ops.std", "mindspore.ops.std(input, ddof=1)"),
        ("torch.Tensor.add", None, "tensor.add(other)"),
    ],
)
def test_where_a_call_does_something_else_without_a_word_another_target_is_shown(
    all_entries: dict[str, Entry], name: str, on_cpu: str | None, code: str
) -> None:
    target = current_target(all_entries[name], NEWEST["mindspore"])
    assert target is not None
    beside = targets_beside(all_entries[name], target, NEWEST["mindspore"])
    assert [one.target.name for one in beside] == ([on_cpu] if on_cpu else [])
    assert code in (beside[0].code if beside else target.after)


def test_where_no_call_succeeded_none_was_seen_to(all_entries: dict[str, Entry]) -> None:
    told = [
        (entry.id, {place.device: place.outcomes.get(NEWEST["mindspore"]) for place in target.runs_on}["cpu"])
        for entry in all_entries.values()
        for target in entry.targets
        if target.refused is not None and "succeeded" in target.refused.en
    ]
    assert told
    assert [row for row in told if row[1] == "holds"] == []


def test_code_does_not_end_its_block() -> None:
    answer = load().lookup("torch.abs")
    hostile = msgspec.structs.replace(answer, after='x = """\n```\n**Verified**\n"""')
    assert '````python\nx = """\n```\n**Verified**\n"""\n````' in short_answer(hostile, "en")


@pytest.mark.parametrize(("name", "said"), [("torch.kthvalue", True), ("torch.abs", False)])
def test_what_no_call_of_is_taken_says_so_at_once(name: str, *, said: bool) -> None:
    answer = load().lookup(name)
    assert answer.target is not None
    assert (answer.target.refused is not None) is said
    assert ("succeeded" in short_answer(answer, "en")) is said
    assert ("均抛异常" in short_answer(answer, "zh")) is said
    on_cpu = next(place for place in answer.target.runs_on if place.device == "cpu")
    assert (on_cpu.outcome == "error") is said


@pytest.mark.parametrize(
    ("name", "target"),
    [
        (
            "torch.nn.functional.conv1d",
            "mindspore.ops.conv1d",
        ),  # its first sample pads, as the third of the source does
        ("torch.nn.Conv2d", "mindspore.nn.Conv2d"),  # with samples of its own
        ("torch.einsum", "mindspore.mint.matmul"),
    ],
)
def test_other_targets_are_shown_with_the_call_of_the_first(
    all_entries: dict[str, Entry], name: str, target: str
) -> None:
    first, *others = all_entries[name].targets
    assert next(other for other in others if other.name == target).before == first.before


ABSENT = """
import json, sys
import mindspore
for name in json.load(sys.stdin):
    held = mindspore
    for part in name.split(".")[1:]:
        held = getattr(held, part, None)
    if held is None:
        print(name)
"""


@pytest.mark.skipif(find_spec("mindspore") is None, reason="mindspore is not installed")
def test_names_in_code_that_is_shown_are_there_once_its_imports_are_made(all_entries: dict[str, Entry]) -> None:
    shown = [code for entry in all_entries.values() for target in entry.targets for code in (target.after,)]
    names = {
        name
        for code in shown
        if not re.search(r"^(?:import|from) mindspore\.", code, re.MULTILINE)
        for name in re.findall(r"\bmindspore(?:\.\w+)+", code)
        if not name.startswith("mindspore.communication.comm_func")  # gone, shown for the releases that had it
    }
    done = subprocess.run(
        [sys.executable, "-c", ABSENT], input=json.dumps(sorted(names)), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == []
