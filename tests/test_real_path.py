"""Paths lead where `os.path.realpath` says that they lead, and however many links there are, nothing calls itself for each."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from apidiff.real_path import RealPaths, real_path


@pytest.fixture(autouse=True)
def few_calls() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(sum(1 for _ in traceback.walk_stack(None)) + 100)
    yield
    sys.setrecursionlimit(limit)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders ``a/b``, a file, links to them; ``chain`` holds links, one behind the other: 39 from ``l1461`` on, 1,500 in all."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "chain").mkdir()
    (tmp_path / "file").touch()
    links = {"up": "a/b/..", "abs": str(tmp_path / "a"), "to-file": "a/../file", "gone": "a/nowhere", "self": "self"}
    links |= {"folded": "missing/../chain/l0", "one": "two", "two": "one", "doubled": "abs/b/../../abs/b"}
    links |= {f"chain/l{number}": f"l{number + 1}" for number in range(1499)} | {"chain/l1499": "../a"}
    for name, leads_to in links.items():
        (tmp_path / name).symlink_to(leads_to)
    monkeypatch.chdir(tmp_path / "a")
    return tmp_path


# (path, where it leads); both below the tree
FOLLOWED = [
    ("", ""),
    (".", ""),
    ("file", "file"),
    ("file/", "file"),
    ("./a//b/./..", "a"),
    ("up/b", "a/b"),
    ("up/../file", "file"),
    ("abs/b", "a/b"),
    ("abs/../file", "file"),
    ("to-file", "file"),
    ("to-file/..", ""),
    ("doubled", "a/b"),
    ("gone", "a/nowhere"),
    ("gone/more/..", "a/nowhere"),
    ("missing/../up/b", "a/b"),
    ("missing/../abs/missing", "a/missing"),
    ("chain/l1461", "a"),
    ("missing/../chain/l1460/b", "a/b"),
]
# What the system does not follow stays as it is named.
NOT_FOLLOWED = [
    ("chain/l0/b", "chain/l0/b"),
    ("missing/../chain/l0", "chain/l0"),
    ("folded", "folded"),
    ("folded/../file", "file"),
    ("chain/l1459", "chain/l1459"),
    ("self/b", "self/b"),
    ("one", "one"),
]


@pytest.mark.parametrize(("path", "leads_to"), FOLLOWED + NOT_FOLLOWED)
def test_where_a_path_leads(tree: Path, path: str, leads_to: str) -> None:
    assert real_path(f"{tree}/{path}") == real_path(f"../{path}") == tree / leads_to
    many = RealPaths()
    for _ in range(2):  # the second time its folder is known
        assert many.of(f"{tree}/{path}") == many.of(f"../{path}") == str(tree / leads_to)


@pytest.mark.parametrize("path", [*(f"../{path}" for path, _ in FOLLOWED), "/", "//", "/..", "..", ""])
def test_a_path_that_can_be_followed_leads_where_python_says(tree: Path, path: str) -> None:
    assert tree.is_dir()
    sys.setrecursionlimit(10_000)
    assert str(real_path(path)) == RealPaths().of(path) == os.path.realpath(path)


def test_as_many_links_are_followed_as_the_system_follows(tree: Path) -> None:
    for number in (1458, 1459, 1460, 1461):
        link = tree / "chain" / f"l{number}"
        assert (real_path(link) == tree / "a") == link.exists()


def test_a_path_that_holds_a_nul_is_none() -> None:
    with pytest.raises(ValueError, match="null byte"):
        real_path("a\0b")


def test_of_many_files_in_one_folder_that_is_looked_up_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 650 files below 2,000 folders, two minutes went into the folders."""
    read: list[str] = []
    readlink = os.readlink
    monkeypatch.setattr(os, "readlink", lambda path: read.append(path) or readlink(path))
    (tree / "a" / "b" / "link").symlink_to("file0")
    real = RealPaths()
    for number in range(100):
        assert real.of(f"{tree}/a/b/file{number}") == f"{tree}/a/b/file{number}"
        assert real.of(f"{tree}/a/b/link") == f"{tree}/a/b/file0"
    assert len(read) < 400
