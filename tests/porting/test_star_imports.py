"""Star imports of modules that take all names from each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apidiff.porting import star_imports, tree_scan
from apidiff.porting.star_imports import StarImports
from apidiff.porting.torch_names import Value
from apidiff.porting.tree_links import TreeLinks
from tests.porting.conftest import Scan

MODULES = "abcdefg"


def reached(stars: dict[str, list[str]], module: str) -> set[str]:
    """The modules that star imports lead to from one, that one too where they lead back."""
    found, waiting = set[str](), [module]
    while waiting:
        more = [star for star in stars.get(waiting.pop(), ()) if star not in found]
        found.update(more)
        waiting += more
    return found


@given(
    stars=st.dictionaries(st.sampled_from(MODULES), st.lists(st.sampled_from(MODULES), max_size=4)),
    bound=st.sets(st.tuples(st.sampled_from("xyz*"), st.sampled_from(MODULES))),
)
def test_all_modules_that_star_imports_lead_to_may_give_a_name(
    stars: dict[str, list[str]], bound: set[tuple[str, str]]
) -> None:
    stars = {module: stars.get(module, []) for module in MODULES}
    links = StarImports(stars, bound)
    for module in MODULES:
        for name in "xyz*":
            binders = {binder for one, binder in bound if one == name}
            expected = reached(stars, module) & binders
            given = list(links.possible_givers(module, name))
            assert sorted(given) == sorted(expected)
            # In a circle of imports it is one of them, or that module itself.
            found = links.giver(module, name)
            giver = found[1] if found is not None else None
            assert giver in expected | (binders & {module}) or (giver is None and not expected | (binders & {module}))
            if given:
                links.forget(given[0], name)
                assert list(links.possible_givers(module, name)) == given[1:]
                links = StarImports(stars, bound)


@given(st.lists(st.lists(st.sampled_from([*MODULES, "x", "y"]), max_size=6), min_size=7, max_size=7))
def test_a_name_is_that_of_the_module_which_python_takes_it_from(code: list[list[str]]) -> None:
    """``code``: what each module does, one after another: take all names of a later one, or bind a name."""
    names: dict[str, dict[str, str]] = {}
    stars, early, bound = dict[str, list[str]](), dict[str, dict[str, int]](), list[tuple[str, str]]()
    for module, steps in reversed(list(zip(MODULES, code, strict=True))):
        own = names[module] = {}
        order: dict[str, int] = {}
        last = {step: place for place, step in enumerate(steps) if step in MODULES and step > module}
        for place, step in enumerate(steps):
            if step in "xy":
                own[step] = module
                order[step] = sum(at < place for at in last.values())
            elif step > module:
                own |= names[step]
        bound += [(name, module) for name in order]
        stars[module] = sorted(last, key=last.__getitem__)
        early[module] = {name: count for name, count in order.items() if count < len(last)}
    links = StarImports(stars, bound, early)
    for module in MODULES:
        for name in "xy":
            found = links.giver(module, name)
            assert (found[1] if found is not None else None) == names[module].get(name)


def test_not_all_of_very_many_imports_are_looked_through_for_each_name() -> None:
    stars = {"hub": [f"m{number}" for number in range(2_000)]}
    bound = [(f"n{number}", module) for number in range(2_000) for module in ("hub", f"m{number}")]
    links = StarImports(stars, bound, {"hub": {f"n{number}": 0 for number in range(2_000)}})
    assert links.giver("hub", "n1500") == ("m1500", "m1500")
    assert links.giver("hub", "n500") is None


def test_few_imports_are_looked_through_for_each_name_of_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 kB of files whose star imports lead round in a circle took half a minute."""
    monkeypatch.setattr(star_imports, "_MOST_LOOKED", 3_000)
    stars = {"hub": [f"m{number}" for number in range(100)]}
    bound = [(f"n{number}", module) for number in range(100) for module in ("hub", f"m{number}")]
    links = StarImports(stars, bound, {"hub": {f"n{number}": 0 for number in range(100)}})
    found = [links.giver("hub", f"n{number}") for number in range(100)]
    assert found[30] == ("m30", "m30")  # before they are used up, all are looked through
    assert found[60] is found[90] is None
    assert found[95] == ("m95", "m95")  # one of the last imports


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The names that a scan looks for in star imports, each with the module that it asks."""
    found: list[tuple[str, str]] = []
    giver = StarImports.giver

    def noted(links: StarImports, module: str, name: str) -> tuple[str | None, str] | None:
        found.append((module, name))
        return giver(links, module, name)

    monkeypatch.setattr(StarImports, "giver", noted)
    return found


def test_names_that_all_modules_bind_to_one_thing_are_not_looked_for(scan: Scan, asked: list[tuple[str, str]]) -> None:
    star = "from torch import *\n"
    scan({"a.py": f"{star}from b import *\n", "b.py": f"{star}from a import *\n{MINE}"})
    assert {name for _, name in asked} == {"relu"}


def test_a_name_of_a_module_is_looked_for_once(scan: Scan, asked: list[tuple[str, str]]) -> None:
    """It was once for each place that names it: 267 kB took 20 seconds."""
    files = scan({"a.py": "import b\n" + "b.relu(1)\n" * 50, "b.py": "from c import *\n", "c.py": OPS})
    assert [one.name for one in files[0].references] == ["torch.relu"] * 50
    assert asked.count(("b", "relu")) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_names_that_star_imports_bind_in_many_files_are_bounded(
    scan: Scan, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """Each file of 20 bytes keeps 763 names: 57 kB took 1.1 GB."""
    monkeypatch.setattr(tree_scan, "_MOST_STARRED", 50 * 763)
    files = scan({f"e{number:02}.py": "from torch import *\nrelu(1)\n" for number in range(60)} | {"f.py": OPS}, jobs)
    assert [file.names.problems[0].code if file.names.problems else None for file in files] == [
        *[None] * 50,
        *["many_starred"] * 10,
        None,
    ]


BESIDE: list[tuple[str, list[str]]] = [  # what stands around a star import of PyTorch, and which APIs are found there
    ("from scipy import special\nfrom torch import *\nspecial.expit(x)\n", []),
    ("from flax import linen as nn\nfrom torch import *\nnn.Linear(2, 3)\n", []),
    ("import random\nfrom torch import *\nrandom.seed(1)\n", []),
    ("from torch import *\nfrom torch import nn\nnn.Linear(2, 3)\n", ["torch.nn.Linear"]),
    ("from torch import *\nexport.Dim(x)\n", ["torch.export.Dim"]),
    ("from torch.nn import *\nfunctional.relu(x)\nLinear(2, 3)\n", ["torch.nn.functional.relu", "torch.nn.Linear"]),
    (
        "from mine import optim\nfrom torch.distributed import *\noptim.Adam(x)\nget_rank()\n",
        ["torch.distributed.get_rank"],
    ),
]


@pytest.mark.parametrize(("code", "apis"), BESIDE)
def test_a_star_import_binds_the_modules_that_python_does(scan: Scan, code: str, apis: list[str]) -> None:
    assert [one.name for one in scan({"a.py": code})[0].references if one.role == "call"] == apis


OPS, MINE = "from torch import relu\n", "def relu(x): return x + 1\n"
# Files, and whether `relu` is that of PyTorch in c.py.
SHADOWED: list[tuple[dict[str, str], bool]] = [
    ({"ops": OPS, "b": "from ops import *\n", "c": "from b import *\n"}, True),
    ({"ops": f"{OPS}from zz import *\n", "b": f"from ops import *\n{MINE}", "c": "from b import *\n", "zz": ""}, False),
    ({"ops": f"{MINE}from zz import *\n", "b": f"from ops import *\n{OPS}", "c": "from b import *\n", "zz": ""}, True),
    ({"ops": OPS, "b": "from ops import *\nfrom elsewhere import relu\n", "c": "from b import *\n"}, False),
    ({"ops": OPS, "mine": MINE, "c": "from ops import *\nfrom mine import *\n"}, False),
    ({"ops": OPS, "mine": MINE, "c": "from mine import *\nfrom ops import *\n"}, True),
    ({"ops": OPS, "mine": MINE, "c": "from ops import *\nfrom mine import relu\n"}, False),
    ({"ops": OPS, "mine": MINE, "c": f"{OPS}from mine import *\n"}, False),
    ({"ops": OPS, "mine": MINE, "c": f"{MINE}from ops import *\n"}, True),
    ({"ops": OPS, "mine": MINE, "b": f"{OPS}from mine import *\n", "c": "from b import relu\n"}, False),
    ({"ops": OPS, "mine": MINE, "b": f"{MINE}from ops import *\n", "c": "import b\nrelu = b.relu\n"}, True),
    ({"mine": MINE, "c": f"from mine import *\n{OPS}"}, True),
    ({"mine": "K = 1\n", "c": f"{OPS}from mine import *\n"}, True),
    ({"mine": OPS, "c": f"{OPS}from mine import *\n"}, True),
    ({"b": "from c import *\n", "c": f"{OPS}from b import *\n"}, True),
    # What may not be run counts where nothing else binds the name.
    ({"mine": MINE, "c": f"{OPS}try:\n    from mine import *\nexcept ImportError:\n    pass\n"}, True),
    ({"ops": OPS, "c": f"{MINE}import os\nif os.name:\n    from ops import *\n"}, False),
    ({"ops": OPS, "c": "import os\nif os.name:\n    from ops import *\n"}, True),
    # What is not exported.
    ({"mine": f"{MINE}__all__ = ['other']\nother = 1\n", "c": f"{OPS}from mine import *\n"}, True),
    ({"mine": f"{MINE}__all__ = ['relu']\n", "c": f"{OPS}from mine import *\n"}, False),
    ({"mine": f"{MINE}del relu\n", "c": f"{OPS}from mine import *\n"}, True),
    ({"ops": f"{OPS}__all__ = ['x']\nx = 1\n", "b": "from ops import *\n", "c": "from b import *\n"}, False),
    ({"ops": f"{OPS}__all__ = ['x']\n__all__ += ['relu']\nx = 1\n", "c": "from ops import *\n"}, True),
    ({"ops": f"{OPS}__all__ = ['x']\n__all__.append('relu')\nx = 1\n", "c": "from ops import *\n"}, True),
    ({"mine": f"{MINE}import m\n__all__ = [*m.__all__, 'x']\nx = 1\n", "c": f"{OPS}from mine import *\n"}, False),
    ({"mine": f"{MINE}X = 'relu'\n__all__ = (X,)\n", "c": f"{OPS}from mine import *\n"}, False),
    # Nothing is bound before it is imported.
    (
        {
            "ops": OPS,
            "mine": MINE,
            "c": f"{MINE}from zz import *\nassert relu(1)\nfrom ops import *\n",
            "zz": "K = 1\n",
        },
        True,
    ),
]


@pytest.mark.parametrize(("files", "known"), SHADOWED)
@pytest.mark.parametrize("places", [False, True])
def test_a_name_is_what_the_last_import_binds_it_to(
    scan: Scan, files: dict[str, str], known: bool, places: bool
) -> None:
    """Whatever the files are called, and in which order they are read."""
    called = {name: f"z{99 - number}" if places else name for number, name in enumerate(files)}
    texts = {}
    for name, text in files.items():
        for one, other in called.items():
            text = text.replace(f"from {one} ", f"from {other} ").replace(
                "import b\n", f"import {called.get('b')} as b\n"
            )
        texts[f"{called[name]}.py"] = text + ("def f(x):\n    return relu(x)\nprint(relu(2))\n" if name == "c" else "")
    [file] = [file for file in scan(texts) if Path(file.names.path).stem == called["c"]]
    uses = [one.span.line for one in file.references if one.name == "torch.relu" and one.role == "call"]
    lines = texts[f"{called['c']}.py"].count("\n")
    assert uses == ([lines - 1, lines] if known else [])


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[Value]:
    """All that is resolved, each time again."""
    noted, resolve = list[Value](), TreeLinks.resolve

    def noting(links: TreeLinks, path: Value) -> Value:
        noted.append(path)
        return resolve(links, path)

    monkeypatch.setattr(TreeLinks, "resolve", noting)
    return noted


def test_modules_that_all_import_each_other(scan: Scan, resolved: list[Value]) -> None:
    """Each name was looked for in each module, and the answer of each kept."""
    count = 400
    files: dict[str, str | bytes] = {}
    for number in range(count):
        stars = "".join(f"from m{(number * 7 + step * step) % count} import *\n" for step in range(1, 19))
        names = f"import torch as t{number}\nt{(number + 200) % count}.ones(2)\nnone{number}.ones(2)\n"
        files[f"m{number}.py"] = stars + names
    assert [one.name for file in scan(files) for one in file.references].count("torch.ones") == count
    assert len(resolved) < 50 * count


def test_a_name_that_no_module_gives_is_looked_for_in_each_once(scan: Scan, resolved: list[Value]) -> None:
    count = 300
    files: dict[str, str | bytes] = {f"m{number}.py": "from gone import x\n" for number in range(count)}
    files |= {f"u{number}.py": "from hub import *\nx.ones(2)\n" for number in range(count)}
    files |= {"gone.py": "", "hub.py": "".join(f"from m{number} import *\n" for number in range(count))}
    assert not [one for file in scan(files) for one in file.references]
    assert len(resolved) < 50 * count
