"""The script that a page shows for a difference of samples repeats it: what the two frameworks give is not the same."""

from __future__ import annotations

import ast
import builtins
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from apidiff.derive.repeat_script import repeat_script
from apidiff.model.agreement import Facet
from apidiff.model.probe import Layout
from apidiff.model.sample import Arguments, SampleCall, SampleForm, SampleInput
from apidiff.model.views import Entry, RepeatEntry

DEADLINE = 500.0
# One part is run each day.
PARTS = 30
# What a script prints before the one result and before the other.
SIDES = (("PyTorch", "MindSpore"), ("PyNative mode", "graph mode"))
# MindSpore leaves the mean of nothing unwritten and returns what was in memory before: in a process of one call another number
# than in the recorded one, where others came before it.
BY_MEMORY = {"torch.nn.HingeEmbeddingLoss mindspore.nn.HingeEmbeddingLoss special-values-special-differ-cpu-extracted"}


def one_of_each(entries: Mapping[str, Entry]) -> Iterator[tuple[str, RepeatEntry]]:
    """A difference of each kind of call: by facet, by where the sample is from, and by what its script uses."""
    used = ("layer = ", "numpy.swapaxes", "numpy.tile", "random.", "narrow(", "1 = ")
    seen = set()
    for key, entry in entries.items():
        for target in entry.targets:
            for difference in target.differences:
                if (repeat := difference.repeat) is None:
                    continue
                place = difference.kind, repeat.inputs, *(part in repeat.script for part in used)
                if place not in seen:
                    seen.add(place)
                    yield f"{key} {target.name} {difference.id}", repeat


def undefined(code: str) -> set[str]:
    """The names that a script reads and nowhere binds."""
    tree = list(ast.walk(ast.parse(code)))
    imported = {alias.name for node in tree if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
    named = {node.name for node in tree if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler)}
    bound = {node.id for node in tree if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    arguments = {node.arg for node in tree if isinstance(node, ast.arg)}
    read = {node.id for node in tree if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return read - imported - named - bound - arguments - {*dir(builtins)}


def test_every_script_binds_what_it_reads(all_entries: dict[str, Entry]) -> None:
    differences = [
        (f"{key} {target.name} {difference.id}", difference.repeat)
        for key, entry in all_entries.items()
        for target in entry.targets
        for difference in target.differences
    ]
    scripts = {name: repeat.script for name, repeat in differences if repeat is not None}
    assert len(scripts) > 2000
    assert scripts.keys() >= BY_MEMORY
    assert {name: names for name, script in scripts.items() if (names := undefined(script))} == {}


@pytest.mark.turning(days=PARTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_script_shows_what_differs(part: int, all_entries: dict[str, Entry], tmp_path: Path) -> None:
    scripts = list(one_of_each(all_entries))
    assert len(scripts) >= PARTS
    unlike = {name: what for name, repeat in scripts[part::PARTS] if (what := what_is_wrong(repeat, tmp_path))}
    assert {name: what for name, what in unlike.items() if name not in BY_MEMORY} == {}


def what_is_wrong(repeat: RepeatEntry, folder: Path) -> str:
    """What a script printed where it shows no difference, or a mistake around the call; else nothing."""
    script = folder / "repeat.py"
    script.write_text(repeat.script, "utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=DEADLINE, check=False)
    one, other = next((sides for sides in SIDES if done.stdout.startswith(sides[0])), SIDES[0])
    printed, mark, theirs = done.stdout.partition(f"\n{other}")
    differ = printed.removeprefix(one).strip() != theirs.strip()
    # The call itself, and not a mistake in the script around it.
    mistaken = any(name in done.stdout for name in ("NameError", "SyntaxError", "ImportError"))
    return "" if mark and printed.startswith(one) and differ and not mistaken else done.stdout + done.stderr


@pytest.mark.parametrize(
    "script",
    [
        "print('PyTorch 1')\nprint('MindSpore 1')",
        "print('PyNative mode: 1')\nprint('graph mode: 1')",
        "print('PyTorch 1')",
        "print('PyTorch 1')\nprint('MindSpore NameError')",
        "1 / 0",
    ],
)
def test_a_script_that_shows_none_is_noticed(script: str, tmp_path: Path) -> None:
    assert what_is_wrong(RepeatEntry(sample="", inputs="written", command="", script=script), tmp_path)


def test_a_script_of_what_is_given() -> None:
    """An argument without elements, one with NaN, one that is a part of a larger tensor, and one that is written."""
    args = {
        "input": SampleInput(values=["nan", 0.1], dtype="float16"),
        "empty": SampleInput(shape=[0, 2]),
        "part": SampleInput(values=[1, 2], dtype="int64", layout=Layout.SLICE),
        "dim": -1,
    }
    call = SampleCall(api="torch.where", form=SampleForm.FUNCTION, given=Arguments(args=args))
    script = repeat_script(call, call, "cpu", Facet.IN_PLACE)
    for line in (
        "from math import nan",
        "    input = torch.tensor([nan, 0.1], dtype=torch.float16)",
        "    empty = mindspore.Tensor(numpy.zeros((0, 2)), mindspore.float32)",
        "    part = torch.tensor(numpy.tile([1, 2], (3,)), dtype=torch.int64).narrow(0, 2, 2)",
        "    result = torch.where(input, empty, part, -1)",
        '    return {"input": input, "empty": empty, "part": part}',
    ):
        assert line in script.splitlines()
    compile(script, "script", "exec")
