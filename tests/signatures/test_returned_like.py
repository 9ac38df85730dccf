"""Rows of (what a docstring says of the returned tensor, whose shape and dtype it has by that)."""

import griffe
import pytest

from apidiff.signatures.docstring import returned_like

SAID = [
    ("Tensor, with the same type and shape as the `input`.", {"dtype": "input", "shape": "input"}),
    ("Tensor, has the same shape and data type as `self`.", {"dtype": "self", "shape": "self"}),
    ("A Tensor, with the same\n        dtype as ``x`` .", {"dtype": "x"}),
    ("Tensor, which has the same shape as the `input`. Its dtype is float32.", {"shape": "input"}),
    ("Tensor, has the same shape as after broadcasting.", {}),
    ("Tensor, the shape is the same as `input` unless `keepdim` is False.", {}),
    ("If `reduction` is 'none', a Tensor with the same shape as `input`.", {}),
    ("Tensor, has the same type as `input` and `other`.", {}),
]


@pytest.mark.parametrize(("said", "like"), SAID, ids=range(len(SAID)))
@pytest.mark.parametrize("title", ["Returns:", "Outputs:"])
def test_only_a_statement_without_conditions_is_read(title: str, said: str, like: dict[str, str]) -> None:
    text = f"Does it.\n\n    {title}\n        {said}\n\n    Raises:\n        TypeError: where it does not.\n"
    assert returned_like(griffe.Function("f", docstring=griffe.Docstring(text))) == like
