"""What the records of the project name, for tests that copy some of them into a data folder of their own."""

from __future__ import annotations

import shutil
from pathlib import Path

from apidiff.database.paths import DATA


def copy_signatures(root: Path) -> None:
    """Puts the signatures of the project below the data folder ``root``."""
    shutil.copytree(DATA / "signatures", root / "signatures", symlinks=True)


def copy_catalogues(root: Path) -> None:
    """Puts the profiles, the notes and the signatures of the project below the data folder ``root``."""
    copy_signatures(root)
    shutil.copytree(DATA / "profiles", root / "profiles", symlinks=True)
    shutil.copy(DATA / "notes.yaml", root / "notes.yaml")
