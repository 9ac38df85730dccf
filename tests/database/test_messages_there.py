"""`check` names a file of messages that is missing, and a part of one: no page or answer is to find out first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database.checks.messages import FILES, messages_are_there, named_keys
from apidiff.folder_walk import visible_files
from apidiff.messages.labels import FOLDER, LABELS


def test_all_are_there() -> None:
    assert {path.stem for path in visible_files(FOLDER, "*.yaml")} == FILES
    assert len(named_keys()) > 300
    assert list(messages_are_there(FOLDER, LABELS.keys())) == []


# what is left of the keys, what is told of it
MISSING: list[tuple[Callable[[str], bool], str]] = [
    (lambda key: key != "terminal.either", "'terminal.either', which lookup/errors.py names, is in none of its files"),
    (lambda key: not key.startswith("risk."), "'risk.*', which "),
    (lambda key: False, "'terminal.either', which "),
]


@pytest.mark.parametrize(("left", "found"), MISSING)
def test_a_part_that_is_missing_is_named(left: Callable[[str], bool], found: str) -> None:
    told = [str(error) for error in messages_are_there(FOLDER, set(filter(left, LABELS)))]
    assert any(found in line for line in told), told[:5]
    assert all(line.startswith(f"{FOLDER}: ") and "reinstall apidiff" in line for line in told)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    for name in FILES - {"scan"}:
        (tmp_path / f"{name}.yaml").touch()
    [error] = messages_are_there(tmp_path, {key for key in LABELS if not key.startswith("scan.")})
    assert str(error).startswith(f"{tmp_path / 'scan.yaml'}: is missing. It is a part of apidiff")
