"""What a trace tells of an exception."""

from __future__ import annotations

import pytest

from apidiff.model.trace import CallError

# message, its first telling line
MESSAGES = [
    ("a\nb", "a"),
    ("\n - \n  a  \n", "a"),
    ("- Kernel select failed:\nno kernel of Abs\n", "no kernel of Abs"),
    ("- Kernel select failed:\n", "- Kernel select failed:"),
    ("", ""),
    ("\n" * 1999 + "a", "a"),
    ("\n" * 99_000 + "a", ""),  # a record may hold thousands of these
]


@pytest.mark.parametrize(("message", "line"), MESSAGES)
def test_the_first_line_that_says_something_near_the_head(message: str, line: str) -> None:
    assert CallError(stage="call", type="RuntimeError", message=message).first_line == line
