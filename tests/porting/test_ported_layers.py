"""The method `forward` of layers: its definition and what looks it up are renamed together, or what is left is told."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from apidiff.lookup.cache import open_index
from apidiff.porting import reference_changes
from apidiff.porting.changes import Change, PortOptions
from apidiff.porting.code_text import CodeText, apply_edits
from apidiff.porting.judgement import Judge
from apidiff.porting.layer_changes import with_methods
from apidiff.porting.layer_edits import LayerEdit, LayerEdits
from apidiff.porting.port_files import PortedFile, port_files
from apidiff.porting.port_text import Porter
from apidiff.porting.source_files import find_sources
from apidiff.porting.source_text import UnreadableSource
from apidiff.porting.tree_links import TreeLinks
from apidiff.porting.tree_scan import scan_tree

Port = Callable[..., str]
PortTree = Callable[..., dict[str, str]]

HEAD = "import copy\nfrom torch import nn\nfrom other import Base\n"
LAYER = f"{HEAD}class A(nn.Module):\n    def forward(self, x): return x\n"
PLAIN = f"{LAYER}class N:\n    def forward(self, x): return x\n"
TOLD = "# apidiff manual: torch.nn.Module.forward"


@pytest.fixture(scope="module")
def porter() -> Callable[..., Porter]:
    index = open_index()
    made: dict[tuple[str | None, bool], Porter] = {}

    def porter_for(device: str | None = None, *, unsafe: bool = False) -> Porter:
        key = device, unsafe
        if key not in made:
            made[key] = Porter(Judge.of_index(index, "2.10.0", device), index.source_names, PortOptions(unsafe=unsafe))
        return made[key]

    return porter_for


@pytest.fixture(scope="module")
def port(porter: Callable[..., Porter]) -> Port:
    def ported(text: str, *, device: str | None = None, unsafe: bool = False) -> str:
        return porter(device, unsafe=unsafe).port_text(text).text

    return ported


@pytest.fixture
def port_tree(porter: Callable[..., Porter], tmp_path: Path) -> PortTree:
    """Port files along with each other: their texts by name."""

    def ported(files: dict[str, str], device: str | None = None, *, unsafe: bool = False) -> dict[str, str]:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        scanned = scan_tree(find_sources([tmp_path])[0], open_index().source_names, jobs=1, ported=True)
        found = [file for file in port_files(scanned, porter(device, unsafe=unsafe)) if isinstance(file, PortedFile)]
        return files | {file.path.name: file.after.decode() for file in found}

    return ported


RENAMED = [  # each `forward` is that of a layer, and named in letters of its own
    (LAYER, "a = A()\na.forward = a.forward"),
    (LAYER, "class B(A):\n    def forward(self, x): return A.forward(self, super().forward(x))"),
    (LAYER, "class B(A, nn.Module): pass\nclass A(B):\n    def forward(self, x): return super().forward(x)"),
    (
        LAYER,
        "class B(A):\n    def run(self):\n        class P:\n            def run(self): self = 1\n        return self.forward()",
    ),
    (LAYER, "class B(A):\n    def run(self): return [self.forward(x) for x in (lambda: self.forward(1))()]"),
    (
        HEAD,
        "class C(nn.Module):\n    if FAST:\n        def forward(self): ...\n    else:\n        def forward(self): ...",
    ),
    (HEAD, "class C(nn.Module):\n    try:\n        def forward(self): ...\n    finally: pass\n    run = forward"),
    (HEAD, "class C(nn.Module):\n    forward = run\n    def go(self): return self.forward()"),
    (HEAD, "class C(nn.Module):\n    forward: object\n    forward = lambda self, x: x"),
    (HEAD, "class C(nn.Module):\n    def forward(self): ...\n    @wraps(forward)\n    def go(self, f=forward): ..."),
    (
        HEAD,
        "class C(nn.Module):\n    @property\n    def forward(self): ...\n    @forward.setter\n    def forward(self, x): ...",
    ),
    (
        HEAD,
        "match 1:\n    case 1:\n        class C(nn.Module):\n            def forward(self): ...\n        C().forward()",
    ),
    (f"{LAYER}layer: A = A()\n", "layer.forward(1)"),
    (LAYER, "def use(m: nn.Module): return m.forward(1)"),
    (LAYER, "type(A()).forward(A(), 1)\nA().__class__.forward(A(), 1)"),
    (LAYER, "class B(A):\n    def go(self): return self.__class__.forward(self) + type(self).forward(self)"),
    (LAYER, "net = A().cpu()\nnet.forward(1)"),
    (LAYER, "class A(nn.Module):\n    def forward(self, x): return super().forward(x)\nA().forward(1)"),
    (LAYER, "class A(A):\n    def forward(self, x): return super().forward(x)\nA().forward(1)"),
    (
        f"{LAYER}class L(A): ...\n",
        "class C(nn.Module):\n    def forward(self, x): return self.forward(x)\n"
        "class C(L):\n    def forward(self, x): return x\nclass D(C): ...\nD().forward(1)\nC().forward(1)",
    ),
    (
        HEAD,
        "if q:\n    class C(nn.Module):\n        def forward(self): ...\nelse:\n"
        "    class C(nn.Module):\n        def forward(self): ...\nC().forward()",
    ),
    (LAYER, "a = A() if c else None\na.forward(1)"),
    (f"{LAYER}class B(A): ...\n", "a = A() if c else B()\na.forward(1)"),
    (LAYER, "a = A()\nprint(a.forward.__name__, A.forward.__doc__, A().forward.__code__.co_varnames)"),
    (LAYER, "class B(A[int], Base[int]):\n    def forward(self, x): return super().forward(x)\nB().forward(1)"),
    (LAYER, "a = A()\na.forward.__func__.cache = a.forward.__call__(1)"),
    (LAYER, "def use(m: nn.Module): return m.forward.__call__(1), m.forward.__name__"),
    (f"{LAYER}class B(A): ...\n", "a = A() if c else B()\na.forward.__call__(1)"),
    (
        LAYER,
        "class B(nn.Module):\n    def __init__(self, a: A): self.a = a\n    def go(self): return self.a.forward.__call__(1)",
    ),
]


@pytest.mark.parametrize(("head", "code"), RENAMED)
def test_all_that_is_the_method_of_a_layer_is_renamed(port: Port, head: str, code: str) -> None:
    found = port(f"{head}{code}\n")
    assert "forward" not in found
    assert found.endswith(f"{code.replace('forward', 'construct').replace('nn.Module', 'nn.Cell')}\n")


KEPT = [  # what is no layer's, or is told to be left
    (PLAIN, "N().forward(1)\nN.forward(N(), 1)"),
    (PLAIN, "N().forward.__call__(1)\nprint(N.forward.__name__)"),
    (
        PLAIN,
        "class H(nn.Module):\n    def go(self):\n        class P:\n            def run(self): return self.forward()",
    ),
    (HEAD, "class C(nn.Module):  # apidiff: ignore\n    def forward(self): return self.forward()\nC().forward()"),
    (HEAD, "class C(nn.Module):\n    def forward(self): ...  # apidiff: ignore\nC().forward()"),
    (
        f"{HEAD}class C(nn.Module):\n    def forward(self): ...  # apidiff: ignore\n",
        "class D(C):\n    def go(self): return self.forward() + super().forward()\nD().forward()",
    ),
    (HEAD, "class C(nn.Module):\n    def forward(self): ...\n    def construct(self): ...\nC().forward()"),
    (HEAD, "class C(nn.Module):\n    from impl import forward\n    def go(self): return self.forward()\nC().forward()"),
    (f"{HEAD}import torch.nn.functional as F\n", "F.forward(1)\nnn.init.forward(1)"),
    (
        HEAD,
        "class H(nn.Module):\n    def go(self):\n        class P(self.forward, f(self := 1)): ...",
    ),
    (HEAD, "class C(nn.Module):\n    def go(self): return self.runner.forward() + self.cfg.runner.forward()"),
    (f"{HEAD}m = nn.Transformer()\n", "m.forward(1)"),
    (LAYER, "class S(nn.Transformer):\n    def forward(self, x): return super().forward(x)"),
    (HEAD, "B = nn.LazyLinear\nclass C(B):\n    def forward(self, x): return x\nC().forward(1)"),
]


@pytest.mark.parametrize(("head", "code"), KEPT)
def test_what_is_no_layers_stays(port: Port, head: str, code: str) -> None:
    written = [line for line in port(f"{head}{code}\n").splitlines() if "# apidiff m" not in line]
    assert written[-len(code.splitlines()) :] == code.replace("(nn.Module):\n", "(nn.Cell):\n").splitlines()


UNKNOWN = [  # a layer of this file, perhaps: nobody knows by reading
    (LAYER, "A().unknown().forward(1)"),
    (LAYER, "m = nn.DataParallel(A())\nm.module.forward(1)"),
    (
        f"{LAYER}class S(nn.Transformer):\n    def forward(self, x): return x\n",
        "def use(m: S | A): return m.forward(1)",
    ),
    (
        f"{LAYER}class S(nn.Transformer):\n    def forward(self, x): return x\n",
        "def use(m: A | S): return m.forward(1)",
    ),
    (LAYER, "x.forward(1)"),
    (LAYER, "copy.deepcopy(A()).forward(1)"),
    (LAYER, "def use(a): return a.forward(1)"),
    (LAYER, "def use(*a: A): return a[0].forward(1)"),
    (LAYER, "f = x.forward"),
    (LAYER, "f = x.forward.__name__"),
    (LAYER, "copy.deepcopy(A()).forward.__call__(1)"),
    (PLAIN, "for a in [A(), N()]: print(a.forward.__name__)"),
    (LAYER, "with A() as a: a.forward(1)"),
    (PLAIN, "def use(a: A | N): return a.forward(1)"),
    (PLAIN, "(A() if c else N()).forward(1)"),
    (PLAIN, "for a in [A(), N()]: a.forward(1)"),
    (PLAIN, "a = A()\ndef use(): return a.forward(1)\na = N()"),
]


@pytest.mark.parametrize(("head", "code"), UNKNOWN)
def test_what_may_be_a_layers_is_told(port: Port, head: str, code: str) -> None:
    found = port(f"{head}{code}\n")
    assert found.count(TOLD) == 1
    assert "\n".join(line for line in found.splitlines() if not line.strip().startswith("#")).endswith(code)
    assert TOLD not in port(f"{HEAD}{code}\n")  # where no layer is defined there is nothing to tell


NAMED = [  # the method of a layer, perhaps, in a string or by an import: once in each statement
    "class B(A):\n    def __init__(self): setattr(self, 'forward', self.quick)",
    "setattr(A, 'forward', f)",
    "B = type('B', (A,), {'forward': f})",
    "B = type('B', (A,), dict(forward=f))",
    "B = type(\n    'B',\n    (A,),\n    {'forward': f, 'go': getattr(A, 'forward')},\n)",
    "class B(A):\n    from impl import forward",
    "class B(A):\n    from impl import run as forward",
    "class M:\n    from impl import forward\nclass B(M, A): ...",
    "if hasattr(m, 'forward'): ...\nelse: ...",
    "f = getattr(m, 'forward', None)",
    "own = 'forward' in A.__dict__",
    "class T(type):\n    def __new__(mcs, name, bases, space): space['forward'] = f",
    "@mock.patch.object(A, 'forward')\ndef test(): ...",
    "mock.patch.multiple(A, forward=f)",
    "f = operator.methodcaller('forward')",
    "A().__dict__['forward'] = f",
    "object.__setattr__(A(), 'forward', f)",
    "text = f\"{getattr(m, 'forward')}\"",
]


@pytest.mark.parametrize("code", NAMED)
def test_what_names_the_method_without_a_dot_is_told(port: Port, code: str) -> None:
    found = port(f"{LAYER}{code}\n")
    assert found.count(TOLD) == 1
    assert "\n".join(line for line in found.splitlines() if not line.strip().startswith("#")).endswith(code)
    assert port(found) == found
    assert TOLD not in port(f"{HEAD}{code}\n")  # where no layer is defined there is nothing to tell


NOT_NAMED = [  # what names no method, or is told to be left
    "def f():\n    'forward'",
    "setattr(A, 'forward', f)  # apidiff: ignore",
    "class B(A):\n    from impl import forward  # apidiff: ignore",
    "class B:\n    from impl import forward",
    "from impl import forward",
    "print('forward pass', 'backward', b'forward')",
    "print(f'{x}forward')",
    "def go(way: Literal['forward', 'backward']): ...",
    "def go(way: typing.Literal['forward']): ...",
    "y = fft(x, norm='forward')",
    "run(forward=f)",
]


@pytest.mark.parametrize("code", NOT_NAMED)
def test_what_names_no_method_is_not_told(port: Port, code: str) -> None:
    assert TOLD not in port(f"{LAYER}{code}\n")


def test_an_import_in_a_layer_is_told_where_no_other_is_renamed(port: Port) -> None:
    assert port(f"{HEAD}class C(nn.Module):\n    from impl import forward\n").count(TOLD) == 1


def test_a_string_is_told_where_only_a_call_is_renamed(port: Port) -> None:
    assert port(f"{HEAD}def use(m: nn.Module): return m.forward(1) if hasattr(m, 'forward') else m\n").count(TOLD) == 1


@pytest.mark.parametrize(
    ("layer", "told"),
    [
        ("class A(nn.Module):\n    def forward(self, x): return x\n", True),
        ("class A(nn.Transformer):\n    def forward(self, x): return x\n", False),
        ("class A(nn.Module):\n    def forward(self, x): return x  # apidiff: ignore\n", False),
        ("class A(nn.Module):\n    def run(self, x): return x\n", False),
        ("class A:\n    def forward(self, x): return x\n", False),
    ],
)
def test_a_string_beside_layers_of_other_files_is_told(port_tree: PortTree, layer: str, told: bool) -> None:
    files = {"model.py": f"from torch import nn\n{layer}", "use.py": "def speed(m): setattr(m, 'forward', fast)\n"}
    first = port_tree(files)
    assert first["use.py"].count(TOLD) == told
    assert port_tree(first) == first


MODEL = (
    "from torch import nn\nclass A(nn.Module):\n    def forward(self, x): return x\n"
    "class S(nn.Sequential): ...\nclass T(nn.Transformer): ...\nclass N:\n    def forward(self, x): return x\n"
    "def choose(x): return A() if x else N()\n"
    "class H:\n    def __init__(self, c):\n        self.net = A() if c else N()\n        self.old = N() if c else A()\n"
)
ELSEWHERE = [  # what stands in another file than the layers, and whether a comment tells of it
    ("from model import A, N", "(A() if c else N()).forward(1)", True),
    ("from model import A, N", "(N() if c else A()).forward(1)", True),
    ("from model import A, S", "(A() if c else S()).forward(1)", True),
    ("from model import A", "nets = {1: A()}\nnets[1].forward(1)", True),
    ("from model import A, N", "for n in (A, N): n().forward(1)", True),
    ("from model import S", "def use(net): return net.forward(1)", True),
    ("from model import choose", "choose(1).forward(1)", True),
    ("from model import H", "H(1).net.forward(1)", True),
    ("from model import H", "H(1).old.forward(1)", True),
    ("import model", "model.H(1).net.forward(1)", True),
    ("import model", "(model.T() if c else model.N()).forward(1)", False),
    ("from model import T", "def use(net): return net.forward(1)", False),
    ("from model import N", "def use(net): return net.forward(1)", False),
    ("from model import A, N", "N().forward(1)", False),
]


@pytest.mark.parametrize(("head", "code", "told"), ELSEWHERE)
@pytest.mark.parametrize("unsafe", [False, True])
def test_what_may_be_a_layer_of_another_file_is_told(
    port_tree: PortTree, head: str, code: str, told: bool, unsafe: bool
) -> None:
    found = port_tree({"model.py": MODEL, "use.py": f"{head}\n{code}\n"}, unsafe=unsafe)["use.py"]
    assert found.count(TOLD) == told
    assert [line for line in found.splitlines() if "# apidiff m" not in line] == [head, *code.splitlines()]


MAYBE = [  # right with a condition only
    f"{HEAD}class M:\n    def forward(self, x): return x\nclass C(M, nn.Module): ...\nC().forward(1)",
    f"{HEAD}class M:\n    def go(self, x): return self.forward(x)\nclass C(M, nn.Module): ...",
    f"{HEAD}class C(Base):\n    def forward(self, x): return x\nC().forward(1)",
    f"{HEAD}if c:\n    class C(nn.Module):\n        def forward(self): ...\nelse:\n    class C:\n        def forward(self): ...\n"
    "C().forward()",
    f"{LAYER}class A(Base):\n    def forward(self, x): return x\nA().forward(1)",
]
TWICE = [  # classes by one name of which one has to stay
    "class A(nn.Module):  # apidiff: ignore\n    def forward(self, x): return x\n",
    "class A(nn.Module):\n    def forward(self, x): return x\n    def construct(self, x): return x\n",
    "class A(nn.Transformer):\n    def forward(self, x): return x\n",
    "class T(nn.Transformer): ...\nclass A(T):\n    def forward(self, x): return x\n",
]


@pytest.mark.parametrize("other", TWICE)
@pytest.mark.parametrize("unsafe", [False, True])
def test_classes_by_one_name_stay_together(port_tree: PortTree, other: str, unsafe: bool) -> None:
    """In other files too: an object of that name may be one of either."""
    code = LAYER.removeprefix(HEAD)
    use = "from a import A\nclass B(A):\n    def forward(self, x): return super().forward(x)\nB().forward(1)\nA().forward(1)\n"
    for text in (f"{HEAD}{code}{other}A().forward(1)\n", f"{HEAD}{other}{code}A().forward(1)\n"):
        found = port_tree({"a.py": text, "b.py": use}, unsafe=unsafe)
        written = [line for line in found["a.py"].splitlines() if not line.startswith("# apidiff")]
        assert written == text.splitlines()
        assert "`A` is defined more than once" in found["a.py"]
        assert ".forward" in found["b.py"]
        assert "construct" not in found["b.py"]


@pytest.mark.parametrize("code", MAYBE)
def test_what_is_a_layers_on_a_condition_waits_for_it(port: Port, code: str) -> None:
    """Its base does too, where nobody knows that it is one."""
    kept = code.count("forward")
    safe = "\n".join(line for line in port(f"{code}\n").splitlines() if not line.strip().startswith("#"))
    assert (safe.count("forward"), safe.count("construct")) == (kept, 0)
    assert "class M" in code or "nn.Cell" not in safe
    unsafe = "\n".join(line for line in port(f"{code}\n", unsafe=True).splitlines() if not line.strip().startswith("#"))
    assert (unsafe.count("forward"), unsafe.count("construct")) == (0, kept)


def test_another_base_of_what_may_be_a_layer_is_written(port: Port) -> None:
    code = f"{HEAD}import torch\nclass C(Base, torch.Tensor):\n    def forward(self): ...\n"
    assert "class C(Base, mindspore.Tensor)" in port(code, unsafe=True)


def test_a_class_that_keeps_its_base_keeps_its_method(port: Port) -> None:
    """On Ascend no run proves the base class."""
    code = f"{LAYER}class B(A):\n    def run(self): return self.forward(1)\nB().forward(1)\n"
    assert port(code, device="ascend").count("forward") == code.count("forward")
    assert "forward" not in port(code)


def test_the_method_of_a_class_is_renamed_with_the_class(port: Port) -> None:
    code = "from torch import nn\nclass A(nn.Linear):\n    def forward(self, x): return nn.Linear.forward(self, x)\n"
    assert port(code) == code.replace("forward", "construct").replace(
        "from torch import nn", "from mindspore import mint"
    ).replace("nn.Linear", "mint.nn.Linear")


def test_layers_of_other_files_follow_their_definition(port_tree: PortTree) -> None:
    files = {
        "model.py": "from torch import nn\nclass A(nn.Module):\n    def forward(self, x): return x\n",
        "mixed.py": "class M:\n    def forward(self, x): return x\n",
        "both.py": "from torch import nn\nfrom mixed import M\nclass C(M, nn.Module): ...\n",
        "use.py": "from model import A\nfrom both import C\nA().forward(1)\nC().forward(1)\n"
        "A().forward.__call__(1)\nprint(A.forward.__doc__, C.forward.__doc__)\n",
    }
    found = port_tree(files)
    assert "def construct" in found["model.py"]
    assert found["mixed.py"] == files["mixed.py"]
    used = files["use.py"].replace("A().forward", "A().construct").replace("A.forward", "A.construct")
    assert found["use.py"] == used


STAYING = [  # of a class in another file: what keeps it, or its method, as it is
    "class A(nn.Transformer):\n    def forward(self, x): return x\n",
    "class A(nn.Module):  # apidiff: ignore\n    def forward(self, x): return x\n",
    "class A(nn.Module):\n    def forward(self, x): return x  # apidiff: ignore\n",
    "class A(nn.Module):\n    def forward(self, x): return x\n    def construct(self, x): return x\n",
]


@pytest.mark.parametrize("definition", STAYING)
def test_what_keeps_a_class_keeps_what_looks_it_up_in_other_files(port_tree: PortTree, definition: str) -> None:
    use = "from a import A\nclass B(A):\n    def go(self, x): return super().forward(x) + self.forward(x)\nA().forward(1)\n"
    files = {"a.py": f"from torch import nn\n{definition}", "b.py": f"{use}B().forward(1)\n"}
    found = port_tree(files)
    assert "def forward" in found["a.py"]
    assert found["b.py"].count(".forward(") == 4


def test_a_comment_that_keeps_another_api_keeps_no_class(port_tree: PortTree) -> None:
    head = "from torch import nn\nclass A(nn.Module):  # apidiff: ignore[cat]\n"
    files = {
        "a.py": f"{head}    def forward(self, x): return x  # apidiff: ignore[cat]\n",
        "b.py": "from a import A\nA().forward(1)\n",
    }
    assert not any("forward" in text for text in port_tree(files).values())


def test_a_class_that_keeps_its_base_keeps_it_in_other_files(port_tree: PortTree) -> None:
    files = {
        "a.py": "from torch import nn\nclass A(nn.Module):\n    def forward(self, x): return x\n",
        "b.py": "from a import A\nclass B(A):\n    def forward(self, x): return super().forward(x)\nB().forward(1)\n",
        "c.py": "from b import B\nclass C(B):\n    def forward(self, x): return B.forward(self, x)\n",
    }
    assert port_tree(files, "ascend") == files
    assert not any("forward" in text for text in port_tree(files).values())


@pytest.mark.parametrize(("device", "unsafe"), [(None, False), ("cpu", False), ("ascend", True)])
def test_files_decide_alike_whatever_the_class_inherits_from(
    port_tree: PortTree, device: str | None, unsafe: bool
) -> None:
    """Where the base stays the method does, in the file and in others."""
    apis = open_index().source_names.apis
    names = [
        name for name, api in apis.items() if name.startswith("torch.nn.") and name.count(".") == 2 and api.is_class
    ]
    names.remove("torch.nn.Parameter")
    assert len(names) > 150
    files = {}
    for number, name in enumerate(names):
        base = name.removeprefix("torch.")
        files[f"a{number}.py"] = f"from torch import nn\nclass A({base}):\n    def forward(self, x): return x\n"
        files[f"b{number}.py"] = (
            f"from a{number} import A\nclass B(A):\n    def forward(self, x): return super().forward(x)\n"
            "B().forward(1)\nA().forward(1)\n"
        )
    found = port_tree(files, device, unsafe=unsafe)
    renamed = 0
    for number in range(len(names)):
        stays = "from torch import nn" in found[f"a{number}.py"]
        code = found[f"a{number}.py"] + found[f"b{number}.py"]
        written = "\n".join(line for line in code.splitlines() if not line.strip().startswith("#"))
        counts = written.count("forward"), written.count("construct")
        assert counts == ((5, 0) if stays else (0, 5)), written
        renamed += not stays
    assert renamed


PLAIN_MODULE = "class Module:\n    def __call__(self, x): return self.forward(x)\n    def forward(self, x): return x\n"
EITHER = [  # a base that is of PyTorch or of another thing, whichever import binds it, and stays
    "try:\n    from torch.nn import Module\nexcept ImportError:\n    from plain import Module\n",
    "try:\n    from torch.nn import Module\nexcept ImportError:\n    class Module: ...\n",
    "from plain import Module\nif q:\n    from torch.nn import Module\n",
    "from torch.nn import *\nfrom elsewhere import *\n",
    "if q:\n    from torch.nn import Module\nelse:\n    from torch.nn import Identity as Module\n",
]


@pytest.mark.parametrize("bound", EITHER)
@pytest.mark.parametrize("unsafe", [False, True])
def test_what_inherits_from_a_base_that_stays_stays_in_other_files(
    port_tree: PortTree, bound: str, unsafe: bool
) -> None:
    body = "    def forward(self, x): return super().forward(x)\n"
    files = {
        "plain.py": PLAIN_MODULE,
        "a.py": f"{bound}class A(Module):\n{body}",
        "b.py": f"from a import A\nclass B(A):\n{body}B().forward(1)\nA().forward(1)\n",
        "c.py": f"from b import B\nclass C(B):\n{body}",
    }
    found = port_tree(files, unsafe=unsafe)
    assert not any("construct" in text for text in found.values())
    assert [found[name] for name in ("plain.py", "b.py", "c.py")] == [
        files[name] for name in ("plain.py", "b.py", "c.py")
    ]


def test_what_inherits_from_pytorchs_class_where_that_may_be_missing_is_ported(port_tree: PortTree) -> None:
    body = "    def forward(self, x): return super().forward(x)\n"
    files = {
        "a.py": f"try:\n    from torch import nn\nexcept ImportError:\n    nn = None\nclass A(nn.Module):\n{body}",
        "b.py": f"from a import A\nclass B(A):\n{body}B().forward(1)\n",
    }
    assert not any("forward" in text for text in port_tree(files).values())


def test_what_only_a_class_that_stays_inherits_from_stays(port: Port) -> None:
    code = f"{HEAD}class M:\n    def forward(self, x): return x\nclass C(M, nn.Module):  # apidiff: ignore\n    pass\n"
    assert port(code, unsafe=True) == code


BASES = [  # a base that is written where it is bound
    "try:\n    import torch\n    Base = torch.nn.Module\nexcept ImportError:\n    Base = object\n",
    "Base = nn.Module if q else object\n",
    "if q:\n    Base = nn.Linear\nelse:\n    Base = nn.Module\n",
    "Base = nn.Module if q else nn.Identity\n",
    "try:\n    from torch import nn as n\n    Base = n.Module\nexcept ImportError:\n    class Base: pass\n",
]


@pytest.mark.parametrize("bound", BASES)
def test_a_base_that_is_written_where_it_is_bound_is_one_of_mindspores(port: Port, bound: str) -> None:
    code = f"{HEAD}{bound}class C(Base):\n    def forward(self, x): return x\nC().forward(1)\n"
    found = port(code, unsafe=True)
    assert ("nn.Cell" in found, ".forward" in found, "def forward" in found) == (True, False, False)


def test_what_inherits_from_a_variable_is_renamed_in_other_files(port_tree: PortTree) -> None:
    body = "    def forward(self, x): return super().forward(x)\n"
    files = {
        "a.py": f"from torch import nn\nB = nn.Module\nif q:\n    B = nn.Identity\nclass A(B):\n{body}",
        "b.py": f"from a import A\nclass C(A):\n{body}C().forward(1)\nA().forward(1)\n",
    }
    assert not any("forward" in text for text in port_tree(files).values())


def test_what_inherits_from_another_files_variable_is_as_what_that_holds(port_tree: PortTree) -> None:
    body = "    def forward(self, x): return x\n"
    files = {
        "a.py": "from torch import nn\nL = nn.Linear\nB = nn.LazyLinear\n",
        "b.py": f"from a import B, L\nclass C(B):\n{body}class D(L):\n{body}C().forward(1)\nD().forward(1)\n",
    }
    stays, renamed = f"class C(B):\n{body}", f"class D(L):\n{body}".replace("forward", "construct")
    assert port_tree(files)["b.py"] == f"from a import B, L\n{stays}{renamed}C().forward(1)\nD().construct(1)\n"


SUBCLASSES = [  # a method that is called on a class of the file is called on its class
    "S.size(x)",
    "S.size(x, 0)",
]


@pytest.mark.parametrize("call", SUBCLASSES)
def test_a_method_called_on_a_class_of_tensors_stays(port: Port, call: str) -> None:
    found = port(f"import torch\nclass S(torch.Tensor): ...\ny = {call}\n", unsafe=True)
    assert found.endswith(f"y = {call}\n")
    assert "# apidiff manual: torch.Tensor.size" in found


def test_many_classes_in_a_line_end(port: Port) -> None:
    lines = "".join(f"class A{number}(A{number - 1}): ...\n" for number in range(1, 400))
    code = f"{LAYER.replace('class A(', 'class A0(')}{lines}A399().forward(1)\n"
    assert "def construct" in port(code)


def test_each_class_in_a_line_is_looked_at_once(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line whose methods call each other took minutes: each call went up the whole line."""
    asked = 0

    def counted(links: TreeLinks, path: str) -> list[str]:
        nonlocal asked
        asked += 1
        return bases(links, path)

    bases = TreeLinks.bases
    monkeypatch.setattr(TreeLinks, "bases", counted)
    body = "    def forward(self, x): return self.forward(x)\n"
    lines = "".join(f"class A{number}(A{number - 1}):\n{body}" for number in range(1, 200))
    port(f"{LAYER.replace('class A(', 'class A0(')}{lines}")
    assert 200 <= asked < 200 * 20


class _Looked(list[Any]):
    """A list that counts how often any of its kind is gone through."""

    times = 0

    def __iter__(self) -> Iterator[Any]:
        _Looked.times += 1
        return super().__iter__()


def test_classes_by_one_name_are_not_all_looked_at_for_each(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(layers: LayerEdits) -> Iterator[LayerEdit]:
        layers._classes = {path: _Looked(found) for path, found in layers._classes.items()}
        return every(layers)

    every = LayerEdits.all
    monkeypatch.setattr(LayerEdits, "all", counted)
    monkeypatch.setattr(_Looked, "times", 0)
    found = port(LAYER + LAYER.removeprefix(HEAD) * 199 + "A().forward(1)\n" * 200)
    assert found.count("def construct") == found.count("A().construct") == 200
    assert 1 <= _Looked.times <= 10


def test_each_change_is_held_against_one_base(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(code: CodeText, changes: list[Change], *given: Any, **named: Any) -> Iterator[Change]:
        looked = [msgspec.structs.replace(change, edits=_Looked(change.edits)) for change in changes]
        return with_methods(code, looked, *given, **named)

    monkeypatch.setattr(reference_changes, "with_methods", counted)
    monkeypatch.setattr(_Looked, "times", 0)
    both = "class A(nn.Module):\n    def forward(self, x): return x\n    def construct(self, x): return x\n"
    found = port(f"{HEAD}import torch\n{both}" + "class A(nn.Module): pass\n" * 200 + "torch.abs(x)\n" * 200)
    assert found.count("class A(nn.Module)") == 201
    assert found.count("mint.abs(x)") == 200
    assert 400 <= _Looked.times <= 4_000


MANY = 3_000
PASSED_ON = [f"class A{number}({{}}A{number + 1}): pass\n" for number in range(MANY)]
LAST = f"class A{MANY}(nn.Module):\n    def forward(self, x): return x\n"
LINES = [  # trees in which a class is read before its base, that before its own, and so on
    {
        "a.py": "import torch.nn as nn\n"
        + "".join(f"class A{number}(nn.Module):\n    def forward(self, x): return x\n" for number in range(MANY + 1))
        + "".join(PASSED_ON).replace("{}", "")
    },
    {"a.py": f"import torch.nn as nn\nimport a\n{''.join(PASSED_ON).replace('{}', 'a.')}{LAST}"},
    {
        "a.py": f"import torch.nn as nn\nfrom b import *\n{''.join(PASSED_ON).replace('{}', '')}{LAST}",
        "b.py": "from a import *\nclass B(A0): pass\n",
    },
]


@pytest.mark.parametrize("tree", LINES, ids=["twice", "itself", "each other"])
def test_a_long_line_of_classes_is_ported(
    port_tree: PortTree, porter: Callable[..., Porter], tree: dict[str, str]
) -> None:
    found = port_tree(tree)
    assert found == tree | {
        "a.py": tree["a.py"]
        .replace("import torch.nn as nn", "from mindspore import nn")
        .replace("nn.Module", "nn.Cell")
        .replace("forward", "construct")
    }
    assert porter(unsafe=True).repairs(tree["a.py"], "a.py", (1, 1), (3 * MANY, 1))


RINGS = [  # classes that are their own bases, by way of others, and whether the method of the layer among them is renamed
    ("class A(C): pass\nclass B(A): pass\nclass C(B, nn.Module):\n    def forward(self, x): return x", True),
    ("class A(C): pass\nclass B(A): pass\nclass C(B, torch.nope):\n    def forward(self, x): return x", False),
]


@pytest.mark.parametrize(("classes", "renamed"), RINGS)
def test_classes_that_are_their_own_bases_end(port_tree: PortTree, classes: str, renamed: bool) -> None:
    found = port_tree({"a.py": f"import torch\nfrom torch import nn\nimport a\n{classes.replace('(C', '(a.C')}\n"})
    assert ("def construct" in found["a.py"]) == renamed


def test_code_that_is_too_deep_hides_no_other_file(port_tree: PortTree, monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(layers: LayerEdits, *given: Any) -> None:
        if "deep" in given[0].data.decode():
            raise RecursionError
        made(layers, *given)

    made = LayerEdits.__init__
    monkeypatch.setattr(LayerEdits, "__init__", deep)
    call = "import torch\nx = torch.cat([a], dim=1)\n"
    tree = {"a.py": f"deep = 1\n{call}", "b.py": call, "c.md": f"```python\n{call}deep\n```\n"}
    assert port_tree(tree) == tree | {
        "b.py": call.replace("import torch", "from mindspore import mint").replace("torch.cat", "mint.cat")
    }


def test_code_that_is_too_deep_is_told(porter: Callable[..., Porter], monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(LayerEdits, "__init__", deep)
    with pytest.raises(UnreadableSource, match="nested"):
        porter().port_text("import torch\n")
    with pytest.raises(UnreadableSource, match="nested"):
        porter().repairs("import torch\n", "a.py", (1, 1), (1, 1))


@pytest.mark.parametrize("method", ["run", "forward"])
def test_methods_are_not_gone_through_for_each_class_around_them(
    port: Port, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    visited: list[ast.AST] = []
    children = ast.iter_child_nodes

    def counted(node: ast.AST) -> Iterator[ast.AST]:
        visited.append(node)
        return children(node)

    monkeypatch.setattr(ast, "iter_child_nodes", counted)
    counts = []
    for levels in (2, 40):
        visited.clear()
        heads = (
            f"{'  ' * level}class A(nn.Module):\n{'  ' * level} def {method}(self, x):\n" for level in range(levels)
        )
        found = port(f"{HEAD}{''.join(heads)}{'  ' * levels}{'self.forward;' * 500}\n")
        assert found.count("self.construct") == 500
        counts.append(len(visited))
    assert counts[1] < 1.5 * counts[0]


EXAMPLES = Path(__file__).parents[2] / "executable_examples" / "porting"
CALLED = f"""{LAYER}    def again(self, x): return self.forward(x)
class B(A):
    def forward(self, x): return super().forward(x)
m = A()
m.forward(1)
m.eval()
n = nn.Linear(2, 2)
n.forward(1)
"""
MIXIN = f"{LAYER}class M:\n    def forward(self, x): return x\nclass D(M, nn.Module): pass\n"
FIXED = [  # code, and the label of the fix of its first base
    (LAYER, "verified"),
    (CALLED, "verified"),
    (f"{LAYER}y.forward(1)\n", "verified"),  # a comment tells of it
    (f"{LAYER}class C(Base):\n    def forward(self, x): return x\n", "verified"),  # which has a fix of its own still
    (MIXIN, "unsafe"),
    *(((EXAMPLES / f"{name}.py").read_text(), "verified") for name in ("unet", "vit", "gpt")),
]


@pytest.mark.parametrize(("text", "label"), FIXED)
def test_the_fix_of_a_base_leaves_nothing_that_no_port_finds(
    porter: Callable[..., Porter], text: str, label: str
) -> None:
    one = porter("cpu", unsafe=True)
    begin = text[: text.index("(nn.Module)")]
    place = begin.count("\n") + 1, len(begin) - begin.rfind("\n") + 1
    [fix] = one.repairs(text, "a.py", place, place)
    assert fix.change.label == label
    fixed = apply_edits(text.encode(), fix.edits).decode()
    assert _spelled(one.port_text(fixed).text) == _spelled(one.port_text(text).text)


def _spelled(text: str) -> list[str]:
    """The lines of ported code but for its imports, on which depends how names are spelled."""
    text = re.sub(r"\bmindspore\.(?=(mint|nn|ops)\b)", "", text)
    return [line for line in text.splitlines() if not re.match(r"import mindspore|from mindspore import", line)]


def test_the_fix_of_a_method_is_offered_on_its_name(porter: Callable[..., Porter]) -> None:
    text = f"{HEAD}class C(Base):\n    async def \\\n forward(self, x): return x\n"
    one = porter(unsafe=True)
    for column, count in ((1, 0), (2, 1), (9, 1), (10, 0)):
        found = one.repairs(text, "a.py", (6, column), (6, column))
        assert [(fix.change.line, fix.change.column, fix.change.end_column) for fix in found] == [(6, 2, 9)] * count
