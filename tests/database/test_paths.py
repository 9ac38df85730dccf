"""A checkout is one whatever stands in the place of its settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.database import paths

# what is done to conf/ of a folder with a pyproject.toml, whether it is a checkout
PLACES: list[tuple[Callable[[Path], object], bool]] = [
    (lambda conf: (conf / "backends.toml").touch(), True),
    (lambda conf: os.mkfifo(conf / "backends.toml"), True),
    (lambda conf: (conf / "backends.toml").mkdir(), True),
    (lambda conf: (conf / "backends.toml").symlink_to("nowhere"), True),
    (lambda conf: (conf / "scope.yaml").touch(), True),
    (lambda conf: (conf / "other.toml").touch(), False),
]


@pytest.mark.parametrize(("put", "is_checkout"), PLACES)
def test_a_checkout_is_known_by_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path], object], is_checkout: bool
) -> None:
    monkeypatch.setattr(paths, "_CHECKOUT", tmp_path)
    (tmp_path / "conf").mkdir()
    put(tmp_path / "conf")
    assert not paths.in_checkout()
    (tmp_path / "pyproject.toml").touch()
    assert paths.in_checkout() is is_checkout
    assert (paths.conf_file("backends.toml") == tmp_path / "conf" / "backends.toml") is is_checkout
