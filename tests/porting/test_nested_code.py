"""Code that stands within other code, many times over: each level is gone through once, however it is nested.

Gone through once more for the level above, code of a few lines would take hours.
"""

from __future__ import annotations

import pytest

from apidiff.model.source_names import SourceNames
from apidiff.porting.name_walk import Walker
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import TorchNames, read_result_types

EXPRESSIONS = [  # `?`: the slot in which the next level stands
    "-?",
    "? + y",
    "y + ?",
    "? < y",
    "x < ? < y",
    "not ?",
    "? and y",
    "y or ?",
    "? if y else z",
    "y if ? else z",
    "y if z else ?",
    "y if isinstance(x, ?) else z",
    "y if isinstance(x, ?.a) else z",
    "y if not isinstance(x, (A, ?.a)) else z",
    "y if x is None or isinstance(x, ?.a | A) else z",
    "isinstance(x, ?.a) and y",
    "isinstance(x, A) or (y and ?)",
    "y if ?.is_tensor(x) else z",
    "y if torch.is_tensor(?) else z",
    "y if type(x) is ?.a else z",
    "y if type(x) in (A, ?.a) else z",
    "?.a.b",
    "?.forward(x)",
    "?.numpy()",
    "?[0]",
    "x[?]",
    "x[?:1, 1]",
    "x[:?:1]",
    "[y, ?]",
    "(*?, y)",
    "{?: 1}",
    "{1: ?}",
    "{**?}",
    "?(x)",
    "f(?)",
    "f(*?, a=1)",
    "f(a=?)",
    "f(**?)",
    "sum(?)",
    "getattr(?, 'a')",
    "self.register_buffer('a', ?)",
    "torch.sort(?)",
    "torch.nn.Sequential(?)",
    "[y for y in ?]",
    "[? for y in x]",
    "{y: ? for y in x}",
    "{y: 1 for y in x if ?}",
    "[y for y in x if isinstance(y, ?.a)]",
    "{y for y in x for z in ?}",
    "[y for ?.a in x]",
    "[y for ?.a.b in x]",
    "[y for x[?] in x]",
    "[y for z, [y, *?.a.b] in x]",
    "[y for i, ?.a.b in enumerate(x)]",
    "[y for i, y in enumerate(?)]",
    "[y for y, z in zip(?, x)]",
    "[y for y, z in zip(x, ?)]",
    "lambda y=?: 1",
    "lambda: ?",
    "(y := ?)",
    "(yield ?)",
    "(await ?)",
]
STATEMENTS = [
    "x = ?",
    "x: ? = 1",
    "?.a.b = y",
    "x[?].a.b: A = y",
    "?.a.b += y",
    "x, *?.a.b = y",
    "x, (y, z) = 1, (2, ?)",
    "del ?.a.b",
    "return ?",
    "assert isinstance(x, ?.a), ?",
    "raise ? from ?",
    "@?\ndef f(x): pass",
    "@?.a.b\ndef f(x): pass",
    "def f(x=?, *, y: ? = 1) -> ?: pass",
    "class A(?, a=?): pass",
    "class A:\n    x: ? = ?",
    "if isinstance(x, ?.a): pass\nelif ?: pass",
    "while isinstance(x, ?.a): pass",
    "for x in ?: pass",
    "for ?.a.b in x: x = 1",
    "for i, x in enumerate(?): x = A()",
    "with ? as x, y as ?.a.b: pass",
    "try: pass\nexcept ?: pass",
    "match ?:\n    case A(): pass",
    "match x:\n    case A() if ?: pass",
]
BODIES = [  # `?`: the statements within
    "if x:\n?",
    "if isinstance(x, A):\n    pass\nelse:\n?",
    "for i, x in enumerate(y):\n    x = A()\n?",
    "while isinstance(x, A):\n?\nelse:\n    x = 1",
    "try:\n?\nexcept A:\n    x = 1",
    "try:\n    x = 1\nexcept A:\n?",
    "try:\n    x = 1\nfinally:\n?",
    "with suppress(A):\n?",
    "def f(x=1):\n?",
    "class A:\n?",
]
_DEEP, _DEEPER = 8, 12
_MOST = 20_000  # visits: what doubles at each level makes more


class _Visits:
    """Counts the expressions that a scan of code goes through."""

    def __init__(self, source_names: SourceNames, monkeypatch: pytest.MonkeyPatch) -> None:
        self._names = TorchNames(source_names, read_result_types(), ported=True)
        self._count, expr = 0, Walker.expr

        def counted(walker: Walker, node: object) -> str | None:
            self._count += 1
            assert self._count <= _MOST
            return expr(walker, node)  # type: ignore[arg-type]

        monkeypatch.setattr(Walker, "expr", counted)

    def of(self, code: str) -> int:
        """How many it goes through."""
        self._count = 0
        assert scan_text(f"import torch\n{code}\n", "a.py", self._names).names.problems == []
        return self._count


@pytest.fixture
def visits(source_names: SourceNames, monkeypatch: pytest.MonkeyPatch) -> _Visits:
    return _Visits(source_names, monkeypatch)


def _nested(forms: list[str], levels: int) -> str:
    """Forms within each other by turns."""
    code = "A"
    for level in range(levels):
        code = forms[level % len(forms)].replace("?", f"({code})")
    return code


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.split("\n"))


@pytest.mark.parametrize("outer", EXPRESSIONS)
def test_expressions_are_gone_through_once(visits: _Visits, outer: str) -> None:
    """Whatever stands in them in turn."""
    grown = {}
    for inner in EXPRESSIONS:
        deep, deeper = (visits.of(f"def f():\n    {_nested([inner, outer], levels)}") for levels in (_DEEP, _DEEPER))
        if deeper > 3 * deep:
            grown[inner] = deep, deeper
    assert grown == {}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_go_through_what_they_hold_a_few_times(visits: _Visits, statement: str) -> None:
    grown = {}
    for form in EXPRESSIONS:
        code = [statement.replace("?", f"({_nested([form], levels)})") for levels in (_DEEP, _DEEPER)]
        deep, deeper = (visits.of("def f():\n" + _indented(one)) for one in code)
        if deeper > 3 * deep:
            grown[form] = deep, deeper
    assert grown == {}


@pytest.mark.parametrize("outer", BODIES)
def test_bodies_are_gone_through_a_few_times(visits: _Visits, outer: str) -> None:
    """Loops twice, of those within each other only the outer ones."""
    grown = {}
    for inner in BODIES:
        found = []
        for levels in (_DEEP, _DEEPER):
            code = "f(x)"
            for level in range(levels):
                code = [inner, outer][level % 2].replace("?", _indented(code))
            found.append(visits.of(code))
        if found[1] > 3 * found[0]:
            grown[inner] = found
    assert grown == {}
