"""What is advised is run as it is written, on 3 or 4 ranks: recipes, the samples of the guides, and the code in notes.

Each result is then used: the tensors that are left go into one more sum over all ranks. One launch takes everything.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import turning
from example_launch import ROOT, end, free_port

DRIVER = Path(__file__).with_name("advice_ranks.py")
FENCE = re.compile(r"^```python\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
DEADLINE = 1000.0  # seconds for one launch; 20 on two idle cores


@dataclass(frozen=True)
class Item:
    """One piece of advice: ``code`` is the path of a recipe, or what a fence of a guide or a note holds."""

    name: str
    recipe: bool
    code: str


def fences(name: str, text: str) -> list[Item]:
    """The Python samples of a page."""
    return [Item(f"{name}:{number}", False, code) for number, code in enumerate(FENCE.findall(text), start=1)]


INLINE = re.compile(r"`([^`\n]+)`")
# Statements in notes, with the code that gives them what their text takes for given. MindSpore runs them.
_PART = "x = Tensor(np.arange(6, dtype=np.float32) * 10**rank)\na, b = 1, 4\n"
_CHUNKS = "from mindspore import mint\nn = world_size\nx = Tensor(np.arange(2 * n, dtype=np.float32))\n"
_TENSOR = "tensor = Tensor(np.arange(6, dtype=np.float32))\n"
_CROSS = "import mindspore\ninput, other = mindspore.ops.ones((2, 3)), mindspore.ops.ones((1, 3))\n"
_BOTH = "import mindspore\ntensor, other = mindspore.Tensor([1.0, 2.0]), mindspore.Tensor([2.0, 1.0])\n"
GIVEN = {
    "part = x[a:b].copy()": _PART,
    "x[a:b] = part": f"{_PART}part = x[a:b].copy()\ndist.all_reduce(part)\n",
    "parts = [part.copy() for part in x.chunk(n)]": _CHUNKS,
    "x[:] = mint.cat(parts)": f"{_CHUNKS}parts = [part.copy() for part in x.chunk(n)]\n"
    "tensor = Tensor(np.arange(1, 3, dtype=np.float32) * 10**rank)\ndist.all_gather(parts, tensor)\n",
    "all_reduce(tensor, group=group)": "group = dist.new_group([*range(world_size)])\nall_reduce = dist.all_reduce\n",
    "get_rank(group)": "group = None\nget_rank = dist.get_rank\n",
    "get_world_size(group)": "group = None\nget_world_size = dist.get_world_size\n",
    "mint.distributed.all_reduce(tensor, 'max')": "from mindspore import mint\n",
    "expand_dims(weight, 2)": "from mindspore.ops import expand_dims\nweight = Tensor(np.ones((2, 3), np.float32))\n",
    "mindspore.ops.stop_gradient(tensor)": f"import mindspore\n{_TENSOR}",
    "mindspore.mint.cross(input, other.broadcast_to(input.shape), dim=1)": _CROSS,
    "mindspore.ops.cross(input, other.broadcast_to(input.shape), dim=-1)": _CROSS,
    "mindspore.nn.LeakyReLU((lower + upper) / 2)": "import mindspore\nlower, upper = 1 / 8, 1 / 3\n",
    "mindspore.Tensor(numpy.nextafter(tensor.asnumpy(), other.asnumpy()))": "import mindspore\nimport numpy\n"
    "tensor, other = mindspore.ops.ones(2), mindspore.ops.zeros(2)\n",
    "tensor.copy_(mindspore.Tensor(numpy.nextafter(tensor.asnumpy(), other.asnumpy())))": "import mindspore\n"
    "import numpy\ntensor, other = mindspore.ops.ones(2), mindspore.ops.zeros(2)\n",
    "mindspore.mint.polar(abs.broadcast_to(angle.shape), angle)": "import mindspore\n"
    "abs, angle = mindspore.ops.ones(1), mindspore.ops.ones(3)\n",
    "tensor.cross(other.broadcast_to(tensor.shape), dim=1)": "import mindspore\n"
    "tensor, other = mindspore.ops.ones((2, 3)), mindspore.ops.ones((1, 3))\n",
    "input.unsqueeze(1)": "import mindspore\ninput = mindspore.ops.ones((3, 2))\n",
    "input.unsqueeze(0)": "import mindspore\ninput = mindspore.ops.ones((3, 2))\n",
    "mask.nonzero().unbind(1)": "import mindspore\nmask = mindspore.Tensor([[True, False], [True, True]])\n",
    "scores.masked_fill(~mask, float('-inf'))": "import mindspore\n"
    "scores, mask = mindspore.Tensor([1, 2]), mindspore.Tensor([True, True])\n",
    "scores.masked_fill(mindspore.ops.triu(mindspore.ops.ones_like(scores), 1) > 0, float('-inf'))": "import mindspore\n"
    "scores = mindspore.ops.ones((2, 3), mindspore.float32)\n",
    "tensor[:, 0] = values": "import mindspore\ntensor = mindspore.Tensor([[1, 2], [2, 3]])\nvalues = mindspore.Tensor([5, 6])\n",
    "mindspore.nn.Dropout(p=0.5)": "import mindspore\n",
    "first.kl_loss('Normal', mean, sd)": "import mindspore\nfrom mindspore.nn.probability.distribution import Normal\n"
    "first = Normal(0.0, 1.0)\nmean, sd = mindspore.Tensor([1.0]), mindspore.Tensor([2.0])\n",
    "mindspore.ops.squeeze(input)": "import mindspore\ninput = mindspore.ops.ones((2, 1), mindspore.float32)\n",
    "zeros((2, 3))": "from mindspore.mint import zeros\n",
    "ones((2, 3))": "from mindspore.mint import ones\n",
    "new_zeros((2, 3))": "import mindspore\nnew_zeros = mindspore.ops.ones((2,), mindspore.float32).new_zeros\n",
    "new_ones((2, 3))": "import mindspore\nnew_ones = mindspore.ops.ones((2,), mindspore.float32).new_ones\n",
    "mindspore.ops.equal(input, other).all().item()": "import mindspore\n"
    "input, other = mindspore.Tensor([1, 2]), mindspore.Tensor([1, 2])\n",
    "tensor.equal(other).all().item()": "import mindspore\n"
    "tensor, other = mindspore.Tensor([1, 2]), mindspore.Tensor([1, 2])\n",
    "(f(x + h) - f(x - h)) / (2 * h)": "f = lambda x: x * x\nx, h = 1.0, 1e-3\n",
    "median + sigma * tan(pi * (u - 0.5))": "import mindspore\nfrom math import pi\n"
    "median, sigma, u, tan = 0.0, 1.0, mindspore.ops.rand(3), mindspore.ops.tan\n",
    "weight * gamma / sqrt(variance + eps)": "import mindspore\neps, sqrt = 1e-5, mindspore.ops.sqrt\n"
    "weight, gamma, variance = [mindspore.ops.ones((2,), mindspore.float32) for _ in range(3)]\n",
    "parameter.requires_grad = False": "import mindspore\n"
    "parameter = mindspore.Parameter(mindspore.ops.zeros((2, 3), mindspore.float32))\n",
    "step = mindspore.value_and_grad(forward, None, model.trainable_params())": "import mindspore\n"
    "model = mindspore.nn.Dense(2, 1)\nforward = lambda inputs: model(inputs).mean()\n",
    "optimizer(gradients)": "import mindspore\nweight = mindspore.Parameter(mindspore.ops.ones((2,), mindspore.float32))\n"
    "optimizer = mindspore.nn.SGD([weight])\ngradients = (mindspore.ops.ones((2,), mindspore.float32),)\n",
    "mindspore.Tensor(data, tensor.dtype)": "import mindspore\n"
    "tensor = mindspore.ops.ones((2,), mindspore.float32)\ndata = [1, 2]\n",
    "mindspore.amp.all_finite(gradients)": "import mindspore\ngradients = (mindspore.ops.ones((2,), mindspore.float32),)\n",
    "mindspore.value_and_grad(forward, None, model.trainable_params())": "import mindspore\n"
    "model = mindspore.nn.Dense(2, 1)\nforward = lambda inputs: model(inputs).mean()\n",
    "parameter.set_data(values)": "import mindspore\n"
    "parameter = mindspore.Parameter(mindspore.ops.zeros((2, 3), mindspore.float32))\n"
    "values = mindspore.ops.ones((2, 3), mindspore.float32)\n",
    "set_train(False)": "import mindspore\nset_train = mindspore.nn.Dense(2, 1).set_train\n",
    "tensor.copy_(values)": "import mindspore\ntensor = mindspore.ops.zeros((2,), mindspore.float32)\n"
    "values = mindspore.ops.ones((2,), mindspore.float32)\n",
    "tensor.maximum(other)": _BOTH,
    "tensor.minimum(other)": _BOTH,
    "tensor.var(ddof=1)": _BOTH,
    "input.masked_fill(mask, value)": "import mindspore\nvalue = 0\n"
    "input, mask = mindspore.Tensor([1.0, 2.0]), mindspore.Tensor([True, False])\n",
    "index.reshape(-1, 1).expand_as(tensor)": "import mindspore\n"
    "tensor, index = mindspore.ops.ones((2, 3), mindspore.float32), mindspore.Tensor([1, 0])\n",
    "add(key, 0)": "import socket\nfree = socket.socket()\nfree.bind(('127.0.0.1', 0))\nport = free.getsockname()[1]\n"
    "free.close()\nstore = dist.TCPStore('127.0.0.1', port, is_master=True)\nadd, key = store.add, 'key'\n",
}
# Those that no run makes, and why.
NOT_RUN = {
    "part = x[a:b].clone()": "PyTorch's; MindSpore's is beside it",
    "get_rank(group) == -1": "tells what PyTorch returns outside a group",
    "get_world_size(group) == -1": "tells what PyTorch returns outside a group",
    "queue_pop(key, block=False)": "PyTorch's, of a store that has no counterpart",
    "set_comm_ops_inplace(False)": "tells what makes calls fail from then on; it is switched for the whole process",
    "tensor.max(other)": "PyTorch's; MindSpore's is beside it",
    "tensor.min(other)": "PyTorch's; MindSpore's is beside it",
    "x = x.requires_grad_()": "PyTorch's; tells what loses the tensor in MindSpore",
    "tensor.norm(2)": "tells what MindSpore computes otherwise",
    "tensor.flip(-1)": "PyTorch's; tells what MindSpore refuses",
    "tensor.flip(0, 1)": "PyTorch's; tells what MindSpore refuses",
    "tensor[:, 0].copy_(values)": "PyTorch's; MindSpore's is beside it",
    "tensor.to(device, dtype)": "PyTorch's; MindSpore's is the dtype alone",
    "tensor.size(0)": "PyTorch's; MindSpore's is beside it",
    "wait(timeout)": "PyTorch's; in MindSpore `wait` takes no argument",
    "y = x·Wᵀ + b": "a formula",
}


def statements(text: str) -> set[str]:
    """The code in ``text`` that is a call with arguments or an assignment, whole; `name=value` alone is an argument."""
    found = set()
    for code in INLINE.findall(text):
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        made = any(isinstance(node, ast.Call) and (node.args or node.keywords) for node in ast.walk(tree))
        assigned = isinstance(tree.body[0], ast.Assign) and " = " in code
        if made or assigned:
            found.add(code)
    return found


def noted(root: Path = ROOT) -> set[str]:
    """The statements in the texts of all records, profiles and notes."""
    data = root / "apidiff" / "data"
    files = [*data.glob("mappings/**/*.yaml"), *data.glob("profiles/*.yaml")]
    files += [data / "notes.yaml", data / "messages" / "sweeps.yaml"]
    return set().union(*(statements(path.read_text("utf-8")) for path in files))


def advice(root: Path = ROOT) -> list[Item]:
    """Every recipe, every sample, and the code of notes."""
    recipes = sorted((root / "executable_examples").glob("*/mindspore_recipe.py"))
    items = [Item(path.parent.name, True, str(path)) for path in recipes]
    for path in sorted(root.glob("docs/*/guide/*.md")):
        items += fences(f"{path.parents[1].name}/{path.name}", path.read_text("utf-8"))
    if root == ROOT:
        items += [Item(f"note:{code}", False, f"{given}{code}\n") for code, given in GIVEN.items()]
    return items


ITEMS = advice()
Outcome = list[dict[str, object]]


def sizes() -> list[int]:
    """On 2 ranks one day, on 3 the next; on these and on 4 every night."""
    today = turning.day()
    return [2, 3, 4] if today is None else turning.due([2, 3], 2, today)


@pytest.fixture(scope="module", params=sizes())
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome | None]:
    """For each item, what came of it on each rank; None where a rank never answered."""
    folder = tmp_path_factory.mktemp("advice")
    items = folder / "items.json"
    items.write_text(json.dumps([dataclasses.asdict(item) for item in ITEMS]))
    size = str(request.param)
    command = [str(Path(sys.executable).with_name("msrun")), "--worker_num", size, "--local_worker_num", size]
    command += ["--join", "True", "--master_port", str(free_port()), "--log_dir", str(folder / "logs")]
    environment = os.environ | {"GLOG_v": "3", "DEVICE_TARGET": "CPU", "OMP_NUM_THREADS": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    with (folder / "launcher.log").open("w") as log:
        process = subprocess.Popen(
            [*command, str(DRIVER), str(items), str(folder)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            with suppress(subprocess.TimeoutExpired):
                process.wait(DEADLINE)
        finally:
            end(process)
    return [_read(folder, number, request.param) for number in range(len(ITEMS))]


def _read(folder: Path, number: int, size: int) -> Outcome | None:
    paths = [folder / f"{number}-{rank}.json" for rank in range(size)]
    return [json.loads(path.read_text()) for path in paths] if all(path.exists() for path in paths) else None


def faults(outcome: Outcome | None) -> list[str]:
    """What is wrong with what came of an item: a rank without an answer, an error, a sum that is none."""
    if outcome is None:
        return ["a rank never answered"]
    errors = [str(rank["error"]) for rank in outcome if "error" in rank]
    if errors:
        return errors
    found = []
    for name in outcome[0]["used"]:  # type: ignore[attr-defined]
        parts = [rank["used"][name] for rank in outcome]  # type: ignore[index]
        total = np.sum([part["before"] for part in parts], axis=0, dtype=np.float64)
        found += [
            f"{name}: {part['sum']} instead of {total.tolist()}"
            for part in parts
            if not np.allclose(part["sum"], total)
        ]
    return found


@pytest.mark.parametrize("number", range(len(ITEMS)), ids=[item.name for item in ITEMS])
def test_advice_runs_and_its_result_can_be_used(outcomes: list[Outcome | None], number: int) -> None:
    assert faults(outcomes[number]) == []


def test_the_code_of_every_note_is_run_or_a_reason_is_given() -> None:
    assert noted() == set(GIVEN) | set(NOT_RUN)


def test_statements_are_told_from_arguments() -> None:
    text = "`f(x)`, `f()`, `a.b`, `op=MAX`, `part = f[s]`, `if ready:`, `not code`"
    assert statements(text) == {"f(x)", "part = f[s]"}


def test_advice_is_found(tmp_path: Path) -> None:
    assert len([item for item in ITEMS if item.recipe]) >= 17
    assert {item.name for item in ITEMS} >= {"en/porting.md:1", "zh/porting.md:1"}
    page = tmp_path / "docs" / "en" / "guide" / "a.md"
    page.parent.mkdir(parents=True)
    page.write_text("```python\na = 1\n```\n\n```bash\nls\n```\n\n```python\nb = 2\n```\n")
    assert [item.code for item in advice(tmp_path)] == ["a = 1\n", "b = 2\n"]


FAULTY = [
    (None, "never answered"),
    ([{"used": {}}, {"error": "ValueError: no"}], "ValueError"),
    (
        [{"used": {"a": {"before": [1.0], "sum": [1.0]}}}, {"used": {"a": {"before": [2.0], "sum": [3.0]}}}],
        "a: [1.0] instead",
    ),
]


@pytest.mark.parametrize(("outcome", "message"), FAULTY)
def test_what_goes_wrong_is_noticed(outcome: Outcome | None, message: str) -> None:
    assert message in faults(outcome)[0]


def test_a_right_result_is_no_fault() -> None:
    assert (
        faults([{"used": {"a": {"before": [1.0], "sum": [3.0]}}}, {"used": {"a": {"before": [2.0], "sum": [3.0]}}}])
        == []
    )
