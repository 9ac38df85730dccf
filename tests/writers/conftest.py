"""A site's folder with what is published for programs, made from content that a test may change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sphinxext"))

from published_site import Published


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Published]:
    """Make a folder and publish into it; a second one in the same test needs another name."""

    def published(name: str = "site", **options: str) -> Published:
        return Published(tmp_path / name, **options)

    return published
