"""Edits that an editor is offered: the rest of the text is neither looked through nor parsed for each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from apidiff.lookup.cache import open_index
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import CodeText, Edit
from apidiff.porting.edited_statements import EditedStatements
from apidiff.porting.judgement import Judge
from apidiff.porting.port_text import Porter

CALL = "y = torch.cat([x, x], 1)\n"
LONG = [
    f"import torch\n{CALL * 600}",
    f"import torch\ndef f(x):\n{f'    {CALL}' * 600}",
    f"import torch\nclass A:\n  '''About torch.'''\n{f'  def f(self, x):{chr(10)}    {CALL}' * 300}",
    f"import torch\nif a:\n  pass\nelif b:\n{f'  {CALL}' * 600}else:\n  pass\n",
    f"class A:\n  def f(self, x):\n    import torch\n{f'    {CALL}' * 600}",
    f"{''.join(f'from torch import cat as c{n}{chr(10)}c{n}([x], 0){chr(10)}' for n in range(300))}s = 'c1, c2'\n",
]


@pytest.fixture(scope="module")
def porter() -> Porter:
    index = open_index()
    return Porter(Judge.of_index(index, "2.10.0", None), index.source_names)


@pytest.mark.parametrize("text", LONG)
def test_a_long_text_is_parsed_and_looked_through_once(
    porter: Porter, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    parsed: list[int] = []
    visited: list[ast.AST] = []
    parse, children = ast.parse, ast.iter_child_nodes

    def counted_parse(source: str, *rest: str, **named: bool) -> ast.Module:
        parsed.append(len(source))
        return parse(source, *rest, **named)  # type: ignore[call-overload,no-any-return]

    def counted(node: ast.AST) -> Iterator[ast.AST]:
        visited.append(node)
        return children(node)

    monkeypatch.setattr(ast, "parse", counted_parse)
    monkeypatch.setattr(ast, "iter_child_nodes", counted)
    line = text[: text.index("c0([x]") if "c0" in text else text.index(CALL)].count("\n") + 1
    assert len(porter.repairs(text, "a.py", (line, 1), (line, 80))) == 1
    once = len(visited), sum(parsed)
    visited.clear()
    parsed.clear()
    assert len(porter.repairs(text, "a.py", (1, 1), (5_000, 1))) == 20
    assert len(visited) < 1.1 * once[0]
    assert sum(parsed) < once[1] + 0.5 * len(text)


LONGER = [  # what stands before and after many calls, and how many are offered where five times the text may be parsed
    ("import torch\nx = [\n", "torch.cat([x, x], 1),\n", "]\n", 5),
    ("import torch\nx = f(\n", "torch.cat([x, x], 1) +\n", "1)\n", 5),
    ("import torch\n", CALL, "", 20),
]


@pytest.mark.parametrize(("head", "call", "end", "count"), LONGER)
def test_of_a_long_statement_some_are_offered(
    porter: Porter, monkeypatch: pytest.MonkeyPatch, head: str, call: str, end: str, count: int
) -> None:
    text = f"{head}{call * 100}{end}"
    parsed: list[int] = []
    parse = ast.parse

    def counted(source: str, *rest: str, **named: bool) -> ast.Module:
        parsed.append(len(source))
        return parse(source, *rest, **named)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(ast, "parse", counted)
    monkeypatch.setattr("apidiff.porting.port_text._MOST_PARSED", 5 * len(text), raising=False)
    assert len(porter.repairs(text, "a.py", (1, 1), (102, 1))) == count
    assert sum(parsed) < 8 * len(text)
    monkeypatch.setattr("apidiff.porting.port_text._MOST_PARSED", 0, raising=False)
    assert len(porter.repairs(text, "a.py", (50, 1), (50, 9))) == 1


CODE = """\
import a
@b
class A:
    def f(self): return 1
    if x: y
    elif z:
        w = '''
'''; v = 2
        # c
    else: u
    try:
        t
    except E:
        t
last = 1
"""
# (the text that an edit replaces, what takes its place, whether the statements tell that it is Python)
EDITED = [
    ("w = ", "w = k = ", True),
    ("    def f", "    # c\n    def f", True),
    ("import a\n", "import a; import c\n", True),
    ("import a\n", "", True),
    ("last = 1\n", "last", True),
    ("return 1", "return (", False),
    ("        t\n    except", "    except", False),
    ("        t\nlast", "       t\nlast", False),  # only the whole text tells
    ("        t\nlast", "        t\n       t\nlast", False),
    ("        t\nlast", "        t  # c\n\nlast", True),
    ("return 1\n", "return 1", False),
    ("return 1\n", "return 1\nelse:\n    pass\n", False),
    ("    def f", "    import q\n    def f", True),
    ("    def f", "import q\n    def f", False),
    ("'''; v", "'; v", False),
    ("import a", "é", True),
]


@pytest.mark.parametrize(("before", "after", "is_told"), EDITED)
def test_the_statements_around_an_edit_tell_whether_it_gives_python(before: str, after: str, is_told: bool) -> None:
    code = CodeText(CODE)
    start, end = CODE.index(before), CODE.index(before) + len(before)
    while start < end and after and before[0] == after[0]:  # what stays is no part of the edit
        start, before, after = start + 1, before[1:], after[1:]
    while start < end and after and before[-1] == after[-1]:
        end, before, after = end - 1, before[:-1], after[:-1]
    statements = EditedStatements(code, CodeAnchors(code))
    assert statements.give_python([Edit(start, end, after)]) is is_told
    with_edit = code.data[:start] + after.encode() + code.data[end:]
    if is_told:
        ast.parse(with_edit)


def test_edits_at_one_place_keep_their_order() -> None:
    code = CodeText("if a:\n    b\n")
    edits = [Edit(6, 6, "    try:\n"), Edit(6, 6, "        c\n"), Edit(6, 6, "    finally:"), Edit(10, 10, "d; ")]
    assert EditedStatements(code, CodeAnchors(code)).give_python(edits)
    assert not EditedStatements(code, CodeAnchors(code)).give_python([edits[1], edits[0], *edits[2:]])
