"""No module of a stranger's is imported from the folder in which a module of this package is started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STRANGERS = ("argparse", "json", "msgspec", "numpy", "pathlib", "re", "rich", "signal", "sphinx", "subprocess", "yaml")
# Each is asked for its help, or started without what it needs.
STARTED = {
    "apidiff": ["--help"],
    "apidiff.execute.offline.measure": ["--help"],
    "apidiff.execute.ranks": [],
    "apidiff.execute.single": [],
    "apidiff.site_builder": ["--help"],
}
AT_ONCE = {"apidiff.execute.offline.wheels"}  # it fetches when it is started
# These are started by their files, which are then the first in the path.
BY_FILE = {"apidiff.process_group", "apidiff.signatures.look"}


def test_every_module_that_can_be_started_is_known() -> None:
    found = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
        for path in (ROOT / "apidiff").rglob("*.py")
        if '\nif __name__ == "__main__":\n' in path.read_text(encoding="utf-8") or path.name == "__main__.py"
    }
    assert found == {*STARTED, *AT_ONCE, *BY_FILE}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in STRANGERS:
        (tmp_path / f"{name}.py").write_text(f"print('STRANGER {name}')\n", encoding="utf-8")
    return tmp_path


def output(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("module", STARTED)
def test_modules_of_the_current_folder_are_not_imported(folder: Path, module: str) -> None:
    for start in (["-m", module], ["-m" + module]):
        said = output(folder, *start, *STARTED[module])
        assert said, start
        assert "STRANGER" not in said, start


def test_a_program_that_imports_this_package_keeps_its_own_folder(folder: Path) -> None:
    (folder / "theirs").mkdir()
    (folder / "theirs" / "__init__.py").write_text("import apidiff\n", encoding="utf-8")
    (folder / "theirs" / "__main__.py").write_text("import signal\n", encoding="utf-8")
    for words in (["-m", "theirs"], ["-m", "theirs", "apidiff"], ["-mtheirs", "-m", "apidiff"]):
        assert "STRANGER signal" in output(folder, *words), words
