"""Models are ported and run beside the originals with the same weights, as the guide tells a newcomer to: three written
here, and three of libraries with the files that they need, as their libraries publish them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "executable_examples" / "porting"
MODELS = ("vit", "gpt", "unet")
LIBRARY = ROOT / "executable_examples" / "library_models"
OF_LIBRARIES = ("vit", "gpt2", "unet")
# Where the page has the commands, and the folder that they work in.
PAGE, WORK = ROOT / "docs" / "en" / "guide" / "library_models.md", "../../build/gpt2"


def _run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.turning(days=7, group="models")
@pytest.mark.parametrize("name", MODELS)
def test_the_port_gives_what_the_original_gives(name: str, tmp_path: Path) -> None:
    original, port = FOLDER / f"{name}.py", tmp_path / f"{name}_ported.py"
    ported = _run("-m", "apidiff", "port", original, "--device", "cpu", "--unsafe", "--lang", "en")
    assert ported.returncode == 0, ported.stderr
    assert "left: 0 with conditions" in ported.stderr
    assert not re.search(r"^\s*(import|from) torch", ported.stdout, re.MULTILINE)
    port.write_text(ported.stdout)
    compared = _run(FOLDER / "compare.py", original, port)
    assert compared.returncode == 0, compared.stdout + compared.stderr
    assert re.search(r"largest difference: \d\.\de-0[5-9]", compared.stdout), compared.stdout


@pytest.mark.turning(days=7, group="models")
def test_a_port_that_differs_is_noticed(tmp_path: Path) -> None:
    ported = _run("-m", "apidiff", "port", FOLDER / "unet.py", "--device", "cpu", "--unsafe").stdout
    assert "mint.cos(args), mint.sin(args)" in ported
    port = tmp_path / "wrong.py"
    port.write_text(ported.replace("mint.cos(args), mint.sin(args)", "mint.sin(args), mint.cos(args)"))
    assert _run(FOLDER / "compare.py", FOLDER / "unet.py", port).returncode == 1


def _commands(model: str, folder: Path) -> list[list[str]]:
    """The commands of the page, for a model and a folder."""
    (block,) = re.findall(
        r"^```bash\ncd executable_examples/library_models\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    text = block.replace(WORK, str(folder)).replace("gpt2", model)
    starts = {"pip": ["-m", "pip"], "apidiff": ["-m", "apidiff"], "python": []}
    return [[sys.executable, *starts[first], *rest] for first, *rest in map(shlex.split, text.splitlines())]


@pytest.mark.turning(days=7, group="models")
@pytest.mark.parametrize("model", OF_LIBRARIES)
def test_the_page_ports_a_model_of_a_library(model: str, tmp_path: Path) -> None:
    fetch, *others = _commands(model, tmp_path)
    fetched = subprocess.run(fetch, cwd=LIBRARY, capture_output=True, text=True, check=False)
    if fetched.returncode != 0:
        if "THESE PACKAGES DO NOT MATCH THE HASHES" in fetched.stderr:
            pytest.fail(fetched.stderr)
        pytest.skip(f"The release cannot be fetched: {fetched.stderr.strip().splitlines()[-1:]}")
    told = []
    for command in others:
        done = subprocess.run(command, cwd=LIBRARY, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stderr[-3000:])
        told.append(done.stdout)
    assert re.fullmatch(r"largest difference: \d\.\de-0[67]\n", told[-1]), told[-1]


@pytest.mark.parametrize("model", OF_LIBRARIES)
def test_an_edit_by_hand_is_one_that_a_comment_told_of(model: str, tmp_path: Path) -> None:
    text = (LIBRARY / model / "edits.toml").read_text()
    assert text.count("[[edit]]") == text.count("\ntold = ") > 0
    for path in re.findall(r'^file = "(.*)"', text, re.MULTILINE):
        file = tmp_path / "mindspore" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in re.findall(r"^before = .(.*).$", text, re.MULTILINE)))
    refused = _run(LIBRARY / "edit.py", model, tmp_path)
    assert refused.returncode == 1
    assert "no comment tells" in refused.stderr
