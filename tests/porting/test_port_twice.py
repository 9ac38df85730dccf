"""Porting what is ported changes nothing, and whatever is ported is Python."""

from __future__ import annotations

import ast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from apidiff.lookup.cache import open_index
from apidiff.porting.changes import PortOptions
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Porter

_LINES = [
    "x = torch.zeros(n, dtype=torch.long)",
    "x = torch.zeros(2, 3, device=device)",
    "y = torch.cat([x, x], dim=1).size(0)",
    "x.add_(1)",
    "x = x.detach().numpy()",
    "y = F.softmax(x, dim=-1)  # 字",
    "with torch.no_grad(): y = x",
    "if x is not None: y = torch.relu(x)",
    "layer = nn.Conv2d(3, n, 3, padding=1, bias=False)",
    "layer = nn.LayerNorm(n)",
    "nn.init.normal_(layer.weight, std=0.02)",
    "y = layer.forward(x)",
    "if hasattr(layer, 'forward'): y = layer.forward.__name__",
    "z: torch.LongTensor = x.to(device)",
    "y = torch.unknown_thing(x, torch.float)",
    "text = '''\ntorch.cat\n'''",
    "y = torch.where(x > 0, x, torch.tensor(0.0))",
    "y = (x + 1).sum(dim=(1, 2), keepdim=True)",
    "return torch.matmul(x, y)",
]
_HEAD = """import torch
from torch import nn
import torch.nn.functional as F


class Net({base}):
    def forward(self, x: torch.Tensor, y=None):
"""


@pytest.fixture(scope="module")
def porters() -> list[Porter]:
    index = open_index()
    known = index.releases["mindspore"]
    return [
        Porter(Judge(index.call_facts, index.source_names.apis, "2.10.0", known, device), index.source_names, options)
        for device in (None, "cpu")
        for options in (PortOptions(), PortOptions(unsafe=True), PortOptions(unsafe=True, language="zh"))
    ]


@example(lines=["x = x.detach().numpy()", "x.add_(1)"], base="nn.Module", crlf=False)
@given(
    lines=st.lists(st.sampled_from(_LINES), min_size=1, max_size=6),
    base=st.sampled_from(["nn.Module", "Other", "torch.nn.Linear"]),
    crlf=st.booleans(),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_second_run_changes_nothing(porters: list[Porter], lines: list[str], base: str, crlf: bool) -> None:
    text = _HEAD.format(base=base) + "".join(f"        {line}\n" for line in lines)
    if crlf:
        text = text.replace("\n", "\r\n")
    for porter in porters:
        once = porter.port_text(text).text
        ast.parse(once)
        assert porter.port_text(once).text == once
