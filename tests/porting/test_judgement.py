"""What is said of a call: which differences it can meet with the arguments written there, and what runs prove."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from snippets import ANSWERS

from apidiff.lookup.cache import open_index
from apidiff.lookup.index import Index
from apidiff.porting.call_forms import CallForm
from apidiff.porting.call_matching import alike, bind, fits
from apidiff.porting.judgement import Judge, Judgement
from apidiff.porting.tree_scan import ScannedFile

Scan = Callable[..., list[ScannedFile]]
T = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nx = torch.ones(2, 3)\n"
D = "import torch.distributed as dist\n"


@pytest.fixture(scope="module")
def index() -> Index:
    return open_index()


def judged(scan: Scan, index: Index, code: str, version: str = "2.10.0", device: str | None = None) -> Judgement:
    """What is said of the last API that is called, or named where none is called, on the last line."""
    judge = Judge(index.call_facts, index.source_names.apis, version, index.releases["mindspore"], device)
    found = scan({"code.py": code})[0].references
    last = [one for one in found if one.span.line == found[-1].span.line]
    one = next((one for one in last if one.role == "call"), last[-1])
    return judge.judge(one.name, one.role, one.form)


# Code, what is said of the call on its last line, and the differences that it can meet.
CALLS: list[tuple[str, str, set[str]]] = [
    ("x.mean(dim=(0, 1))", "verified", set()),
    ("torch.mean(x, -1)", "verified", set()),
    ("x.std()", "verified", {"default-correction", "graph-graph-refuses-cpu"}),
    ("x.tanh()", "unsafe", {"value-values-differ-cpu", "gradient-values-differ-cpu"}),
    ("x.sum(dim=-1)", "verified", set()),
    ("x.view(3, 2)", "verified", set()),
    ("F.silu(x)", "verified", set()),
    ("F.silu(x, inplace=True)", "unsafe", set()),  # no sample of that form
    ("F.interpolate(x, scale_factor=2)", "unsafe", {"error-target-refuses-cpu"}),
    ("F.interpolate(x, scale_factor=2.0, mode='nearest')", "verified", set()),
    ("F.interpolate(x, scale_factor=2.0, mode='nearest', antialias=True)", "manual", {"parameter-antialias"}),
    ("torch.argmax(x, dim=1)", "unsafe", set()),  # the CPU has no kernel, so nothing was compared
    ("torch.argmax(x, dim=1, out=y)", "manual", {"parameter-out"}),
    ("nn.Dropout(0.5)", "unsafe", {"alias-sharing-differs-cpu", "randomness-draws-alike-cpu"}),
    ("f = F.silu", "verified", set()),
    ("x.to(torch.float16)", "verified", set()),
    ("x.to(y.dtype)", "verified", set()),
    ("x.to(y.device)", "manual", {"not-needed"}),
    ("x.to('cuda:0', non_blocking=True)", "manual", {"not-needed"}),
    ("x.to(device=device)", "manual", {"not-needed"}),
    ("x.to(torch.device('cuda'))", "manual", {"not-needed"}),
    ("x.to(device, torch.float16)", "unsafe", set()),  # the device is left out
    ("layer = nn.Linear(2, 3)\nlayer.to(device)", "manual", {"not-needed"}),
    ("layer = nn.Linear(2, 3)\nlayer.cuda()", "manual", {"not-needed"}),
    ("layer = nn.Linear(2, 3)\nlayer.to(torch.float16)", "unsafe", {"value-sides-differ-cpu"}),
    ("x.dtype == torch.float32", "verified", set()),
    ("F.no_such_function(x)", "unknown", set()),
    ("torch.nowhere.thing()", "unknown", set()),
]


@pytest.mark.parametrize(("code", "version", "target"), [(row[0], row[2], row[3]) for row in ANSWERS])
def test_targets_are_those_of_the_panel(scan: Scan, index: Index, code: str, version: str, target: str | None) -> None:
    assert judged(scan, index, code, version).target == target


# Calls that each meet something of their own, and calls beside them that do not meet it.
OWN = [
    ("x.std()", {"default-correction"}, "x.std(correction=0)"),
    ("x.tanh()", {"value-values-differ-cpu"}, "x.mean(dim=(0, 1))"),
    ("x.sort(dim=-1)[1]", {"structure-structures-differ-cpu", "dtype-sides-differ-cpu"}, "x.sum(dim=-1)"),
    ("F.mish(x, inplace=True)", {"parameter-inplace"}, "F.mish(x)"),
    ("torch.argmax(x, axis=1)", {"keyword-axis"}, "torch.argmax(x, dim=1)"),
]


@pytest.mark.parametrize(("call", "met", "beside"), OWN, ids=[row[0] for row in OWN])
def test_a_call_meets_what_is_its_own(scan: Scan, index: Index, call: str, met: set[str], beside: str) -> None:
    everyday = {one.id for one in judged(scan, index, T + call).differences if one.reach == "everyday"}
    assert met <= everyday
    assert not met & {one.id for one in judged(scan, index, T + beside).differences}


@pytest.mark.parametrize(("call", "label", "met"), CALLS, ids=[row[0] for row in CALLS])
def test_calls_of_one_process(scan: Scan, index: Index, call: str, label: str, met: set[str]) -> None:
    said = judged(scan, index, T + call)
    assert (said.label.value, {one.id for one in said.differences}) == (label, met)


# Code, the release, and differences that its call meets, and others that it does not.
COLLECTIVE: list[tuple[str, str, set[str], set[str]]] = [
    ("dist.all_reduce(x)", "2.10.0", set(), {"average", "parameter-op"}),
    ("dist.all_reduce(x, op=dist.ReduceOp.SUM)", "2.10.0", {"parameter-op"}, {"average"}),
    ("dist.all_reduce(x, op=dist.ReduceOp.AVG)", "2.10.0", {"parameter-op"}, {"average"}),
    ("dist.all_reduce(x, op=dist.ReduceOp.AVG)", "2.9.0", {"average", "parameter-op"}, set()),
    ("dist.all_reduce(x, op=dist.ReduceOp.MAX)", "2.9.0", {"parameter-op"}, {"average"}),
    ("dist.all_reduce(x, **options)", "2.9.0", {"average", "parameter-op"}, set()),
    ("dist.all_reduce(x, op=chosen)", "2.9.0", {"average", "parameter-op"}, set()),
    ("y = dist.ReduceOp.AVG", "2.9.0", {"member-AVG"}, set()),
    ("y = dist.ReduceOp.AVG", "2.10.0", set(), {"member-AVG"}),
    ("y = dist.ReduceOp.PRODUCT", "2.10.0", {"member-PRODUCT"}, set()),
    ("dist.monitored_barrier()", "2.10.0", {"composed"}, set()),
    ("from torch.distributed import all_reduce", "2.4.0", set(), {"average"}),
]


@pytest.mark.parametrize(
    ("code", "version", "met", "not_met"), COLLECTIVE, ids=[f"{row[0]} {row[1]}" for row in COLLECTIVE]
)
def test_calls_of_ranks(scan: Scan, index: Index, code: str, version: str, met: set[str], not_met: set[str]) -> None:
    found = {one.id for one in judged(scan, index, D + code, version).differences}
    assert met <= found
    assert not found & not_met


def test_a_device_has_its_own_differences(scan: Scan, index: Index) -> None:
    anywhere = judged(scan, index, T + "torch.argmax(x, dim=-1)")
    on_cpu = judged(scan, index, T + "torch.argmax(x, dim=-1)", device="cpu")
    on_ascend = judged(scan, index, T + "torch.argmax(x, dim=-1)", device="npu")
    assert {one.kind for one in on_cpu.differences} == {"backend_support"}
    assert (on_cpu.label.value, on_ascend.label.value) == ("unsafe", "unsafe")  # nothing has been run on Ascend
    assert "backend_support" not in {one.kind for one in anywhere.differences}


def test_only_a_plain_rename_has_a_replacement(scan: Scan, index: Index) -> None:
    assert judged(scan, index, T + "torch.mean(x, -1)").replacement == "mindspore.mint.mean"
    for code in ("x.mean(-1)", "x.std()", "F.silu(x, inplace=True)", "F.no_such_function(x)"):
        assert judged(scan, index, T + code).replacement is None, code


WAYS = [["input", "dtype="], ["input", "dim", "keepdim", "dtype="]]
BOUND = [
    (CallForm(("tensor",)), WAYS, {"input": "tensor"}),
    (CallForm(("tensor", "=1"), (("keepdim", "=True"),)), WAYS, {"input": "tensor", "dim": "=1", "keepdim": "=True"}),
    (CallForm(("tensor",), (("dtype", ":torch.int8"),)), WAYS, {"input": "tensor", "dtype": ":torch.int8"}),
    (CallForm(("=1", "?")), [["size"], ["*size"]], {"size": "several"}),
    (CallForm(("=1",)), [["size"], ["*size"]], {"size": "several"}),
    (CallForm(("=(1, 2)",)), [["size"], ["*size"]], {"size": "=(1, 2)"}),
    (CallForm(("=1",), (("other", "=2"),)), [["a"]], {"#0": "=1", "other": "=2"}),
    (CallForm((), (("more", "=2"),)), [["a", "**options"]], {"more": "=2"}),
]


@pytest.mark.parametrize(("form", "ways", "bound"), BOUND)
def test_binding(form: CallForm, ways: list[list[str]], bound: dict[str, str]) -> None:
    assert bind(form, ways) == bound


OLD_AND_NEW = [["beta", "self", "alpha", "mat"], ["input", "mat", "beta=", "out="]]
NEEDED = [
    (CallForm(("?", "?")), [["beta", "self", "alpha", "mat"], ["input", "mat"]], ["input", "mat"]),
    (CallForm(("?", "?", "?", "?")), [["beta", "self", "alpha", "mat"], ["input", "mat"]], OLD_AND_NEW[0]),
    (CallForm(("?",)), [["beta", "self", "alpha", "mat"], ["input", "mat"]], ["beta"]),  # none is given all: the first
    (CallForm(("?",), open=True), [["beta", "self", "alpha", "mat"], ["input", "mat"]], ["beta"]),
    (CallForm(("?", "?")), [], ["beta", "self"]),
]


@pytest.mark.parametrize(("form", "needed", "parameters"), NEEDED)
def test_a_call_is_one_that_is_given_what_it_needs(
    form: CallForm, needed: list[list[str]], parameters: list[str]
) -> None:
    assert list(bind(form, OLD_AND_NEW, needed)) == parameters


ALIKE = [
    ("=1", "=-2", True),
    ("=1", "=1.0", False),
    ("=True", "=False", False),
    ("='a'", "='b'", False),
    ("=None", "=1", False),
    ("=(1, 2)", "=(0,)", True),
    ("=(1, 2)", "tuple", True),
    ("=1", "tuple", False),
    ("tensor", "=1", False),
    (":torch.int8", ":torch.float16", False),
    ("?", "=1", True),
]


@pytest.mark.parametrize(("first", "second", "same"), ALIKE)
def test_arguments_of_one_form(first: str, second: str, same: bool) -> None:
    assert alike(first, second) is alike(second, first) is same


def test_a_call_fits_what_it_passes() -> None:
    call = {"input": "tensor", "dim": "=1"}
    assert fits(call, {"input": "tensor", "dim": "=0"}, more=False)
    assert not fits(call, {"input": "tensor"}, more=False)
    assert fits(call, {"input": "tensor"}, more=True)
    assert not fits(call, {"input": "tensor", "keepdim": "=True"}, more=True)
