"""A difference that samples show names them and both runs; a rule is labelled at each version and device."""

import pytest

from apidiff.database import Data
from apidiff.lookup.entry import Builder
from apidiff.model.views import TargetEntry


@pytest.fixture(scope="module")
def shown(database: Data) -> list[TargetEntry]:
    builder = Builder(database, [], [])
    return [
        target
        for name in ("torch.tanh", "torch.Tensor.add_", "torch.nn.functional.gelu", "torch.fft.fft")
        for target in builder.entry(database.mappings[name]).targets
    ]


def test_every_repeated_difference_has_samples_and_runs(shown: list[TargetEntry], database: Data) -> None:
    known = {key for key, _ in database.every_single_run}
    repeated = [difference for target in shown for difference in target.differences if difference.repeat]
    assert repeated
    for difference in repeated:
        (evidence,) = difference.evidence
        assert difference.repeat is not None
        assert difference.repeat.sample in evidence.samples
        assert evidence.inputs == difference.repeat.inputs
        assert evidence.claim == ""
        assert {run.partition("/")[0].partition("-")[0] for run in evidence.runs} == {"torch", "mindspore"}
        assert set(evidence.runs) <= known
        assert difference.claim_evidence == []


def test_labels_follow_what_runs_say_of_the_facets(shown: list[TargetEntry]) -> None:
    labels = {target.name: {rule.label for rule in target.rules} for target in shown}
    assert labels["mindspore.mint.tanh"] == {"unsafe"}
    assert labels["mindspore.ops.fft"] <= {"unsafe", "verified"}
    for target in shown:
        for rule in target.rules:
            assert (rule.label == "unsafe") == bool(rule.facets) or not rule.rule
            assert rule.device == "cpu"
        versions = [rule.framework_version for rule in target.rules]
        assert versions == sorted(versions, key=lambda text: [int(part) for part in text.split(".")], reverse=True)
