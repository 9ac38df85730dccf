"""Places after an edit are those before it, unless the edit may change what is said there."""

from __future__ import annotations

import pytest

from apidiff.servers.moved_places import place_before

TEXT = """import torch

def first(x):
    y = torch.eye(3)
    return y.tanh()

def second(x):
    # sums
    return x.sum()

z = 1
"""

CASES = [
    ("nothing", "", "", 4, 4),
    ("above the edit", "# sums", "# adds", 4, 4),
    ("the edited line", "# sums", "# adds", 8, None),
    ("below a line that is added", "# sums", "# sums\n    # up", 10, 9),
    ("below a line that is taken away", "    # sums\n", "", 8, 9),
    ("an added line", "# sums", "# sums\n    # up", 9, None),
    ("an import", "import torch", "import numpy as torch", 9, None),
    ("a definition", "def first(x)", "def first(x, y)", 9, None),
    ("a string over lines", "# sums", '"""', 4, None),
    ("an assignment in the same function", "y = torch.eye(3)", "y = np.eye(3)", 5, None),
    ("an assignment in another function, which may be called", "y = torch.eye(3)", "y = np.eye(3)", 9, None),
    ("an assignment of a name of the line", "z = 1", "x = 1", 9, None),
    ("an assignment at the top, whose other names are not followed", "z = 1", "z = 2\nw = 3", 9, None),
    ("an assignment below a global", "y = torch.eye(3)", "global y\n    y = 2", 9, None),
    ("a line in brackets that are opened above", "x.sum()", "x.sum(\n        0,\n    )", 4, None),
    ("a number", "eye(3)", "eye(40)", 9, 9),
    ("a number instead of a name", "eye(3)", "eye(n)", 9, None),
    ("a comment behind code", "x.sum()", "x.sum()  # up", 11, 11),
    ("an indent", "    y = ", "  y = ", 9, None),
    ("a quotation mark that is opened", "second(x)", "second('x)", 9, None),
    ("outside of the text", "z = 1", "", 40, None),
]


@pytest.mark.parametrize(
    ("was", "now", "line", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_place_before(was: str, now: str, line: int, expected: int | None) -> None:
    assert place_before(TEXT, TEXT.replace(was, now) if was else TEXT, line) == expected


LONG = """from torch import (
    std,
    add,
)
def first(
    x,
):  # (one
    y = ")"
    z = add(x, y)
    return z

def second(x):
    return std(x)
"""


@pytest.mark.parametrize(
    ("was", "now", "line", "expected"),
    [
        ("    std,", "    # no", 13, None),
        ("    x,", "    std,", 13, None),
        ("    y = ", "    w = ", 13, None),
        ('")"', '"("', 13, None),
        ("(one", "(two", 13, 13),
    ],
)
def test_what_lies_in_brackets_opened_above(was: str, now: str, line: int, expected: int | None) -> None:
    assert place_before(LONG, LONG.replace(was, now), line) == expected


_CHECKED = """import torch
import numpy as np
def f(x):
    if isinstance(x, torch.Tensor):
        x.std(1)
        y = x.std(1)
"""


@pytest.mark.parametrize(
    ("text", "was", "now", "line"),
    [
        (_CHECKED, "(x, torch.Tensor)", "(x, np.ndarray)", 5),
        ("x: torch.Tensor\ndef f():\n    x.std(1)\n", "torch.Tensor", "list", 3),
        ("def f(x):\n    x.std(1)\nf(torch.ones(2))\n", "torch.ones", "np.ones", 2),
        ("@torch.no_grad()\ndef h(x):\n    return x\nh(x).std(1)\n", "torch.no_grad()", "other.wrap", 4),
        ("a(\ntorch.std(1))\n", "a(", "a('", 2),
        ("def f(x: 'torch.Tensor'):\n    x.std(1)\n", "torch.Tensor", "list", 2),
        ("```python\na\n```\nb\n", "\n```\n", "\n``` # c\n", 4),
        ("~~~python\na\n~~~\nb\n", "\n~~~\n", "\n~~~ # c\n", 4),
        ("> - a\n  ~~~ # b\n  c\n", "# b", "# d", 3),
        ('"""\n```python\nx = """\n# a\n"""\nb\n', "# a", '# a""" + c', 6),
        ('f"{x["#"]}" + a\nb\n', "+ a", "+ c", 2),
    ],
)
def test_an_edit_anywhere_may_change_what_a_name_means(text: str, was: str, now: str, line: int) -> None:
    assert was in text
    assert place_before(text, text.replace(was, now), line) is None


@pytest.mark.timeout(60)
def test_a_string_that_is_not_closed_is_searched_once() -> None:
    """It took minutes, as long for each quotation mark as for the rest of the line."""
    for above in ('"' + '\\"' * 200_000, '"""' + "a'" * 200_000 + '"""', "#" * 400_000, "1" * 400_000):
        assert place_before(f"{above}\n#\na\n", f"{above}\n# new\na\n", 3) == 3


def test_a_text_that_ends_in_a_backslash_is_searched_once() -> None:
    """Each quotation mark that opens one would otherwise be looked for to the end of the file."""
    text = "import torch\n" + '\\"""\n' * 30_000 + "\\"
    assert place_before(text, text.replace("torch", "torch  # a", 1), 100) == 100


def test_line_ends_of_all_kinds() -> None:
    assert place_before("a\r\nb\rc\n", "a\r\n# new\r\nb\rc\n", 4) == 3
