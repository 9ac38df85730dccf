"""What the tests of a scan share: names of the database, and how code is scanned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff.lookup.cache import open_index
from apidiff.lookup.knowledge import KnowledgeBase
from apidiff.model.source_names import SourceNames
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import ScannedFile, scan_tree

Scan = Callable[..., list[ScannedFile]]


@pytest.fixture(scope="session", autouse=True)
def _the_index_is_there(knowledge: KnowledgeBase) -> None:
    """No two workers build it at once."""


@pytest.fixture(scope="session")
def source_names() -> SourceNames:
    return open_index().source_names


@pytest.fixture
def scan(tmp_path: Path, source_names: SourceNames) -> Scan:
    """Scan files that are written for it: their texts or bytes by path."""

    def scanned(files: dict[str, str | bytes], jobs: int = 1) -> list[ScannedFile]:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return scan_tree(find_sources([tmp_path])[0], source_names, jobs=jobs)

    return scanned
