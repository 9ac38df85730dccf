"""Folders of temporary files are gone in the end, whatever was put into them."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from deep_folders import deep

from apidiff.scratch_folder import scratch_folder


def _put_file(folder: Path) -> None:
    (folder / "a").write_text("x")


def _put_locked_folder(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a").chmod(0)


def _put_deep_folders(folder: Path) -> None:
    with deep(folder.parent / f"{folder.name}-deep", 1_200, ["last.py"]):
        (folder.parent / f"{folder.name}-deep").rename(folder / "a")


def _put_locked_deep_folders(folder: Path) -> None:
    _put_deep_folders(folder)
    (folder / "a").chmod(0)


def _remove(folder: Path) -> None:
    folder.rmdir()


@pytest.mark.parametrize("put", [_put_file, _put_locked_folder, _put_deep_folders, _put_locked_deep_folders, _remove])
def test_a_scratch_folder_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path], None]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch_folder("apidiff-") as folder:
        put(folder)
    assert list(tmp_path.iterdir()) == []


def test_a_scratch_folder_is_removed_where_few_files_may_be_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        with scratch_folder("apidiff-") as folder:
            folder.joinpath(*["d"] * 200).mkdir(parents=True)
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, most))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))
    assert list(tmp_path.iterdir()) == []
