"""The analysis of pasted code takes code that is long in any one way."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STEPS = Path(__file__).with_name("steps.ts")
KNOWN = {
    "apis": {
        "torch.add": {"kind": "function", "aliases": []},
        "torch.relu": {"kind": "function", "aliases": []},
        "torch.nn.Linear": {"kind": "class", "aliases": []},
    },
    "modules": {},
    "customary": {"F": "torch.nn.functional"},
    "noticed": ["torch."],
}
Look = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def look(sources: Path) -> Look:
    """What looking at each of several codes finds."""
    shutil.copy(STEPS, sources)
    bundle = sources / "build" / "steps.cjs"
    command = ["npx", "esbuild", STEPS.name, "--bundle", "--platform=node", f"--outfile={bundle}", "--log-level=error"]
    subprocess.run(command, cwd=sources, check=True, timeout=60)

    def found(*codes: str) -> list[dict[str, Any]]:
        given = json.dumps({"known": KNOWN, "codes": codes})
        done = subprocess.run(["node", bundle], input=given, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)

    return found


LONG = {
    "a list": "x = [" + "1," * 200_000 + "]\n",
    "a call": "f(" + "1," * 200_000 + ")\n",
    "a function": "def f():\n" + "    x = 1\n" * 150_000,
}


@pytest.mark.parametrize("code", LONG.values(), ids=LONG)
def test_code_may_be_long(code: str, look: Look) -> None:
    [found] = look(code + "import torch\ntorch.add(1)\n")
    assert found["apis"] == ["torch.add"]
