"""Calls that are written in ways that few people use: the port of each is right, or it is left as it is."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apidiff.lookup.cache import open_index
from apidiff.porting.call_edits import CallWriter, NotWritten
from apidiff.porting.call_forms import CallForm
from apidiff.porting.changes import Ported, PortOptions
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import CodeText, Edit, apply_edits
from apidiff.porting.code_tokens import CodeTokens
from apidiff.porting.held_names import HeldNames
from apidiff.porting.judgement import Judge
from apidiff.porting.layer_edits import LayerEdit, LayerEdits
from apidiff.porting.port_files import PortedFile, port_files
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import Problem, find_sources
from apidiff.porting.source_text import UnreadableSource
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import TorchNames, read_result_types
from apidiff.porting.tree_scan import scan_tree
from apidiff.writers.scan.words import problem_text

Port = Callable[..., Ported]

_TENSOR = "import torch\ndef f(x: torch.Tensor, i):\n    "


@pytest.fixture(scope="module")
def port() -> Port:
    index = open_index()
    judge = Judge.of_index(index, "2.10.0", None)

    def ported(text: str, *, unsafe: bool = False) -> Ported:
        return Porter(judge, index.source_names, PortOptions(unsafe=unsafe)).port_text(text)

    return ported


@pytest.fixture(scope="module")
def port_tree() -> Callable[[Path], dict[str, str]]:
    """Port the files of a folder along with each other: their texts by name."""
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names, PortOptions(unsafe=True))

    def ported(folder: Path) -> dict[str, str]:
        scanned = scan_tree(find_sources([folder])[0], index.source_names, jobs=1, ported=True)
        files = [file for file in port_files(scanned, porter) if isinstance(file, PortedFile)]
        return {file.path.name: file.after.decode() for file in files}

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


COMMENTS = [  # those in what an edit takes away come above the statement
    ("return (torch # why\n        .cat([x], dim=i))", "    # why\n    return (mint.cat([x], dim=i))"),
    ("return x.norm(dim= # a = b\n    (0))", "    # a = b\n    return ops.vector_norm(x, axis=(0))"),
    (
        "return [torch # '#' is no comment\n  # two\n  .cat([x], dim=i), '#']",
        "    # '#' is no comment\n    # two\n    return [mint.cat([x], dim=i), '#']",
    ),
    ("return torch.cat( # stays\n    [x], dim=i)", "    return mint.cat( # stays\n    [x], dim=i)"),
    ("return x.norm(dim='#')", "    return ops.vector_norm(x, axis='#')"),
]


@pytest.mark.parametrize(("before", "after"), COMMENTS)
def test_comments_are_kept(port: Port, before: str, after: str) -> None:
    found = port(f"{_TENSOR}{before}\n", unsafe=True).text
    shown = [line for line in found.split("def f", 1)[1].splitlines()[1:] if "# apidiff" not in line]
    assert "\n".join(shown) == after


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


POSITIONS = [  # what the target has no parameter for is left, by position as by keyword
    ("x.var(0, False)", None),
    ("x.var(0, unbiased=False)", None),
    ("x.std(False)", None),
    ("x.var(0, False, True)", None),
    ("torch.var(x, False)", None),
    ("torch.std(x, 0, False, True)", None),
    ("torch.std_mean(x, 0, False)", None),
    ("x.var(0)", "x.var(0, correction=1)"),
    ("x.std((0, 1))", "x.std((0, 1), correction=1)"),
    ("torch.std(x, 0)", "mint.std(x, 0)"),
    ("x.float_power(2.0)", "x.float_power(2.0)"),  # of another name, at the same place
    ("torch.any(x, 0)", "mint.any(x, 0)"),
]


@pytest.mark.parametrize(("before", "after"), POSITIONS)
def test_an_argument_by_position_needs_a_parameter(port: Port, before: str, after: str | None) -> None:
    ported = port(f"{_TENSOR}{before}\n", unsafe=True)
    assert ported.text.rstrip().endswith(f"\n    {after or before}"), ported.text
    assert ("apidiff manual" in ported.text) is (after is None)


_OBJECTS = "import torch.nn as nn\nfrom functools import partial\n"
CLASSES = [  # what is named and not called, and whether it is written in safe mode
    ("def f(act=nn.LeakyReLU): ...", False),
    ("A = nn.LeakyReLU", False),
    ("A = {'a': nn.LeakyReLU}", False),
    ("f(nn.LeakyReLU)", False),
    ("getattr(nn, 'LeakyReLU')()", False),
    ("A = {'a': nn.ReLU}", True),
    ("def f(act=nn.ReLU): ...", True),
    ("class A(nn.LeakyReLU): ...", True),
    ("Base = nn.LeakyReLU\nclass A(Base): ...", True),
    ("A = nn.Module", True),
    ("isinstance(a, (nn.LeakyReLU, int))", True),
    ("type(a) is nn.LeakyReLU", True),
    ("def f(a: nn.LeakyReLU): ...", True),
    ("A = {nn.LeakyReLU: 1}", True),
    ("partial(nn.ReLU)", True),
    ("partial(nn.ReLU, inplace=True)", False),
    ("partial(nn.ReLU, True)", False),
    ("partial(nn.LayerNorm, eps=1e-6)", False),
    ("partial(nn.LeakyReLU, negative_slope=0.1)", False),
]


@pytest.mark.parametrize(("code", "is_written"), CLASSES)
def test_a_class_that_is_handed_on_is_judged_by_its_calls(port: Port, code: str, is_written: bool) -> None:
    changes = [one for one in port(f"{_OBJECTS}{code}\n").changes if one.source.startswith("torch.nn.")]
    assert [one.state == "made" for one in changes] == [is_written]


_GROUP = "import torch.distributed as dist\n"
GROUPS = [  # what asks a process group, and whether it is written in safe mode
    ("dist.is_available() and dist.is_initialized()", True),
    ("dist.init_process_group('gloo')\ndist.is_initialized()", False),
    ("if dist.is_initialized():\n    dist.all_reduce(x)", False),
    ("dist.is_initialized()\ndist.no_such()", True),
    ("dist.all_reduce(x)  # apidiff: ignore\ndist.is_available()", False),
    ("call = dist.is_initialized\ndist.all_reduce(x)", False),
    ("dist.is_initialized()\ntorch.rand(2)", True),
    ("def f(x: dist.ProcessGroup): dist.barrier()", True),
]


@pytest.mark.parametrize(("code", "is_written"), GROUPS)
def test_what_asks_a_process_group_stays_beside_what_uses_it(port: Port, code: str, is_written: bool) -> None:
    proven = {f"torch.distributed.{name}" for name in ("is_available", "is_initialized", "barrier")}
    text = f"{_GROUP}import torch\n{code}\n"
    found = [one for one in port(text).changes if one.source in proven]
    assert {one.state for one in found} == {"made" if is_written else "left"}
    if not is_written:
        assert all("is ported too" in one.why[0].en for one in found)


def test_what_asks_a_process_group_is_written_with_what_uses_it(port: Port) -> None:
    found = port(f"{_GROUP}if dist.is_initialized():\n    dist.all_reduce(x)\n", unsafe=True)
    assert [(one.state, one.label) for one in found.changes] == [("made", "verified"), ("made", "unsafe")]
    beside = port(f"{_GROUP}dist.is_initialized()\ndist.monitored_barrier()\n", unsafe=True)
    assert [(one.state, one.label) for one in beside.changes] == [("made", "unsafe"), ("manual", "manual")]
    assert "# apidiff unsafe: torch.distributed.is_initialized: " in beside.text


UNBOUND = [  # their first argument is the object
    "torch.Tensor.size(x)",
    "torch.Tensor.norm(x)",
    "torch.Tensor.norm(x, dim=0)",
    "torch.Tensor.add(x, other=x)",
    "Tensor.size(dim=x)",
    "T.norm(x)",
    "held.norm(x)",
    "(torch.Tensor).norm(x)",
]


@pytest.mark.parametrize("call", UNBOUND)
def test_a_method_called_on_its_class_is_left(port: Port, call: str) -> None:
    head = "import torch\nfrom torch import Tensor\nfrom torch import Tensor as T\nheld = torch.Tensor\n"
    found = port(f"{head}def f(x):\n    return {call}\n", unsafe=True)
    assert found.text.splitlines()[-1].endswith(call.rpartition(".")[2])
    assert [one.state for one in found.changes if one.line == 6] == ["manual"]
    assert "is called on its class" in found.text


def test_a_method_called_on_a_class_that_another_file_hands_on_is_left(
    tmp_path: Path, port_tree: Callable[[Path], dict[str, str]]
) -> None:
    (tmp_path / "kinds.py").write_text("from torch import Tensor\n")
    (tmp_path / "used.py").write_text("from kinds import Tensor as T\ndef f(x):\n    return T.norm(x)\n")
    assert "return T.norm(x)" in port_tree(tmp_path)["used.py"]
    assert "is called on its class" in port_tree(tmp_path)["used.py"]


_CONFIG = "import torch, torch.nn as nn\nimport torch.nn.functional as F\n"
_CHOSEN = "dtype = torch.float32\nif HALF:\n    dtype = torch.float16\nAct = nn.ReLU if HALF else nn.Tanh\n"
STARS = [  # how names of another file are imported, and what becomes of code with them
    ("dtype, Act", "import torch\nx = torch.cat([a], dim=dtype)\n", "x = mint.cat([a], dim=dtype)"),
    ("*", "import torch\nx = torch.cat([a], dim=dtype)\n", "x = mint.cat([a], dim=dtype)"),
    ("dtype, Act", "layer = Act()\n", "layer = Act()"),
    ("*", "layer = Act()\n", "layer = Act()"),
    ("*", "def f(dtype): ...\nkind = dtype\n", "kind = dtype"),
    (
        "torch, nn, F",
        "y = torch.cat([a], dim=0), F.relu(x), nn.ReLU()\n",
        "mint.cat([a], dim=0), mint.nn.functional.relu",
    ),
    (
        "*",
        "y = torch.cat([a], dim=0), F.relu(x), nn.ReLU()\n",
        "mint.cat([a], dim=0), mint.nn.functional.relu(x), mint.nn.R",
    ),
]


@pytest.mark.parametrize(("names", "text", "wanted"), STARS)
def test_a_variable_of_another_file_keeps_its_name(
    tmp_path: Path, port_tree: Callable[[Path], dict[str, str]], names: str, text: str, wanted: str
) -> None:
    (tmp_path / "config.py").write_text(f"{_CONFIG}{_CHOSEN}")
    (tmp_path / "used.py").write_text(f"from config import {names}\n{text}")
    assert wanted in port_tree(tmp_path)["used.py"]


def test_a_constructor_called_on_its_class_and_methods_without_a_call_are_ported(port: Port) -> None:
    text = "import torch\nfrom torch import nn\n\nclass A(nn.Module):\n    def __init__(self):\n        {}\n"
    after = port(text.format("nn.Module.__init__(self); map(torch.Tensor.abs, [])")).text
    assert after.endswith("nn.Cell.__init__(self); map(mindspore.Tensor.abs, [])\n")


WIDE_KEYWORDS = [  # Python takes their letters for plain ones
    ("torch.tensor(ｄata=[1])", "mindspore.tensor(input_data=[1])"),
    ("torch.tensor(ｄａｔａ = ([1]))", "mindspore.tensor(input_data = ([1]))"),
]


@pytest.mark.parametrize(("before", "after"), WIDE_KEYWORDS)
def test_a_keyword_is_as_long_as_it_is_written(port: Port, before: str, after: str) -> None:
    assert port(f"import torch\nx = {before}\n", unsafe=True).text.endswith(f"x = {after}\n")


def test_nested_calls_around_a_long_argument_are_read_once(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    init = CodeTokens.__init__

    def counted(self: CodeTokens, text: str, start: int) -> None:
        read.append(len(text))
        init(self, text, start)

    monkeypatch.setattr(CodeTokens, "__init__", counted)
    text = f"import torch\nx = {'torch.stack(' * 60}[{'1,' * 40_000}]{', dim=0)' * 60}\n"
    assert port(text, unsafe=True).text.count("mint.stack(") == 60
    assert sum(read) < 2 * len(text)


def test_brackets_around_a_called_path_need_not_stand_in_line(port: Port) -> None:
    text = "import torch\nx = ((torch.cat\n        )\n    )([a], dim=0)\n"
    assert "dim=0" in port(text).text


STRINGS = [  # what is called in strings is told by Python from 3.12 on
    'x = torch.cat([f"{torch.cat([a], dim=0)}", torch.cat([b], dim=0)], dim=0)',
    "x = torch.cat([f\"{torch.cat([f'{torch.cat([a], dim=0)}'], dim=0)}\", torch.cat([b], dim=0)], dim=0)",
]


@pytest.mark.parametrize("text", STRINGS)
def test_calls_in_strings_and_around_them_are_ported(port: Port, text: str) -> None:
    wanted = f"from mindspore import mint\n{text.replace('torch', 'mint')}\n"
    assert port(f"import torch\n{text}\n").text == wanted


def test_comments_above_many_changes_are_read_once(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    whole = CodeText.text

    def counted(self: CodeText, start: int, end: int) -> str:
        read.append(end - start)
        return whole(self, start, end)

    monkeypatch.setattr(CodeText, "text", counted)
    calls = ", ".join(["torch.std(a, unbiased=False)"] * 1_000)
    text = "import torch\n" + "#\n" * 20_000 + f"x = [{calls}]\n"
    found = port(text, unsafe=True)
    assert found.count("manual") == 1_000
    assert sum(read) < 10 * len(text)


def test_comments_of_an_earlier_port_are_not_written_again(port: Port) -> None:
    head, call = "import torch\n", "x = torch.std(a, unbiased=False)\n"
    comment = port(f"{head}{call}").text.splitlines(keepends=True)[1]
    assert comment.startswith("# apidiff manual: torch.std: ")
    for text, is_told in [
        (f"{head}{comment}{call}", True),
        (f"{head}{comment}# more\n{call}", True),
        (f"{head}# before\n{comment.replace(': `', '：`')}{call}", True),
        (f"{head}{comment}\n{call}", False),
        (f"{head}{comment}y = 1\n{call}", False),
        (f"{head}{call}{comment}", False),
        (f"{head}# apidiff manual: torch.std_mean: no\n{call}", False),
    ]:
        assert (port(text).text == text) is is_told, text


RECEIVERS = [  # what a method is called on ends at the dot before its name, whatever comments hold
    ("(x. # foo.bar\n    size(1))", "(x.shape[1])"),
    ("(x # a.b\n    .size(1))", "(x # a.b\n    .shape[1])"),
    ("(x.abs() # a.b\n    . # c.d\n    size(1))", "(x.abs() # a.b\n    .shape[1])"),
    ("(x) . size(1)", "(x) .shape[1]"),
]


@pytest.mark.parametrize(("before", "after"), RECEIVERS)
def test_a_dot_in_a_comment_ends_no_receiver(port: Port, before: str, after: str) -> None:
    assert port(f"{_TENSOR}return {before}\n").text.endswith(f"return {after}\n")


@pytest.mark.parametrize("call", ["(x.size)(0)", "(x.norm)(dim=0)", "((x).size)(0)", "( # a\n    x.size)(0)"])
def test_a_method_in_parentheses_is_left(port: Port, call: str) -> None:
    found = port(f"{_TENSOR}return {call}\n", unsafe=True)
    assert found.text.endswith(f"return {call}\n")
    assert [one.state for one in found.changes if one.line > 2] == ["manual"]


def test_a_receiver_in_parentheses_is_ported(port: Port) -> None:
    assert port(f"{_TENSOR}return ((x).size(0))\n").text.endswith("return ((x).shape[0])\n")


WIDE_NAMES = [  # names in letters that Python takes for plain ones
    ("torch.ｃat([x], dim=0)", "mint.cat([x], dim=0)"),
    ("ｔorch.cat([x], dim=0)", "mint.cat([x], dim=0)"),
    ("x.abs().ｓize(0)", "x.abs().shape[0]"),
    ("x.numpy()", "x.asnumpy()"),
    ("x.ｎumpy()", "x.ｎumpy()"),
    ("x.abs().ｎumpy()", "x.abs().ｎumpy()"),
    ("x.ａbsolute()", "x.ａbsolute()"),
]


@pytest.mark.parametrize(("before", "after"), WIDE_NAMES)
def test_a_name_in_other_letters_does_no_harm(port: Port, before: str, after: str) -> None:
    found = port(f"{_TENSOR}return {before}\n", unsafe=True)
    assert found.text.endswith(f"return {after}\n")
    if "ｎumpy" in before:
        assert "# apidiff manual: torch.Tensor.numpy" in found.text


def test_a_parameter_in_other_letters_is_a_variable(port: Port) -> None:
    text = "import torch\ndef f(ｋind=torch.float32):\n    return ｋind\n"
    assert port(text).text == text.replace("torch", "mindspore")


def test_what_stands_in_a_call_that_is_written_anew_is_told(port: Port) -> None:
    found = port("import torch\nx = torch.ones(3, 2)\ny = x.norm(dim=x.size(0), p=1)\n")
    assert "y = ops.vector_norm(x, 1, axis=x.size(0))" in found.text
    assert (
        "# apidiff manual: torch.Tensor.size: the call around it is written anew: write it by hand there ("
        in found.text
    )


CONSTRUCTORS = ["nn.Module . __init__(self)", "nn.Module.__ｉnit__(self)", "nn.Module.\\\n        __init__(self)"]


@pytest.mark.parametrize("call", CONSTRUCTORS)
def test_only_the_class_before_a_constructor_is_renamed(port: Port, call: str) -> None:
    text = f"from torch import nn\nclass A(nn.Module):\n    def __init__(self):\n        {call}\n"
    assert port(text).text.endswith(f"        {call.replace('Module', 'Cell')}\n")


BACKSLASHES = [  # the comment on what is left stands above all lines that hang together
    "@\\\n{}\ndef f(): ...\n",
    "if a: \\\n    {}\n",
    "a = 1; \\\n  b = {}\n",
    "a = 1; \\\n  b = 1; \\\n  c = {}\n",
    "a = (1,\n  2); \\\n  b = {}\n",
    "a = 1; b = (\n  {})\n",
    'a = 1; b = """\n  """, {}\n',
    "@\\\r\n{}\r\ndef f(): ...\r\n",
]


@pytest.mark.parametrize("text", BACKSLASHES)
def test_no_comment_is_put_between_lines_that_hang_together(port: Port, text: str) -> None:
    end = "\r\n" if "\r" in text else "\n"
    code = text.format("torch.std(a, unbiased=False)")
    head, comment, after = port(f"import torch{end}{code}").text.split(end, 2)
    assert (head, after) == ("import torch", code)
    assert comment.startswith("# apidiff manual: torch.std: ")


def test_a_comment_that_ends_in_a_backslash_goes_nowhere(port: Port) -> None:
    text = "import torch\ndef f(a):\n    # why \\\n    return torch.std(a, unbiased=False)\n"
    assert port(text).text.splitlines()[3].startswith("    # apidiff manual: torch.std: ")


def test_lines_that_hang_together_are_gone_up_once() -> None:
    anchors = CodeAnchors(CodeText("a = 1; \\\n" * 50_000 + "a = 1\n"))
    assert {anchors.anchor(line) for line in range(1, 50_001)} == {1}


@pytest.mark.timeout(40)
def test_lines_of_nested_statements_are_gone_through_once() -> None:
    """Each `elif` reaches to the end of all that follow it: 980 kB took half a minute, and this more than one."""
    text, indent = "", ""
    for _ in range(4):
        text += (
            f"{indent}def f():\n {indent}if a:\n  {indent}pass\n"
            + f" {indent}elif a: pass\n" * 225
            + f" {indent}else:\n"
        )
        indent += "  "
    lines = text.count("\n")
    anchors = CodeAnchors(CodeText(f'{text}{indent}x = """' + "\n" * 2_500_000 + f'"""\n{indent}y = 1\n'))
    assert [anchors.anchor(lines + more) for more in (1, 2, 2_500_001, 2_500_002)] == [
        *[lines + 1] * 3,
        lines + 2_500_002,
    ]


TYPES_WITHIN_TYPES = ["a" + ".b" * 300, "a" + " | a" * 300, "a[" * 90 + "a" + "]" * 90, "(a == " * 90 + "a" + ")" * 90]


@pytest.mark.parametrize("text", TYPES_WITHIN_TYPES)
def test_types_within_types_are_gone_through_once(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    asked, end = list[ast.AST](), CodeText.end

    def counted(code: CodeText, node: ast.expr | ast.stmt) -> int:
        asked.append(node)
        return end(code, node)

    monkeypatch.setattr(CodeText, "end", counted)
    anchors = CodeAnchors(CodeText(text))
    last = text.rindex("a")
    assert anchors.is_type(last, last + 1)
    assert len(asked) < len(text)


IGNORED = [  # what a comment lists, and whether it keeps `torch.cat` out
    ("", True),
    ("[torch.cat]", True),
    ("[cat]", True),
    ("[torch.std, torch.cat]", True),
    ("[AD101]", True),
    ("[torch.std]", False),
    ("[at]", False),
    ("[torch.std, std]", False),
]


@pytest.mark.parametrize(("listed", "is_kept"), IGNORED)
def test_a_comment_keeps_out_what_it_lists(port: Port, listed: str, is_kept: bool) -> None:
    text = f"import torch\nx = torch.cat(\n    [a, b], dim=0)  # apidiff: ignore{listed}\n"
    on_line = f"import torch\nx = torch.cat([a], dim=0)  # apidiff: ignore{listed}\n"
    assert port(text).text == text.replace("import torch", "from mindspore import mint").replace(
        "torch.cat(", "mint.cat("
    )
    assert (port(on_line).text == on_line) is is_kept


BROKEN = [  # edits that no rule should make: the result is no Python, or holds a part of a letter
    [Edit(0, 1, "(")],
    [Edit(3, 4, "")],
]


@pytest.mark.parametrize("edits", BROKEN)
def test_edits_that_would_not_give_python_are_not_made(monkeypatch: pytest.MonkeyPatch, edits: list[Edit]) -> None:
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    text = "'é'\nimport torch\nx = torch.cat([a], dim=0)\n"
    assert porter.port_text(text).count("made") == 1
    kept = len(porter.repairs(text, "a.py", (1, 1), (5, 1)))
    made = [LayerEdit(edit, 1) for edit in edits]
    monkeypatch.setattr(LayerEdits, "all", lambda _: made)
    with pytest.raises(UnreadableSource, match="broken"):
        porter.port_text(text)
    assert len(porter.repairs(text, "a.py", (1, 1), (5, 1))) == kept


def test_only_edited_statements_are_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", None), index.source_names)
    text = "import torch\n" + "@torch.no_grad()\ndef f(): ...\na = 1; x = torch.cat([a, b], 1)\n" * 300
    parsed: list[int] = []
    parse = ast.parse

    def counted(source: str, **how: Any) -> ast.AST:
        parsed.append(len(source))
        return parse(source, **how)

    monkeypatch.setattr("apidiff.model.python_tree.ast.parse", counted)
    assert len(porter.repairs(text, "a.py", (1, 1), (901, 1))) == 20
    assert sum(parsed) < 4 * len(text)


@pytest.mark.parametrize(
    ("tensor", "is_ported"),
    [
        ("self.a.bias", True),
        ("self.a[0][i].bias", True),
        ("self.a[-1]['w']", True),
        ("w + v", False),  # an operator binds less than a dot
        ("a.bias if c else b.bias", False),
        ("-w", False),
        ("ws.pop()", False),  # it would be taken out three times
        ("ws[next(i)]", False),
    ],
)
def test_what_is_written_several_times_is_read_as_often(port: Port, tensor: str, is_ported: bool) -> None:
    call = f"nn.init.zeros_({tensor})"
    text = port(f"import torch.nn as nn\n{call}\n", unsafe=True).text
    assert (call in text) is not is_ported
    assert (f"\n{tensor}.set_data(" in text) is is_ported


EVALUATED = [  # arguments that a rule writes twice, before others or not at all; None: the call is left
    ("nn.MaxPool1d(next(i))", None),
    ("nn.MaxPool3d(kernel_size=i.pop())", None),
    ("nn.MaxPool1d((i := 2))", None),
    ("nn.MaxPool1d(i, padding=(i := 1))", None),
    ("nn.MaxPool1d(i[0], padding=i.pop())", None),
    ("nn.MaxPool1d(min(i))", None),  # of an iterator, nothing is left for the second
    ("nn.MaxPool1d(x.size(2))", None),  # the copy would not be ported
    ("nn.MaxPool1d(max(1, i.k // 2))", "nn.MaxPool1d(max(1, i.k // 2), stride=max(1, i.k // 2))"),
    ("nn.MaxPool1d(int(math.sqrt(i['k'])))", "nn.MaxPool1d(int(math.sqrt(i['k'])), stride=int(math.sqrt(i['k'])))"),
    ("nn.MaxPool1d(i.k, padding=f(i))", "nn.MaxPool1d(i.k, padding=f(i), stride=i.k)"),
    ("nn.MaxPool1d(next(i), stride=2)", "nn.MaxPool1d(next(i), stride=2)"),
    ("x.norm(dim=next(i), p=next(i))", None),
    ("x.norm(dim=i.pop(), p=i[0])", None),
    ("x.norm(dim=i.pop(), p=len(i))", None),
    ("x.norm(dim=(i := 0), p=i)", None),
    ("x.norm(dim=next(i), p=2)", "ops.vector_norm(x, 2, axis=next(i))"),
    ("x.norm(dim=next(i), p=self.p)", "ops.vector_norm(x, self.p, axis=next(i))"),
    ("x.norm(dim=next(i), p=ps[0])", "ops.vector_norm(x, ps[0], axis=next(i))"),
    ("x.norm(dim=len(x.shape) - 1, p=float(i))", "ops.vector_norm(x, float(i), axis=len(x.shape) - 1)"),
    ("x.norm(next(i), next(i))", "ops.vector_norm(x, next(i), axis=next(i))"),
    ("x.abs().norm(p=next(i), dim=next(i))", "ops.vector_norm(x.abs(), next(i), axis=next(i))"),
    ("nn.init.normal_(i, mean=f(), std=f())", None),
    ("torch.zeros(2, device=(i := x.device))", None),
    ("torch.zeros(2, device=f())", "mint.zeros(2)"),
]


@pytest.mark.parametrize(("before", "after"), EVALUATED)
def test_arguments_are_evaluated_as_often_and_in_the_order_as_before(
    port: Port, before: str, after: str | None
) -> None:
    text = f"import torch\nfrom torch import nn\ndef f(x: torch.Tensor, i):\n    return {before}\n"
    ported = port(text, unsafe=True)
    line = ported.text.splitlines()[-1]
    assert ("would be evaluated twice" in ported.text) is (after is None)
    if after is None:
        assert line.startswith(f"    return {before.partition('(')[0]}(")
        assert [one.state for one in ported.changes if one.source.rpartition(".")[2] in before.partition("(")[0]] == [
            "manual"
        ]
    else:
        assert line == f"    return {after}"


@pytest.mark.parametrize(("number", "is_left"), [("2", False), ("next(i)", True)])
def test_what_a_form_leaves_out_was_evaluated_too(number: str, is_left: bool) -> None:
    """By a rule of a target that is not the chosen one now."""
    index = open_index()
    facts = index.call_facts("torch.nn.functional.layer_norm")
    target = next(one for one in facts.targets if one.name == "mindspore.ops.LayerNorm")
    code = CodeText(f"layer_norm(f(x), ({number},), w.a, w.b, w.eps)")
    call = next(node for node in ast.walk(code.tree) if isinstance(node, ast.Call))
    writer = CallWriter(code, call, CallForm(("?", "tuple", "?", "?", "?")), facts, target, str)
    if is_left:
        with pytest.raises(NotWritten, match="would be evaluated twice"):
            writer.edits()
    else:
        assert "(f(x), w.a, w.b)" in apply_edits(code.data, writer.edits().edits).decode()


BARE = [  # arguments that need parentheses of their own where they come to stand elsewhere
    ("x.norm(2, d := i[0]), d", "ops.vector_norm(x, 2, axis=(d := i[0])), d"),
    ("x.norm(2, (d := i[0])), d", "ops.vector_norm(x, 2, axis=(d := i[0])), d"),
    ("x.norm(d := 2)", "ops.vector_norm(x, (d := 2))"),
    ("x.norm(dim=(d := 0), p=2)", "ops.vector_norm(x, 2, axis=(d := 0))"),
    ("x.size(d := 0)", "x.shape[(d := 0)]"),
    ("x.size(i for i in y)", "x.shape[(i for i in y)]"),
    ("x.size((i for i in y))", "x.shape[(i for i in y)]"),
    ("x.new_zeros(d := 2, 3)", "x.new_zeros((d := 2, 3))"),
    ("nn.Conv2d(3, 8, 3, 2, d := 1)", 'nn.Conv2d(3, 8, 3, 2, padding=(d := 1), pad_mode="pad", has_bias=True)'),
    ("nn.Embedding(a := 9, 3, b := 0)", "nn.Embedding(a := 9, 3, padding_idx=(b := 0))"),
    ("nn.Bilinear(2, 3, 4, d := True)", "nn.BiDense(2, 3, 4, has_bias=(d := True))"),
    ("nn.LayerNorm(a := 8, b := 1e-6)", "nn.LayerNorm(((a := 8),), epsilon=(b := 1e-6))"),
    ("nn.LayerNorm(i for i in y)", None),
    ("torch.relu(d := x)", "mint.nn.functional.relu(d := x)"),  # at its place it needs none
]


@pytest.mark.parametrize(("before", "after"), BARE)
def test_what_needs_parentheses_elsewhere_gets_them(before: str, after: str | None) -> None:
    index = open_index()
    porter = Porter(Judge.of_index(index, "2.10.0", "cpu"), index.source_names, PortOptions(unsafe=True))
    text = f"import torch\nfrom torch import nn\ndef f(x: torch.Tensor, y, i):\n    return {before}\n"
    assert porter.port_text(text).text.splitlines()[-1] == f"    return {after or before}"


@pytest.mark.parametrize("more", ["", "# one\n# two\n", "torch.std(a,\n    unbiased=False)\n"])
def test_the_line_that_is_no_python_is_named(port: Port, monkeypatch: pytest.MonkeyPatch, more: str) -> None:
    text = f"import torch\nx = torch.cat([a], dim=0)\n{more}y = 1\nz = 2\n"
    line = text[: text.index("y = 1")].count("\n") + 1
    place = text.index("1\n")
    monkeypatch.setattr(LayerEdits, "all", lambda _: [LayerEdit(Edit(place, place, "\n("), line)])
    with pytest.raises(UnreadableSource) as told:
        port(text)
    assert (told.value.code, told.value.line) == ("broken_line", line)
    problem = Problem("a.py", told.value.code, line, told.value.detail)
    assert problem_text(problem, "en").startswith(f"a.py:{line}: the edits would not")
    assert problem_text(problem, "zh").startswith(f"a.py:{line}：改写结果")


STARRED = [  # calls with `*`, and whether the target takes what it hands on as one tuple
    ("x.new_zeros(*i)", True),
    ("x.new_zeros(2, *i)", True),
    ("x.new_ones(*i, dtype=d)", True),
    ("x.new_empty(*x.shape[1:])", True),
    ("x.flip(*i)", True),
    ("torch.zeros(*i)", True),
    ("torch.ones(2, *i)", True),
    ("x.new_zeros((2, *i))", False),
    ("x.new_zeros(2, 3, **i)", False),
    ("x.view(*i)", False),
    ("x.view(-1, *i)", False),
    ("x.permute(*i)", False),
    ("x.reshape(*i)", False),
    ("x.expand(*i)", False),
    ("x.tile(*i)", False),
    ("torch.rand(*i)", False),
]


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize(("call", "is_told"), STARRED)
def test_a_star_where_the_target_takes_a_tuple_is_told(port: Port, call: str, is_told: bool, unsafe: bool) -> None:
    ported = port(f"{_TENSOR}return {call}\n", unsafe=unsafe)
    assert ("as one tuple" in ported.text) is is_told
    name = call.partition("(")[0].rpartition(".")[2]
    assert not is_told or [one.state for one in ported.changes if one.source.endswith(f".{name}")] == ["manual"]


def test_blanks_before_a_letter_that_is_no_token_keep_no_port_waiting(port: Port) -> None:
    begun = time.process_time()
    code = f"import torch\n℘ = torch.ones(3)\ny = torch.std({' ' * 45_000}℘, dim=0)\n"
    ported = port(code)
    assert time.process_time() - begun < 10
    assert ported


def test_what_has_no_tokens_is_not_gone_through_for_each_call_in_it(port: Port) -> None:
    """80 calls in one another with a ℘ in the innermost one: each took a second again."""
    begun = time.process_time()
    inner = f"x, {'x,' * 50_000} ℘, {'y, ' * 20_000}"
    ported = port(f"import torch\n℘ = torch.ones(3)\nz = {'torch.sum(' * 80}[{inner}]{', dim=1)' * 80}\n")
    assert time.process_time() - begun < 30
    assert ported


def test_pieces_whose_tokens_are_looked_for_in_vain_do_not_add_up(port: Port) -> None:
    """Each of 400 took 15 ms, and a file of 980 kB 64 s."""
    calls = f"torch.std({' ' * 238}℘,1)\n" * 400
    begun = time.process_time()
    assert port(f"import torch\n℘ = 1\n{calls}")
    assert time.process_time() - begun < 3


def test_the_line_above_a_statement_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be as long as the file, and was copied for each line of the statement that is told of: 0.9 MB took 26 s."""
    anchors = CodeAnchors(CodeText("y = (0);\\\nz = [\n" + "m,\n" * 1_000 + "]\n"))
    asked, goes_on = [], CodeAnchors._goes_on
    monkeypatch.setattr(CodeAnchors, "_goes_on", lambda self, line: asked.append(line) or goes_on(self, line))
    assert {anchors.anchor(line) for line in range(2, 1_003)} == {1}
    assert len(asked) < 3


def test_what_classes_within_each_other_bind_is_looked_up_once(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each use each class around it was asked for all that binds the name: 116 kB took 130 s."""
    asked, at = [], HeldNames._at

    def counted(*given: Any) -> Any:
        asked.append(given[2])
        return at(*given)

    monkeypatch.setattr(HeldNames, "_at", counted)
    classes, uses = 40, 100
    text = "import torch, c\n" + "".join(
        f"{' ' * depth}class C:\n{' ' * depth} if c: x = torch.relu\n" for depth in range(classes)
    )
    port(f"{text}{' ' * classes}{'x(); ' * uses}\n")
    assert uses <= asked.count("x") <= classes + 4 * uses
