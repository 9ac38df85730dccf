"""Which lines of an example are shown: the body of its function, as Python counts lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from apidiff.database.examples import load_examples

_SCRIPT = '''"""Shows it.{mark}

Command:
    python it.py

Output:
    rank 0: 1
"""


def example(rank, world_size):
    """Shows it."""
{body}
'''

BODIES = ["first = 1\nsecond = 2", "@decorated\n@again\ndef one():\n    pass\none()", "for one in two:\n    pass"]


@pytest.mark.parametrize("mark", ["", "\x0c", "\x1c", "\x1d", "\x85", "\u2028", "\u2029", "\x0b"], ids=repr)
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=repr)
@pytest.mark.parametrize("body", BODIES)
def test_the_body_is_shown(tmp_path: Path, mark: str, ends: str, body: str) -> None:
    path = tmp_path / "torch.one" / "torch_example.py"
    path.parent.mkdir()
    indented = "\n".join(f"    {line}" for line in body.split("\n"))
    path.write_text(_SCRIPT.format(mark=mark, body=indented), encoding="utf-8", newline=ends)
    (example,) = load_examples(tmp_path)
    assert example.snippet == body
