"""One sample is made again, and judged as it is recorded; what is no sample is named as such."""

import json
from pathlib import Path

import pytest
from command import give

from apidiff.database import Data
from apidiff.errors import ApidiffError
from apidiff.model.agreement import Agreement, Facet
from apidiff.verification.repeat import repeat_sample
from apidiff.verification.samples import devices_here


@pytest.mark.turning(days=2)
@pytest.mark.parametrize(
    ("mapping", "sample", "extracted", "facet"),
    [
        ("torch.Tensor.add_", "plain", False, Facet.IN_PLACE),
        ("torch.maximum", "nan-inf", True, Facet.SPECIAL_VALUES),
    ],
)
def test_a_sample_repeats(
    database: Data, tmp_path: Path, mapping: str, sample: str, extracted: bool, facet: Facet
) -> None:
    repeated = repeat_sample(database, mapping, sample, devices_here(), tmp_path, extracted=extracted)
    [target] = repeated.targets
    assert not target.changed
    assert target.recorded
    assert {verdict.facet for verdict in target.verdicts if verdict.agreement is Agreement.DIFFERS} >= {facet}
    assert repeated.source.trace is not None
    assert target.run.trace is not None


def test_one_framework_alone_repeats_nothing(database: Data, tmp_path: Path) -> None:
    with pytest.raises(ApidiffError, match="mindspore cannot be imported"):
        repeat_sample(database, "torch.maximum", "nan-inf", devices_here("torch"), tmp_path, extracted=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["torch.maximum", "--sample", "nope"], "no extracted sample 'nope'. There are: float32-1"),
        (["torch.maximum", "--sample", "nope", "--inputs", "written"], "no written sample 'nope'"),
        (["torch.maximum", "--sample", "int64"], "Say which: --inputs written"),
        (["--sample", "plain"], "is about one mapping"),
        (["torch.distributed.reduce", "--sample", "plain"], "is about one mapping"),
        (["torch.maximum", "--sample", "plain", "--record"], "Leave out --sample"),
        *(
            (["torch.maximum", "--sample", "plain", option, value], f"whatever {option} says. Leave it out")
            for option, value in [
                ("--backend", "nccl"),
                ("--framework", "torch"),
                ("--execution", "collective"),
                ("--device", "cuda"),
                ("--world-size", "2"),
                ("--measured-by", "a lab"),
            ]
        ),
    ],
)
def test_what_cannot_be_repeated_is_named(words: list[str], message: str) -> None:
    done = give("verify", *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_json_holds_both_results() -> None:
    done = give("verify", "torch.maximum", "--sample", "nan-inf", "--inputs", "extracted", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["source"]["run"]["trace"]["returned"]["values"] == ["nan", "nan"]
    [target] = told["targets"]
    assert target["verdicts"]["special_values"] == "differs"
    assert target["changed"] is False
