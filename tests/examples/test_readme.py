"""The answer shown in the README is the one the command gives."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"```console\n\$ (?P<command>[^\n]*)\n(?P<output>.*?)```", re.DOTALL)
DIGEST = re.compile(r"-[0-9a-f]{12}\b")


def plain(text: str) -> list[str]:
    """The lines without what a new run record changes: the digest in its ID."""
    return [DIGEST.sub("-…", line.rstrip()) for line in text.splitlines() if line.strip()]


def missing(shown: list[str], given: list[str]) -> list[str]:
    """The lines of ``shown`` that do not stand in ``given``, in that order; '…' stands for any."""
    rest = iter(given)
    return [line for line in shown if line != "…" and line not in rest]


EXAMPLES = list(SHOWN.finditer((ROOT / "README.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize("found", EXAMPLES, ids=[found["command"] for found in EXAMPLES])
def test_the_answer_shown_is_the_answer_given(found: re.Match[str]) -> None:
    command = shlex.split(found["command"])
    given = subprocess.run(
        [str(Path(sys.executable).with_name(command[0])), *command[1:], "--lang", "en"],
        env=os.environ | {"COLUMNS": "100"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
        check=True,
    ).stdout
    left = missing(plain(found["output"]), plain(given))
    assert left == [], f"copy the answer into README.md again: COLUMNS=100 {found['command']} --lang en"


def test_examples_are_shown() -> None:
    assert len(EXAMPLES) == 2


def test_another_answer_is_noticed() -> None:
    assert missing(["a", "…", "c"], ["a", "b", "c"]) == []
    assert missing(["a", "…", "c"], ["c", "a"]) == ["c"]
    assert missing(["a"], ["b"]) == ["a"]
