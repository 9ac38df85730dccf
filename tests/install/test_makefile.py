"""The Makefile, with Pythons put in the place of the real ones: what it calls, and what it leaves."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A Python that says what it is asked, and one that begins a virtual environment and cannot end it.
SAYS = '#!/bin/sh\necho "$0: $*"\n'
WITHOUT_VENV = '#!/bin/sh\n[ "$2" = venv ] || exit 0\nmkdir -p "$3" && touch "$3/begun"\nexit 1\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "conf" / "locks").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "conf/locks/core.txt", "conf/locks/site.txt"):
        shutil.copy(ROOT / name, folder / name)
    (tmp_path / "bin").mkdir()
    return folder


def program(path: Path, code: str) -> None:
    path.write_text(code, encoding="utf-8")
    path.chmod(0o755)


def make(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    search = f"{checkout.parent / 'bin'}:{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")} | {"PATH": search}
    return subprocess.run(
        ["make", *words], cwd=checkout, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("target", ["gpu", "npu", "wheels"])
@pytest.mark.parametrize(
    ("given", "called"),
    [
        ([], "bin/python3"),
        (["PYTHON="], "bin/python3"),
        (["PYTHON= "], "bin/python3"),
        (["PYTHON=../a b/python"], "a b/python"),
    ],
)
def test_the_python_that_is_named_is_called(checkout: Path, target: str, given: list[str], called: str) -> None:
    (checkout.parent / "a b").mkdir()
    for path in ("bin/python3", "a b/python"):
        program(checkout.parent / path, SAYS)
    ended = make(checkout, target, *given)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert any(f"{called}: -m apidiff.execute.offline" in line for line in lines), lines


@pytest.mark.parametrize("given", [[], ["VENV=mine"], ["VENV=my env"]])
@pytest.mark.parametrize("there", [["mine", "my"], ["mine", "my", ".venv"]])
def test_where_no_environment_can_be_made_only_what_was_begun_goes(
    checkout: Path, given: list[str], there: list[str]
) -> None:
    for name in there:
        (checkout / name).mkdir()
        (checkout / name / "notes.txt").touch()
    program(checkout.parent / "bin" / "python3", WITHOUT_VENV)
    ended = make(checkout, "site", *given)
    assert ended.returncode == 2
    assert "python3 cannot make a virtual environment." in ended.stderr
    assert all((checkout / name / "notes.txt").exists() for name in there)
    assert (checkout / ".venv").exists() == (".venv" in there)
    assert not (checkout / "env").exists()


def test_a_link_to_an_environment_elsewhere_stays(checkout: Path) -> None:
    """Its disk may come back."""
    (checkout / ".venv").symlink_to("/nowhere/environment")
    program(checkout.parent / "bin" / "python3", WITHOUT_VENV)
    assert make(checkout, "site").returncode == 2
    assert (checkout / ".venv").is_symlink()


def test_a_file_of_the_name_of_a_target_stops_nothing(checkout: Path) -> None:
    """Of the claims, as ``make test`` asks for them: a file of that name would have them passed over without a word."""
    for backend in ("gloo", "mccl"):
        (checkout / f"claims-{backend}").touch()
        ended = make(checkout, "--dry-run", f"claims-{backend}")
        assert ended.returncode == 0
        assert f"-m pytest --apidiff-backend {backend} " in ended.stdout
