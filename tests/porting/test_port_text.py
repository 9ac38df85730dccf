"""What porting makes of pieces of code: each row is a piece, how it is ported, and what becomes of it."""

from __future__ import annotations

import ast
import re
import time
import warnings
from collections.abc import Callable

import pytest

from apidiff.lookup.cache import open_index
from apidiff.model.base import Language
from apidiff.porting.changes import Ported, PortOptions
from apidiff.porting.code_text import CodeText, Edit, apply_edits
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Porter
from apidiff.porting.source_text import UnreadableSource
from apidiff.writers.exports.address import Address

Port = Callable[..., Ported]


@pytest.fixture(scope="session")
def port() -> Port:
    index = open_index()
    judges: dict[str | None, Judge] = {}

    def ported(
        text: str, *, device: str | None = None, unsafe: bool = False, language: Language = "en", site: str = ""
    ) -> Ported:
        if device not in judges:
            known = index.releases["mindspore"]
            judges[device] = Judge(index.call_facts, index.source_names.apis, "2.10.0", known, device)
        options = PortOptions(unsafe=unsafe, language=language, site=site)
        return Porter(judges[device], index.source_names, options).port_text(text)

    return ported


IMPORTS = [
    ("import torch\ny = torch.cat([a, b], dim=1)\n", "from mindspore import mint\ny = mint.cat([a, b], dim=1)\n"),
    (
        "import torch\nimport torch.nn as nn\n\nlayer = nn.Linear(3, 2)\nkind = torch.float32\n",
        "import mindspore\nfrom mindspore import mint\n\nlayer = mint.nn.Linear(3, 2)\nkind = mindspore.float32\n",
    ),
    (  # parentheses around a part of the name belong to it
        "import torch\nx = ((torch).cat)((a),dim=(1),)\ny = (torch.nn).Linear(3, 2)\n",
        "from mindspore import mint\nx = (mint.cat)((a),dim=(1),)\ny = mint.nn.Linear(3, 2)\n",
    ),
    ("from torch import Tensor\n\ndef f(x: Tensor): ...\n", "import mindspore\n\ndef f(x: mindspore.Tensor): ...\n"),
    (  # what is still needed stays, and takes no name of MindSpore's
        "from torch import nn\n\nclass A(nn.Module):\n    x = nn.utils.weight_norm\n",
        None,
    ),
    (  # a module of that name is bound otherwise
        "import torch\nmint = 3\ny = torch.cat([a, b], dim=1)\n",
        "import mindspore\nmint = 3\ny = mindspore.mint.cat([a, b], dim=1)\n",
    ),
    (
        "from torch import (\n    Tensor,\n    manual_thing,\n)\n\ndef f(x: Tensor): return manual_thing(x)\n",
        "from torch import (\n    manual_thing,\n)\nimport mindspore\n\ndef f(x: mindspore.Tensor): return manual_thing(x)\n",
    ),
    (
        "def f(a):\n    import torch\n    return torch.cat(a, dim=1)\n",
        "from mindspore import mint\ndef f(a):\n    return mint.cat(a, dim=1)\n",
    ),
    (  # what comes is imported before it is used, also where an import that goes stands behind
        "import torch\nprint(torch.no_such)\ny = torch.cat([a], dim=1)\nimport torch.nn as nn\nnn.Linear(3, 2)\n",
        "import torch\nfrom mindspore import mint\nprint(torch.no_such)\ny = mint.cat([a], dim=1)\nmint.nn.Linear(3, 2)\n",
    ),
    (
        "import torch; y = torch.cat([a], dim=1); torch.no_such\n",
        "from mindspore import mint\nimport torch; y = mint.cat([a], dim=1); torch.no_such\n",
    ),
    (
        "if True:\n    import torch\nx = torch.float32\n",
        "import mindspore\nif True:\n    pass\nx = mindspore.float32\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), IMPORTS)
def test_imports_follow_what_is_used(port: Port, before: str, after: str | None) -> None:
    found = port(before).text
    if after is None:
        assert "from torch import nn" in found
        assert "class A(mindspore.nn.Cell):" in found
    else:
        assert found == after


LAYERS = [
    (
        "from torch import nn\n\nclass A(nn.Module):\n    def forward(self, x):\n        return x\n",
        "from mindspore import nn\n\nclass A(nn.Cell):\n    def construct(self, x):\n        return x\n",
    ),
    (  # a class of the file that inherits, and calls of it
        "from torch import nn\n\nclass A(nn.Module):\n    pass\n\nclass B(A):\n    def forward(self, x):\n"
        "        return super().forward(x) + self.forward(x)\n",
        "from mindspore import nn\n\nclass A(nn.Cell):\n    pass\n\nclass B(A):\n    def construct(self, x):\n"
        "        return super().construct(x) + self.construct(x)\n",
    ),
    (  # no layer
        "import torch\n\nclass A:\n    def forward(self, x):\n        return self.forward(x)\n",
        "import torch\n\nclass A:\n    def forward(self, x):\n        return self.forward(x)\n",
    ),
    (
        "import torch.nn as nn\n\nclass A(nn.Module):\n    def __init__(self):\n        nn.Module.__init__(self)\n",
        "from mindspore import nn\n\nclass A(nn.Cell):\n    def __init__(self):\n        nn.Cell.__init__(self)\n",
    ),
]

_LAYER = "from torch import nn\n\nclass A(nn.Module):\n    def forward(self, x):\n        return x\n\nclass B(A):\n    pass\n"
CALLED = [  # the method, looked up on objects of the file's own layers
    "a = A()\na.forward(1)",
    "f = A().forward",
    "A.forward(A(), 1)",
    "f = A.forward",
    "def use(b: B):\n    return b.forward(1)",
    "class C(nn.Module):\n    def __init__(self):\n        self.b = B()\n    def run(self):\n        self.b.forward(1)",
]
NOT_CALLED = [  # other methods of that name
    "x.forward(1)",
    "class N:\n    def forward(self): ...\nN().forward()",
    "class N:\n    def forward(self): ...\nf = N.forward",
    "def forward(): ...\nforward()",
    "import other\nother.forward()\nf = other.forward",
]


@pytest.mark.parametrize("code", CALLED)
def test_the_method_is_renamed_where_it_is_called(port: Port, code: str) -> None:
    found = port(f"{_LAYER}{code}\n").text
    assert "forward" not in found
    assert found.endswith(f"{code.replace('forward', 'construct').replace('nn.Module', 'nn.Cell')}\n")


@pytest.mark.parametrize("code", NOT_CALLED)
def test_other_methods_of_that_name_stay(port: Port, code: str) -> None:
    assert port(f"{_LAYER}{code}\n", unsafe=True).text.endswith(f"{code}\n")


def test_objects_of_what_may_be_a_layer_follow_its_definition(port: Port) -> None:
    code = "import torch\nfrom other import Base\nclass A(Base):\n    def forward(self, x): return x\nA().forward(1)\n"
    assert "A().forward(1)" in port(code).text
    found = port(code, unsafe=True).text
    assert "A().construct(1)" in found
    assert found.count("# apidiff unsafe: torch.nn.Module.forward") == 2


IGNORED_LAYERS = [  # of the lines after the class's head
    ("    def forward(self, x):  # apidiff: ignore\n        return self.forward(x)\n", []),
    ("    def forward(self, x):  # apidiff: ignore[forward]\n        return self.forward(x)\n", []),
    ("    def forward(self, x):  # apidiff: ignore[cat]\n        return self.forward(x)\n", [5, 6]),
    ("    def forward(self, x):\n        return self.forward(x)  # apidiff: ignore\n", [5]),
    ("    def run(self, x):\n        return self.forward(x)  # apidiff: ignore\n", []),
]


@pytest.mark.parametrize(("body", "renamed"), IGNORED_LAYERS)
def test_a_method_that_is_ignored_is_not_renamed(port: Port, body: str, renamed: list[int]) -> None:
    found = port(f"import torch\nfrom torch import nn\n\nclass A(nn.Module):\n{body}").changes
    assert [one.line for one in found if one.source.endswith("forward") and one.state == "made"] == renamed


@pytest.mark.parametrize(("before", "after"), LAYERS)
def test_layers_get_their_structure(port: Port, before: str, after: str) -> None:
    assert port(before).text == after


def test_a_class_of_unknown_base_is_a_layer_with_a_condition(port: Port) -> None:
    before = "import torch\nfrom other import Base\n\nclass A(Base):\n    def forward(self, x):\n        return x\n"
    assert port(before).text == before
    ported = port(before, unsafe=True).text
    assert "def construct(self, x)" in ported
    assert "# apidiff unsafe: torch.nn.Module.forward" in ported


MOVES = [  # what only moves to a device is left to the reader, with the guide's section
    ("y = x.to(device)\n", "y = x.to(device)\n", True),
    ("y = x.to(device, torch.float16)\n", "y = x.to(dtype=mindspore.float16)\n", False),
    ("y = x.to(torch.float16)\n", "y = x.to(mindspore.float16)\n", False),
    ("nn.Linear(2, 3).cuda()\n", "mint.nn.Linear(2, 3).cuda()\n", True),
]


@pytest.mark.parametrize(("before", "after", "manual"), MOVES)
def test_moves_to_a_device_are_never_kept_silently(port: Port, before: str, after: str, manual: bool) -> None:
    found = port(f"import torch\nfrom torch import nn\nx = torch.ones(2, 3)\n{before}", unsafe=True)
    assert found.text.endswith(after)
    assert ("guide-code-devices" in found.text) is manual
    assert ({one.state for one in found.changes if one.source.endswith((".to", ".cuda"))} == {"manual"}) is manual


CALLS = [  # the call, the options, what it becomes
    (
        "nn.Conv2d(3, 8, 3, padding=1)",
        {"device": "cpu", "unsafe": True},
        'nn.Conv2d(3, 8, 3, padding=1, pad_mode="pad", has_bias=True)',
    ),
    (
        "nn.Conv2d(3, 8, 3, bias=False)",
        {"device": "cpu", "unsafe": True},
        'nn.Conv2d(3, 8, 3, has_bias=False, pad_mode="pad")',
    ),
    (
        "nn.Conv2d(3, 8, 3, 2, 1)",
        {"device": "cpu", "unsafe": True},
        'nn.Conv2d(3, 8, 3, 2, padding=1, pad_mode="pad", has_bias=True)',
    ),
    ("nn.LayerNorm(8, eps=1e-6)", {"device": "cpu", "unsafe": True}, "nn.LayerNorm((8,), epsilon=1e-6)"),
    ("nn.LayerNorm(8)", {"device": "cpu", "unsafe": True}, "nn.LayerNorm((8,), epsilon=1e-5)"),
    ("nn.AvgPool2d(2)", {"device": "cpu", "unsafe": True}, "nn.AvgPool2d(2, stride=2)"),
    ("nn.GELU()", {"device": "cpu", "unsafe": True}, "nn.GELU(approximate=False)"),
    ('nn.GELU(approximate="tanh")', {"device": "cpu", "unsafe": True}, "nn.GELU(approximate=True)"),
    ("nn.Linear(3, 2, device=device)", {"unsafe": True}, "mint.nn.Linear(3, 2)"),
    (
        "nn.Linear(3, 2, device=device, dtype=torch.float32)",
        {"unsafe": True},
        "mint.nn.Linear(3, 2, dtype=mindspore.float32)",
    ),
    ("torch.tensor([1.0, 2.0])", {}, "mindspore.tensor([1.0, 2.0])"),
    ("torch.tensor(data=[1.0, 2.0])", {"unsafe": True}, "mindspore.tensor(input_data=[1.0, 2.0])"),
    (  # arguments in another order than they are written in
        "nn.functional.layer_norm(a, (3,), b, c, 1e-6)",
        {"device": "cpu", "unsafe": True},
        "ops.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1, epsilon=1e-6)(a, b, c)[0]",
    ),
    ("nn.functional.layer_norm(a, (3,))", {"device": "cpu", "unsafe": True}, "nn.functional.layer_norm(a, (3,))"),
    # An argument that is left out is no reason for a target without a kernel, nor is a dtype for which both have none.
    ("torch.arange(n, device=x.device)", {"device": "cpu", "unsafe": True}, "ops.arange(n)"),
    ("torch.addmm(a, b, c)", {"device": "cpu", "unsafe": True}, "ops.addmm(a, b, c)"),
    ("torch.relu(torch.cat([a, b], dim=-1))", {"unsafe": True}, "mint.nn.functional.relu(mint.cat([a, b], dim=-1))"),
]


@pytest.mark.parametrize(("call", "options", "wanted"), CALLS)
def test_calls_follow_their_rule(port: Port, call: str, options: dict[str, object], wanted: str) -> None:
    ported = port(f"import torch\nfrom torch import nn\nx = {call}\n", **options).text
    assert f"x = {wanted}\n" in ported


HELD = [  # what a variable holds is written where it is bound; whether a call of it is left to the reader
    ("def f(x, kind=torch.float32):\n    return torch.zeros(2, dtype=kind)\n", "mint.zeros(2, dtype=kind)", False),
    ("def f(x, add=torch.add):\n    return add(x, x)\n", "return add(x, x)", False),
    ("def f(n, norm=nn.LayerNorm):\n    return norm(n, eps=1e-6)\n", "return norm(n, eps=1e-6)", False),
    ("def f(n, layer=nn.Linear):\n    return layer(n, n, device=n)\n", "return layer(n, n, device=n)", True),
    ("conv = nn.Conv3d if n else nn.Conv2d\nmade = conv(3, 4, 1)\n", "made = conv(3, 4, 1)", False),
    ("class A(nn.Module):\n    kind = torch.int8\n    def made(self):\n        return self.kind\n", "self.kind", False),
    (
        "import torch.nn.functional as G\nfrom torch import cat as c\ny = G.relu(c([x]))\n",
        "functional.relu(mint.cat(",
        False,
    ),
    ("layers = torch.nn\ny = layers.Linear(2, 3)\n", "y = mint.nn.Linear(2, 3)", False),
    (
        "from mine import zeros as m\nclass C:\n    from torch import ones as m\n    a = m(3)\n",
        "a = mint.ones(3)",
        False,
    ),
]


@pytest.mark.parametrize(("text", "wanted", "left"), HELD)
def test_a_variable_keeps_its_name(port: Port, text: str, wanted: str, left: bool) -> None:
    ported = port(f"import torch\nfrom torch import nn\n{text}", device="cpu", unsafe=True)
    assert wanted in ported.text
    assert bool(ported.count("manual")) is left


_TRIED = "try:\n    {}\nexcept ImportError:\n    {}\n"
EITHER = [  # names that are something of PyTorch in one branch only: what calls them stays, with what they are bound by
    ("import numpy as np\nimport torch\nxp = np if q else torch\ny = xp.zeros(2)\n", False),
    ("import numpy as np\nimport torch\nxp = np if q else torch\ny = xp.zeros(2, device=d)\n", True),
    ("if q:\n    import numpy as xp\nelse:\n    import torch as xp\ny = xp.zeros(2)\n", False),
    (f"{_TRIED.format('import torch as xp', 'import numpy as xp')}y = xp.zeros(2)\n", False),
    (f"{_TRIED.format('import torch as xp', 'import numpy as xp')}y = xp.zeros(2, device=d)\n", True),
    (f"{_TRIED.format('import torch as xp', 'import numpy as xp')}ys = xp\ny = ys.zeros(2)\n", False),
    ("import torch\nimport numpy\nxp = torch\nif q:\n    xp = numpy\ny = xp.zeros(2)\n", False),
    ("import torch\nif q:\n    xp = torch\nelse:\n    import numpy as xp\ny = xp.zeros(2)\n", False),
    ("import numpy as np\nimport torch as xp\ndef f():\n    global xp\n    xp = np\ny = xp.zeros(2)\n", False),
    ("def f(q):\n    import torch as xp\n    if q:\n        import numpy as xp\n    return xp.zeros(2)\n", False),
    ("import numpy as np, torch\ndef f(q):\n    return np if q else torch\nxp = f(q)\ny = xp.zeros(2)\n", False),
    ("from torch import cat\nif q:\n    def cat(a, dim): ...\nx = cat([a], dim=0)\n", False),
    ("from torch import cat\nif q:\n    cat = wrap(a)\nx = cat([a], dim=0)\n", False),
    ("from torch import cat\nfor cat in cats: ...\nx = cat([a], dim=0)\n", False),
    ("from torch import cat\nif q:\n    print(cat := found())\nx = cat([a], dim=0)\n", False),
    ("from torch import cat\ndef f(a):\n    return cat([a], dim=0)\ncat = wrap()\n", False),
    ("from torch import cat\nfor a in b:\n    x = cat([a], dim=0)\n    if q:\n        cat = other(a)\n", False),
    (f"{_TRIED.format('from torch import cat', 'def cat(a, dim): ...')}x = cat([a], dim=0)\n", False),
    (f"{_TRIED.format('from torch import zeros', 'zeros = found()')}x = zeros(2, device=d)\n", True),
    ("if q:\n    import torch.nn as nn\nelse:\n    from mindspore import nn\nx = nn.ReLU()\n", False),
    ("from mine import zeros as m\nclass C:\n    if q:\n        from torch import ones as m\n    a = m(3)\n", False),
    (
        "from mine import zeros as m\ndef f():\n    class G:\n        try:\n            from torch import ones as m\n"
        "        except ImportError: pass\n        c = m(3)\n",
        False,
    ),
    (  # the base stays, so its method keeps its name
        f"{_TRIED.format('from torch import nn', 'from mine import nn')}"
        "class A(nn.Module):\n    def forward(self, x): ...\nclass B(A):\n    def forward(self, x): ...\n",
        False,
    ),
]


@pytest.mark.parametrize(("text", "told"), EITHER)
def test_what_is_of_torch_in_one_branch_stays(port: Port, text: str, told: bool) -> None:
    ported = port(text, unsafe=True).text
    assert [line for line in ported.splitlines() if "# apidiff" not in line] == text.splitlines()
    assert ("# apidiff manual: torch.zeros: the variable called here may hold it" in ported) is told
    names = re.findall(r"`(\w+)` is of PyTorch in one branch, and another thing in the other", ported)
    assert len(names) == len(set(names))


def test_a_name_that_is_of_torch_in_one_branch_is_told_once(port: Port) -> None:
    text = f"{_TRIED.format('import torch as xp', 'import numpy as xp')}y = xp.zeros(2)\nz = xp.ones(2)\n"
    ported = port(text).text
    assert ported.count("# apidiff manual") == 1
    assert "`xp` is of PyTorch in one branch" in ported
    assert port(ported).text == ported


_GELU = "from torch.nn.functional import gelu"
BRANCHES = [  # wherever such a name is used first: what is told, above which line
    (
        f"{_TRIED.format('from flash import gelu', _GELU)}def f(x):\n    return gelu(x)\n",
        "torch.nn.functional.gelu",
        "    return gelu(x)",
    ),
    (
        "if q:\n    from a import N\nelse:\n    from torch.nn import LayerNorm as N\nn = N(3)\nm = N(4)\n",
        "torch.nn.LayerNorm",
        "n = N(3)",
    ),
    (
        f"{_TRIED.format('from torch.nn import RMSNorm as N', 'from .norms import N')}n = N(3)\n",
        "torch.nn.RMSNorm",
        "n = N(3)",
    ),
    (
        f"{_TRIED.format('from apex import N', 'from torch.nn import LayerNorm as N')}"
        "class M:\n    def f(self):\n        return N(3)\n",
        "torch.nn.LayerNorm",
        "        return N(3)",
    ),
    (
        f"{_TRIED.format('import torch as xp', 'import numpy as xp')}def f(x):\n    return xp\n",
        "torch",
        "    return xp",
    ),
    (
        f"{_TRIED.format('from torch import nn', 'from mine import nn')}class A(nn.M): ...\n",
        "torch.nn",
        "class A(nn.M): ...",
    ),
    (f"{_TRIED.format('from torch import f', 'from mine import f')}@f\ndef g(): ...\n", "torch.f", "@f"),
]


@pytest.mark.parametrize(("text", "api", "line"), BRANCHES)
@pytest.mark.parametrize("unsafe", [False, True])
def test_a_name_that_is_of_torch_in_one_branch_is_told_where_it_is_used(
    port: Port, text: str, api: str, line: str, unsafe: bool
) -> None:
    ported = port(text, unsafe=unsafe).text
    lines = ported.splitlines()
    assert ported.count(" is of PyTorch in one branch") == 1
    assert lines[lines.index(line) - 1].strip().startswith(f"# apidiff manual: {api}: `")
    assert port(ported, unsafe=unsafe).text == ported


_DIVIDED = "if q:\n    {}\nelse:\n    {}\n"
_MAKE = "from torch import ones as make", "from torch import zeros as make"
_T = "import torch.nn.functional as T", "import torch as T"
_PERHAPS = f"import torch\n{_MAKE[1]}\n"
DIVIDED = [  # names that may lead to several APIs of PyTorch: what calls them stays, with what they are bound by
    (f"{_DIVIDED.format(*_MAKE)}x = make(3)\n", "make"),
    (f"{_DIVIDED.format(*_MAKE)}x = make(3)\ny = make(4)\n", "make"),
    (f"{_DIVIDED.format(*_MAKE)}class A:\n    x = make(3)\n", "make"),
    (f"{_DIVIDED.format(*_MAKE)}def f(q):\n    return lambda: make(q)\n", "make"),
    (f"{_TRIED.format(*_MAKE)}x = make(3)\n", "make"),
    (f"{_MAKE[0]}\nif q:\n    {_MAKE[1]}\nx = make(3)\n", "make"),
    (f"match q:\n    case 1:\n        {_MAKE[0]}\n    case _:\n        {_MAKE[1]}\nx = make(3)\n", "make"),
    (f"def f(q):\n    if q:\n        {_MAKE[0]}\n    else:\n        {_MAKE[1]}\n    return make(3)\n", "make"),
    (f"{_MAKE[0]}\ndef f():\n    return make(3)\nf()\n{_MAKE[1]}\n", "make"),
    (f"{_MAKE[0]}\ndef f():\n    global make\n    {_MAKE[1]}\nf()\nx = make(3)\n", "make"),
    (f"{_MAKE[0]}\nf = lambda: make(3)\n{_MAKE[1]}\nx = f()\n", "make"),
    (f"def f():\n    {_MAKE[1]}\n    g = lambda: make(3)\n    {_MAKE[0]}\n    return g()\n", "make"),
    (f"def f():\n    {_MAKE[1]}\n    g = (make(q) for q in p)\n    {_MAKE[0]}\n    return list(g)\n", "make"),
    (f"{_MAKE[0]}\nf = (make(q) for q in p)\n{_MAKE[1]}\nx = list(f)\n", "make"),
    (f"{_DIVIDED.format(*_T)}def f(a):\n    return T.softmax(a, dim=1)\n", "T.softmax"),
    (f"{_DIVIDED.format(*_T)}x = T . softmax(a, dim=1)\n", "T.softmax"),
    ("import torch\nT = torch\nif q:\n    T = torch.nn.functional\nx = T.softmax(a, dim=1)\n", "T.softmax"),
    ("from torch import *\nif q:\n    import torch as t\nx = t.abs(a)\n", "t.abs"),
    (f"{_MAKE[1]}\nfor q in p:\n    x = make(q)\n    {_MAKE[0]}\n", "make"),
    (f"{_MAKE[1]}\nwhile q:\n    x = make(3)\n    if p:\n        {_MAKE[0]}\n", "make"),
    (f"{_MAKE[1]}\nclass A:\n    if q:\n        {_MAKE[0]}\n    x = make(3)\n", "make"),
    (f"{_T[0]}\nclass A:\n    if q:\n        {_T[1]}\n    x = T.softmax(a, dim=1)\n", "T.softmax"),
    (f"{_MAKE[1]}\nclass A:\n    for q in p:\n        {_MAKE[0]}\n    x = make(3)\n", "make"),
    (f"{_MAKE[1]}\nclass A:\n    try:\n        {_MAKE[0]}\n    except E:\n        pass\n    x = make(3)\n", "make"),
    (f"{_MAKE[1]}\ndef f():\n    global make\n    if q:\n        {_MAKE[0]}\n    return make(3)\n", "make"),
    (
        f"def f():\n    {_MAKE[1]}\n    def g():\n        nonlocal make\n        for q in p:\n            {_MAKE[0]}\n"
        "        return make(3)\n",
        "make",
    ),
    (  # the base stays, so its method keeps its name
        _DIVIDED.format("from torch.nn import Module as B", "from torch.nn import Identity as B")
        + "class A(B):\n    def forward(self, x): ...\nclass C(A):\n    def forward(self, x): ...\n",
        "B",
    ),
]


@pytest.mark.parametrize(("text", "path"), DIVIDED)
@pytest.mark.parametrize("unsafe", [False, True])
def test_what_may_be_one_api_or_another_stays(port: Port, text: str, path: str, unsafe: bool) -> None:
    ported = port(text, unsafe=unsafe).text
    assert [line for line in ported.splitlines() if "# apidiff" not in line] == text.splitlines()
    assert re.findall(r"`([\w.]+)` may be this API or another one", ported) == [path]
    assert port(ported, unsafe=unsafe).text == ported


PERHAPS = [  # code that may not be run, in which `:=` binds a name to another API
    "[make := torch.ones for _ in p]",
    "{q: (make := torch.ones) for _ in p}",
    "any((make := torch.ones) for _ in p)",
    "q if p else (make := torch.ones)",
    "(make := torch.ones) if p else q",
    "q and p or (make := torch.ones)",
]


@pytest.mark.parametrize("code", PERHAPS)
@pytest.mark.parametrize("unsafe", [False, True])
def test_what_may_be_bound_in_an_expression_stays(port: Port, code: str, unsafe: bool) -> None:
    ported = port(f"{_PERHAPS}{code}\nx = make(3)\n", unsafe=unsafe).text
    assert "\nx = make(3)\n" in ported
    assert _MAKE[1] in ported
    assert re.findall(r"`([\w.]+)` may be this API or another one", ported) == ["make"]


SWAPS = ["zeros, ones = ones, zeros", "[p, (zeros, ones)] = p, (ones, zeros)"]


@pytest.mark.parametrize("swap", SWAPS)
@pytest.mark.parametrize("unsafe", [False, True])
def test_names_that_one_branch_swaps_are_told_where_they_are_called(port: Port, swap: str, unsafe: bool) -> None:
    ported = port(f"from torch import zeros, ones\nif q:\n    {swap}\nx = zeros(3)\ny = ones(3)\n", unsafe=unsafe).text
    assert [line for line in ported.splitlines() if line.endswith("(3)")] == ["x = zeros(3)", "y = ones(3)"]
    assert re.findall(r"`(\w+)` may be this API or another one", ported) == ["zeros", "ones"]


UNDIVIDED = [  # names that imports bind more than once: to one API, or, where they are called, to one of them
    (
        _DIVIDED.format("from torch import cat as c", "from torch import concatenate as c"),
        "x = c([a, b], dim=1)",
        "x = mint.cat([a, b], dim=1)",
    ),
    (_DIVIDED.format("import torch.nn as M", "from torch import nn as M"), "x = M.ReLU()", "x = mint.nn.ReLU()"),
    (_DIVIDED.format(*_T), "x = T.pixel_shuffle(a, 2)", "x = mint.nn.functional.pixel_shuffle(a, 2)"),
    (_DIVIDED.format(*_T), "x = T.zeros(3)", "x = T.zeros(3)"),
    (f"{_MAKE[0]}\nx = make(2)\n{_MAKE[1]}\n", "def f(): make(3)", "def f(): mint.zeros(3)"),
    ("from torch import zeros, ones\nzeros, ones = ones, zeros\n", "x = zeros(3)", "x = mint.ones(3)"),
    ("from torch import zeros, ones\nzeros, ones = ones, zeros\n", "x = ones(3)", "x = mint.zeros(3)"),
    (f"{_MAKE[0]}\n", "x = make(2)\n" + f"{_MAKE[1]}\n", "x = mint.ones(2)"),
    (f"if q:\n    {_MAKE[0]}\n{_MAKE[1]}\n", "def f(): make(3)", "def f(): mint.zeros(3)"),
    (_PERHAPS, "q and (make := torch.ones) and make(3)", "q and (make := torch.ones) and mint.ones(3)"),
    (_PERHAPS, "q and (lambda: (make := torch.ones))\nx = make(3)", "x = mint.zeros(3)"),
    (f"{_MAKE[1]}\ndef f():\n    global make\n    {_MAKE[0]}\n", "    return make(3)", "    return mint.ones(3)"),
    (f"g = lambda: q\ndef f():\n    {_MAKE[1]}\n", f"    make(3)\n    {_MAKE[0]}\n", "    mint.zeros(3)"),
    (f"g = lambda: q\nclass A:\n    {_MAKE[1]}\n", f"    x = make(3)\n    {_MAKE[0]}\n", "    x = mint.zeros(3)"),
    ("from torch import *\nimport torch as t\n", "def f(x): t.abs(x)", "def f(x): mint.abs(x)"),
    ("from torch import *\nfrom torch import nn as dist\n", "def f(x): dist.ReLU()", "def f(x): mint.nn.ReLU()"),
]


@pytest.mark.parametrize(("imports", "code", "wanted"), UNDIVIDED)
def test_what_is_one_api_is_ported(port: Port, imports: str, code: str, wanted: str) -> None:
    ported = port(f"{imports}{code}\n").text
    assert wanted in ported
    assert "may be this API or another one" not in ported


UNTOLD = [
    f"{_TRIED.format('from torch import cat', 'from mine import cat')}",
    f"{_TRIED.format('from torch import cat  # apidiff: ignore', 'from mine import cat')}cat(a)\n",
    f"{_TRIED.format('from torch import cat', 'from mine import cat')}cat(a)  # apidiff: ignore\n",
    f"{_TRIED.format('from torch import cat', 'cat = None')}cat([a], dim=0)\n",
]


@pytest.mark.parametrize("text", UNTOLD)
def test_a_name_that_is_not_used_or_is_ignored_is_not_told(port: Port, text: str) -> None:
    assert " is of PyTorch in one branch" not in port(text).text


NEITHER = [  # code in which the same names stand for PyTorch wherever they are looked up
    (f"{_TRIED.format('import torch', 'torch = None')}y = torch.zeros(2)\n", "\ny = mint.zeros(2)"),
    (f"{_TRIED.format('import torch', 'torch = mock.MagicMock()')}y = torch.zeros(2)\n", "\ny = mint.zeros(2)"),
    ("torch = None\ndef f():\n    global torch\n    import torch\ndef g():\n    return torch.zeros(2)\n", "n mint.zer"),
    ("import torch\nif q:\n    torch = pytest.importorskip('torch')\ny = torch.zeros(2)\n", "\ny = mint.zeros(2)"),
    ("import torch\nif q:\n    import torch\nimport torch.nn as nn\ny = torch.zeros(2)\n", "\ny = mint.zeros(2)"),
    ("from torch import cat\ndef f(cat): ...\nx = cat([a], dim=0)\n", "x = mint.cat([a], dim=0)"),
    ("from torch import cat\ndef f():\n    for cat in a: ...\nx = cat([a], dim=0)\n", "x = mint.cat([a], dim=0)"),
    ("from torch import cat\nx = [cat for cat in y], cat([a], dim=0)\n", ", mint.cat([a], dim=0)"),
    ("from torch import cat\nx = [cat for cat in cat([a], dim=0)]\n", "[cat for cat in mint.cat([a], dim=0)]"),
    ("from torch import cat\nclass A:\n    cat = 1\n    def f(self): cat([a], dim=0)\n", "mint.cat([a], dim=0)"),
    ("from torch import cat\nf = lambda cat: 1, cat([a], dim=0)\n", ", mint.cat([a], dim=0)"),
    ("from torch import cat\ncat = wrap(cat([a], dim=0))\n", "cat = wrap(mint.cat([a], dim=0))"),
    ("from torch import cat\nx = cat([a], dim=0)\ncat = wrap(a)\n", "x = mint.cat([a], dim=0)"),
    ("from torch import cat\nif q:\n    cat = wrap(cat)\nx = cat([a])\n", "cat = wrap(mint.cat)\n"),
    ("from torch import nn\nclass Module(nn.Module): ...\nclass A(nn.Module): ...\n", "class A(nn.Cell)"),
    ("import torch\nxp = torch\ny = xp.zeros(2)\n", "\ny = mint.zeros(2)"),
    ("import torch\nnn, xp = torch.nn, torch\ny = xp.zeros(2)\n", "\ny = mint.zeros(2)"),
    (f"{_TRIED.format('import torch as xp; y = xp.zeros(2)', 'import numpy as xp')}", "xp; y = mint.zeros(2)"),
]


@pytest.mark.parametrize(("text", "wanted"), NEITHER)
def test_a_name_that_is_bound_elsewhere_to_another_thing_is_ported(port: Port, text: str, wanted: str) -> None:
    assert wanted in port(text, unsafe=True).text


def test_names_that_are_bound_to_each_other_are_followed_once(port: Port) -> None:
    count = 3_000
    steps = "".join(
        f"a{at} = a{at - 1} if q else a{at - 1}\nb{at} = b{at - 1}\nb{at - 1} = b{at}\n" for at in range(1, count)
    )
    text = f"import torch\na0 = b0 = torch\n{steps}{'torch = torch' + chr(10)}y = [{'b0.zeros(2), ' * count}]\n"
    before = time.process_time()
    port(text)
    assert time.process_time() - before < 20


def test_methods_follow_their_rule(port: Port) -> None:
    text = "import torch\ndef f(x: torch.Tensor):\n    return (x + 1).size(0), x.size()[1:], x.detach().numpy()\n"
    ported = port(text, unsafe=True).text
    assert "return (x + 1).shape[0], x.shape[1:], mindspore.ops.stop_gradient(x).asnumpy()" in ported.replace(
        " ops.stop", " mindspore.ops.stop"
    )


def test_arguments_with_comments_keep_them(port: Port) -> None:
    before = "import torch\nx = torch.zeros(\n    2,  # rows\n    3,\n    device=device,  # where\n    dtype=kind,\n)\n"
    after = port(before, unsafe=True).text
    assert "(2,  # rows\n    3),\n" in after
    assert "# where" in after
    assert "device=" not in after
    ast.parse(after)


def test_a_class_without_a_target_has_a_stand_in(port: Port) -> None:
    text = "import torch\n\ndef f(kind: torch.dtype | None = None) -> bool:\n    return isinstance(kind, torch.dtype)\n"
    assert port(text).text == text
    ported = port(text, unsafe=True)
    assert "def f(kind: mindspore.Type | None = None)" in ported.text
    assert "isinstance(kind, mindspore.Type)" in ported.text
    assert "import torch" not in ported.text
    assert ported.count("made", "unsafe") == 2
    assert "torch.dtype()" in port("import torch\ntorch.dtype()\n", unsafe=True).text


def test_comments_name_the_address_of_the_guide(port: Port) -> None:
    text = "import torch\nwith torch.no_grad():\n    pass\n"
    address = "guide/code.html#guide-code-gradients"
    assert f" {address}" in port(text).text
    assert f" https://example.org/en/{address}" in port(text, site=Address("https://example.org/").pages("en")).text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_no_rule_ports_gets_a_comment(port: Port, language: str) -> None:
    text = "import torch\n\ndef f(x):\n    if x:\n        with torch.no_grad():\n            return x\n"
    ported = port(text, language=language).text
    line = ported.splitlines()[4]
    assert line.startswith("        # apidiff manual: torch.no_grad")
    assert "guide-code-gradients" in line
    assert ("没有" in line) is (language == "zh")


FIRST = [  # the imports that are added stand above the comment of the statement behind them
    "import torch\ny = torch.zeros(2, device=d)\n",
    "import torch\ny = torch.zeros(2, device=d)\nz = torch.no_such_thing\n",
    "if True:\n    import torch\ny = torch.zeros(2, device=d)\n",
]


@pytest.mark.parametrize("text", FIRST)
def test_a_comment_stands_right_above_its_statement(port: Port, text: str) -> None:
    lines = port(text, unsafe=True).text.splitlines()
    place = lines.index("y = mint.zeros(2)")
    assert lines[place - 1].startswith("# apidiff unsafe: torch.zeros:")
    assert "from mindspore import mint" in lines[: place - 1]


HUGE = [  # arguments that are literals of what Python does not compute or write
    f"torch.zeros((1{'0' * 400}+1j,))",
    f"torch.nn.functional.conv2d(x, w, padding=1{'0' * 400}+1j)",
    f"torch.nn.AvgPool2d(kernel_size=a[1{'0' * 400}+1j], ceil_mode=f())",
    f"torch.nn.GELU(0x{'f' * 4500})",
    f"torch.nn.GELU(approximate=(0x{'f' * 4500},))",
]


@pytest.mark.parametrize("call", HUGE, ids=range(len(HUGE)))
@pytest.mark.parametrize("options", [{"device": "cpu", "unsafe": True}, {"device": "gpu"}], ids=["cpu", "gpu"])
def test_numbers_that_are_too_large_are_no_fault(port: Port, call: str, options: dict[str, object]) -> None:
    assert call.partition("(")[2].rstrip(")") in port(f"import torch\nx = {call}\n", **options).text


def test_a_buffer_by_the_name_of_the_method_is_no_fault(port: Port) -> None:
    text = "x.register_buffer('forward', 1)\n"
    assert port(text).text == text


def test_an_edit_with_conditions_is_made_only_if_asked_for_and_says_when(port: Port) -> None:
    text = "import torch\nx = torch.relu(y)\n"
    assert port(text).text == text
    ported = port(text, unsafe=True)
    assert "# apidiff unsafe: torch.relu: ported to mindspore.mint.nn.functional.relu." in ported.text
    assert ported.count("made", "unsafe") == 1


def test_a_line_that_is_ignored_stays(port: Port) -> None:
    text = "import torch\nx = torch.cat([a, b], dim=1)  # apidiff: ignore\n"
    assert port(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\r\nimport torch\r\ny = torch.cat([a], dim=1)\r\n",
        "# 中文注释\nimport torch\ny = '汉字', torch.cat([a], dim=1), '字'  # 字\n",
        'import torch\ns = """torch.cat\nimport torch\n"""\ny = torch.cat([a], dim=1)\n',
        "import torch\n\x0c\ny = torch.cat([a], dim=1)",
        "import torch; y = torch.cat([a], dim=1)\n",
        "import torch\ny = (torch\n     .cat)([a], dim=1)\n",
    ],
)
def test_bytes_outside_edits_stay(port: Port, text: str) -> None:
    ported = port(text)
    assert ported.edits
    at = 0
    data = text.encode()
    kept = b"".join(data[start:end] for start, end in _outside(ported.edits, len(data)))
    for part in (data[start:end] for start, end in _outside(ported.edits, len(data))):
        found = ported.text.encode().find(part, at)
        assert found >= at
        at = found + len(part)
    assert "mint.cat" in ported.text
    assert kept
    ast.parse(ported.text)
    assert port(ported.text).text == ported.text


def _outside(edits: list[Edit], size: int) -> list[tuple[int, int]]:
    ends = [0, *(edit.end for edit in edits)]
    return list(zip(ends, [*(edit.start for edit in edits), size], strict=True))


@pytest.mark.parametrize(
    "text",
    ["print 'hello'\n", "def f(:\n", "(" * 5000 + ")" * 5000, "a\n" * 2**21],
    ids=["of old", "broken", "nested", "too large"],
)
def test_what_is_no_python_is_told(port: Port, text: str) -> None:
    with pytest.raises(UnreadableSource):
        port(text)


# what makes the object, the state of its class where it is named, on the CPU
NAMED_CLASSES = [
    ("m = nn.LayerNorm(4)", "manual"),  # written with mindspore.nn.LayerNorm: mint's has no kernel for it
    ("m = make()", "made"),  # made elsewhere, of another class perhaps: with a condition
]


@pytest.mark.parametrize(("made", "state"), NAMED_CLASSES)
def test_a_class_that_objects_are_not_made_of_is_not_asked_for(port: Port, made: str, state: str) -> None:
    text = f"from torch import nn\n{made}\nisinstance(m, nn.LayerNorm)\n"
    named = [one for one in port(text, device="cpu", unsafe=True).changes if one.line == 3]
    assert [one.state for one in named] == [state]
    assert named[0].why
    assert [one.state for one in port(text, device="cpu").changes if one.line == 3] == [state.replace("made", "left")]


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits(b"abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])


def test_items_are_taken_out_with_their_commas() -> None:
    for text, dropped, wanted in [
        ("f(a, b, c)", [1], "f(a, c)"),
        ("f(a, b, c)", [2], "f(a, b)"),
        ("f(a, b, c)", [1, 2], "f(a)"),
        ("f(a, b, c)", [0, 1, 2], "f()"),
        ("f(a, b, c,)", [2], "f(a, b, )"),
        ("f(\n    a,\n    b=(1, 2),\n)", [1], "f(\n    a,\n)"),
        ("f(a,\n  b)", [1], "f(a)"),
    ]:
        code = CodeText(text)
        _, slots = code.slots(1, len(text))
        assert apply_edits(code.data, code.without(slots, dropped)).decode() == wanted


def test_what_python_warns_of_is_no_fault_of_the_code(port: Port) -> None:
    """With PYTHONWARNINGS=error a file with an invalid escape was passed over as no Python."""
    text = 'import torch\n\n\ndef f():\n    return torch.eye(3), "\\d"\n\n\nx: "list[\'\\d\']" = torch.ones(2)\n'
    expected = port(text).text
    with warnings.catch_warnings(action="error"):
        with pytest.raises(SyntaxError):
            ast.parse(text)
        assert port(text).text == expected != text


def test_items_are_found_wherever_lines_end() -> None:
    for text in [
        "f(a,\r b,\n c)",
        "f(a,\r\n b,\r\n c)",
        'f("""a\rb""",\n x)',
        'f("a\x0cb",\n  x)',
        'f("a\u2028b",\n x)',
        "f(a,\x0c\n b)",
        'f(é,\n "é",\r bé)',
        "(f)(a, (b),\n(c))",
    ]:
        code = CodeText(text)
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call)
        _, slots = code.slots(code.end(call.func), code.end(call))
        written = [code.text(slot.start, slot.end) for slot in slots]
        assert [item.strip("()") for item in written] == [ast.get_source_segment(text, item) for item in call.args], (
            text
        )


def test_a_wide_indent_is_not_repeated_for_each_comment(port: Port) -> None:
    """One of 60,000 characters before 14,000 comments took 2.5 GB."""
    comments = "".join(f"#{number}\n" for number in range(300))
    lost = f"if 1:\n{' ' * 10_000}from torch.nn import (functional as F\n{comments})\n{' ' * 10_000}F.softmax(x, 1)\n"
    edited = f"if 1:\n{' ' * 10_000}y = (torch\n{comments}.nn.functional.softmax)(x, 1)\n"
    for text in (lost, edited):
        ported = port(f"import torch\n{text}", unsafe=True).text
        assert len(ported) < 200_000
        assert all(f"#{number}\n" in ported for number in range(300))
        compile(ported, "ported.py", "exec")


def test_imports_in_a_function_are_looked_through_for_what_is_used(port: Port) -> None:
    """22,000 names of each were compared with one another, for 76 s."""
    count = 8_000
    names = ",".join(f"a{number}" for number in range(count))
    text = f"import torch.nn.functional as F\ndef f():\n from mindspore import {names}\n{'F.softmax(x)' + chr(10)}"
    begun = time.process_time()
    port(text + "F.softmax(x)\n" * count)
    assert time.process_time() - begun < 8
