"""A list or a table that lost lines is told, though what is left of it is in order."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database import Data
from apidiff.database.checks import digests, without_unusable
from apidiff.database.checks.digests import digests_fit, missing_files
from apidiff.database.paths import DATA
from apidiff.errors import DataError

# file → what is done to it, and what is said of it
LOSSES: dict[str, tuple[Callable[[str], str | None], str]] = {
    "confusables.txt": (lambda text: text[: text.index("\n", len(text) // 2) + 1], "is not the file whose digest"),
    "documented.yaml": (lambda text: text.rstrip("\n") + "\n\n", "is not the file whose digest"),
    "finding_codes.json": (lambda text: re.sub(r'"parameter": "AD301",\s*', "", text), "is not the file whose digest"),
    "official/2025-07.yaml": (lambda _: None, "has a digest of apidiff/data/official/2025-07.yaml, which is not there"),
    "official/new.yaml": (lambda _: "", "has no digest in digests.txt. Restore the file"),
    "upstream/mapping_r2.4.10.csv": (lambda text: text.replace("consistent", "diff", 1), "is not the file whose"),
    "writing_rules.yaml": (
        lambda text: re.sub(r"\n *condition: .*right where .*", "", text, count=1),
        "is not the file",
    ),
    "profiles/everyday.yaml": (
        lambda text: re.sub(r"\n *bfloat16: .*", "", text, count=1),
        "is not the file whose digest",
    ),
    "messages/names.yaml": (lambda text: text[: text.rindex("\n\n") + 1], "is not the file whose digest"),
    "samples/torch.cdist.jsonl.gz": (lambda _: None, "samples: is not the file whose digest"),
    "known_specs.txt": (lambda _: None, "known_specs.txt: is not there. Restore"),
    "digests.txt": (lambda text: text.replace("  ", " ", 1), "digests.txt:1: is no digest and file"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("mappings", "runs", "schema")
    return Path(shutil.copytree(DATA, tmp_path / "data", ignore=ignored))


def test_the_digests_are_those_of_the_files() -> None:
    assert list(digests_fit(DATA)) == []


@pytest.mark.parametrize(
    "name", ["official/2025-07.yaml", "signatures/torch-2.1.0.json", "writing_rules.yaml", "samples"]
)
def test_a_file_that_is_gone_is_told_by_whatever_reads_the_data(
    root: Path, name: str, database: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / name
    path.rename(root.parent / "away")
    assert list(missing_files(root)) == []  # a part of the data
    monkeypatch.setattr(digests, "DATA", root)
    [error] = missing_files(root)
    assert (error.path, "is not there. Restore it" in str(error)) == (path, True)
    less = dataclasses.replace(database, root=root)
    assert [one.path for one in without_unusable(less).broken] == [path]
    told = dataclasses.replace(less, broken=[DataError(path.parent, None, "cannot be listed", "Mend it.")])
    assert without_unusable(told).broken == told.broken


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_told(root: Path, name: str) -> None:
    lose, said = LOSSES[name]
    assert list(digests_fit(root)) == []
    file = root / name
    before = file.read_bytes().decode("utf-8", "replace") if file.exists() else ""
    after = lose(before)
    assert after != before or not before
    if after is None:
        file.unlink()
    else:
        file.write_text(after, "utf-8")
    assert said in str(next(digests_fit(root)))


def test_a_name_that_is_no_text_is_told(root: Path) -> None:
    (root / "samples" / os.fsdecode(b"\xff.gz")).touch()
    [error] = digests_fit(root)
    assert "samples: is not the file whose digest" in str(error)


@pytest.mark.parametrize("name", ["samples/torch.cdist.jsonl.gz", "samples/x", "profiles/everyday.yaml"])
def test_a_folder_in_the_place_of_a_file_is_told_and_not_entered(root: Path, name: str) -> None:
    (root / name).unlink(missing_ok=True)
    (root / name).mkdir()
    (root / name / "again").symlink_to(root / "samples")
    [error] = digests_fit(root)
    assert str(error).startswith(f"{root / name}: cannot be read (it is no regular file). Restore")


def test_digests_that_are_gone_are_missed_of_the_projects_own_data_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "digests.txt").unlink()
    assert list(digests_fit(root)) == []
    monkeypatch.setattr("apidiff.database.checks.digests.DATA", root)
    [error] = digests_fit(root)
    assert "digests.txt: cannot be read" in str(error)
