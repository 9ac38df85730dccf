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
    ("an assignment in another function", "y = torch.eye(3)", "y = np.eye(3)", 9, 9),
    ("an assignment of a name of the line", "z = 1", "x = 1", 9, None),
    ("an assignment at the top, whose other names are not followed", "z = 1", "z = 2\nw = 3", 9, None),
    ("an assignment below a global", "y = torch.eye(3)", "global y\n    y = 2", 9, None),
    ("a line in brackets that are opened above", "x.sum()", "x.sum(\n        0,\n    )", 4, 4),
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
        ("    y = ", "    w = ", 13, 13),
    ],
)
def test_what_lies_in_brackets_opened_above(was: str, now: str, line: int, expected: int | None) -> None:
    assert place_before(LONG, LONG.replace(was, now), line) == expected


@pytest.mark.timeout(60)
def test_a_string_that_is_not_closed_is_searched_once() -> None:
    """It took minutes, as long for each quotation mark as for the rest of the line."""
    above = '"' + '\\"' * 200_000
    assert place_before(f"{above}\n#\na\n", f"{above}\n# new\na\n", 3) == 3


def test_line_ends_of_all_kinds() -> None:
    assert place_before("a\r\nb\rc\n", "a\r\n# new\r\nb\rc\n", 4) == 3
