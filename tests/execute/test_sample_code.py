"""Samples that are lines of code: what their last line gives is the result."""

from __future__ import annotations

import pytest

from apidiff.execute.single.code import result_of

# code, variables, what comes out
RUNS = [
    ("x + 1", {"x": 2}, 3),
    ("y = x + 1", {"x": 2}, 3),
    ("def double(n):\n    return 2 * n\ndouble(x)", {"x": 2}, 4),
    ("y = z = x", {"x": 2}, 2),
]


@pytest.mark.parametrize(("code", "given", "result"), RUNS)
def test_the_last_line_is_the_result(code: str, given: dict[str, int], result: int) -> None:
    assert result_of(code, given) == result


def test_a_last_line_without_a_value_is_refused() -> None:
    with pytest.raises(SyntaxError, match="computes and assigns nothing"):
        result_of("x = 1\nif x:\n    pass", {})
