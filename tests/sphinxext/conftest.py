"""Fixtures of the tests of pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_site import Site

from apidiff.sphinxext import site_content


@pytest.fixture
def make_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    """Make a site; a second one in the same test needs another name."""

    def make(name: str = "site", language: str = "en", conf: str = "") -> Site:
        folder = tmp_path / name
        folder.mkdir()
        return Site(folder, language, lambda load: monkeypatch.setattr(site_content, "load", load), conf)

    return make
