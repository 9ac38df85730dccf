"""The script that a page shows for a difference of samples repeats it: what the two frameworks give is not the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import apidiff
from apidiff.derive.repeat_script import repeat_script
from apidiff.model.agreement import Facet
from apidiff.model.probe import Layout
from apidiff.model.sample import Arguments, SampleCall, SampleForm, SampleInput
from apidiff.model.views import RepeatEntry

DEADLINE = 120.0


def one_of_each() -> Iterator[tuple[str, RepeatEntry]]:
    """A difference of each kind of call: by facet, by where the sample is from, and by what its script uses."""
    used = ("layer = ", "numpy.swapaxes", "numpy.tile", "random.", "narrow(", "_0 = ")
    seen = set()
    for key, entry in apidiff.load().entries.items():
        for target in entry.targets:
            for difference in target.differences:
                if (repeat := difference.repeat) is None:
                    continue
                place = difference.kind, repeat.inputs, *(part in repeat.script for part in used)
                if place not in seen:
                    seen.add(place)
                    yield f"{key} {target.name} {difference.id}", repeat


@pytest.mark.turning(days=20)
@pytest.mark.parametrize("repeat", [pytest.param(repeat, id=name) for name, repeat in one_of_each()])
def test_a_script_shows_what_differs(repeat: RepeatEntry, tmp_path: Path) -> None:
    script = tmp_path / "repeat.py"
    script.write_text(repeat.script, "utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=DEADLINE, check=False)
    printed, mark, theirs = done.stdout.partition("MindSpore")
    assert mark, done.stdout + done.stderr
    assert printed.startswith("PyTorch")
    assert printed.removeprefix("PyTorch").strip() != theirs.strip()
    # The call itself, and not a mistake in the script around it.
    assert not any(name in done.stdout for name in ("NameError", "SyntaxError", "ImportError")), done.stdout


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
