"""Scripts that repeat what differs in graph mode, in what is drawn, and in the steps of an optimiser."""

import ast
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from apidiff.database import Data
from apidiff.derive.repeat_script import repeat_script
from apidiff.model.agreement import Facet
from apidiff.model.sample import Arguments, SampleCall, SampleForm, SampleInput
from apidiff.model.sample_calls import source_call, target_call


@pytest.mark.parametrize(
    ("mapping", "target", "sample", "facet", "lines"),
    [
        (
            "torch.Tensor.add_",
            "mindspore.Tensor.add_",
            "plain",
            Facet.GRAPH,
            {"PyNative mode": "1.00000000e+00,  2.00000000e+00", "graph mode": "1.10000000e+01,  2.20000000e+01"},
        ),
        (
            "torch.randperm",
            "mindspore.ops.randperm",
            "plain",
            Facet.RANDOMNESS,
            {"PyTorch": "other values at each call: True", "MindSpore": "other values at each call: False"},
        ),
        (
            "torch.optim.RMSprop",
            "mindspore.experimental.optim.RMSprop",
            "plain",
            Facet.VALUE,
            {"PyTorch": "tensor(", "MindSpore": "Tensor(shape=[2]"},
        ),
    ],
)
def test_both_results_are_printed(
    database: Data, tmp_path: Path, mapping: str, target: str, sample: str, facet: Facet, lines: dict[str, str]
) -> None:
    found = database.mappings[mapping]
    [api] = [one for one in found.targets if one.api.name == target]
    script = tmp_path / "repeat.py"
    script.write_text(repeat_script(source_call(found, sample), target_call(found, api, sample), "cpu", facet))
    told = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout
    for side, words in lines.items():
        assert any(words in part for part in told.split(f"{side}: ")[1:2]), told


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("input + 1", "result = input + 1"),
        ("import math; input + math.pi", "import math; result = input + math.pi"),
        ('x = ("é",\n2); input + 1', "2); result = input + 1"),
        ("x = input\ny = x + 1", "result = y"),
    ],
)
def test_the_last_value_of_code_is_the_result(code: str, line: str) -> None:
    call = SampleCall(
        api="torch.add", form=SampleForm.CODE, given=Arguments(args={"input": SampleInput(values=[1])}), code=code
    )
    script = repeat_script(call, msgspec.structs.replace(call, api="mindspore.ops.add"), "cpu")
    assert f"    {line}\n" in script
    ast.parse(script)
