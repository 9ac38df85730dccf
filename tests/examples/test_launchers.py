"""Examples, run as their docstrings say, print what their docstrings show.

All scripts of a framework are alike outside of example() (test_examples.py sees to that), and example() of every script is
run on ranks that are kept (verify, and pytest --apidiff-backend). So one script of each kind is launched a day.
"""

from __future__ import annotations

import importlib.util
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


UNSUPPORTED = "has no kernel"


def kind_of(example: Example) -> str:
    """What its launcher has to get through: of a framework, a call, one without a kernel, objects, or a recipe."""
    what = "recipe" if example.path.endswith("_recipe.py") else "call"
    if any(UNSUPPORTED in line for line in example.expected):
        what = "no kernel"
    return f"{example.framework}: {what}"


KINDS = [(example.framework, kind_of(example), example) for example in EXAMPLES]


def test_there_are_examples_of_every_kind() -> None:
    kinds = {kind for _, kind, _ in KINDS}
    assert kinds == {"torch: call", "mindspore: call", "mindspore: no kernel", "mindspore: recipe"}


@pytest.mark.turning(days=200, kind="framework")
@pytest.mark.parametrize(("framework", "kind", "example"), KINDS, ids=[example.path for *_, example in KINDS])
def test_prints_what_the_docstring_shows(framework: str, kind: str, example: Example, tmp_path: Path) -> None:
    needs(example)
    ended = run(example, tmp_path)
    assert ended.lines == list(example.expected), ended.log
    if kind.endswith("no kernel"):
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


def test_a_changed_call_is_noticed_and_a_foreseen_code_is_kept_for_missing_kernels(tmp_path: Path) -> None:
    example = example_of("torch.distributed.reduce/torch_example.py")
    needs(example)
    script = tmp_path / "torch_example.py"
    second = "handle = dist.reduce(tensor, dst=0, async_op=True)"
    assert second in example.code
    wrong = example.code.replace(second, "dist.barrier()\n    raise RuntimeError('wrong')")
    script.write_text(wrong.replace("dst=0", "dst=1"))
    ended = run(example, tmp_path, script)
    assert ended.code == 1, ended.log
    assert ended.lines != list(example.expected)
    assert "rank 1: sync returned None, tensor after: [111.0, 222.0, 333.0]" in ended.lines
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
