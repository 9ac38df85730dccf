"""Single calls on a machine that was lent for a while: the most used names first, until the time is over."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from apidiff.database import Data
from apidiff.execute.offline import single_calls
from apidiff.execute.offline.single_calls import GROUP, measure_calls, most_used_first

SCRIPT = """
import json, sys, time
words = sys.argv[1:]
framework, device = words[words.index("--framework") + 1], words[words.index("--device") + 1]
if "slow" in words:
    open(sys.argv[0] + ".slow", "w").close()
    time.sleep(600)
print(json.dumps([{"written": [f"{framework}-{device}-{words[1]}.json"]}]))
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    script = tmp_path / "apidiff.py"
    script.write_text(SCRIPT, encoding="utf-8")
    return [sys.executable, str(script)]


def measured(groups: list[list[str]], until: float, folder: Path, command: list[str]) -> tuple[list[str], list[str]]:
    told: list[str] = []
    places = [("torch", "fake"), ("mindspore", "fake")]
    paths = measure_calls(groups, places, command, "somebody", until, folder, told.append)
    return [str(path) for path in paths], told


def test_every_group_is_recorded_at_every_place(tmp_path: Path, command: list[str]) -> None:
    paths, told = measured([["first"], ["second"]], time.monotonic() + 300, tmp_path, command)
    assert paths == [
        *("torch-fake-first.json", "mindspore-fake-first.json"),
        *("torch-fake-second.json", "mindspore-fake-second.json"),
    ]
    assert told[0].split(":")[0] == "torch-single-fake-1"


def test_the_deadline_ends_what_runs_and_keeps_what_is_recorded(
    tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The time is over once the slow command has begun, however long it took to get there.
    begun = Path(f"{command[-1]}.slow")
    clock = SimpleNamespace(monotonic=lambda: float(begun.exists()), sleep=time.sleep)
    monkeypatch.setattr(single_calls, "time", clock)
    paths, told = measured([["first"], ["slow"], ["third"]], 1.0, tmp_path, command)
    assert paths == ["torch-fake-first.json", "mindspore-fake-first.json"]
    assert "not recorded" in told[2]
    assert told[-1] == "single calls: the time was over before group 2 of 3"


def test_the_most_used_names_come_first(database: Data) -> None:
    groups = most_used_first(database)
    counts = [database.uses.of(name) for group in groups for name in group]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0
    assert {len(group) for group in groups[:-1]} == {GROUP}


@pytest.mark.parametrize("suffix", [".json", ".log"])
def test_a_pipe_in_the_place_of_a_log_is_not_waited_for(tmp_path: Path, command: list[str], suffix: str) -> None:
    os.mkfifo(tmp_path / f"torch-single-fake-1{suffix}")
    with pytest.raises(OSError, match="it is no regular file"):
        measured([["first"]], time.monotonic() + 300, tmp_path, command)
