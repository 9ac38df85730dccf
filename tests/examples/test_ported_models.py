"""Three models are scanned, ported and run beside the originals with the same weights, as the guide tells a newcomer to."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "executable_examples" / "porting"
MODELS = ("vit", "gpt", "unet")


def _run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.turning(days=3)
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
