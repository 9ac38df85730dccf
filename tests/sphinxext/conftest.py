"""Fixtures of the tests of pages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from small_site import Built, Site

from apidiff.sphinxext import site_content


@pytest.fixture
def make_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    """Make a site; a second one in the same test needs another name."""

    def make(name: str = "site", language: str = "en", conf: str = "") -> Site:
        folder = tmp_path / name
        folder.mkdir()
        return Site(folder, language, lambda load: monkeypatch.setattr(site_content, "load", load), conf)

    return make


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    """Gives the site of a language with its content as it is, built once for all tests that change nothing in it."""

    @functools.cache
    def built(language: str) -> Built:
        with pytest.MonkeyPatch.context() as patch:
            folder = tmp_path_factory.mktemp(language)
            return Site(folder, language, lambda load: patch.setattr(site_content, "load", load)).build()

    return built
