"""Text is taken for Python in one place, which refuses what a parser would take minutes to read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import apidiff
from apidiff.model.literals import literal
from apidiff.model.python_tree import expression_tree, python_tree

PACKAGE = Path(apidiff.__file__).parent
# Text that takes long, and why it is refused
SLOW = [
    ("a" + "\u0315\u0300" * 1_000 + " = 1", "letters with more accents than anybody writes"),
    (f'f"{"{a}" * 2_001}"', "an f-string with more than 2,000 expressions"),
]


@pytest.mark.parametrize(("text", "why"), SLOW)
def test_what_takes_minutes_is_refused(text: str, why: str) -> None:
    for parse in (python_tree, expression_tree):
        with pytest.raises(SyntaxError, match=why):
            parse(text)


@pytest.mark.filterwarnings("error")
def test_what_python_warns_of_is_read_without_a_word() -> None:
    assert ast.unparse(expression_tree("1if 1else 2")) == "1 if 1 else 2"
    assert literal(r"'\d'") == r"\d"


def test_nothing_else_parses() -> None:
    """Each place that did had to know what takes long: a name with many accents kept three of them busy for hours."""
    parsing = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(python_tree(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) == ("ast", "parse")
    }
    assert parsing == {"model/python_tree.py"}
