"""What is said of a backend whose framework or device is not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from apidiff.database.backends import Backend, Deadlines, DeviceCheck, load_backends
from apidiff.execute import devices
from apidiff.execute.devices import look_for
from apidiff.model.base import Text


def backend(code: str, framework: str = "json") -> Backend:
    """A backend of a 'framework' that every Python has."""
    return Backend(
        name="xccl",
        framework=framework,
        device="xpu",
        launcher="none",
        check=DeviceCheck(code=code, looks_for=Text(en="`xpu.is_available()`", zh="`xpu.is_available()`")),
        deadlines=Deadlines(start=1, probe=1),
        environment={"XPU": "two words"},
    )


# (code of the check, framework, whether it is there, what is said)
CHECKS = [
    ("print('ok')", "json", True, "xccl (json, xpu): found xpu.is_available()"),
    ("import os; print('a greeting'); print('ok')", "json", True, "xccl (json, xpu): found xpu.is_available()"),
    ("print('no xpu')", "json", False, "xccl (json, xpu): looked for xpu.is_available(); found: no xpu"),
    (
        "import os; print(os.environ['XPU'])",
        "json",
        False,
        "xccl (json, xpu): looked for xpu.is_available(); found: two words",
    ),
    (
        "import xpu_driver",
        "json",
        False,
        "xccl (json, xpu): looked for xpu.is_available(); found: ModuleNotFoundError: No module named 'xpu_driver'",
    ),
    ("import os; os._exit(7)", "json", False, "xccl (json, xpu): looked for xpu.is_available(); found: exit code 7"),
    (
        "print('ok')",
        "xtorch",
        False,
        "xccl (xtorch, xpu): looked for the package xtorch, which is not installed (pip install 'apidiff[xtorch]')",
    ),
]


@pytest.mark.parametrize(("code", "framework", "available", "text"), CHECKS)
def test_one_line_says_what_was_looked_for(code: str, framework: str, available: bool, text: str) -> None:
    found = look_for(backend(code, framework))
    assert (found.available, found.text) == (available, text)


# A check that hangs, and what it started too; the file says who they are.
HANGS = """
import os, subprocess, time
child = subprocess.Popen(["sleep", "600"])
open({file!r}, "w").write(f"{{os.getpid()}} {{child.pid}}\\n")
time.sleep(600)
"""


def gone(file: Path) -> bool:
    """Whether both processes of a check that hangs end."""
    pids = [int(word) for word in file.read_text().split()]
    assert len(pids) == 2
    until = time.monotonic() + 120
    while (left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]) and time.monotonic() < until:
        time.sleep(0.1)
    return not left


def test_a_check_that_hangs_ends_with_all_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_DEADLINE", 20.0)
    found = look_for(backend(HANGS.format(file=str(tmp_path / "pids"))))
    assert found.text == "xccl (json, xpu): looked for xpu.is_available(); no answer in 20 s"
    assert gone(tmp_path / "pids")


def test_a_check_that_hangs_ends_when_who_asked_is_killed(tmp_path: Path) -> None:
    """And with its folder of temporary files, which nobody else would remove."""
    (tmp_path / "temporary").mkdir()
    code = HANGS.format(file=str(tmp_path / "pids"))
    asking = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from test_devices import backend;"
        f"from apidiff.execute.devices import look_for; look_for(backend({code!r}))"
    )
    process = subprocess.Popen([sys.executable, "-c", asking], env=os.environ | {"TMPDIR": str(tmp_path / "temporary")})
    until = time.monotonic() + 300
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text().endswith("\n"):
        assert time.monotonic() < until
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert gone(tmp_path / "pids")
    assert not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize("name", ["gloo", "mccl"])
def test_the_described_checks_find_what_is_here(request: pytest.FixtureRequest, name: str) -> None:
    here = look_for(request.getfixturevalue(name))
    assert here.available, here.text


def test_nccl_without_a_gpu(gloo: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    nccl = next(one for one in load_backends() if one.name == "nccl")
    found = look_for(nccl)
    assert not found.available
    assert f"looked for {nccl.check.in_words}; found: " in found.text


def test_a_check_imports_nothing_here() -> None:
    code = (
        "import sys; from apidiff.database.backends import load_backends; from apidiff.execute.devices import look_for;"
        "[look_for(one) for one in load_backends()[:1]]; print({'torch', 'mindspore'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=500, check=True)
    assert done.stdout == "set()\n"
