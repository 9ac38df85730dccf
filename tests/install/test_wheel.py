"""The wheel: what it weighs, and that lookup and scan answer after an installation from what it brought, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from apidiff.database.runs import record_paths, run_id, short_id
from apidiff.lookup.knowledge import KnowledgeBase

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 15_000_000  # bytes
NEEDED = [
    "msgspec",
    "numpy",
    "packaging",
    "platformdirs",
    "yaml",
    "rapidfuzz",
    "rich",
    "markdown_it",
    "mdurl",
    "pygments",
]
CODE = "import torch\nx = torch.eye(3)\nx.tanh()\ntorch.mean(x, -1)\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, knowledge: KnowledgeBase) -> Path:
    """The wheel, with the entries of the index that is there by now."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, timeout=1000)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of an environment into which the wheel was installed; what it depends on is taken from here."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    packages = next((folder / "lib").glob("python*")) / "site-packages"
    for name in NEEDED:
        found = Path(__import__(name).__file__ or "").parent
        (packages / found.name).symlink_to(found)
        for libraries in found.parent.glob(f"{name}.libs"):
            (packages / libraries.name).symlink_to(libraries)
    return folder / "bin" / "apidiff"


def test_it_is_light(wheel: Path) -> None:
    assert wheel.stat().st_size <= LARGEST


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command where there is no network, if this machine can take it away."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "LC_ALL": "C.UTF-8",
    }
    alone = ["unshare", "--net"] if shutil.which("unshare") and os.geteuid() == 0 else []
    return subprocess.run(
        [*alone, installed, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_it_answers_offline_from_the_index_it_brought(installed: Path, tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"m{number}.py").write_text(CODE * 20)
    scanned = run(installed, tmp_path, "scan", ".", "--fail-on", "silent")
    assert scanned.returncode == 1, scanned.stderr
    assert "torch.Tensor.tanh" in scanned.stdout
    looked = run(installed, tmp_path, "lookup", "torch.distributed.reduce")
    assert looked.stdout.startswith("torch.distributed.reduce → mindspore.mint.distributed.reduce\n"), looked.stderr
    # The index was unpacked, not built.
    assert [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()] == ["index.msgpack"]


def test_it_brings_every_record(installed: Path, tmp_path: Path) -> None:
    listed = run(installed, tmp_path, "runs", "list")
    assert listed.returncode == 0, listed.stderr
    assert listed.stderr == ""
    here = [short_id(run_id(path)) for path in record_paths(ROOT / "apidiff" / "data" / "runs")]
    assert [one for one in here if one not in listed.stdout] == []


@pytest.mark.parametrize(("command", "package"), [("lsp", "lsp"), ("mcp", "mcp")])
def test_servers_say_which_extra_they_need(installed: Path, tmp_path: Path, command: str, package: str) -> None:
    done = run(installed, tmp_path, command)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"pip install 'apidiff[{package}]'" in done.stderr
