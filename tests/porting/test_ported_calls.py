"""Calls that are written in ways that few people use: the port of each is right, or it is left as it is."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from apidiff.lookup.cache import open_index
from apidiff.porting.call_edits import CallWriter
from apidiff.porting.code_text import CodeText, Edit, apply_edits
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Ported, Porter, PortOptions
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import TorchNames, read_result_types

Port = Callable[..., Ported]

_TENSOR = "import torch\ndef f(x: torch.Tensor, i):\n    "


@pytest.fixture(scope="module")
def port() -> Port:
    index = open_index()
    judge = Judge.of_index(index, "2.10.0", None)

    def ported(text: str, *, unsafe: bool = False) -> Ported:
        return Porter(judge, index.source_names, PortOptions(unsafe=unsafe)).port_text(text)

    return ported


KEYWORDS = [  # parentheses around the value of a keyword belong to it
    ("x.size(dim=(i + 1))", "x.shape[(i + 1)]"),
    ("x.norm(dim=(0))", "ops.vector_norm(x, axis=(0))"),
    ("x.norm(dim = ((0)))", "ops.vector_norm(x, axis=((0)))"),
    ("x.norm(dim= # a = b\n    (0))", "ops.vector_norm(x, axis=(0))"),
]


@pytest.mark.parametrize(("before", "after"), KEYWORDS)
def test_the_value_of_a_keyword_is_what_stands_behind_its_sign(port: Port, before: str, after: str) -> None:
    assert port(f"{_TENSOR}return {before}\n", unsafe=True).text.endswith(f"return {after}\n")


OTHER_TARGETS = [  # of these classes another one is chosen now; the rules are there
    ("torch.nn.AvgPool2d(kernel_size=(3))", "mindspore.nn.AvgPool2d(kernel_size=(3), stride=(3))"),
    ("torch.nn.GELU(approximate=('none'))", "mindspore.nn.GELU(approximate=False)"),
    (
        "torch.nn.LayerNorm(normalized_shape=(5))",
        "mindspore.nn.LayerNorm(normalized_shape=((5),), epsilon=1e-5)",
    ),
]


@pytest.mark.parametrize(("before", "after"), OTHER_TARGETS)
def test_rules_take_the_whole_value_of_a_keyword(before: str, after: str) -> None:
    source, target = before.partition("(")[0], after.partition("(")[0]
    index = open_index()
    facts = index.call_facts(source)
    found = next(one for one in facts.targets if one.name == target)
    code = CodeText(before)
    call = next(node for node in ast.walk(code.tree) if isinstance(node, ast.Call))
    names = TorchNames(index.source_names, read_result_types())
    form = next(one.form for one in scan_text(f"import torch\n{before}", "a.py", names).references if one.form)
    edits = CallWriter(code, call, form, facts, found, str).edits().edits
    name = Edit(code.start(call.func), code.end(call.func), target)
    assert apply_edits(code.data, [name, *edits]).decode() == after


PERIODS = [  # a comment that ends in one is no object before a dot
    "# Join them.\ny = {}\n",
    "y = [\n    # The second.\n    {},\n]\n",
    "y = 1.; z = (1.,\n  {})\n",
]


@pytest.mark.parametrize("text", PERIODS)
def test_a_period_before_a_path_is_no_dot(port: Port, text: str) -> None:
    before = text.format("torch.cat([a, b], dim=0)").replace("y = torch", "torch")
    after = text.format("mint.cat([a, b], dim=0)").replace("y = mint", "mint")
    assert port(f"import torch\n{before}").text == f"from mindspore import mint\n{after}"


def test_a_method_behind_a_far_dot_is_one(port: Port) -> None:
    far = " " * 100
    found = port(f"{_TENSOR}return (x.abs() # c\n.{far}relu())\n").text
    assert f".{far}relu()" in found
