"""The site's search reads what was typed as the command does, in time that grows with it and no faster."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from apidiff.lookup.search import shortened

SCRIPT = Path(__file__).with_name("questions.ts")
QUESTIONS = [
    "",
    " all  reduce\n",
    "point to point",
    "归约" * 6_400,
    "x" * 60_000,
    " ".join(f"unknown{number}" for number in range(5_000)),
    "word " * 2_000,
    "a b " * 30 + "c",
]
RUNS = ["广播归约和", "很长" * 2_000, "很长" * 4_000]


@pytest.fixture(scope="module")
def read(sources: Path) -> dict[str, Any]:
    """What the search makes of the questions and of the runs of Chinese."""
    shutil.copy(SCRIPT, sources)
    bundle = sources / "build" / "questions.cjs"
    command = ["npx", "esbuild", SCRIPT.name, "--bundle", "--platform=node", f"--outfile={bundle}", "--log-level=error"]
    subprocess.run(command, cwd=sources, check=True, timeout=60)
    given = json.dumps({"questions": QUESTIONS, "names": {"广播": ["broadcast"], "归约": ["reduce"]}, "runs": RUNS})
    done = subprocess.run(["node", bundle], input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_a_question_is_no_longer_than_the_command_reads(read: dict[str, Any]) -> None:
    assert read["shortened"] == [shortened(question) for question in QUESTIONS]


def test_a_run_of_chinese_is_read_in_time_that_grows_with_it(read: dict[str, Any]) -> None:
    names, short, long = read["steps"]
    assert names["said"] == ["广播", "归约", "和"]
    assert long["gone"] < 3 * short["gone"] < 100 * len(RUNS[1])
