"""Examples, run as their docstrings say, print what their docstrings show.

All scripts of a framework are alike outside of example() (test_examples.py sees to that), and example() of every script is
run on ranks that are kept (verify, and pytest --apidiff-backend). So each launcher is tried with two scripts: sends and
receives, and objects; one without a kernel, and a recipe. APIDIFF_LAUNCHED=all has every script launched.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import psutil
import pytest
from example_launch import ROOT, run

from apidiff.database.examples import Example, load_examples

EXAMPLES = load_examples(ROOT / "executable_examples")
EXIT_UNSUPPORTED = 3


def needs(example: Example) -> None:
    if importlib.util.find_spec(example.framework) is None:
        pytest.skip(f"{example.framework} is not installed: make test installs it")


LAUNCHED = {
    "torch.distributed.send/torch_example.py",
    "torch.distributed.all_gather_object/torch_example.py",
    "torch.distributed.reduce_scatter/mindspore_example.py",
    "torch.distributed.all_reduce_coalesced/mindspore_recipe.py",
}
EVERY = os.environ.get("APIDIFF_LAUNCHED") == "all"
LAUNCHED_EXAMPLES = [example for example in EXAMPLES if EVERY or example.path in LAUNCHED]


def test_every_script_chosen_is_there() -> None:
    assert {example.path for example in LAUNCHED_EXAMPLES} >= LAUNCHED


@pytest.mark.parametrize("example", LAUNCHED_EXAMPLES, ids=[example.path for example in LAUNCHED_EXAMPLES])
def test_prints_what_the_docstring_shows(example: Example, tmp_path: Path) -> None:
    needs(example)
    ended = run(example, tmp_path)
    assert ended.lines == list(example.expected), ended.log
    if any("has no kernel" in line for line in example.expected):
        # msrun ends with 1 whatever a rank ends with, and logs the rank's code.
        assert ended.code == 1, ended.log
        assert re.findall(r"exit with exception\. Error code: (-?\d+)\.", ended.log) == [str(EXIT_UNSUPPORTED)], (
            ended.log
        )
        assert "Scheduler process" not in ended.log, "msrun waited for the scheduler to lose a rank"
    else:
        assert ended.code == 0, ended.log


def example_of(path: str) -> Example:
    return next(example for example in EXAMPLES if example.path == path)


def test_a_changed_call_is_noticed(tmp_path: Path) -> None:
    example = example_of("torch.distributed.reduce/torch_example.py")
    needs(example)
    script = tmp_path / "torch_example.py"
    script.write_text(example.code.replace("dst=0", "dst=1"))
    ended = run(example, tmp_path, script)
    assert ended.code == 0, ended.log
    assert ended.lines != list(example.expected)
    assert "rank 1: sync returned None, tensor after: [111.0, 222.0, 333.0]" in ended.lines


def test_a_foreseen_code_is_kept_for_missing_kernels(tmp_path: Path) -> None:
    example = example_of("torch.distributed.all_reduce/torch_example.py")
    needs(example)
    script = tmp_path / "torch_example.py"
    script.write_text(example.code.replace("returned = dist.all_reduce(tensor)", "raise RuntimeError('wrong')"))
    ended = run(example, tmp_path, script)
    assert ended.code == 1, ended.log
    assert "RuntimeError: wrong" in ended.log


def test_a_hanging_example_is_ended_with_all_its_ranks(tmp_path: Path) -> None:
    example = example_of("torch.distributed.all_reduce/torch_example.py")
    needs(example)
    script = tmp_path / "hangs_for_this_test.py"
    script.write_text("import time\ntime.sleep(600)\n")
    with pytest.raises(TimeoutError, match="did not end within 6 s"):
        run(example, tmp_path, script, deadline=6)
    left = [one.pid for one in psutil.process_iter(["cmdline"]) if str(script) in (one.info["cmdline"] or [])]
    assert left == []
