"""The analysis of pasted code takes what grows with the code and no faster, and takes code that is long in any one way."""

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
    """What looking at each of several codes finds, and how many steps it takes."""
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


def imported(count: int) -> str:
    """An import of many names."""
    return f"from torch import {', '.join(f'a{number}' for number in range(count))}\n"


# Code of a size, by what there is much of in it.
GROWING: dict[str, Callable[[int], str]] = {
    "values of one name": lambda n: (
        "import torch as t\n" + "".join(f"if q: x = t.a{number}\n" for number in range(n)) + "x.b\n" * n
    ),
    "branches": lambda n: imported(n) + "if x: y\n" * n,
    "choices": lambda n: imported(n) + "if x: y\n" + "elif x: y\n" * n,
    "cases": lambda n: imported(n) + "match x:\n" + "    case 1: pass\n" * n,
    "loops": lambda n: imported(n) + "for x in y: z\n" * n,
    "handlers": lambda n: imported(n) + "try: x\n" + "except E: y\n" * n,
    "handlers of a long try": lambda n: "try:\n    " + imported(n) + "except E: y\n" * n,
    "attributes": lambda n: f"import torch\ntorch{'.a' * n}\n",
    "attributes of a decorator": lambda n: f"import torch\n@torch{'.a' * n}\ndef f(): pass\n",
    "attributes, one by one": lambda n: "import torch as x\n" + "x = x.a\n" * n,
    "targets of a loop": lambda n: f"for {'a, ' * n} in x: pass\n",
    "names in a with": lambda n: f"with {'x as a, ' * n} y as b: pass\n",
    "star imports": lambda n: "from torch import *\n" * n + "F.a\n" * n,
    "uses in one line": lambda n: "import torch\n" + "torch.add; " * n,
}


@pytest.mark.parametrize("make", GROWING.values(), ids=GROWING)
def test_steps_grow_as_the_code_does(make: Callable[[int], str], look: Look) -> None:
    few, many = look(make(400), make(1600))
    assert many["steps"] < 6 * few["steps"]


LONG = {
    "a list": "x = [" + "1," * 200_000 + "]\n",
    "a call": "f(" + "1," * 200_000 + ")\n",
    "a function": "def f():\n" + "    x = 1\n" * 150_000,
}


@pytest.mark.parametrize("code", LONG.values(), ids=LONG)
def test_code_may_be_long(code: str, look: Look) -> None:
    [found] = look(code + "import torch\ntorch.add(1)\n")
    assert found["apis"] == ["torch.add"]


WAYS = [
    # What ways through the code bind, and the API that a use of the name behind them is: that of the first of them.
    ("if a:\n    x = torch.add\nelse:\n    x = torch.relu\nx()", "torch.add"),
    ("x = torch.relu\nif a:\n    x = torch.add\nx()", "torch.relu"),
    ("x = torch.relu\nif a:\n    x = None\nelse:\n    y = torch.add\nx()", "torch.relu"),
    ("x = torch.relu\nif a:\n    if b:\n        x = torch.add\n    x = None\nx()", "torch.relu"),
    ("x = torch.relu\nif a:\n    x = torch.add\nelse:\n    x = None\nx()", "torch.add"),
    ("if a:\n    if b:\n        x = torch.add\nx()", "torch.add"),
    ("try:\n    x = torch.add\nexcept E:\n    x = torch.relu\nx()", "torch.add"),
    ("x = torch.relu\ntry:\n    x = torch.add\nexcept E:\n    x()", "torch.relu"),
    ("x = torch.relu\ntry:\n    del x\nexcept E:\n    pass\nx()", "torch.relu"),
    ("try:\n    x = torch.add\nexcept E:\n    x = None\nfinally:\n    x()", "torch.add"),
]


@pytest.mark.parametrize(("code", "api"), WAYS)
def test_what_is_bound_where_ways_meet(code: str, api: str, look: Look) -> None:
    [found] = look("import torch\n" + code)
    last = len(code.splitlines()) + 1
    assert found["places"][-1].split(":")[0] == str(last)
    assert found["apis"][-1] == api


NONE = [
    "x = torch.relu\nif a:\n    x = None\nelse:\n    x = 1\nx()",
    "x = torch.relu\ntry:\n    x = None\nfinally:\n    pass\nx()",
    "x = torch.relu\nif a:\n    if b:\n        x = torch.add\n    x = None\n    x()",
]


@pytest.mark.parametrize("code", NONE)
def test_what_no_way_binds(code: str, look: Look) -> None:
    [found] = look("import torch\n" + code)
    last = len(code.splitlines()) + 1
    assert [place for place in found["places"] if place.startswith(f"{last}:")] == []


def test_columns_of_one_line_count_characters(look: Look) -> None:
    [found] = look("import torch\ns = '求和🙂'; torch.add(torch.relu(x)); '🙂', torch.add")
    assert found["places"] == ["2:12", "2:22", "2:43"]
