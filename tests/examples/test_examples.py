"""The example scripts as text: what is read from them, and what is refused."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.database.examples import WORLD_SIZE, load_examples
from apidiff.errors import DataError
from apidiff.model.vocabulary import AnswerKind, ApiKind

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = load_examples(ROOT / "executable_examples")

GOOD = '''"""What it is.

Command:
    GLOG_v=3 start -n 3
        some/where.py

Output (gloo):
    rank 0: 1
    rank 1: 10
    rank 2: 100

More prose.
"""

import os


def example(rank: int, world_size: int) -> None:
    """Says something."""
    number = 10**rank
    print(f"rank {rank}: {number}")
'''


def write(folder: Path, text: str, name: str = "torch_example.py") -> Path:
    path = folder / "torch.distributed.thing" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_recipe_comes_after_the_examples(tmp_path: Path) -> None:
    for name in ("mindspore_recipe.py", "mindspore_example.py", "torch_example.py"):
        write(tmp_path, GOOD, name)
    found = load_examples(tmp_path)
    assert [(one.kind, one.framework) for one in found] == [
        ("example", "torch"),
        ("example", "mindspore"),
        ("recipe", "mindspore"),
    ]
    assert found[-1].path == "torch.distributed.thing/mindspore_recipe.py"


def test_reads_a_script(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, GOOD.replace("gloo", "CPU"), "mindspore_example.py")
    first, second = load_examples(tmp_path)
    assert (first.framework, second.framework) == ("torch", "mindspore")
    assert first.api == "torch.distributed.thing"
    assert first.path == "torch.distributed.thing/torch_example.py"
    assert first.command == "GLOG_v=3 start -n 3 some/where.py"
    assert (first.where, second.where) == ("gloo", "CPU")
    assert first.expected == ("rank 0: 1", "rank 1: 10", "rank 2: 100")
    assert first.expected_of(1) == ["rank 1: 10"]
    assert first.code == GOOD
    assert first.snippet == 'number = 10**rank\nprint(f"rank {rank}: {number}")'


def test_a_folder_without_examples_has_none(tmp_path: Path) -> None:
    assert load_examples(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("Command:", "Run:"), ":1: the docstring shows nothing after 'Command:'"),
        (lambda text: text.replace("Output (gloo):", "Prints:"), ":1: the docstring shows nothing after 'Output:'"),
        (lambda text: f"{text}#{50_000 * 'x'}\n", ": has more than 50000 characters"),
        (lambda text: text.replace("    rank 1: 10\n", "    one: 10\n"), ":9: the output line 'one: 10'"),
        (lambda text: text.replace("rank 2: 100", "rank 3: 100"), ":10: the output line 'rank 3: 100'"),
        (lambda text: text.replace("def example", "def show"), "there is no function example"),
        (lambda text: text.split('    """Says')[0] + '    """Says."""\n', ":18: the function example is empty"),
        (
            lambda text: text.split('    """Says')[0] + '    """Says."""; print(rank)\n',
            ":19: the first call of the function example stands on a line with other code",
        ),
        (lambda text: text.replace("import os", "import"), ":15: is not Python"),
        (lambda text: text.split('"""', 2)[2], ":1: the docstring shows nothing after 'Command:'"),
    ],
)
def test_refuses(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    path = write(tmp_path, change(GOOD))
    with pytest.raises(DataError) as caught:
        load_examples(tmp_path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_refuses_an_unknown_framework(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "jax_example.py")
    with pytest.raises(
        DataError, match=r"jax_example\.py: the file name names no known framework\. Call it torch_example"
    ):
        load_examples(tmp_path)


COMMUNICATING = {"collective", "p2p", "object"}


def test_every_api_that_communicates_has_a_script_on_both_sides(database: Data) -> None:
    mappings = database.mappings.values()
    wanted = {mapping.id for mapping in mappings if mapping.category in COMMUNICATING}
    # Only a counterpart that does not exist may lack a script; classes are shown by the functions that take them.
    without = {
        mapping.id
        for mapping in mappings
        if mapping.source.kind is not ApiKind.FUNCTION
        or (not mapping.targets and all(row.answer is not AnswerKind.COMPOSED for row in mapping.otherwise))
    }
    assert wanted
    for framework, excused in (("torch", without), ("mindspore", without)):
        having = {example.api for example in EXAMPLES if example.framework == framework}
        assert sorted(wanted - excused - having) == [], f"without a script for {framework}"


def test_every_script_belongs_to_a_mapping(database: Data) -> None:
    known = set(database.mappings)
    assert sorted({example.api for example in EXAMPLES} - known) == []


def test_the_command_names_the_script_and_every_rank_prints() -> None:
    assert len(EXAMPLES) > 80
    for example in EXAMPLES:
        assert example.command.split()[-1] == f"executable_examples/{example.path}"
        for rank in range(WORLD_SIZE):
            assert example.expected_of(rank), f"{example.path}: nothing is shown for rank {rank}"
        lines = [line for rank in range(WORLD_SIZE) for line in example.expected_of(rank)]
        assert list(example.expected) == lines, example.path


@pytest.mark.parametrize("framework", ["torch", "mindspore"])
def test_the_scripts_of_a_framework_start_and_end_alike(framework: str) -> None:
    mains = {}
    for example in EXAMPLES:
        if example.framework == framework:
            tree = ast.parse(example.code)
            rest = [node for node in tree.body[1:] if getattr(node, "name", "") != "example"]
            same = [ast.unparse(node) for node in rest if not ast.unparse(node).startswith("API = ")]
            mains["\n".join(same)] = example.path
    assert len(mains) == 1, f"these differ outside of example(): {sorted(mains.values())}"


def test_reading_examples_imports_no_framework() -> None:
    import subprocess

    code = (
        "import sys, pathlib; from apidiff.database.examples import load_examples;"
        "assert load_examples(pathlib.Path('executable_examples'));"
        "print([name for name in ('torch', 'mindspore', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.strip() == "[]"
