"""After an edit of files, what is kept from the last build makes the content that a clean build makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from turning import day

from apidiff import database
from apidiff.database.paths import DATA
from apidiff.sphinxext import site_content
from apidiff.sphinxext.site_content import Content

GATHER, SCATTER, ABS = "torch.distributed.gather", "torch.distributed.scatter", "torch.abs"
NOTE = "left-out-both-mean-rank-0"  # the records of gather and scatter name it


def _file(root: Path, mapping: str) -> Path:
    return database.data.mapping_path(root, mapping)


def _replace(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text, path
    path.write_text(text.replace(before, after), "utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project's data with three mappings and the runs of ranks of one version of each framework."""
    root = tmp_path / "data"
    left_out = ("mappings", "samples", "schema", "canonical_calls.yaml", "mindspore-2.[789].*", "single-*")
    shutil.copytree(DATA, root, symlinks=True, ignore=shutil.ignore_patterns(*left_out))
    for mapping in (GATHER, SCATTER, ABS):
        _file(root, mapping).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_file(DATA, mapping), _file(root, mapping))
    return root


def _edit_summary(root: Path) -> None:
    _replace(_file(root, ABS), "Computes", "Really computes")


def _edit_headline(root: Path) -> None:
    headline = '{en: "Another headline", zh: 另一个标题}'
    _replace(_file(root, GATHER), "headline: list-needed-everywhere", f"headline: {headline}")


def _edit_shared_note(root: Path) -> None:
    path = root / "notes.yaml"
    found = path.read_text("utf-8").index(f"\n{NOTE}:")
    text = path.read_text("utf-8")
    path.write_text(text[:found] + text[found:].replace("rank 0", "the rank 0", 1), "utf-8")


def _remove_record(root: Path) -> None:
    _file(root, SCATTER).unlink()


EDITS: list[tuple[Callable[[Path], None], set[str]]] = [
    (_edit_summary, {ABS}),
    (_edit_headline, {GATHER}),
    (_edit_shared_note, {GATHER, SCATTER}),
    (_remove_record, {SCATTER}),
]


@pytest.mark.turning(days=2)
@pytest.mark.parametrize(("edit", "changed"), EDITS)
def test_content_after_an_edit_is_that_of_a_clean_build(
    root: Path, tmp_path: Path, edit: Callable[[Path], None], changed: set[str]
) -> None:
    before = _made(root, tmp_path / "kept")
    assert GATHER in before.pictures
    edit(root)
    after = _made(root, tmp_path / "kept")
    assert after == _made(root, tmp_path / "clean")
    names = before.entries.keys() | after.entries.keys()
    assert {name for name in names if before.entries.get(name) != after.entries.get(name)} == changed


def test_content_is_the_same_bytes_in_every_process(root: Path, tmp_path: Path) -> None:
    """The order of sets is another in each process; data of pages that differ by it would have all pages made again."""
    script = "import sys; from pathlib import Path; from apidiff import database; from apidiff.sphinxext import site_content\n"
    script += "from apidiff.sphinxext.build_cache import BuildCache\n"
    script += "BuildCache(Path(sys.argv[2])).publish(site_content.make(database.load(Path(sys.argv[1]))))"
    contents = set()
    first = 3 * (day() or 0)  # others each day
    for seed in range(first, first + 3):
        folder = tmp_path / f"{seed}"
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        subprocess.run([sys.executable, "-c", script, str(root), str(folder)], env=environment, check=True)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        contents.add(tuple((path.relative_to(folder), path.read_bytes()) for path in files))
    assert len(contents) == 1


def _made(root: Path, keep: Path) -> Content:
    return site_content.make(database.load(root), keep)
