"""What the command says of data that are broken: file, line and remedy, exit code 2, nothing written."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database.paths import PACKAGE

REDUCE = "apidiff/data/mappings/torch/distributed/reduce.yaml"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what a checkout is made of."""
    root = tmp_path / "checkout"
    for name in ("apidiff", "conf", "executable_examples"):
        shutil.copytree(PACKAGE.parent / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "ranks"))
    shutil.copy(PACKAGE.parent / "pyproject.toml", root)
    return root


def replace(file: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        text = (root / file).read_text(encoding="utf-8")
        assert old in text
        (root / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def change_a_byte_of_a_run(root: Path) -> None:
    run = min((root / "apidiff/data/runs").rglob("*.json"))
    run.write_bytes(run.read_bytes().replace(b'"holds"', b'"HOLDS"') + b" ")


def remove_releases(root: Path) -> None:
    (root / "apidiff/data/frameworks.yaml").unlink()


# what is done, what the error says
BROKEN = [
    (replace(REDUCE, "profile: collective", "profile: [collective"), "reduce.yaml:", "broken YAML"),
    (
        replace(REDUCE, "profile: collective", "profile: collective\nsurprise: 1"),
        "reduce.yaml:2:",
        "unknown key 'surprise'",
    ),
    (replace(REDUCE, "  zh: 对所有", "  # 对所有"), "reduce.yaml:", "lacks the key 'zh'"),
    (replace(REDUCE, "profile: collective", "id: torch.reduce\nprofile: collective"), "reduce.yaml:1:", "key 'id'"),
    (remove_releases, "frameworks.yaml", "cannot be read"),
]


@pytest.mark.turning(days=3, kind="found")
@pytest.mark.parametrize(("edit", "place", "found"), BROKEN)
@pytest.mark.parametrize("command", [["check"], ["lookup", "reduce", "--json"], ["export", "json", "out"]])
def test_broken_data(
    run_process,
    checkout: Path,
    tmp_path: Path,
    edit: Callable[[Path], None],
    place: str,
    found: str,
    command: list[str],
) -> None:
    edit(checkout)
    cache = tmp_path / "cache"
    done = run_process(*command, PYTHONPATH=str(checkout), XDG_CACHE_HOME=str(cache))
    assert (done.returncode, done.stdout) == (2, ""), done
    assert place in done.stderr
    assert found.lower() in done.stderr.lower()
    assert "Traceback" not in done.stderr
    assert all(line.startswith("apidiff: ") for line in done.stderr.splitlines())
    assert not cache.exists()
    assert not (tmp_path / "out").exists()


def test_a_damaged_record_is_named_and_stops_nothing_else(run_process, checkout: Path, tmp_path: Path) -> None:
    """`check` fails; who asks is answered from the rest, and told in a line."""
    change_a_byte_of_a_run(checkout)
    variables = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run_process("check", **variables)
    assert (done.returncode, done.stdout) == (2, ""), done
    [line] = done.stderr.splitlines()
    assert "/runs/" in line
    assert "was changed. Restore the file" in line
    done = run_process("lookup", "reduce", **variables)
    assert done.returncode == 0, done
    assert "Reduces a tensor over all ranks" in done.stdout
    [line] = done.stderr.splitlines()
    assert line.startswith("apidiff: note: damaged, and passed over: ")


def test_check_lists_every_error(run_process, checkout: Path) -> None:
    replace(REDUCE, "profile: collective", "surprise: 1\nprofile: collective")(checkout)
    replace(REDUCE.replace("reduce", "all_gather"), "profile: collective", "profile: [")(checkout)
    done = run_process("check", PYTHONPATH=str(checkout))
    assert [line.split(":")[1].rsplit("/", 1)[1] for line in done.stderr.splitlines()] == [
        "all_gather.yaml",
        "reduce.yaml",
    ]


def test_an_edited_record_is_answered_as_edited(run_process, checkout: Path, tmp_path: Path) -> None:
    """The index notices; the copy has an index of its own."""
    variables = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert "Reduces a tensor over all ranks" in run_process("lookup", "reduce", **variables).stdout
    replace(REDUCE, "Reduces a tensor", "Totals a tensor")(checkout)
    assert "Totals a tensor over all ranks" in run_process("lookup", "reduce", **variables).stdout
