"""The shortest record and the worked example in CONTRIBUTING.md are records that the database would take."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from apidiff.database import InvalidData, load, load_valid
from apidiff.database.checks import run_checks

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"`apidiff/data/(?P<path>mappings/[\w/]+\.yaml)`:\n\n```yaml\n(?P<text>.*?)```\n", re.DOTALL)


SHORTEST = re.compile(r"<!-- record: (?P<name>[\w.]+) -->\n```yaml\n(?P<text>.*?)```\n", re.DOTALL)


@pytest.fixture
def example() -> tuple[str, str]:
    found = SHOWN.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(found) == 1
    return found[0]


def database_with(folder: Path, path: str, text: str) -> Path:
    """A copy of the data without runs, in which the mapping at ``path`` is the one shown: the first form of that record."""
    for entry in (ROOT / "apidiff" / "data").iterdir():
        if entry.name in {"mappings", "signatures", "official", "profiles"}:
            shutil.copytree(entry, folder / entry.name)
        elif entry.suffix == ".yaml" and entry.name != "canonical_calls.yaml":  # of targets that the form leaves out
            shutil.copy(entry, folder / entry.name)
    (folder / path).write_text(text, encoding="utf-8")
    return folder


def test_the_worked_example_is_valid(example: tuple[str, str], tmp_path: Path) -> None:
    path, text = example
    data = load(database_with(tmp_path, path, text))
    assert "torch.distributed.broadcast" in data.mappings
    # The record in the database names more targets than this first form of it; nothing is said of the form itself.
    assert [str(error) for error in run_checks(data) if str(error).startswith(str(tmp_path / path))] == []


def test_the_shortest_record_is_valid_and_has_six_lines(tmp_path: Path) -> None:
    ((name, text),) = SHORTEST.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert text.count("\n") <= 6
    path = Path("mappings", *name.split(".")).with_suffix(".yaml")
    data = load(database_with(tmp_path, str(path), text))
    assert [target.ranges for target in data.mappings[name].targets] != []
    errors = [str(error) for error in run_checks(data) if str(error).startswith(str(tmp_path / path))]
    assert [error for error in errors if "no mapping has the pair" not in error] == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("  zh: 把一个 rank 上的张量复制到其他所有 rank。\n", "", "lacks the key 'zh'"),
        ("src-keeps-tensor: {keeps", "src-keeps-tensor: {keep", "unknown key 'keep'"),
        ("category: collective", "id: torch.distributed.cast", "unknown key 'id'"),
    ],
)
def test_a_mistake_in_it_is_found(
    example: tuple[str, str], tmp_path: Path, before: str, after: str, message: str
) -> None:
    path, text = example
    assert before in text
    with pytest.raises(InvalidData) as caught:
        load_valid(database_with(tmp_path, path, text.replace(before, after, 1)))
    assert message in str(caught.value)
    assert "broadcast.yaml" in str(caught.value)
