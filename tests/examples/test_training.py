"""The training scripts of the guide on DistributedDataParallel lose the same on both frameworks, epoch by epoch, on two ranks."""

from __future__ import annotations

import ast
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from example_launch import ROOT, Ended, launch

FOLDER = ROOT / "executable_examples" / "ddp_training"
EPOCH = re.compile(r"rank 0: epoch \d+: loss (?P<loss>[\d.]+), accuracy (?P<accuracy>[\d.]+)")
CHECKPOINT = re.compile(r"rank \d: checkpoint: loss (?P<loss>[\d.]+)")
TOLERANCE = 1e-4  # of a loss near 1, after 24 steps in float32; both print six digits


@dataclass(frozen=True)
class Training:
    """What a script printed: loss and accuracy of each epoch, and on each rank the loss of the checkpoint."""

    losses: list[float]
    accuracies: list[float]
    checkpoint: list[float]


def read(ended: Ended) -> Training:
    assert ended.code == 0, ended.log
    text = "\n".join(ended.lines)
    epochs = list(EPOCH.finditer(text))
    return Training(
        [float(epoch["loss"]) for epoch in epochs],
        [float(epoch["accuracy"]) for epoch in epochs],
        [float(checkpoint["loss"]) for checkpoint in CHECKPOINT.finditer(text)],
    )


def train(name: str, folder: Path, script: Path | None = None) -> Training:
    framework = name.removesuffix(".py").rpartition("_")[2]
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed: make test installs it")
    docstring = ast.get_docstring(ast.parse((FOLDER / name).read_text("utf-8"))) or ""
    command = docstring.partition("Command:\n")[2].strip()
    assert command.endswith(f"executable_examples/ddp_training/{name}")
    return read(launch(command, folder, script))


def differences(one: Training, other: Training) -> list[str]:
    """What differs by more than the tolerance between two runs, and what one of them printed more of."""
    found = []
    for what in ("losses", "accuracies", "checkpoint"):
        mine, theirs = getattr(one, what), getattr(other, what)
        if len(mine) != len(theirs):
            found.append(f"{what}: {len(mine)} against {len(theirs)}")
        found += [f"{what}: {a} against {b}" for a, b in zip(mine, theirs, strict=False) if abs(a - b) > TOLERANCE]
    return found


@pytest.fixture(scope="module")
def torch_training(tmp_path_factory: pytest.TempPathFactory) -> Training:
    return train("train_torch.py", tmp_path_factory.mktemp("torch"))


@pytest.mark.turning(days=2, group="trained")
def test_both_scripts_lose_the_same(torch_training: Training, tmp_path: Path) -> None:
    ported = train("train_mindspore.py", tmp_path)
    assert differences(torch_training, ported) == []
    assert len(ported.losses) == 4
    assert len(ported.checkpoint) == 2
    assert ported.losses[-1] < ported.losses[0] / 4, "nothing was learned, so equal losses say little"


FAULTS = {
    "gradients-summed": ("    flat = flat / world_size\n", ""),
    "gradients-not-shared": ("    dist.all_reduce(flat)\n    flat = flat / world_size\n", ""),
    "parameters-not-broadcast": ("        dist.broadcast(value, src=0)\n", ""),
    "same-share-on-all-ranks": ("DistributedSampler(world_size, rank,", "DistributedSampler(world_size, 0,"),
    "optimizer-of-mint": ("nn.SGD(weights, learning_rate=", "mint.optim.SGD(weights, lr="),
}


@pytest.mark.turning(days=6, group="trained")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_step_left_out_is_noticed(torch_training: Training, tmp_path: Path, fault: str) -> None:
    code = (FOLDER / "train_mindspore.py").read_text("utf-8")
    right, wrong = FAULTS[fault]
    script = tmp_path / "train_mindspore.py"
    script.write_text(code.replace(right, wrong), "utf-8")
    assert differences(torch_training, train("train_mindspore.py", tmp_path, script)) != []


def test_each_fault_changes_the_script_in_one_place() -> None:
    code = (FOLDER / "train_mindspore.py").read_text("utf-8")
    assert {fault: code.count(right) for fault, (right, _) in FAULTS.items()} == dict.fromkeys(FAULTS, 1)


def test_differences_are_counted() -> None:
    right = Training([1.0, 0.5], [0.5, 0.9], [0.4, 0.4])
    assert differences(right, Training([1.00001, 0.5], [0.5, 0.9], [0.4, 0.4])) == []
    assert differences(right, Training([1.0], [0.5, 0.9], [0.4, 0.41])) == [
        "losses: 2 against 1",
        "checkpoint: 0.4 against 0.41",
    ]


def test_both_scripts_are_alike_but_for_the_port() -> None:
    """The parts that make data and first weights are the same text, so that the losses can be compared."""
    codes = [(FOLDER / name).read_text("utf-8") for name in ("train_torch.py", "train_mindspore.py")]
    parts = [
        {node.name: ast.unparse(node) for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
        for code in codes
    ]
    for name in ("make_data", "first_weights"):
        assert parts[0][name] == parts[1][name]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_guide_shows_the_scripts_and_what_they_print(language: str, torch_training: Training) -> None:
    text = (ROOT / "docs" / language / "guide" / "training.md").read_text("utf-8")
    for name in ("train_torch.py", "train_mindspore.py"):
        assert f"{{literalinclude}} ../../../executable_examples/ddp_training/{name}\n" in text
    rows = re.findall(r"\| epoch \d+ \| ([\d.]+) \| ([\d.]+) \|", text)
    shown = Training([float(row[0]) for row in rows], [float(row[1]) for row in rows], torch_training.checkpoint)
    assert differences(shown, torch_training) == []
    assert len(re.findall(r"^\d+\. ", text, re.MULTILINE)) <= 10
