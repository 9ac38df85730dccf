"""The guide on launchers names the variables that the launchers set, and the options that they have."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from example_launch import ROOT, free_port

TOLD = """
import json, os, pathlib, sys, time
role = os.environ.get("MS_ROLE", "rank")
number = os.environ.get("RANK") or os.environ.get("DEVICE_ID") or "0"
pathlib.Path(sys.argv[1], f"{role}-{number}.json").write_text(json.dumps(sorted(os.environ)))
time.sleep(0.2)
"""
# What a framework sets for itself when it is imported, and what Python and the shell add.
NOISE = {"LC_CTYPE", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"}
ONLY_IN_2_7_1 = {"MS_NODE_RANK"}
LANGUAGES = ("en", "zh")


def rows(language: str, section: str) -> list[list[str]]:
    """The cells of the first table below the anchor ``section`` of the guide, without the head."""
    text = (ROOT / "docs" / language / "guide" / "launching.md").read_text(encoding="utf-8")
    lines = text.split(f"({section})=")[1].split("\n")
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table[2:]


def named(cells: list[str]) -> set[str]:
    return {word.split()[0] for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


def needs(framework: str) -> None:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed: make test installs it")


def launch(command: list[str], folder: Path) -> dict[str, set[str]]:
    """For each process, the variables that the launcher added, by the role and the number of the process."""
    script = folder / "told.py"
    script.write_text(TOLD)
    base = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}
    launcher = str(Path(sys.executable).with_name(command[0]))
    subprocess.run([launcher, *command[1:], str(script), str(folder)], env=base, cwd=folder, check=True, timeout=500)
    return {path.stem: set(json.loads(path.read_text())) - set(base) - NOISE for path in folder.glob("*-*.json")}


@pytest.mark.turning(days=2)
@pytest.mark.parametrize("language", LANGUAGES)
def test_torchrun_sets_what_the_guide_says(language: str, tmp_path: Path) -> None:
    needs("torch")
    told = launch(["torchrun", "--standalone", "--nproc-per-node", "2"], tmp_path)
    wanted = named([row[0] for row in rows(language, "guide-launching-variables")])
    assert told == {"rank-0": wanted, "rank-1": wanted}


@pytest.mark.turning(days=2)
@pytest.mark.parametrize("language", LANGUAGES)
def test_msrun_sets_what_the_guide_says(language: str, tmp_path: Path) -> None:
    needs("mindspore")
    options = ["--worker_num", "2", "--local_worker_num", "2", "--join", "True", "--master_port", str(free_port())]
    told = launch(["msrun", *options, "--log_dir", str(tmp_path / "logs")], tmp_path)
    wanted = named([row[1] for row in rows(language, "guide-launching-variables")])
    scheduler = told.pop("MS_SCHED-0")
    assert {rank: names - ONLY_IN_2_7_1 for rank, names in told.items()} == {
        "MS_WORKER-0": wanted,
        "MS_WORKER-1": wanted,
    }
    assert scheduler - ONLY_IN_2_7_1 == wanted - {"DEVICE_ID", "MS_NODE_ID"}


@pytest.mark.parametrize(("column", "launcher", "framework"), [(0, "torchrun", "torch"), (1, "msrun", "mindspore")])
def test_the_options_are_there(column: int, launcher: str, framework: str) -> None:
    needs(framework)
    shown = subprocess.run(
        [str(Path(sys.executable).with_name(launcher)), "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    for language in LANGUAGES:
        options = named([row[column] for row in rows(language, "guide-launching-command")])
        assert options
        assert {option for option in options if not re.search(rf"{option}\b", shown)} == set()


def test_a_wrong_table_is_noticed() -> None:
    assert named(["`RANK`, `MS_ROLE`", "`--rdzv-conf join_timeout=…`"]) == {"RANK", "MS_ROLE", "--rdzv-conf"}
    assert rows("en", "guide-launching-variables")[0][0] == "`RANK`"
