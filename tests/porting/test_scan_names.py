"""Which names of PyTorch a scan finds in code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from deep_folders import deep
from snippets import CASES, D

from apidiff.model.source_names import SourceNames
from apidiff.porting import source_text
from apidiff.porting.module_names import ModuleNames
from apidiff.porting.source_files import find_sources
from apidiff.porting.tree_scan import ScannedFile, scan_tree

Scan = Callable[..., list[ScannedFile]]
T = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NET = T + "class Net(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"

# Code, and what is found in it after the lines that all of it begins with: line:column and the name below torch; a method of
# something unknown ends with a question mark.
TABLE: list[tuple[str, str, list[str]]] = [
    ("function", T + "torch.zeros(3)", ["4:1 zeros"]),
    ("constant as argument", T + "torch.ones(2, dtype=torch.float16)", ["4:1 ones", "4:21 float16"]),
    ("functional", T + "F.relu(x)", ["4:1 nn.functional.relu"]),
    ("private module", "from torch.nn.modules.linear import Linear\nLinear(1, 2)", ["1:37 nn.Linear", "2:1 nn.Linear"]),
    (  # which the public name that PyTorch's documentation gives it is none of the record
        "copy of a module",
        "from torch.distributed.device_mesh import DeviceMesh\nfrom torch.distributed import tensor\ntensor.DeviceMesh",
        ["1:43 distributed.DeviceMesh", "3:1 distributed.tensor.DeviceMesh"],
    ),
    (
        "two names swapped",
        "from torch import ones, zeros\nones, zeros = zeros, ones\nzeros(3)",
        ["1:19 ones", "1:25 zeros", "2:15 zeros", "2:22 ones", "3:1 ones"],
    ),
    (
        "names swapped within others",
        T + "a, (b, [c]) = torch.eye, (torch.ones, [torch.zeros])\na, [b, [c]] = d = b, [c, [a]]\na(3); b(3); c(3)",
        [
            "4:15 eye",
            "4:27 ones",
            "4:40 zeros",
            "5:19 ones",
            "5:23 zeros",
            "5:27 eye",
            "6:1 ones",
            "6:7 zeros",
            "6:13 eye",
        ],
    ),
    (
        "beside a starred name",
        T + "a, *b = torch.eye, torch.ones(3)\na(3); b.std(); b[0].std()",
        ["4:9 eye", "4:20 ones", "5:1 eye", "5:21 Tensor.std"],
    ),
    ("behind a starred value", T + "a, b, *c = *d, torch.ones, torch.zeros\nb(3)", ["4:16 ones", "4:28 zeros"]),
    (
        "a value that binds",
        T + "a = torch.eye\nb, c = a, (a := torch.ones)\nb(3)",
        ["4:5 eye", "5:8 eye", "5:17 ones", "6:1 eye"],
    ),
    ("a name as text", T + "getattr(torch, 'zeros')(3).view(3)", ["4:1 zeros", "4:28 Tensor.view"]),
    (
        "a text that is no name",
        T + "getattr(torch, 'a b')(3).view(3); getattr(torch, 'nn.relu')",
        ["4:26 Tensor.view?"],
    ),
    ("a text that is no text", T + "getattr(torch, '\\ud800')(3)\ngetattr(torch.nn, '\\udcff')", []),
    ("method of a result", T + "torch.zeros(3).view(3)", ["4:1 zeros", "4:16 Tensor.view"]),
    ("methods in a row", T + "torch.rand(3).abs().sum()", ["4:1 rand", "4:15 Tensor.abs", "4:21 Tensor.sum"]),
    ("through a variable", T + "x = torch.rand(3)\nx.sum()", ["4:5 rand", "5:1 Tensor.sum"]),
    ("rebound to something else", T + "x = torch.rand(3)\nx = 3\nx.sum()", ["4:5 rand"]),
    (
        "a setting of a module",
        "import torch\nimport torch.backends.cudnn as cudnn\ncudnn.benchmark = torch.deterministic = True\ntorch.x, y = 1, 2",
        ["3:1 backends.cudnn.benchmark", "3:19 deterministic", "4:1 x"],
    ),
    ("of something unknown", "def f(x):\n    return x.masked_fill(1)", ["2:14 Tensor.masked_fill?"]),
    ("of a string", "'a b'.split()\nx = 'a'\nx.split()", []),
    ("of an array", "import numpy as np\nnp.zeros(3).reshape(3)", []),
    ("annotated parameter", T + "def f(x: torch.Tensor):\n    x.mean()", ["4:10 Tensor", "5:5 Tensor.mean"]),
    ("text annotation", T + "def f(x: 'torch.Tensor'):\n    x.mean()", ["5:5 Tensor.mean"]),
    (
        "optional annotation",
        T + "from typing import Optional\ndef f(x: Optional[torch.Tensor] = None):\n    x.mean()",
        ["5:19 Tensor", "6:5 Tensor.mean"],
    ),
    (
        "union annotation",
        T + "def f(x: torch.Tensor | None, n: int):\n    x.mean()\n    n.bit_count()",
        ["4:10 Tensor", "5:5 Tensor.mean"],
    ),
    ("annotated variable", T + "x: torch.Tensor = g()\nx.mean()", ["4:4 Tensor", "5:1 Tensor.mean"]),
    ("annotated result", T + "def g() -> torch.Tensor: ...\ng().mean()", ["4:12 Tensor", "5:5 Tensor.mean"]),
    ("inferred result", T + "def g():\n    return torch.ones(3)\ng().mean()", ["5:12 ones", "6:5 Tensor.mean"]),
    (
        "arithmetic",
        T + "x = torch.ones(3)\n(1 + x * 2).mean()\n(-x).mean()",
        ["4:5 ones", "5:13 Tensor.mean", "6:6 Tensor.mean"],
    ),
    ("comparison", T + "(torch.ones(3) > 1).any()", ["4:2 ones", "4:21 Tensor.any"]),
    ("subscript", T + "torch.ones(3)[0].item()", ["4:1 ones", "4:18 Tensor.item"]),
    (
        "tuple of results",
        T + "v, i = torch.ones(3).max(0)\ni.item()",
        ["4:8 ones", "4:22 Tensor.max", "5:1 Tensor.item"],
    ),
    ("named tuple", T + "torch.ones(3).sort().values.sum()", ["4:1 ones", "4:15 Tensor.sort", "4:29 Tensor.sum"]),
    (
        "chunks",
        T + "for c in torch.ones(3).chunk(2):\n    c.sum()",
        ["4:10 ones", "4:24 Tensor.chunk", "5:5 Tensor.sum"],
    ),
    (
        "enumerate and zip",
        T + "for n, (c) in enumerate(torch.ones(3)):\n    c.sum()\nfor a, b in zip(torch.ones(3), [1]):\n    a.sum()",
        ["4:25 ones", "5:5 Tensor.sum", "6:17 ones", "7:5 Tensor.sum"],
    ),
    (
        "parameters and buffers of a layer",
        T + "w = torch.nn.Parameter(torch.ones(3))\nw.expand(2, 3)\nb = torch.nn.Buffer(torch.ones(3))\nb.sum()",
        ["4:5 nn.Parameter", "4:24 ones", "5:1 Tensor.expand", "6:5 nn.Buffer", "6:21 ones", "7:1 Tensor.sum"],
    ),
    ("list", T + "xs = [torch.ones(1) for _ in y]\nxs[0].sum()", ["4:7 ones", "5:7 Tensor.sum"]),
    (
        "attributes of a tensor",
        T + "x = torch.ones(1)\nx.data.sum()\nx.T.sum()\nx.shape.count(1)",
        ["4:5 ones", "5:1 Tensor.sum", "6:1 Tensor.sum", "7:1 Size.count"],
    ),
    (
        "isinstance",
        T + "def f(x):\n    if isinstance(x, torch.Tensor):\n        x.sum()",
        ["5:22 Tensor", "6:9 Tensor.sum"],
    ),
    (
        "branches",
        T + "x = torch.ones(1) if y else None\nif z:\n    x = x.exp()\nx.sum()",
        ["4:5 ones", "6:9 Tensor.exp", "7:1 Tensor.sum"],
    ),
    (
        "module in self",
        NET + "        self.fc = nn.Linear(n, n)\n    def forward(self, x):\n        return self.fc(x).relu()",
        ["4:11 nn.Module", "7:19 nn.Linear", "9:27 Tensor.relu"],
    ),
    (
        "function in self",
        NET + "        self.act = F.gelu\n    def forward(self, x):\n        return self.act(x)",
        ["4:11 nn.Module", "7:20 nn.functional.gelu", "9:16 nn.functional.gelu"],
    ),
    (
        "forward before __init__",
        T
        + "class A(nn.Module):\n    def forward(self, x, n=1):\n        self.f(x).sum(n)\n"
        + "    def __init__(self):\n        self.f = nn.ReLU()",
        ["4:9 nn.Module", "6:19 Tensor.sum", "8:18 nn.ReLU"],
    ),
    (
        "layers in a list",
        NET
        + "        self.ls = nn.ModuleList([nn.Linear(n, n)])\n    def forward(self, x):\n"
        + "        for l in self.ls:\n            x = l(x)\n        return x.sum()",
        ["4:11 nn.Module", "7:19 nn.ModuleList", "7:34 nn.Linear", "11:16 Tensor.sum"],
    ),
    (
        "a layer that is moved is a layer",
        T + "nn.Linear(1, 1).to(d).eval().weight.zero_()",
        ["4:1 nn.Linear", "4:17 nn.Module.to", "4:23 nn.Module.eval", "4:37 Tensor.zero_"],
    ),
    (
        "own layer that is moved",
        NET + "    def forward(self, x):\n        return x\nnet = Net(3).cuda().train()\nnet(y).sum()\nnet.float()",
        ["4:11 nn.Module", "9:14 nn.Module.cuda", "9:21 nn.Module.train", "10:8 Tensor.sum", "11:1 nn.Module.float"],
    ),
    ("weight of a module", T + "nn.Linear(1, 1).weight.zero_()", ["4:1 nn.Linear", "4:24 Tensor.zero_"]),
    (
        "own module called",
        NET + "    def forward(self, x):\n        return x\nNet(3)(y).sum()",
        ["4:11 nn.Module", "9:11 Tensor.sum"],
    ),
    (
        "method of a base class",
        NET + "        self.register_buffer('a', None)",
        ["4:11 nn.Module", "7:9 nn.Module.register_buffer"],
    ),
    (
        "buffer of a module",
        T + "torch.register_buffer('a', x)\nnn.register_parameter('Linear')\nx.abs()",
        ["4:1 register_buffer", "5:1 nn.register_parameter", "6:3 Tensor.abs?"],
    ),
    (
        "buffer of self outside a method",
        T + "self.register_buffer('forward', 1)\nself.forward(x)",
        [],
    ),
    (
        "decorator and context",
        T + "@torch.no_grad()\ndef f():\n    with torch.enable_grad():\n        pass",
        ["4:2 no_grad", "6:10 enable_grad"],
    ),
    (
        "what has no record",
        T + "torch.cuda.is_available()\ntorch.utils.data.DataLoader(x)",
        ["4:1 cuda.is_available", "5:1 utils.data.DataLoader"],
    ),
    ("wide characters", T + "s = '求和🙂'; torch.ones(1)", ["4:12 ones"]),
    ("lambda", T + "f = lambda t: torch.abs(t)", ["4:15 abs"]),
    ("text with fields", T + "f'{torch.ones(1).sum()}'", ["4:4 ones", "4:18 Tensor.sum"]),
    ("mentioned only", "'import torch'  # torch.zeros(3)", []),
]


def told(file: ScannedFile, first: int = 1) -> list[str]:
    return [
        f"{one.span.line}:{one.span.column} {one.name.removeprefix('torch.')}{'?' if one.possible else ''}"
        for one in file.references
        if one.span.line >= first
    ]


@pytest.mark.parametrize(("code", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_names(scan: Scan, code: str, expected: list[str]) -> None:
    assert told(scan({"code.py": code})[0]) == expected


# Code that calls `std` once, and whether that is known to be a tensor's.
P = "import torch\nimport numpy as np\nfrom torch import nn\np = torch.zeros(3)\n"
NET_OF = "import torch\nimport numpy as np\nfrom torch import nn\nclass N(nn.Module):\n  def forward(self, x):\n"
OWN = P + "class M:\n    def std(self): return 1\n    def make(self): return p\n"
KEPT = P + "class K:\n    def __init__(self): self.x = p\n"
GO = P + "class A:\n  def run(self): self._go(p)\n  def _go(self, x): pass\n"
TYPES: list[tuple[str, bool]] = [
    (P + "if cpu: p = p.numpy()\np.std()", False),
    (P + "if cpu: p = p.numpy()\nelse: p = p + 1\np.std()", False),
    (P + "if cpu:\n    p = p.numpy()\n    raise ValueError\np.std()", True),
    (P + "if cpu: p = p + 1\np.std()", True),
    (P + "if cpu: p = np.asarray(p)\np.std()", False),
    (P + "if cpu: p = np.zeros(3) * 2\np.std()", False),
    (P + "for p in np.zeros(3): pass\np.std()", False),
    (P + "p, q = g(), p\np.std()", False),
    (P + "p, q = g(), p\nq.std()", True),
    (P + "(np if cpu else torch).zeros(3).std()", False),
    (P + "f = np.zeros if cpu else torch.zeros\nf(3).std()", False),
    (P + "if cpu: p = None\np.std()", True),
    (P + "if cpu: q = torch.ones(1)\nq.std()", True),
    (P + "while True:\n    p = p.numpy()\n    break\np.std()", False),
    (P + "while c:\n    if d:\n        p = p.numpy()\n        break\np.std()", False),
    (P + "while c:\n    if d:\n        p = g(p)\n        continue\n    p.std()", True),
    (P + "while c:\n    p = p.numpy()\n    if d: break\n    if e: continue\n    p = torch.ones(1)\np.std()", False),
    (P + "while c:\n    while d:\n        p = p.numpy()\n        if e: break\n    break\np.std()", False),
    (P + "while c:\n    while d:\n        q = 1\n        break\n    p = p.numpy()\n    break\np.std()", False),
    (P + "while c:\n    if d: p = p + 1\n    elif e: break\n    if d: break\np.std()", True),
    (P + "for i in r: p = p.numpy()\np.std()", False),
    (P + "for i in r: p = p + i\np.std()", True),
    (P + "try: f()\nexcept E: p = p.numpy()\np.std()", False),
    (P + "try: f()\nexcept E:\n    p = p.numpy()\n    raise\np.std()", True),
    (P + "match c:\n    case 1: p = p.numpy()\np.std()", False),
    (P + "with c: p = f(p)\np.std()", False),
    (P + "(p.numpy() if c else p).std()", False),
    (P + "(p if c else p + 1).std()", True),
    (P + "(a or p).std()", False),
    (P + "def f():\n    if c: return p.numpy()\n    return p\nf().std()", False),
    (
        P + "def f():\n    return g()\nif c: p = f()\ndef h():\n    p = torch.ones(1)\n    if c: p = f()\n    p.std()",
        False,
    ),
    (P + "h = [np.zeros(3), p]\nh[0].std()", False),
    (P + "h = (p, np.zeros(3))\nh[0].std()", False),
    (P + "h = [p, p + 1]\nh[0].std()", True),
    (P + "h = [p, None]\nh[0].std()", True),
    (P + "def f(x: torch.Tensor):\n    x = x.numpy()\n    def h(): return x.std()", False),
    (P + "def f(x: torch.Tensor):\n    def h(): return x.std()\n    x = x.numpy()", False),
    (P + "def f(x):\n    x = torch.ones(1)\n    def h(): return x.std()", True),
    (NET_OF + "    x.std()", True),
    (NET_OF + "    if isinstance(x, np.ndarray): x.std()", False),
    (NET_OF + "    if isinstance(x, (list, tuple)): x.std()", False),
    (NET_OF + "    if isinstance(x, (torch.Tensor, nn.Parameter)): x.std()", True),
    (NET_OF + "    if isinstance(x, (torch.Tensor, np.ndarray)): x.std()", False),
    (NET_OF + "    if isinstance(x, np.ndarray | torch.Tensor): x.std()", False),
    (NET_OF + "    if not isinstance(x, torch.Tensor): x.std()", False),
    (NET_OF + "    if not torch.is_tensor(x): x.std()", False),
    (NET_OF + "    if not isinstance(x, torch.Tensor): x = torch.ones(x)\n    x.std()", True),
    (NET_OF + "    if not isinstance(x, torch.Tensor): raise TypeError\n    x.std()", True),
    (NET_OF + "    if isinstance(x, torch.Tensor): pass\n    else: x.std()", False),
    (NET_OF + "    if isinstance(x, torch.Tensor): return 1\n    x.std()", False),
    (NET_OF + "    if isinstance(x, np.ndarray): return 1\n    x.std()", True),
    (NET_OF + "    if isinstance(x, np.ndarray): pass\n    else: x.std()", True),
    (NET_OF + "    if type(x) is np.ndarray: x.std()", False),
    (NET_OF + "    if type(x) == np.ndarray: x.std()", False),
    (NET_OF + "    if type(x) in (list, np.ndarray): x.std()", False),
    (NET_OF + "    if type(x) is torch.Tensor: x.std()", True),
    (NET_OF + "    if type(x) is not torch.Tensor: x.std()", True),  # it may be a parameter
    (NET_OF + "    if isinstance(x, np.ndarray) and c: x.std()", False),
    (NET_OF + "    if isinstance(x, np.ndarray) or isinstance(x, list): x.std()", False),
    (NET_OF + "    if isinstance(x, np.ndarray) or c: x.std()", False),
    (NET_OF + "    if not (isinstance(x, np.ndarray) or c): x.std()", True),
    (NET_OF + "    isinstance(x, np.ndarray) and x.std()", False),
    (NET_OF + "    isinstance(x, np.ndarray) or x.std()", True),
    (NET_OF + "    (isinstance(x, np.ndarray) and c)\n    x.std()", True),
    (NET_OF + "    x.std() if isinstance(x, np.ndarray) else 1", False),
    (NET_OF + "    1 if isinstance(x, torch.Tensor) else x.std()", False),
    (NET_OF + "    assert isinstance(x, np.ndarray)\n    x.std()", False),
    (NET_OF + "    while isinstance(x, np.ndarray): x.std()", False),
    (NET_OF + "    match x:\n      case np.ndarray(): x.std()", False),
    (NET_OF + "    match x:\n      case torch.Tensor(): x.std()", True),
    (NET_OF + "    return [o.std() for o in x if isinstance(o, np.ndarray)]", False),
    ("import torch\ndef f(y): return [o.std() for o in y if isinstance(o, torch.Tensor)]", True),
    (OWN + "def step(x): return p.mean(), M()\nloss, m = step(p)\nm.std()", False),
    (OWN + "def step(x): return p.mean(), M()\nloss, m = step(p)\nloss.std()", False),
    (OWN + "h = (p, M())\nh[1].std()", False),
    (OWN + "h = (p, M())\na, b = h\nb.std()", False),
    (OWN + "(M() if c else p).std()", False),
    (OWN + "class K:\n    def __init__(self): self.h = [p, M()]\n    def g(self): return self.h[0].std()", False),
    (P + "class M:\n    def var(self): return 1\nh = (p, M())\nh[0].std()", True),
    (KEPT + "    def g(self): self.x = np.arange(4.0)\n    def h(self): return self.x.std()", False),
    (KEPT + "    def h(self): return self.x.std()\n    def g(self): self.x = np.arange(4.0)", False),
    (
        KEPT
        + "    def h(self): return self.x.std()\n    def g(self, y): self.x = None; self.x = y; self.x = self.x + 1",
        True,
    ),
    (P + "for i in r:\n    p.std()\n    p = np.arange(4.0)", False),
    (P + "for i in r:\n    p.std()\n    p = p.numpy()", False),
    (P + "for i in r:\n    for j in r: p.std()\n    p = p.numpy()", False),
    (P + "while p.std():\n    if c:\n        p = p.numpy()\n        continue\n    p = p + 1", False),
    (P + "for i in r:\n    p.std()\n    p = p.numpy()\n    break", True),
    (P + "for i in r:\n    p.std()\n    p = f(p)", True),
    (P + "for i in r:\n    def f(): return q.std()\n    p = p.numpy()", False),
    (OWN + "for i in r:\n    p.std()\n    p = M()", False),
    (P + "q = np.ones(3)\ntry: q = torch.as_tensor(q).view(7)\nexcept E: q.std()", False),
    (P + "q = np.ones(3)\ntry: q = torch.as_tensor(q).view(7)\nfinally: q.std()", False),
    (P + "q = np.ones(3)\ntry: q = torch.as_tensor(q).view(7)\nexcept E: pass\nq.std()", False),
    (P + "q = np.ones(3)\ntry:\n    try: q = torch.as_tensor(q)\n    finally: pass\nexcept E: q.std()", False),
    (P + "try: p = p + 1\nexcept E: p.std()", True),
    (P + "try: q = [p for p in np.ones(3)]\nexcept E: p.std()", True),
    (P + "try: q = lambda p: p\nexcept E: p.std()", True),
    (P + "q = np.ones(3)\nwith contextlib.suppress(E): q = torch.as_tensor(q)\nq.std()", False),
    (P + "q = np.ones(3)\nwith torch.no_grad(): q = torch.as_tensor(q)\nq.std()", True),
    (P + "with contextlib.suppress(E): p = p + 1\np.std()", True),
    (P + "try: q = p + 1\nexcept E: raise\nq.std()", True),
    (P + "def f():\n    yield np.ones(3)\n    return p\nfor g in f(): g.std()", False),
    (P + "def f():\n    yield from r\n    return p\nf().std()", False),
    (P + "def d(f): return lambda: f().numpy()\n@d\ndef f(): return p\nf().std()", False),
    (P + "import d\n@d.array(1)\ndef f(): return p\nf().std()", False),
    (P + "class K:\n    @g\n    def f(self): return p\n    def h(self): return self.f().std()", False),
    (P + "import d\n@d.array\ndef f() -> torch.Tensor: return p\nf().std()", True),
    (P + "from functools import cache\n@cache\n@torch.no_grad()\ndef f(): return p\nf().std()", True),
    (P + "def cache(f): return lambda: 1\n@cache\ndef f(): return p\nf().std()", False),
    (P + "from ._fx import register_notrace_function\n@register_notrace_function\ndef f(): return p\nf().std()", True),
    (P + "from ._fx import other\n@other\ndef f(): return p\nf().std()", False),
    (P + "def _f(x): return x.std()\n_f(p)\n_f(np.ones(3))", False),
    (P + "def _f(x): return x.std()\n_f(p)\n_f(x=np.ones(3))", False),
    (P + "def _f(x): return x.std()\n_f(p)\n_f(p + 1)", True),
    (P + "def f(x): return x.std()\ndef _g(): f(np.ones(3))\nf(p)", False),
    (GO + "class B:\n  def run(self): self._go(c)\n  def _go(self, x): x.std()", False),
    (GO + "class B(A):\n  def _go(self, x): x.std()", True),
    (P + "def f():\n    global p\n    p = np.ones(3)\nf()\np.std()", False),
    (P + "def g(): return p.std()\ndef f():\n    global p\n    p = np.ones(3)", False),
    (P + "def g():\n    q = p\n    def f():\n        nonlocal q\n        q = q.numpy()\n    f()\n    q.std()", False),
    (P + "def f():\n    global p\n    p = p + 1\nf()\np.std()", True),
    ("from torch import ones\ndef ones(n): return g(n)\ndef f(): return ones(3).std()", False),
    (P + "class A:\n    def ones(self, n): return g(n)\n[torch := A() for _ in r]\ntorch.ones(3).std()", False),
    (P + "[q := p for _ in r]\nq.std()", True),
]


@pytest.mark.parametrize(("code", "is_tensor"), TYPES)
def test_a_type_lasts_as_long_as_it_is_certain(scan: Scan, code: str, is_tensor: bool) -> None:
    found = [name for name in told(scan({"code.py": code})[0]) if "Tensor.std" in name]
    assert [name.endswith("?") for name in found] == [not is_tensor]


# Of these the panel knows more: it reads on behind what is no Python, and it knows that a name which a function binds further
# down is unbound before.
PANEL_ALONE = {"cut off", "broken line in between", "local before its assignment, and the module around"}


@pytest.mark.parametrize(("name", "code", "expected"), CASES, ids=[case[0] for case in CASES])
def test_same_finds_as_the_panel(
    scan: Scan, source_names: SourceNames, name: str, code: str, expected: list[tuple[str, str]]
) -> None:
    if name == "nothing":
        code += "\n"
    file = scan({"page.md": f"```python\n{code}\n```\n"})[0]
    found = []
    for one in file.references:
        known = source_names.apis.get(one.name) or source_names.apis.get(one.name.rpartition(".")[0])
        api = known.mapping if known else f"?{one.name}"
        if not one.possible:
            found.append((f"{one.span.line - 1}:{one.span.column}", api.removeprefix(D)))
    assert (found == expected) is (name not in PANEL_ALONE)


CLASSES = P + "class A:\n    x = p\n    def make(self): return p\n"
MEMBERS = [  # a member of classes of this file, and whether it is a tensor
    ("class B(A): ...\nB().x.std()", True),
    ("class B(A): ...\nclass C(A):\n    x = np.zeros(3)\nclass D(B, C): ...\nD().x.std()", False),
    (
        "class B(A): ...\nclass C(A):\n    def make(self): return np.zeros(3)\nclass D(B, C): ...\nD().make().std()",
        False,
    ),
    ("class B(A): ...\nclass C(A):\n    x = p\nclass D(B, C): ...\nD().x.std()", True),
    ("class M:\n    x = found()\nclass B(M, A): ...\nB().x.std()", False),
    ("class M:\n    y = found()\nclass B(M, A): ...\nB().x.std()", True),
    ("class B:\n    x = p\n    @property\n    def x(self): return np.zeros(3)\nB().x.std()", False),
    ("class B:\n    def x(self): ...\n    x = p\nB().x.std()", True),
    ("class B:\n    x = np.zeros(3)\n    x = p\nB().x.std()", True),
    ("A.x = np.zeros(3)\nA().x.std()", False),
    ("A.x = p + 1\nA().x.std()", True),
    ("class Z:\n    x = np.zeros(3)\nclass B(Z): ...\nb = B()\nb.x = p\nB().x.std()", False),
    ("class B(A): ...\nB.x = np.zeros(3)\nB().x.std()", False),
    ("def f(a: A):\n    a.x = np.zeros(3)\n    return a.x.std()", False),
    (
        "class B:\n    x = p\n    @classmethod\n    def f(cls):\n        cls.x = np.zeros(3)\n        return cls.x.std()",
        False,
    ),
    ("class B(nn.Module):\n    def forward(self, x): return p\nB()(1).std()", True),
    (
        "class B(nn.Module):\n    def __call__(self, x): return np.zeros(3)\n    def forward(self, x): return p\nB()(1).std()",
        False,
    ),
    ("class B(foreign.X): ...\nclass C(foreign.Y, A): ...\nclass D(B, C): ...\nD().x.std()", False),
]


@pytest.mark.parametrize(("code", "is_tensor"), MEMBERS)
def test_members_are_looked_for_as_python_does(scan: Scan, code: str, is_tensor: bool) -> None:
    found = scan({"a.py": CLASSES + code})[0].references
    assert [use.name for use in found if use.name.endswith("std") and not use.possible] == [
        "torch.Tensor.std"
    ] * is_tensor


TREE = {
    "pkg/__init__.py": "from .compat import *\nfrom .layers import Block",
    "pkg/compat.py": "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\nto_tensor = torch.as_tensor",
    "pkg/layers.py": (
        "from .compat import F, nn\nfrom . import compat\n"
        "class Base(nn.Module):\n    def project(self, x):\n        return F.linear(x, self.w)\n"
        "class Block(Base):\n    def forward(self, x):\n        y = self.project(x)\n        return y.softmax(-1)\n"
        "def make(n):\n    return compat.to_tensor(n)\n"
    ),
    "run.py": "from pkg import Block, layers, nn\nnn.Linear(1, 1)\nBlock()(z).sum()\n"
    "layers.make(1).view(1)\nlayers.make(1).nothing()",
}


@pytest.mark.parametrize("jobs", [1, 2])
def test_names_follow_imports_within_the_tree(scan: Scan, jobs: int) -> None:
    more = {f"pkg/other{number}.py": "import os" for number in range(60)}
    files = {Path(file.names.path).name: told(file) for file in scan({**TREE, **more}, jobs) if file.references}
    assert files["layers.py"] == [
        "3:12 nn.Module",
        "5:16 nn.functional.linear",
        "9:16 Tensor.softmax",
        "11:12 as_tensor",
    ]
    assert files["run.py"] == ["2:1 nn.Linear", "3:12 Tensor.sum", "4:16 Tensor.view"]


def test_notebook(scan: Scan) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["torch.zeros"]},
        {"cell_type": "code", "source": ["!pip install x\n", "import torch\n"]},
        {"cell_type": "code", "source": "%time torch\nx = torch.ones(3)\nx.sum()"},
        {"cell_type": "code", "source": "x = ("},
    ]
    file = scan({"n.ipynb": json.dumps({"nbformat": 4, "cells": cells})})[0]
    places = [(one.span.cell, one.span.line, one.span.column, one.name) for one in file.references]
    assert places == [(3, 2, 5, "torch.ones"), (3, 3, 1, "torch.Tensor.sum")]
    assert [(problem.code, problem.line) for problem in file.names.problems] == [("syntax", 1)]


def test_markdown(scan: Scan) -> None:
    page = "# T\n\n- item\n\n  ```py\n  >>> import torch\n  >>> torch.ones(1)\n  ```\n"
    page += "~~~ python\ntorch.zeros(2)\n~~~\n```sh\ntorch.zeros\n```\n"
    assert told(scan({"a.md": page})[0]) == [
        "7:7 ones",
        "10:1 zeros",
    ]


ITEMS = [  # what stands before a fence, and before the lines that follow
    ("- ", "  "),
    ("1. ", "   "),
    ("123456789) ", " " * 11),
    ("*   ", "    "),
    ("+\t", "\t"),
    ("  - ", "\t"),
    ("> - ", ">   "),
    ("- > ", "  > "),
    ("> 1. > - ", ">    >   "),
    ("- - ", "    "),
    ("- 2. * ", "       "),
    ("- ", ""),
]


@pytest.mark.parametrize(("front", "indent"), ITEMS)
@pytest.mark.parametrize("mark", ["```", "~~~~"])
def test_a_fence_on_the_line_of_an_item(scan: Scan, front: str, indent: str, mark: str) -> None:
    """Its end was taken for the beginning of another, which hid the next."""
    code = f"{indent}import torch\n{indent}if x:\n{indent} torch.ones(1)\n"
    page = f"{front}{mark}python\n{code}{indent}{mark}\n\n{mark}python\ntorch.zeros(2)\n{mark}\n"
    [file] = scan({"a.md": page})
    assert (told(file), file.names.problems) == ([f"4:{len(indent) + 2} ones", "8:1 zeros"], [])


@pytest.mark.parametrize(
    "line", ["-```py", "1234567890. ```py", "1.```py", "a. ```py", "- `` `py", "- ```py``` is code"]
)
def test_what_is_no_fence_of_an_item_hides_nothing(scan: Scan, line: str) -> None:
    assert told(scan({"a.md": f"{line}\n\n```python\nimport torch\ntorch.zeros(2)\n```\n"})[0]) == ["5:1 zeros"]


@pytest.mark.parametrize("through", ["", "missing/../"])
def test_links_one_behind_the_other_are_files_that_cannot_be_read(scan: Scan, tmp_path: Path, through: str) -> None:
    """Of more than 40, and of those that lead through what is missing, the system opens none; each was followed to the end."""
    for number in range(1500):
        (tmp_path / f"l{number}.py").symlink_to(f"{through}l{number + 1}.py")
    (tmp_path / "l1500.py").symlink_to("good.py")
    scanned = scan({"good.py": "import torch\ntorch.ones(1)"})
    codes = [problem.code for file in scanned for problem in file.names.problems]
    assert len(codes) > 1400
    assert set(codes) == {"unreadable"}


def test_bad_input_is_one_message_a_file(scan: Scan, tmp_path: Path) -> None:
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "again").symlink_to(tmp_path)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    files: dict[str, str | bytes] = {
        "python2.py": "print 'torch'",
        "binary.py": b"\x00\x01torch",
        "latin.py": b"# -*- coding: latin-1 -*-\nimport torch\nx = '\xe9'; torch.ones(1)",
        "encoding.py": b"import torch\n'\xff'",
        "unknown.py": b"# coding: klingon\n",
        "undefined.py": b"# coding: undefined\n",
        "punycode.py": b"# coding: punycode\n-" + b"a" * 3_000_000,  # which Python would decode for hours
        "empty.ipynb": "{}",
        "broken.ipynb": "{",
        "deep.ipynb": "[" * 100_000,
        "counted.ipynb": '{"cells": 7}',
        "sheets.ipynb": '{"worksheets": 7}',
        "deep.py": "x = " + "(" * 5000,
        "template.py": "{% if torch %}",
        "good.py": "import torch\ntorch.ones(1)",
        "bom.py": b"\xef\xbb\xbfimport torch\r\ntorch.ones(1)\r\n",
    }
    scanned = {Path(file.names.path).name: file for file in scan(files)}
    problems = {name: [problem.code for problem in file.names.problems] for name, file in scanned.items()}
    assert problems == {
        "python2.py": ["syntax"],
        "binary.py": ["binary"],
        "latin.py": [],
        "encoding.py": ["encoding"],
        "unknown.py": ["encoding"],
        "undefined.py": ["encoding"],
        "punycode.py": ["encoding"],
        "empty.ipynb": ["no_cells"],
        "broken.ipynb": ["notebook"],
        "deep.ipynb": ["notebook"],
        "counted.ipynb": ["no_cells"],
        "sheets.ipynb": ["no_cells"],
        "deep.py": ["syntax"],
        "template.py": ["syntax"],
        "good.py": [],
        "bom.py": [],
        "gone.py": ["unreadable"],
    }
    assert [told(scanned[name]) for name in ("latin.py", "good.py", "bom.py")] == [
        ["3:10 ones"],
        ["2:1 ones"],
        ["2:1 ones"],
    ]
    assert [problem.code for problem in find_sources([tmp_path])[1]] == ["loop"]


def test_no_link_is_followed_out_of_the_folder_given(tmp_path: Path) -> None:
    given, other = tmp_path / "given", tmp_path / "given-not"
    for folder in (given / "package", other):
        folder.mkdir(parents=True)
        (folder / "model.py").write_text("import torch\n")
    (given / "a_link.py").symlink_to(other / "model.py")
    (given / "b_folder").symlink_to(other)
    (given / "c_disk").symlink_to("/")
    (given / "d_inside").symlink_to("package")
    (given / "e_inside.py").symlink_to("package/model.py")
    (tmp_path / "top").symlink_to(given)
    for top in (given, tmp_path / "top"):
        files, problems = find_sources([top])
        assert [file.path for file in files] == [f"{top}/e_inside.py", f"{top}/d_inside/model.py"]
        assert {(problem.path, problem.code) for problem in problems} == {
            *((f"{top}/{name}", "outside") for name in ("a_link.py", "b_folder", "c_disk")),
            (f"{top}/package", "loop"),
        }
    assert [file.path for file in find_sources([given / "a_link.py"])[0]] == [f"{given}/a_link.py"]


# what is given to a scan of `cfg` and what is beside it, the files found
SAME: list[tuple[list[str], list[str]]] = [
    (["a.py", "./a.py", "../cfg/a.py"], ["a.py"]),
    (["sub/../a.py", "a.py"], ["sub/../a.py"]),
    ([".", "../cfg", "sub"], ["./a.py", "./b.py", "./sub/a.py"]),
    (["sub", "../link"], ["sub/a.py"]),
    (["../link/a.py", "sub/a.py", "a.py"], ["../link/a.py", "a.py"]),
    (["a.py", "b.py"], ["a.py", "b.py"]),
]


@pytest.mark.parametrize(("given", "found"), SAME)
def test_a_file_is_scanned_once_by_whatever_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], found: list[str]
) -> None:
    (tmp_path / "cfg" / "sub").mkdir(parents=True)
    for name in ("a.py", "sub/a.py"):
        (tmp_path / "cfg" / name).write_text("import torch\n")
    (tmp_path / "cfg" / "b.py").symlink_to("a.py")  # another module, which an import may name
    (tmp_path / "link").symlink_to("cfg/sub")
    monkeypatch.chdir(tmp_path / "cfg")
    files, problems = find_sources([Path(path) for path in given])
    assert ([file.path for file in files], problems) == (found, [])
    absolute = find_sources([*map(Path, given), *(tmp_path / "cfg" / path for path in given)])[0]
    assert [file.path for file in absolute] == found


# (folders one in the other, whether each is a package, the files found, what is told of)
DEEP = [(1_500, False, 2, []), (1_200, True, 1_202, []), (3_000, False, 1, ["unreadable"])]


@pytest.mark.parametrize(("levels", "packages", "found", "told_of"), DEEP)
def test_folders_that_lie_deep(
    tmp_path: Path, source_names: SourceNames, levels: int, packages: bool, found: int, told_of: list[str]
) -> None:
    top = tmp_path / "top"
    with deep(top, levels, ["last.py"]) as last:
        (top / "first.py").write_text(T + "torch.ones(1)")
        for length in range(len(str(top)), len(last) + 1, 2) if packages else ():
            Path(last[:length], "__init__.py").touch()
        files, problems = find_sources([top])
        assert (len(files), [problem.code for problem in problems]) == (found + packages, told_of)
        scanned = scan_tree(files, source_names, jobs=1)
    assert [told(file, 4) for file in scanned if file.references] == [["4:1 ones"]]
    if packages:
        assert files[-1].module.count(".") == levels + 1


# Code of 1,000 words, signs and ends of lines, and whether one more is too many
TOKENS = [
    "a\n" * 500,
    "é\n" * 500,
    "a;" * 499 + "a\n",
    f"[{'a,' * 498}a]\n",
    "'a' " * 333 + "\n",
    f"f'{'{a}' * 332}'\n",
]


@pytest.mark.parametrize("code", TOKENS, ids=range(len(TOKENS)))
@pytest.mark.parametrize("name", ["model.py", "page.md"])
def test_code_whose_syntax_would_fill_the_memory_is_not_parsed(
    scan: Scan, monkeypatch: pytest.MonkeyPatch, name: str, code: str
) -> None:
    monkeypatch.setattr(source_text, "_MOST_TOKENS", 1_000)
    for text, problems in ((code, []), (f"{code}\n", ["many_tokens"])):
        [scanned] = scan({name: f"```python\n{text}\n```\n" if name == "page.md" else text})
        assert [problem.code for problem in scanned.names.problems] == problems


def test_deep_and_long_code(scan: Scan) -> None:
    long = "import torch\n" + "x = torch.ones(1)\nx.sum()\n" * 30_000
    deep = "import torch\nx = " + "-" * 900 + "torch.ones(1)\n" + "y = " + " + ".join(["x"] * 800)
    digits = f"import torch\ntorch.sum(x, dim=0x{'f' * 5000})\n"  # more than Python writes in decimals
    marks = f"import torch\ntorch.ones(1)  {'#' * 200_000} apidiff\n"
    sources: dict[str, str | bytes] = {"long.py": long, "deep.py": deep, "digits.py": digits, "marks.py": marks}
    files = {Path(file.names.path).name: file for file in scan(sources)}
    assert told(files["marks.py"]) == ["2:1 ones"]
    assert len(files["long.py"].references) == 60_000
    assert told(files["digits.py"]) == ["2:1 sum"]
    assert files["deep.py"].references or files["deep.py"].names.problems


def test_nothing_scanned_is_run(scan: Scan, tmp_path: Path) -> None:
    scan({"code.py": f"import torch, pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()", "torch.py": "1/0"})
    assert not (tmp_path / "ran").exists()


def test_scan_in_processes_says_the_same(tmp_path: Path, source_names: SourceNames) -> None:
    for number in range(100):
        (tmp_path / f"f{number}.py").write_text(T + f"torch.ones({number}).sum()")
    files = find_sources([tmp_path])[0]
    alone, together = (scan_tree(files, source_names, jobs=jobs) for jobs in (1, 2))
    assert [told(file) for file in alone] == [told(file) for file in together]
    assert sum(len(file.references) for file in alone) == 200


def test_long_names_of_folders_are_digests(tmp_path: Path) -> None:
    """Each import of a file holds the names of the folders around it: of 250 signs the codes are a thousand characters."""
    folders = ["!" * 250, "#" * 250, "a-b", "c"]
    path = str(tmp_path.joinpath(*folders, "a.py"))
    name = ModuleNames([path], [str(tmp_path)]).of_module(path).name
    first, second, *rest = name.split(".")
    assert (len(first), len(second), rest) == (66, 66, ["a-b", "c", "a"])
    assert first != second
