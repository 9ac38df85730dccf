"""Models are ported and run beside the originals with the same weights, as the guide tells a newcomer to: three written
here, and the U-Net blocks of diffusers with the files that they need, as their library publishes them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "executable_examples" / "porting"
MODELS = ("vit", "gpt", "unet")
LIBRARY = Path(__file__).parent / "library_models"
BLOCKS = "diffusers/models/unets/unet_2d_blocks.py"
TAKEN = (
    BLOCKS,
    *(f"diffusers/models/{n}.py" for n in ("resnet", "downsampling", "upsampling", "activations", "normalization")),
)


def _run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.turning(days=4, group="models")
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


def test_a_port_that_differs_is_noticed(tmp_path: Path) -> None:
    ported = _run("-m", "apidiff", "port", FOLDER / "unet.py", "--device", "cpu", "--unsafe").stdout
    assert "mint.cos(args), mint.sin(args)" in ported
    port = tmp_path / "wrong.py"
    port.write_text(ported.replace("mint.cos(args), mint.sin(args)", "mint.sin(args), mint.cos(args)"))
    assert _run(FOLDER / "compare.py", FOLDER / "unet.py", port).returncode == 1


def _take(folder: Path) -> None:
    """Take the files from the release, whose digest is pinned; skip where it cannot be had."""
    command = ("pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--require-hashes")
    fetched = _run("-m", *command, "-d", folder / "wheels", "-r", LIBRARY / "unet.txt")
    if fetched.returncode != 0:
        if "THESE PACKAGES DO NOT MATCH THE HASHES" in fetched.stderr:
            pytest.fail(fetched.stderr)
        pytest.skip(f"The release of diffusers cannot be fetched: {fetched.stderr.strip().splitlines()[-1:]}")
    (wheel,) = (folder / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for path in TAKEN:
            archive.extract(path, folder / "torch")
    shutil.copy(LIBRARY / "unet.py", folder / "torch")


@pytest.mark.turning(days=4, group="models")
def test_the_blocks_of_a_library_give_what_the_original_gives(tmp_path: Path) -> None:
    _take(tmp_path)
    shutil.copytree(tmp_path / "torch", tmp_path / "mindspore")
    ported = _run(
        "-m",
        "apidiff",
        "port",
        tmp_path / "mindspore",
        "--device",
        "cpu",
        "--unsafe",
        "--write",
        "--force",
        "--lang",
        "en",
    )
    assert ported.returncode == 0, ported.stderr
    port = tmp_path / "mindspore" / BLOCKS
    # The only edit by hand is one that a comment tells of: CellList refuses what is no Cell, and these lists may hold None.
    told = (
        r"# apidiff unsafe: torch\.nn\.ModuleList: ported to mindspore\.nn\.CellList\. [^\n]*raises where PyTorch does not[^\n]*"
        r"\n *self\.attentions = )nn\.CellList\(attentions\)"
    )
    text, count = re.subn(
        f"({told}", r"\1attentions if None in attentions else nn.CellList(attentions)", port.read_text()
    )
    assert count > 0
    port.write_text(text)
    for framework in ("torch", "mindspore"):
        done = _run(LIBRARY / "run_model.py", framework, tmp_path / framework, "unet", tmp_path)
        assert done.returncode == 0, done.stderr
    expected, found = np.load(tmp_path / "torch.npz"), np.load(tmp_path / "mindspore.npz")
    names = [name for name in expected.files if name.startswith("output/")]
    assert names == found.files
    for name in names:
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-5, err_msg=name)
