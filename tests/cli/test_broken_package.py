"""Files of the package that no user writes, removed or damaged: a sentence names the file and says to install anew."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import COMMAND

from apidiff.database.paths import PACKAGE

MESSAGES = "data/messages/scan.yaml"


def remove(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def garble(path: Path) -> None:
    path.write_bytes(b"\xff" + path.read_bytes()[1:])


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout without records and mappings, whose index is made of very little."""
    root = tmp_path_factory.mktemp("copy")
    left_out = shutil.ignore_patterns("__pycache__", "runs", "mappings", "samples", "official")
    for name in ("apidiff", "conf", "executable_examples"):
        shutil.copytree(PACKAGE.parent / name, root / name, ignore=left_out)
    shutil.copy(PACKAGE.parent / "pyproject.toml", root)
    return root


def nest(path: Path) -> None:
    path.write_bytes(b'{"a":' + b"[" * 100_000)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


# a file, the command that needs it, what the error names
NEEDED = [
    (MESSAGES, ["scan", "CODE"], "data/messages"),
    (MESSAGES, ["--version"], None),
    (MESSAGES, ["check"], "data/messages"),
    ("data/finding_codes.json", ["scan", "CODE", "--format", "sarif"], "finding_codes.json"),
    ("data/result_types.json", ["scan", "CODE"], "result_types.json"),
]


@pytest.mark.turning(days=3, group="damage of the package")
@pytest.mark.parametrize(
    ("damage", "file", "words", "named"),
    [
        *((damage, *needed) for damage in (remove, cut, garble) for needed in NEEDED),
        *((damage, *needed) for damage in (nest, pipe) for needed in NEEDED if needed[0].endswith(".json")),
    ],
)
def test_what_needs_a_damaged_file_names_it(
    copy: Path, tmp_path: Path, damage: Callable[[Path], None], file: str, words: list[str], named: str | None
) -> None:
    """`--version` reads none of them."""
    path = copy / "apidiff" / file
    whole = path.read_bytes()
    (tmp_path / "code.py").write_text("import torch\ntorch.relu(x)\n", encoding="utf-8")
    command = [*COMMAND, *(str(tmp_path / "code.py") if word == "CODE" else word for word in words)]
    variables = os.environ | {"PYTHONPATH": str(copy), "XDG_CACHE_HOME": str(copy / "cache")}
    damage(path)
    try:
        done = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=300, check=False
        )
    finally:
        path.unlink(missing_ok=True)
        path.write_bytes(whole)
    if named is None:
        assert (done.returncode, done.stderr) == (0, "")
        return
    assert (done.returncode, done.stdout) == (2, ""), done
    told = [line for line in done.stderr.splitlines() if not line.startswith("apidiff: note: ")]
    assert len(told) == 1 or words == ["check"]  # which names each message that is gone, where the rest can be read
    for line in told:
        assert line.startswith(f"apidiff: {copy / 'apidiff'}")
        assert named in line
        assert "einstall apidiff" in line
    assert told
