"""Code in which each step doubles what a scan would have to follow, or takes it as deep as no code goes: it ends all the same.

Without the limits that these hold, to scan one of them would take hours, or end in a traceback.
"""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import Any

import pytest

from apidiff.model.python_tree import python_tree
from apidiff.model.source_names import SourceNames
from apidiff.porting import name_scopes, tree_links
from apidiff.porting.bindings import ClassFacts, Frame, ModuleFacts, Steps
from apidiff.porting.code_text import CodeText
from apidiff.porting.name_walk import Walker
from apidiff.porting.source_files import find_sources
from apidiff.porting.string_names import exported_names
from apidiff.porting.torch_names import TorchNames, either, read_result_types
from apidiff.porting.tree_links import TreeLinks
from apidiff.porting.tree_scan import ScannedFile, scan_tree

Scan = Callable[..., list[ScannedFile]]

_TWO_CLASSES = "".join(
    f"class {name}:\n    def __init__(self):\n        self.x = A()\n        self.x = B()\n" for name in "AB"
)
_DIAMOND = "class A0: pass\nclass Z0: pass\n" + "".join(
    f"class {name}{level}(A{level - 1}, Z{level - 1}): pass\n" for level in range(1, 40) for name in "AZ"
)


def _nested(call: str) -> str:
    code = "y"
    for _ in range(30):
        code = f"[a for i, a in {call.format(code)}]"
    return code


CODE = {
    "loops over enumerate": _nested("enumerate({})"),
    "loops over zip": _nested("zip(y, {})"),
    "attributes of two values": f"{_TWO_CLASSES}def f():\n    a = A()\n    a{'.x' * 40}.sum()",
    "a diamond of classes": f"{_DIAMOND}A39().missing.sum()",
    "a diamond of layers": f"{_DIAMOND.replace('Z0: pass', 'Z0(torch.nn.Module): pass')}A39().train()",
    "a long chain": f"torch.sort(z)\ny{'.a' * 1500}",
    "a name that is bound often": "x.sort()\n" + "x = x\n" * 40_000,
}


@pytest.mark.parametrize("code", CODE.values(), ids=CODE)
def test_a_scan_ends(scan: Scan, code: str) -> None:
    other, file = sorted(
        scan({"a.py": f"import torch\n{code}\ntorch.ones(3)\n", "b.py": "from a import *\n"}),
        key=lambda one: one.names.path,
        reverse=True,
    )
    assert other.names.problems == []
    assert "torch.ones" in {reference.name for reference in file.references} or file.names.problems


_NAMES = "".join(f"{{a{number}}}\n" for number in range(2001))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="looks for no expression from the string's beginning")
@pytest.mark.parametrize(
    ("code", "line"),
    [
        (f'f"{"{a}" * 2001}"', 1),
        (f"# f'''\nx = (\nRF'''{_NAMES}''', 1)", 3),
        (f'f"{"{a}" * 2000}"', None),
        (f'"{"{a}" * 2001}"; f"{{a}}"', None),
        (f'x = [{"{1: 2}, " * 2001}f"{{a}}"]', None),
    ],
)
def test_an_f_string_of_more_expressions_than_any_has_is_refused(scan: Scan, code: str, line: int | None) -> None:
    [file] = scan({"a.py": code})
    assert [(problem.code, problem.line) for problem in file.names.problems] == ([("syntax", line)] if line else [])


# Lines in which a token is looked for in vain from each quote, or each blank, to their end.
_IN_VAIN = {"quotes": "x='" + "\\'" * 45_000, "blanks": f"x{' ' * 45_000}$", "in Python": f"x ={' ' * 45_000}℘"}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="looks for tokens in another way")
@pytest.mark.parametrize("line", _IN_VAIN.values(), ids=_IN_VAIN.keys())
def test_tokens_are_not_looked_for_in_vain_without_end(scan: Scan, line: str) -> None:
    """42 kB took 20 s, and twice as much four times as long."""
    begun = time.process_time()
    [file] = scan({"a.py": f'f""  # {"{" * 2001}\n{line}\n'})
    assert time.process_time() - begun < 5
    assert [(problem.code, problem.line) for problem in file.names.problems] == [("syntax", 2)]


# Accents on one letter, and on many; two in the wrong order, in Python's; some are made of such.
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\uff9e\u0f73"])
@pytest.mark.parametrize(("many", "letters"), [(150_000, 1), (999, 300)])
def test_accents_on_letters_are_no_more_than_anybody_writes(scan: Scan, marks: str, many: int, letters: int) -> None:
    """Python sorts those of a name, and again wherever it tries to read it otherwise: 400 kB took 102 s."""
    begun = time.process_time()
    for count, found in ((20, []), (many, [("syntax", 3)])):
        name = f"a{(marks * count)[:count]}" * letters
        [file] = scan({"a.py": f"'''中文\n'''\n{name} = 1\n"})
        assert [(problem.code, problem.line) for problem in file.names.problems] == found
    assert time.process_time() - begun < 5


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="looks for no expression from the string's beginning")
def test_lines_that_end_in_a_carriage_return_alone_are_lines() -> None:
    """Each was a sign that begins no token of one long line, though it is Python."""
    lines = ["import torch", f"d = [{'{}, ' * 2001}]", "x = f'{d}'", *["# a comment"] * 3000]
    assert python_tree("\r".join(lines)).body[0].lineno == 1
    with pytest.raises(SyntaxError, match="f-string"):
        python_tree("\r".join([*lines, f"f'{'{a}' * 2001}'"]))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="looks for no expression from the string's beginning")
def test_a_letter_that_is_no_token_hides_no_long_f_string(scan: Scan) -> None:
    [file] = scan({"a.py": f'℘ = 1\nf"{"{a}" * 2001}"'})
    assert [(problem.code, problem.line) for problem in file.names.problems] == [("syntax", 2)]


_FOUR_CLASSES = "".join(
    f"class {name}:\n    def __init__(self):\n" + "".join(f"        self.x = {other}()\n" for other in "ABCD")
    for name in "ABCD"
)


def test_values_of_attributes_do_not_multiply(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, own = [], Walker._own

    def counted(walker: Walker, value: str, name: str) -> str | None:
        asked.append(value)
        return own(walker, value, name)

    monkeypatch.setattr(Walker, "_own", counted)
    scan({"a.py": f"import torch\n{_FOUR_CLASSES}def f():\n    a = A()\n    a{'.x' * 10}.sum()\n"})
    assert 10 <= len(asked) <= 150


def test_what_several_may_be_does_not_multiply(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    """What of them is of PyTorch, and may have any attribute, is followed by itself, and so are the others at each step."""
    followed, follow = [], Walker._follow

    def counted(walker: Walker, value: str, *rest: Any) -> str | None:
        followed.append(value)
        return follow(walker, value, *rest)

    monkeypatch.setattr(Walker, "_follow", counted)
    code = "".join(
        f"class C{level}_{one}:\n    def __init__(self):\n        self.a = torch.nn.Linear(2, 2)\n"
        + "".join(f"        self.a = C{level + 1}_{other}()\n" for other in range(3))
        for level in range(5, -1, -1)
        for one in range(3)
    )
    chosen = "".join(f"    x = C0_{one}()\n" for one in range(3))
    scan({"a.py": f"import torch\n{code}def f():\n    x = torch.nn.Linear(2, 2)\n{chosen}    x.a.a.a.a.a.a.b\n"})
    assert len(followed) < 200


def test_what_a_layer_inherits_from_through_other_files_is_held_once(tmp_path: Path, source_names: SourceNames) -> None:
    bases = "".join(f"class A{number}(torch.nn.Linear, torch.nn.ReLU): pass\n" for number in range(20))
    (tmp_path / "a.py").write_text(f"import torch\n{bases}")
    (tmp_path / "b.py").write_text(f"import a\nclass B({', '.join(f'a.A{number}' for number in range(20))}): pass\n")
    (layer,) = scan_tree(find_sources([tmp_path])[0], source_names, ported=True)[1].layers.values()
    assert layer.torch == ["torch.nn.Linear", "torch.nn.ReLU"]


def test_what_is_above_a_class_is_looked_through_where_a_method_may_be_there(
    scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, above = [], Walker._above

    def counted(walker: Walker, path: str) -> Iterator[str]:
        for one in above(walker, path):
            asked.append(one)
            yield one

    monkeypatch.setattr(Walker, "_above", counted)
    lines = "".join(f"class A{number}(A{number - 1}): pass\n" for number in range(1, 100))
    calls = (
        "class B(A99):\n  def other(self, x): pass\n  def f(self):\n"
        + "    self.g(1)\n" * 500
        + "    self.other(1)\n" * 500
    )
    scan({"a.py": f"import torch\nclass A0:\n  pass\n{lines}{calls}"})
    assert len(asked) < 1_000


_NODES = (
    "class B:\n    def __init__(self): self.y = torch.ones(1)\n"
    "class A:\n    def __init__(self, a):\n        self.y = torch.ones(1) if a else 1\n        self.s = A(1) if a else B()\n"
)
KEPT = [
    ("for i, x in enumerate([torch.ones(2)]):\n    x.sort()", "torch.Tensor.sort"),
    ("[[x.sort() for j, x in enumerate(row)] for i, row in enumerate([[torch.ones(2)]])]", "torch.Tensor.sort"),
    ("(a, b) = [c, d] = (torch.ones(2), 1)\nd.view(1)\nc.sort()", "torch.Tensor.sort"),
    (f"{_DIAMOND.replace('Z0: pass', 'Z0(torch.nn.Module): pass')}A2().parameters()", "torch.nn.Module.parameters"),
    (f"{_TWO_CLASSES}        self.y = torch.ones(2)\na = B()\na.x.x.x.x.x.x.y.sort()", "torch.Tensor.sort"),
    (f"{_NODES}A().s.s.s.s.y.sort()", "torch.Tensor.sort"),
]


@pytest.mark.parametrize(("code", "name"), KEPT)
def test_what_is_usual_is_followed(scan: Scan, code: str, name: str) -> None:
    [file] = scan({"a.py": f"import torch\n{code}\n"})
    assert name in {reference.name for reference in file.references}


def test_what_targets_take_apart_is_gone_through_once_for_all(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, expr = [], Walker.expr

    def counted(walker: Walker, node: ast.expr) -> str | None:
        seen.append(ast.unparse(node))
        return expr(walker, node)

    monkeypatch.setattr(Walker, "expr", counted)
    [file] = scan({"a.py": f"import torch\n{'(a, [b]) = ' * 50}(torch.ones(2), [1])\na.sort()\n"})
    assert [seen.count(part) for part in ("torch.ones(2)", "[1]", "1")] == [1, 1, 1]
    assert "torch.Tensor.sort" in {reference.name for reference in file.references}


_LONG = "a" * 1_000
_PATH = ".".join(["a" * 99] * 10)  # short words, and with a dot and the word behind it more than a name may have
_LEVELS = "".join(f"{' ' * level}class {'a' * 99}:\n" for level in range(10))


def _notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


LONG = [  # a file, its code, the place of the name that is refused; none where all is followed
    ("a.py", f"from torch.{_LONG} import (b0, b1)", (2, None)),
    ("a.py", f"from torch.{_PATH} import (b0,\n b1)", (2, None)),
    ("a.py", f"from .{_LONG} import (b0, b1)", (2, None)),
    ("a.py", f"import torch, torch.{_PATH}, b", (2, None)),
    ("a.py", f"x = 1\nx = torch.{_LONG}\nx.a\nx.b", (3, None)),
    ("a.py", f"x = (torch\n .{_PATH.replace('.', ' . ')}).b", (2, None)),
    ("a.py", f"class {_LONG}:\n def a(self): pass", (2, None)),
    ("a.py", f"class A:\n def a(self):\n  def {_LONG}(): pass", (4, None)),
    ("a.py", f"{_LEVELS}{' ' * 10}def b(): pass\n", (12, None)),
    ("a.py", f"from torch.{_LONG[:990]} import (b0, b1)\nx = torch.{_LONG[:998]}", None),
    ("a.py", f"{_LEVELS}{' ' * 10}pass\n", None),
    ("a.py", f"x = '{_LONG}'\n{_LONG}{_LONG} = 1", None),
    ("a.py", f"x: 'torch.{_LONG}' = 1\nx.a\ndef f() -> 'torch.{_LONG}': ...", None),
    ("a.ipynb", _notebook("import torch", f"x = 1\nx = torch.{_LONG}"), (2, 2)),
]


@pytest.mark.parametrize(("name", "code", "place"), LONG, ids=range(len(LONG)))
def test_long_names_are_refused(scan: Scan, name: str, code: str, place: tuple[int, int | None] | None) -> None:
    """They would stand in front of all that is found under them."""
    text = code if name.endswith(".ipynb") else f"import torch\n{code}"
    [file] = scan({name: text})
    found = [] if place is None else [("long_name", *place)]
    assert [(one.code, one.line, one.cell) for one in file.names.problems] == found
    assert all(len(one.name) < 1_100 for one in file.names.references)


_NAMES = "".join(f"def a{number}(): pass\n" for number in range(500))
_BINDS = ";".join(f"a{number}=1" for number in range(500))
_LOOPS = """a=b=c=d=torch.ones(1)
def f():
 global g
 g=torch.abs
while x:
 a=np.ones(1)
 while x:
  b=np.ones(1)
  while x:
   c=np.ones(1)
   while x:
    d=np.ones(1)
"""


def _levels(number: int, opening: str, last: str, closing: str = "") -> str:
    """Statements one in the other, ``last`` in the innermost; ``closing`` behind each."""
    opened = "".join(f"{' ' * level}{opening}\n" for level in range(number))
    closed = "".join(f"{' ' * level}{closing}\n" for level in reversed(range(number))) if closing else ""
    return f"{opened}{' ' * number}{last}\n{closed}"


def _pairs(levels: int, ends: str) -> str:
    """A tuple with ``ends`` in tuples of one."""
    return f"{'(' * levels}{ends}){',)' * (levels - 1)}"


def _tests(levels: int, kinds: int) -> str:
    """A test of a type with ``kinds``, in tests one in the other."""
    return f"{'(a and ' * levels}isinstance(q,({'A,' * kinds})){')' * levels}"


def _choices(levels: int, names: int) -> str:
    """A test of what some names are, as one of 50 in a test that is one of 50, and so on."""
    test = " and ".join(f"isinstance(x{number},A)" for number in range(names))
    for _ in range(levels):
        test = f"(({test}) or {' or '.join(['isinstance(y,A)'] * 49)}) and isinstance(w,A)"
    return test


def _below(levels: int, body: str) -> str:
    """A class with so many others above it in a line."""
    line = "".join(f"class C{level}(C{level - 1}):0\n" for level in range(1, levels))
    return f"class Z:\n def h(self,a):0\nclass C0:0\n{line}class D(C{levels - 1}):\n{body}"


_STARS = "if torch:\n" + " from torch import *\n" * 10
_TEXT = f'isinstance(x,"Union[{",".join("ab" * 248)}]")'
_TOLD = f"def f():\n for i in y:\n  if {'(L and ' * 90}L{')' * 90}:pass\n".replace("L", _TEXT)
STEPS = [  # the files, and whether one takes more steps than code of its length does
    ({"a.py": "if torch:\n" + " from torch import *\n" * 300}, True),
    ({"a.py": _NAMES + "from b import *\na0 = 1\n" * 900, "b.py": _NAMES}, True),
    ({"a.py": "if x:pass\n" + "elif x:pass\n" * 280 + f"else:\n {_BINDS}"}, True),
    ({"a.py": _levels(90, "if x:", _BINDS)}, True),
    ({"a.py": _levels(90, "while x:", _BINDS)}, True),
    ({"a.py": _levels(90, "try:", _BINDS, "except E:pass")}, True),
    ({"a.py": _levels(90, "for i in x:", _BINDS)}, True),
    ({"a.py": f"{_LOOPS}    " + "if x:pass\n" + "    elif x:pass\n" * 100 + f"    else:\n     {_BINDS}"}, True),
    ({"a.py": _LOOPS + "    class A(B):0\n" * 1_500}, True),
    ({"a.py": f"{_pairs(150, 'y,' * 400)}={_pairs(150, 'f(0),' * 400)}"}, False),  # each part once
    ({"a.py": "from torch import *\nx = 1\n" * 300}, False),
    ({"a.py": _NAMES + "from b import *\n" * 100, "b.py": _NAMES}, False),
    ({"a.py": "from b import *\n" * 9_000, "b.py": _NAMES}, False),
    ({"a.md": "```python\nfrom torch import *\nx = zeros(3)\n```\n\n" * 200}, False),
    ({"a.md": "```python\nif x:\n    from torch import *\n```\n\n" * 200}, True),
    ({"a.py": "if x:pass\n" + "elif x:a=1\n" * 280 + "else:\n a=2"}, False),
    ({"a.py": _levels(90, "if x:", "a=1;b=2;c=3")}, False),
    ({"a.py": _LOOPS + "    x = torch.relu(a + b) * torch.sum(c - d)\n" * 100}, False),
    ({"a.py": "class A(B):0\n" * 300}, False),
    ({"a.py": _tests(170, 1_000)}, True),
    ({"a.py": _tests(20, 10)}, False),
    ({"a.py": f"if {_choices(40, 300)}:\n pass"}, True),
    ({"a.py": f"if {_choices(3, 20)}:\n pass"}, False),
    ({"a.py": _below(190, " def g(self,x):\n" + "  self.h(x)\n" * 600)}, True),
    ({"a.py": _below(190, "".join(f" def g{number}(self,x):0\n" for number in range(600)))}, True),
    ({"a.py": _below(20, " def g(self,x):\n" + "  self.h(x)\n" * 1_200)}, False),
    ({"a.py": f"a=1\nb=2\n{_TOLD}"}, True),  # a text names hundreds of types
    ({"a.py": _STARS}, False),
    ({"a.py": f"def f():\n global g\n g = torch.abs\n{_STARS}"}, True),  # what `f` binds has all gone through again
]


@pytest.mark.parametrize(("files", "refused"), STEPS, ids=range(len(STEPS)))
def test_code_that_multiplies_steps_is_refused(scan: Scan, files: dict[str, str], refused: bool) -> None:
    """Loops, branches and star imports do what they hold again and again: 43 kB took half a minute."""
    head = "import torch\nimport numpy as np\n"
    found = [
        one.code
        for file in scan({name: f"{head}{code}" for name, code in files.items()})
        for one in file.names.problems
    ]
    assert found == (["many_steps"] if refused else [])


def test_a_value_is_looked_at_once_for_all_names_that_it_is_assigned_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """25,000 names of what is called with 25,000 arguments took more than a minute."""
    looked_at = list[ast.AST]()
    is_missing = name_scopes._is_missing
    monkeypatch.setattr(name_scopes, "_is_missing", lambda node: looked_at.append(node) or is_missing(node))
    scopes = name_scopes.NameScopes(CodeText(f"{'a = ' * 100}f(None, 0)\n{'b = ' * 100}None\n"))
    assert len(looked_at) == 2
    assert scopes.find("a", 900) is not None
    assert scopes.find("b", 900) is None


class _Counted(bytes):
    """Counts the bytes that are taken out of it."""

    taken = 0

    def __getitem__(self, part: Any) -> Any:
        found = super().__getitem__(part)
        type(self).taken += len(found) if isinstance(found, bytes) else 1
        return found


@pytest.mark.parametrize("sign", ["e", "é", "𠀀"])
def test_a_line_is_gone_through_once_for_all_places_in_it(sign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of statements in a line of 1 MB took more than a minute."""
    line = f"  {sign};{'abc;' * 1_000}"
    code = CodeText(f"if 1:\n{line}\nif 1:\n \tx\n")
    code.data = _Counted(code.data)
    monkeypatch.setattr(_Counted, "taken", 0)
    found = [node for node in ast.walk(code.tree) if isinstance(node, ast.Expr)]
    assert [code.is_first(one) for one in found] == [True, *[False] * 1_000, True]
    places = [code.point(code.start(one)) for one in found]
    assert places == [(2, 3), *((2, 5 + 4 * number) for number in range(1_000)), (4, 3)]
    assert all(code.offset_of_character(*place) == code.start(one) for place, one in zip(places, found, strict=True))
    assert _Counted.taken <= len(code.data)


BOUND_ANEW = [  # code, how often it binds `abs`, and the lines that call what it is of torch
    ("from torch import *\n" * 50 + "abs(x)", 1, [51]),
    ("from torch import *\nx = 1\n" * 50 + "abs(x)", 1, [101]),
    ("from torch import *\nfrom torch.nn import *\n" * 50 + "abs(x)", 1, [101]),
    ("from torch import *\nabs = 1\nabs(x)\n" * 3 + "from torch import *\nabs(x)", 7, [11]),
    ("from torch import *\ndel abs\nabs(x)\nfrom torch import *\nabs(x)", 3, [5]),
    ("from torch import *\nif x:\n  abs = 1\nelse:\n  from torch import *\n  abs(x)\nabs(x)", 4, [6, 7]),
    ("from torch import *\nfrom b import *\nfrom torch import *\nabs(x)", 1, [4]),
    ("from torch import *\nfrom b import *\nabs(x)", 3, []),  # scanned twice, and what `b` has comes last
]


@pytest.mark.parametrize(("code", "often", "lines"), BOUND_ANEW, ids=range(len(BOUND_ANEW)))
def test_a_star_import_binds_what_is_something_else_before(
    scan: Scan, monkeypatch: pytest.MonkeyPatch, code: str, often: int, lines: list[int]
) -> None:
    """Each binds hundreds of names, and 45,000 stand in 900 kB: they took 16 s."""
    bound, bind = list[str](), Frame.bind

    def counted(frame: Frame, name: str, value: str | None) -> None:
        bound.extend([name] if frame.path == "@a" else [])
        bind(frame, name, value)

    monkeypatch.setattr(Frame, "bind", counted)
    files = scan({"a.py": code, "b.py": "def abs(x): 0\n"})
    found = [one for file in files for one in file.references if one.name == "torch.abs" and one.role == "call"]
    assert [one.span.line for one in found] == lines
    assert bound.count("abs") == often


@pytest.mark.parametrize(
    ("code", "exported"),
    [
        ("__all__ = ['a']\n__all__ += ['b']\n__all__ += ['c']", "abc"),
        ("__all__ = ['a']\n__all__ += ['b']\n__all__ = ['c']", "c"),
        ("__all__ = ['a']\n" + "__all__ += ['b']\n" * 30_000, "ab"),
    ],
    ids=["added", "begun anew", "added often"],
)
def test_names_are_added_to_those_of_a_module(code: str, exported: str) -> None:
    assert exported_names([ast.parse(code)]) == frozenset(exported)


ALTERNATIVES = [
    ("a|b|c", "b|c", "b|c"),
    ("a|b", None, None),
    ("a", "|".join(map(str, range(64))), "|".join(map(str, range(64)))),
]


@pytest.mark.parametrize(("value", "made", "all_made"), ALTERNATIVES, ids=range(len(ALTERNATIVES)))
def test_what_may_be_several_things_is_each_of_them_once(value: str, made: str | None, all_made: str | None) -> None:
    assert either(value, lambda _: made) == all_made


def test_what_may_be_very_many_things_is_unknown() -> None:
    """Modules whose names may be those of several others make them many: 14,000 things for each place in 168 kB."""
    value = "|".join(map(str, range(8)))
    assert either(value, lambda part: "|".join(f"{part}{number}" for number in range(9))) is None


class Counted(dict[str, str | None]):
    """A branch that counts how often a name is looked up in it."""

    asked = 0

    def get(self, *given: Any) -> Any:
        """Look a name up."""
        self.asked += 1
        return super().get(*given)


JOINED = [  # what a name is before, and in branches, and behind them; a branch may leave it as it is
    ("a()", ["b()", "c()"], "b()|c()"),
    ("a()", ["b()", None, "c()", None], "b()|a()|c()"),
    ("a()", [None, "b()"], "a()|b()"),
    ("a()", ["b()", "c()", None], "b()|c()|a()"),
    (None, [None, "b()", None, "c()"], "b()|c()"),
]


@pytest.mark.parametrize(("before", "values", "after"), JOINED)
def test_branches_are_joined_by_what_each_binds(before: str | None, values: list[str | None], after: str) -> None:
    frame = Frame("a", None, None, Steps(0))
    if before is not None:
        frame.bind("x", before)
    branches = [Counted({} if value is None else {"x": value}) for value in values]
    frame.join(*branches)
    assert frame.bound["x"] == after
    assert sum(branch.asked for branch in branches) == 0


def test_a_branch_notes_a_name_once() -> None:
    """A star import binds hundreds, each time it is reached."""
    frame = Frame("a", None, None, Steps(0))
    frame.bind("x", "first")
    before = frame.begin()
    for value in ("second", "third") * 50:
        frame.bind("x", value)
        frame.bind("y", value)
    assert frame.journal is not None
    assert len(frame.journal) == 2
    assert frame.end(before) == {"x": "third", "y": "third"}
    assert frame.bound == {"x": "first"}


_NAMES = [f"x{number}" for number in range(50)]
LEFT = [  # what stands before a loop, and in it
    ("".join(f"{name} = 1\n" for name in _NAMES), "    if c: break\n" * 50),
    ("", "".join(f"    {name} = 1\n" for name in _NAMES) + "    if c: continue\n" * 50),
    ("", "".join(f"    if c:\n        {name} = 1\n        break\n" for name in _NAMES)),
    ("", "".join(f"    while c:\n        {name} = 1\n        if d: break\n    if c: break\n" for name in _NAMES)),
]


@pytest.mark.parametrize(("before", "body"), LEFT)
def test_a_jump_out_of_a_loop_keeps_what_has_changed(
    scan: Scan, monkeypatch: pytest.MonkeyPatch, before: str, body: str
) -> None:
    kept, since = [], Frame.since

    def counted(frame: Frame, other: dict[str, str | None]) -> dict[str, str | None]:
        kept.append(len(other))
        return since(frame, other)

    monkeypatch.setattr(Frame, "since", counted)
    scan({"a.py": f"import torch\n{before}while a:\n{body}"})
    assert len(kept) >= len(_NAMES)
    assert sum(kept) <= 2 * len(_NAMES)


_TWICE = "".join(f"    {name} = 1\n    {name} = torch.ones(2)\n" for name in _NAMES)
TRIED = [  # a `try` with as many handlers as it binds names
    f"try:\n{_TWICE}" + "except E: pass\n" * 50,
    f"try:\n{_TWICE}" + "".join(f"except E: {name} = 1\n" for name in _NAMES),
    f"try:\n    {_NAMES[0]} = 1\n" + "except E: pass\n" * 50 + f"finally:\n{_TWICE}",
]


@pytest.mark.parametrize("code", TRIED, ids=range(len(TRIED)))
def test_handlers_find_what_a_try_binds_once_for_all(scan: Scan, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    bound, bind, narrow = list[str](), Frame.bind, Frame.narrow

    def counted_bind(frame: Frame, name: str, value: str | None) -> None:
        bound.append(name)
        bind(frame, name, value)

    def counted_narrow(frame: Frame, told: dict[str, str | None]) -> list[tuple[str, str | None]]:
        bound.extend(told)
        return narrow(frame, told)

    monkeypatch.setattr(Frame, "bind", counted_bind)
    monkeypatch.setattr(Frame, "narrow", counted_narrow)
    scan({"a.py": f"import torch\n{code}"})
    assert len(_NAMES) < len(bound) <= 8 * len(_NAMES)


def test_a_try_hands_up_what_it_binds_once(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not each place that binds it, through all that stand around."""
    handed, end_try = [], Frame.end_try

    def counted(frame: Frame, before: Any) -> dict[str, str | None]:
        handed.append(len(frame.tried or ()))
        return end_try(frame, before)

    monkeypatch.setattr(Frame, "end_try", counted)
    levels = range(30)
    begun = "".join(f"{' ' * level}try:\n" for level in levels)
    ended = "".join(f"{' ' * level}except E: pass\n" for level in reversed(levels))
    scan({"a.py": f"{begun}{' ' * 30}{'x = 1; ' * 500}\n{ended}"})
    assert handed == [1] * 2 * len(levels)


HANDLED = [  # what stands around `x.sort()`, and whether a tensor is sorted there
    ("x = 1\ntry: x = torch.ones(2)\nexcept E: pass\n{}", True),
    ("x = torch.ones(2)\ntry: x = np.ones(2)\nexcept E: {}", False),
    ("x = np.ones(2)\ntry: x = torch.ones(2)\nexcept E: pass\n{}", False),
    ("x = np.ones(2)\ntry: x = torch.ones(2)\nexcept A: raise\nexcept E: x = torch.ones(2)\n{}", True),
    ("x = np.ones(2)\ntry: x = torch.ones(2)\nexcept A: x = torch.ones(2)\nexcept E: pass\n{}", False),
    ("try: f()\nexcept A: x = torch.ones(2)\nexcept E: {}", False),
    ("try: f()\nexcept A: x = torch.ones(2)\nexcept E: x = torch.ones(2)\n{}", True),
    ("try:\n  x = np.ones(2)\n  x = torch.ones(2)\nexcept A: x = 1\nexcept E: pass\n{}", False),
]


@pytest.mark.parametrize(("code", "is_known"), HANDLED)
def test_what_each_handler_leaves_is_known_behind_them(scan: Scan, code: str, is_known: bool) -> None:
    [file] = scan({"a.py": f"import torch\nimport numpy as np\n{code.format('x.sort()')}\n"})
    found = [one for one in file.references if one.name == "torch.Tensor.sort" and not one.possible]
    assert bool(found) == is_known


_MANY = ", ".join(f"torch.a{number}" for number in range(60))
BASES = [  # of a class: whether a layer among them is found
    ("torch.nn.Module", True),
    (", ".join(["torch.nn.Module"] * 60), True),
    (f"torch.nn.Module, {_MANY}", False),
    (f"torch.nn.Module): pass\nclass A({_MANY}", False),
]


@pytest.mark.parametrize(("bases", "is_found"), BASES, ids=range(len(BASES)))
@pytest.mark.parametrize("files", [("", "a.py"), ("from a import A\n", "b.py")], ids=["here", "elsewhere"])
def test_a_class_of_more_bases_than_any_has_is_unknown(
    scan: Scan, bases: str, is_found: bool, files: tuple[str, str]
) -> None:
    """Each attribute of its objects would be looked for in all of them."""
    start, name = files
    code = {"a.py": f"import torch\nclass A({bases}): pass\n"}
    code[name] = f"{code.get(name, '')}{start}A().train()\n"
    names = {reference.name for file in scan(code) for reference in file.references}
    assert ("torch.nn.Module.train" in names) == is_found


def _links(source_names: SourceNames, bases: dict[str, tuple[str, ...]]) -> TreeLinks:
    """Links of a module ``a`` that defines classes of these bases."""
    classes = {f"@a.{name}": ClassFacts(list(own), {}, {}, (own,)) for name, own in bases.items()}
    return TreeLinks(TorchNames(source_names, read_result_types()), {"a": ModuleFacts("a", {}, [], classes, {})})


def test_what_members_are_is_not_kept_for_ever(source_names: SourceNames, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many names that are asked of a class of many bases would fill the memory."""
    monkeypatch.setattr(tree_links, "_KEPT", 100)
    above = [f"B{number}" for number in range(40)]
    bases = dict.fromkeys(above[:-1], ()) | {above[-1]: ("torch.nn.Module",)}
    links = _links(source_names, {**bases, "A": tuple(f"@a.{name}" for name in above)})
    names = [f"x{number}" for number in range(50)]
    assert [links.attribute("@a.A()", name) for name in names] == [f"torch.nn.Module.{name}" for name in names]
    assert len(links._members) <= 100


DEEP = [  # classes in a line above that of an object, and what is told of a method of it and of one of an attribute
    (3, [("torch.nn.Module.train", False), ("torch.nn.Module.a", False)]),
    (199, [("torch.nn.Module.train", False), ("torch.nn.Module.a", False)]),
    (250, [("torch.Tensor.std", True)]),
    (2_000, [("torch.Tensor.std", True)]),
]


@pytest.mark.parametrize(("count", "told"), DEEP)
def test_a_long_line_of_classes_loses_nothing(scan: Scan, count: int, told: list[tuple[str, bool]]) -> None:
    lines = "".join(f"class A{number}(A{number - 1}): pass\n" for number in range(1, count + 1))
    [file] = scan(
        {"a.py": f"import torch\nclass A0(torch.nn.Module): pass\n{lines}x = A{count}()\nx.train()\nx.a.std()\n"}
    )
    assert [(one.name, one.possible) for one in file.references[1:]] == told


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that links are asked for from now on."""
    asked, resolve = list[str](), TreeLinks.resolve

    def counted(links: TreeLinks, path: str | None) -> str | None:
        asked.append(path or "")
        return resolve(links, path)

    monkeypatch.setattr(TreeLinks, "resolve", counted)
    return asked


@pytest.mark.parametrize("count", [50, 400])
def test_names_are_looked_for_in_a_bounded_number_of_classes(
    source_names: SourceNames, asked: list[str], count: int
) -> None:
    """Classes of many bases each, one above the other: a name that none has was looked for in all."""
    names = [f"B{number}" for number in range(count)]
    tops = {f"C{start}": tuple(f"@a.{name}" for name in names[start : start + 50]) for start in range(0, count, 50)}
    links = _links(source_names, {**dict.fromkeys(names, ()), **tops, "A": tuple(f"@a.{name}" for name in tops)})
    assert [links.attribute("@a.A()", f"x{number}") for number in range(count)] == [None] * count
    assert len(asked) <= 500
    assert len(links._members) == count


@pytest.mark.parametrize("count", [10, 500])
def test_bases_that_many_classes_share_are_found_once(source_names: SourceNames, asked: list[str], count: int) -> None:
    """Thousands of classes below the same hundred, each of which has dozens of bases, took minutes."""
    clump = {f"B{number}": tuple(f"@a.B{above}" for above in range(number)) for number in range(40)}
    links = _links(source_names, {**clump, **{f"A{number}": ("@a.B39",) for number in range(count)}})
    assert [links.attribute(f"@a.A{number}()", "x") for number in range(count)] == [None] * count
    assert len(asked) <= 1_000 + 3 * count


@pytest.mark.parametrize("count", [10, 80])
def test_comments_on_classes_of_one_name_are_looked_for_once(
    source_names: SourceNames, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Each call of the method would go through the lines of all."""
    asked, keeps_out = list[str](), tree_links.keeps_out

    def counted(ignored: Set[str], name: str) -> bool:
        asked.append(name)
        return keeps_out(ignored, name)

    monkeypatch.setattr(tree_links, "keeps_out", counted)
    lines = tuple(range(1, count + 1))
    facts = ClassFacts(["torch.nn.Module"], {}, {"forward": None}, (("torch.nn.Module",),) * count, (), lines)
    module = ModuleFacts("a", {}, [], {"@a.A": facts}, {})
    ignored = {"a": dict.fromkeys(lines, frozenset({"torch.std"}))}
    links = TreeLinks(TorchNames(source_names, read_result_types()), {"a": module}, ignored)
    assert not any(links.keeps_method("@a.A") for _ in range(count))
    assert len(asked) == count


LINES = [  # how many classes stand in a line, each of some classes of torch more: how many the last is told to inherit from
    (4, 201, 0),
    (3, 150, 150),
    (30, 50 * 30, 0),
]


@pytest.mark.parametrize(("levels", "size", "count"), LINES)
def test_what_a_class_inherits_from_is_bounded(source_names: SourceNames, levels: int, size: int, count: int) -> None:
    """Each class below would keep all of what stands above it."""
    names = [f"torch.a{number}" for number in range(size)]
    each = -(-size // levels)
    bases = {f"A{level}": tuple(names[level * each : (level + 1) * each]) for level in range(levels)}
    lined = {name: (*own, *([f"@a.A{level - 1}"] if level else [])) for level, (name, own) in enumerate(bases.items())}
    line = _links(source_names, lined).line(f"@a.A{levels - 1}")
    assert (len(line.torch), line.unknown) == (count, not count)


GROWING = [  # code that makes a longer path of what ``x`` is, line by line
    "    x = [x]\n" * 300,
    "    x = (x, [x])\n" * 300,
    "    x = [y for y in [x]]\n    x = [y for y in ([x], x)]\n" * 300,
    "    x = torch.nn.Sequential(x)\n" * 300,
    f"    x: {'list[' * 150}torch.Tensor{']' * 150}\n",
    f"    def f() -> {'list[' * 150}torch.Tensor{']' * 150}: ...\n    x = f()\n",
]


@pytest.mark.parametrize("body", GROWING)
def test_what_names_are_stays_short(scan: Scan, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    bound, bind = list[str](), Frame.bind

    def measured(frame: Frame, name: str, value: str | None) -> None:
        bound.append(value or "")
        bind(frame, name, value)

    monkeypatch.setattr(Frame, "bind", measured)
    [file] = scan({"a.py": f"import torch\nx = [torch.ones(2)]\nif c:\n{body}torch.ones(3)\n"})
    assert "torch.ones" in {reference.name for reference in file.references}
    assert all(len(value.split("|")) <= 4 and len(path) < 250 for value in bound for path in value.split("|"))


TESTED = [  # how many names a test tells of with ``or``, and whether it is listened to
    (2, True),
    (50, True),
    (200, False),
]


@pytest.mark.parametrize(("count", "is_told"), TESTED)
def test_a_test_with_many_parts_tells_nothing(
    scan: Scan, monkeypatch: pytest.MonkeyPatch, count: int, is_told: bool
) -> None:
    """Each name that one of them tells of would be looked for in all of them."""
    asked, look = [], Walker._look

    def counted(walker: Walker, name: str) -> str | None:
        asked.append(name)
        return look(walker, name)

    monkeypatch.setattr(Walker, "_look", counted)
    names = [f"a{number}" for number in range(count)]
    tests = " or ".join(f"isinstance({name}, torch.Tensor)" for name in names)
    code = "".join(f"{name} = []\n" for name in names)
    [file] = scan({"a.py": f"import torch\n{code}if {tests}:\n    a0.sort()\n"})
    assert ("torch.Tensor.sort" in {reference.name for reference in file.references}) == is_told
    assert len(asked) < 5_000


def test_a_module_keeps_each_star_import_once(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name that it does not bind is looked for in all of them."""
    told, facts = [], Walker.facts

    def kept(walker: Walker, exported: frozenset[str] | None) -> ModuleFacts:
        told.append(facts(walker, exported))
        return told[-1]

    monkeypatch.setattr(Walker, "facts", kept)
    stars = "from c import *\nfrom b import *\n" * 50
    files = scan({"a.py": f"{stars}ones(2)\n", "b.py": "from torch import ones\n", "c.py": ""})
    assert {one.name: one.stars for one in told} == {"a": ["c", "b"], "b": [], "c": []}
    assert [reference.name for file in files for reference in file.references].count("torch.ones") == 2
