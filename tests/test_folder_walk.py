"""Folders are listed as `os.walk` lists them, however deep they lie; hidden files are passed over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from deep_folders import deep
from unlisted_folders import refuse_listing

from apidiff.errors import Damage, DataError
from apidiff.folder_walk import visible_files, walk_folders


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b/c/d", "a", "a/e"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("x.py", "b/y.py", "b/c/d/z.py"):
        (tmp_path / name).touch()
    (tmp_path / "a" / "link").symlink_to("../b")
    (tmp_path / "a" / "self").symlink_to("self")
    (tmp_path / "gone").symlink_to("nowhere")
    return tmp_path


# (pattern, what it matches of the names that no program gave its own files)
PATTERNS = [
    ("*.py", ["gone.py", "x.py"]),
    ("**/*.py", ["a/y.py", "b/c/d/z.py", "b/y.py", "gone.py", "x.py"]),
    ("*/*.md", []),
]


@pytest.mark.parametrize(("pattern", "found"), PATTERNS)
def test_hidden_files_are_left_out(tree: Path, pattern: str, found: list[str]) -> None:
    (tree / "a" / "y.py").touch()
    for name in (".#x.py", "gone.py", "b/.#y.py"):
        (tree / name).symlink_to("me@host.1:2")
    for name in ("._x.py", "a/.hidden.md"):
        (tree / name).touch()
    assert [path.relative_to(tree).as_posix() for path in visible_files(tree, pattern)] == found


# (pattern, the folder that cannot be listed, what is found of the others)
UNLISTED = [
    ("*.py", ".", []),
    ("*/*.py", "b", []),
    ("*/*.py", "a/e", ["a/here.py", "b/y.py"]),  # it is not looked into
    ("**/*.py", "a/e", ["a/here.py", "b/c/d/z.py", "b/y.py", "x.py"]),
    ("**/*.py", "b/c", ["a/here.py", "b/y.py", "x.py"]),
]


@pytest.mark.parametrize(("pattern", "folder", "found"), UNLISTED)
def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(
    tree: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, folder: str, found: list[str]
) -> None:
    (tree / "a" / "here.py").touch()
    (tree / "a" / "link").unlink()
    refuse_listing(tree / folder, monkeypatch)
    broken: list[DataError] = []
    paths = visible_files(tree, pattern, broken)
    is_told = (pattern, folder) != ("*/*.py", "a/e")
    assert [(error.path, error.found, error.damage) for error in broken] == [
        (tree / folder, "cannot be listed (Permission denied)", Damage.UNREADABLE)
    ] * is_told
    if found:
        assert [path.relative_to(tree).as_posix() for path in paths] == found
    if is_told:
        with pytest.raises(DataError, match=r"cannot be listed \(Permission denied\)\. Check that it is a folder"):
            visible_files(tree, pattern)


def test_a_file_in_the_place_of_a_folder_is_told_and_none_there_is_not(tree: Path) -> None:
    with pytest.raises(DataError, match=r"x\.py: cannot be listed \(Not a directory\)"):
        visible_files(tree / "x.py", "*.py")
    assert visible_files(tree / "nowhere", "**/*.py") == []


@pytest.mark.parametrize("follow", [False, True])
def test_the_order_is_that_of_the_standard_library(tree: Path, follow: bool) -> None:
    expected = list(os.walk(tree, followlinks=follow))
    assert list(walk_folders(tree, follow_links=follow)) == expected
    assert len(expected) == (9 if follow else 6)


def test_what_the_caller_takes_out_is_not_walked_into(tree: Path) -> None:
    found = []
    for path, folders, _ in walk_folders(tree):
        found.append(Path(path).name)
        folders[:] = sorted(name for name in folders if name != "c")
    assert found == [tree.name, "a", "e", "b"]


def test_what_cannot_be_listed_is_told(tree: Path) -> None:
    told: list[OSError] = []
    assert list(walk_folders(tree / "nowhere", told.append)) == list(walk_folders(tree / "x.py", told.append)) == []
    assert [(error.filename, error.strerror) for error in told] == [
        (str(tree / "nowhere"), "No such file or directory"),
        (str(tree / "x.py"), "Not a directory"),
    ]


# (folders one in the other, whether the last can be listed): paths of 4,096 bytes are too long
DEPTHS = [(1_500, True), (3_000, False)]


@pytest.mark.parametrize(("levels", "is_listed"), DEPTHS)
def test_folders_may_lie_as_deep_as_they_can(tmp_path: Path, levels: int, is_listed: bool) -> None:
    told: list[OSError] = []
    with deep(tmp_path / "top", levels, ["last.py"]) as last:
        found = [(path, files) for path, _, files in walk_folders(tmp_path / "top", told.append)]
    assert ((last, ["last.py"]) in found) is is_listed
    assert [error.strerror for error in told] == ([] if is_listed else ["File name too long"])
    assert len(found) == levels + 1 if is_listed else 1_500 < len(found) < levels
