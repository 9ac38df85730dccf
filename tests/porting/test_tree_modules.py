"""Which file of a tree an import means, where folders are no packages and files of several folders have the same name."""

from __future__ import annotations

from contextlib import nullcontext
from fnmatch import translate
from pathlib import Path

import pytest

from apidiff.errors import ApidiffError
from apidiff.lookup.cache import open_index
from apidiff.porting import source_files
from apidiff.porting.judgement import Judge
from apidiff.porting.port_files import PortedFile, port_files
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import scan_tree

NET = "from torch import nn\nclass Net(nn.Module):\n    def forward(self, x): return x\n"
LOAD = "import torch\ndef load(): return torch.zeros(3)\n"
PLAIN = "import numpy\ndef load(): return numpy.zeros(3)\n"
BIG = "class Big(Net):\n    def forward(self, x): return super().forward(x)\n"
USER = "net = Net()\nprint(net.forward(1))\n"
STD = "print(load().std())\n"
# The files of a tree, and those in which `forward` is `construct` after a port, or `std` is given its correction.
TREES: list[tuple[dict[str, str], set[str]]] = [
    ({f"{one}/main.py": NET + USER for one in "abc"}, {"a/main.py", "b/main.py", "c/main.py"}),
    ({"main.py": NET + USER, "main.pyw": NET + USER, "main.pyi": NET}, {"main.py", "main.pyw", "main.pyi"}),
    # A script's own folder goes before all others.
    ({"a/utils.py": LOAD, "b/utils.py": PLAIN, "b/run.py": f"from utils import load\n{STD}"}, set()),
    ({"a/utils.py": PLAIN, "b/utils.py": LOAD, "b/run.py": f"import utils\n{STD.replace('lo', 'utils.lo')}"}, {"b/run.py"}),
    # Nobody knows which of several is meant.
    ({"a/utils.py": LOAD, "b/utils.py": LOAD, "c/run.py": f"from utils import load\n{STD}"}, set()),
    ({"a/utils.py": LOAD, "c/run.py": f"from utils import load\n{STD}"}, {"c/run.py"}),
    # The folders around it, and `src`.
    ({"utils.py": LOAD, "a/utils.py": PLAIN, "c/run.py": f"from utils import load\n{STD}"}, {"c/run.py"}),
    ({"src/p/m.py": LOAD, "a/p/m.py": PLAIN, "tests/t.py": f"from p.m import load\n{STD}"}, {"tests/t.py"}),
    ({"a/p/__init__.py": LOAD, "a/t/t.py": f"from p import load\n{STD}", "b/p/__init__.py": PLAIN}, {"a/t/t.py"}),
    # Folders that are no packages.
    ({"m/net.py": NET, "train.py": f"from m.net import Net\n{USER}"}, {"m/net.py", "train.py"}),
    ({"m/net.py": NET, "train.py": f"import m.net\n{USER.replace('Net', 'm.net.Net')}"}, {"m/net.py", "train.py"}),
    ({"m/net.py": NET, "train.py": f"import m.net as n\n{USER.replace('Net', 'n.Net')}"}, {"m/net.py", "train.py"}),
    ({"m/net.py": NET, "m/a/train.py": f"from m import net\n{USER.replace('Net', 'net.Net')}"}, {"m/net.py", "m/a/train.py"}),
    ({"m/net.py": NET, "m/train.py": f"from .net import Net\n{USER}"}, {"m/net.py", "m/train.py"}),
    ({"m/net.py": NET, "m/a/train.py": f"from ..net import Net\n{USER}"}, {"m/net.py", "m/a/train.py"}),
    ({"m/net.py": NET, "m/train.py": f"from . import net\n{USER.replace('Net', 'net.Net')}"}, {"m/net.py", "m/train.py"}),
    ({"pkg/model.py": NET, "tests/test_m.py": f"from pkg.model import Net\n{USER}"}, {"pkg/model.py", "tests/test_m.py"}),
    ({"pkg/sub/__init__.py": NET, "run.py": f"from pkg.sub import Net\n{USER}"}, {"pkg/sub/__init__.py", "run.py"}),
    (
        {"m/net.py": NET, "big.py": f"from m.net import Net\n{BIG}"},
        {"m/net.py", "big.py"},
    ),
    # A module goes before a folder of its name, and a package before a module of its name.
    ({"m.py": NET, "m/other.py": PLAIN, "run.py": f"from m import Net\n{USER}"}, {"m.py", "run.py"}),
    ({"m.py": PLAIN, "m/__init__.py": NET, "run.py": f"from m import Net\n{USER}"}, {"m/__init__.py", "run.py"}),
    # Names that Python cannot spell, and that mean something in a path.
    ({"a-b.c|d/net.py": NET, "a-b.c|d/run.py": f"from net import Net\n{USER}"}, {"a-b.c|d/net.py", "a-b.c|d/run.py"}),
    # A folder that may be anything hides no library.
    ({"numpy/a.py": PLAIN, "run.py": "import numpy\nnumpy.zeros(3).std()\n"}, set()),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "ported"), TREES)
def test_imports_lead_to_the_file_that_python_finds(tmp_path: Path, tree: dict[str, str], ported: set[str]) -> None:
    index = open_index()
    for name, text in tree.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    files = find_sources([tmp_path])[0]
    assert len({file.module for file in files}) == len(files)
    scanned = scan_tree(files, index.source_names, jobs=1, ported=True)
    done = port_files(scanned, Porter(Judge.of_index(index, "2.10.0", None), index.source_names))
    texts = {str(one.path.relative_to(tmp_path)): one.ported.text for one in done if isinstance(one, PortedFile)}
    assert texts.keys() == tree.keys()
    assert {name for name, text in texts.items() if "construct" in text or "correction" in text} == ported
    assert {name for name in ported if "forward" in texts[name]} == set()


def test_what_one_of_several_is_asked_for_stays(tmp_path: Path) -> None:
    common = "import torch\ny = torch.cat([a], dim=1)\n"
    for name, text in {"a/common.py": common, "b/common.py": common, "c/run.py": "from common import torch\n"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    scanned = scan_tree(find_sources([tmp_path])[0], open_index().source_names, jobs=1, ported=True)
    assert [set(one.asked) for one in scanned] == [{"torch"}, {"torch"}, set()]


def test_what_one_of_very_many_may_be_asked_for_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them was looked at for each name that is asked."""
    monkeypatch.setattr("apidiff.porting.tree_modules._MOST_HOLDERS", 1)
    texts = {
        "a/common.py": "import torch\n",
        "b/common.py": "import numpy\n",
        "d/other.py": "import torch, torch.nn as nn\n",
    }
    users = {"e/run.py": "from common import torch\n", "f/all.py": "from common import *\n"}
    for name, text in {**texts, **users, "g/use.py": "from all import nn\n"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    scanned = scan_tree(find_sources([tmp_path])[0], open_index().source_names, jobs=1, ported=True)
    asked = {str(Path(one.names.path).relative_to(tmp_path)): one.asked for one in scanned if one.asked}
    assert asked.pop("e/run.py") == {"torch"}  # what nobody can take from it goes on too
    assert asked.pop("g/use.py") == {"nn"}
    assert asked == {"a/common.py": {"torch"}, "d/other.py": {"torch", "nn"}, "f/all.py": {"nn"}}


@pytest.mark.parametrize("given", [["pkg/sub"], ["pkg/sub/a.py"], [".", "pkg/sub"], ["other", "pkg"]])
def test_a_package_has_its_name_from_wherever_it_is_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    for name in ("pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/a.py", "other/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert "pkg.sub.a" in {file.module for file in find_sources([Path(one) for one in given])[0]}


EXCLUDED = [  # a pattern, what it is matched as, a path that it excludes and one that it does not
    ("old/*", "old/*", "x/old/a.py", "x/new/a.py"),
    ("*??.py", "??*.py", "abc.py", "/.py"),
    ("a?*?*b.py", "a??*b.py", "axyb.py", "axb.py"),
    ("[*?]?*.py", "[*?]?*.py", "*a.py", "ba.py"),
    ("[!*?]*?.py", "[!*?]?*.py", "ba.py", "*a.py"),
    ("[]*?]*?.py", "[]*?]?*.py", "]a.py", "ba.py"),
    ("[*?.py", "[?*.py", "[a.py", "[.py"),
    (f"*{'?' * 200}#", f"{'?' * 200}*#", f"{'a' * 200}#", f"{'a' * 300}"),
]


@pytest.mark.parametrize(("pattern", "ordered", "inside", "outside"), EXCLUDED)
def test_stars_of_patterns_stand_behind_what_they_follow(pattern: str, ordered: str, inside: str, outside: str) -> None:
    """With single characters behind a star, all of these would be tried from each place of a path."""
    excluded = source_files._any_of([pattern])
    assert (
        excluded.pattern
        == source_files._any_of([ordered]).pattern
        == (f"{translate(ordered)}|{translate(f'*/{ordered}')}")
    )
    assert (bool(excluded.match(inside)), bool(excluded.match(outside))) == (True, False)


@pytest.mark.parametrize(
    ("patterns", "is_taken"),
    [(["a" * 250] * 16, True), (["a" * 251], False), (["a" * 250] * 17, False), (["a"] * 1_001, False)],
)
def test_patterns_are_bounded(patterns: list[str], is_taken: bool) -> None:
    with nullcontext() if is_taken else pytest.raises(ApidiffError, match="patterns to exclude"):
        assert not source_files._any_of(patterns).match("b")


@pytest.mark.parametrize(
    ("patterns", "is_taken"), [(["a" * 250], True), (["a*" * 125], True), (["a*" * 125] * 9, False)]
)
def test_patterns_are_bounded_by_the_paths_that_they_are_held_against(
    tmp_path: Path, patterns: list[str], is_taken: bool
) -> None:
    folder = tmp_path / "/".join(["d" * 250] * 8)
    folder.mkdir(parents=True)
    (folder / "a.py").touch()
    with nullcontext() if is_taken else pytest.raises(ApidiffError, match="a path of 2,"):
        assert len(find_sources([tmp_path], patterns)[0]) == 1


BASE = "class A(Base):\n    def forward(self, x): return x\n"
COMPAT = "from torch.nn import Module as Base, ReLU as act\nfrom torch import Tensor as T, float32 as f32, nn as n\n"
# What a file of the tree hands on under another name, the code that takes it from there, and that code after a port.
HANDED_ON: list[tuple[dict[str, str], str, str]] = [
    ({}, "from compat import Base\n" + BASE, "class A(nn.Cell):\n    def construct(self, x): return x\n"),
    ({}, "import compat\n" + BASE.replace("Base", "compat.Base"), "class A(nn.Cell):\n    def construct(self, x): return x\n"),
    ({}, "from compat import *\n" + BASE, "class A(nn.Cell):\n    def construct(self, x): return x\n"),
    ({}, "from compat import T, f32\ny: T = f(f32)\n", "y: mindspore.Tensor = f(mindspore.float32)\n"),
    ({}, "from compat import n as m\ny = m.Module\n", "y = nn.Cell\n"),
    ({"b.py": "from compat import Base as B\n"}, "from b import B as Base\n" + BASE, "class A(nn.Cell):\n    def construct"),
    ({"b.py": "from compat import *\n"}, "from b import f32 as g\ny = g\n", "y = mindspore.float32\n"),
    ({"b.py": "from torch import *\n"}, "from b import float32 as g\ny = g\n", "y = mindspore.float32\n"),
    ({"forward.py": COMPAT, "b.py": "import forward\n"}, "import b\ny = b.forward.f32\n", "y = mindspore.float32\n"),
    # What is a variable there is written otherwise where it is bound, or is not known to be the same always.
    ({"b.py": "import torch\ng = torch.float32\n"}, "from b import g\ny = g\n", "y = g\n"),
    ({"b.py": "import torch\ng = torch.float32\n"}, "from b import g as h\ny = h\n", "y = h\n"),
    ({"b.py": "from torch import float32 as g\ng = f(g)\n"}, "from b import g\ny = g\n", "y = g\n"),
    ({"b.py": "g = f()\nfrom torch import float32 as g\n"}, "from b import g\ny = g\n", "y = g\n"),
]  # fmt: skip


@pytest.mark.parametrize(("others", "user", "ported"), HANDED_ON)
def test_what_is_handed_on_under_another_name(tmp_path: Path, others: dict[str, str], user: str, ported: str) -> None:
    index = open_index()
    for name, text in {"compat.py": COMPAT, **others, "user.py": user}.items():
        (tmp_path / name).write_text(text)
    scanned = scan_tree(find_sources([tmp_path])[0], index.source_names, jobs=1, ported=True)
    done = port_files(scanned, Porter(Judge.of_index(index, "2.10.0", None), index.source_names))
    texts = {one.path.name: one.ported.text for one in done if isinstance(one, PortedFile)}
    assert ported in texts["user.py"]
    assert texts["compat.py"] == COMPAT


_EITHER = "if q:\n    {}\nelse:\n    {}\n"
_ONES, _ZEROS = "from torch import ones as new", "from torch import zeros as new"
_OWN = "from torch import zeros"
# Files of a tree that hand on what is one API or another, or one and something else, and the code that takes it from there.
DIVIDED: list[tuple[dict[str, str], str]] = [
    ({"b.py": _EITHER.format(_ONES, _ZEROS)}, "from b import new\nnew(3)\n"),
    ({"b.py": _EITHER.format(_ONES, _ZEROS)}, "import b\nb.new(3)\n"),
    ({"b.py": _EITHER.format(_ONES, _ZEROS)}, "from b import *\nnew(3)\n"),
    ({"b.py": _EITHER.format(_ONES, _ZEROS), "c.py": "from b import new\n"}, "import c\nc.new(3)\n"),
    ({"b.py": _EITHER.format("import torch as T", "import torch.fft as T")}, "from b import T\nT.zeros(3)\n"),
    ({"b.py": _EITHER.format(_OWN, "def zeros(*n): ...")}, "from b import zeros\nzeros(3)\n"),
    ({"b.py": _EITHER.format(_OWN, "from numpy import zeros")}, "import b\nb.zeros(3)\n"),
    ({"b.py": _EITHER.format(_OWN, "from mine import zeros")}, "import b\nb.zeros(3)\n"),
    ({"b.py": _ONES, "c.py": _ZEROS}, f"{_EITHER.format('from b import new', 'from c import new')}new(3)\n"),
    ({"b.py": _ONES, "c.py": _ZEROS}, f"{_EITHER.format('import b', 'import c as b')}b.new(3)\n"),
    ({"b.py": _OWN, "c.py": "def zeros(*n): ..."}, f"{_EITHER.format('import b', 'import c as b')}b.zeros(3)\n"),
]


@pytest.mark.parametrize(("others", "user"), DIVIDED)
def test_what_is_handed_on_by_one_branch_stays(tmp_path: Path, others: dict[str, str], user: str) -> None:
    index = open_index()
    for name, text in {**others, "user.py": user}.items():
        (tmp_path / name).write_text(text)
    scanned = scan_tree(find_sources([tmp_path])[0], index.source_names, jobs=1, ported=True)
    done = port_files(scanned, Porter(Judge.of_index(index, "2.10.0", None), index.source_names))
    texts = {one.path.name: one.ported.text for one in done if isinstance(one, PortedFile)}
    assert {name: texts.get(name, text) for name, text in others.items()} == others
    left = texts["user.py"].splitlines()
    assert [line for line in left if "# apidiff" not in line] == user.splitlines()
    assert texts["user.py"].count("may be this API or another one") == 1


def test_what_two_files_hand_on_is_one_api(tmp_path: Path) -> None:
    index = open_index()
    user = _EITHER.format("import b", "import c as b") + "b.new(3)\n"
    for name, text in {"b.py": f"{_ZEROS}\n", "c.py": f"{_ZEROS}\n", "user.py": user}.items():
        (tmp_path / name).write_text(text)
    scanned = scan_tree(find_sources([tmp_path])[0], index.source_names, jobs=1, ported=True)
    found = [one for file in scanned for one in file.references if one.role == "call"]
    assert [(one.name, one.divided) for one in found] == [("torch.zeros", False)]


SIN = "print(sin(x))\n"
STARS = [  # star imports, and whether the last one that may give a name is that of PyTorch
    ("from torch import *\nfrom math import *\n", False),
    ("from math import *\nfrom torch import *\n", True),
    ("from torch import *\nfrom mine import *\n", False),
    ("from torch import *\nfrom mine import *\nfrom torch import sin\n", True),
]


@pytest.mark.parametrize(("stars", "known"), STARS)
def test_a_later_star_import_may_give_a_name(stars: str, known: bool) -> None:
    index = open_index()
    ported = Porter(Judge.of_index(index, "2.10.0", None), index.source_names).port_text(f"{stars}{SIN}").text
    assert ("mint.sin(x)" in ported) is known
    assert ("# apidiff manual: torch.sin: `sin` may be of PyTorch, or of another module" in ported) is not known


def test_a_layer_stays_whose_base_a_later_star_import_may_give() -> None:
    index = open_index()
    text = f"from torch.nn import *\nfrom mine import *\n{BASE.replace('Base', 'Module')}"
    assert Porter(Judge.of_index(index, "2.10.0", None), index.source_names).port_text(text).text == text
