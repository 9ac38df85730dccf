"""What the records of the project name, for tests that copy some of them into a data folder of their own."""

from __future__ import annotations

import shutil
from pathlib import Path

from apidiff.database.paths import DATA


def copy_catalogues(root: Path) -> None:
    """Puts the profiles, the notes and the signatures of the project below the data folder ``root``."""
    for name in ("profiles", "signatures"):
        if (DATA / name).is_dir():
            shutil.copytree(DATA / name, root / name)
    if (DATA / "notes.yaml").is_file():
        shutil.copy(DATA / "notes.yaml", root / "notes.yaml")
