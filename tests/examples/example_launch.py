"""Runs an example's own command with the real launcher of the running environment, within a deadline."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import psutil

from apidiff.database.examples import Example

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 500.0  # seconds; a MindSpore start takes 15 on two idle cores


@dataclass(frozen=True)
class Ended:
    """The launcher's exit code, the ranks' lines sorted by rank, and everything the launcher printed."""

    code: int
    lines: list[str]
    log: str


def run(example: Example, folder: Path, script: Path | None = None, deadline: float = DEADLINE) -> Ended:
    """Runs the command of ``example`` (or of a changed copy, ``script``) as `launch` does."""
    return launch(example.command, folder, script, deadline)


def launch(command: str, folder: Path, script: Path | None = None, deadline: float = DEADLINE) -> Ended:
    """Runs ``command``, which ends with a script, or with ``script`` in its place, from the root of the checkout.

    ``folder`` takes the logs. Only what would disturb other runs is set: free ports, the log folder, loopback, and one thread
    of OpenMP, of which several wait for each other by computing. Raises TimeoutError, with the log, when the deadline has
    passed; no process is left then.
    """
    settings, launcher, options, path = _split(command)
    if launcher == "msrun":
        options = [*options, "--master_port", str(free_port()), "--log_dir", str(folder / "ranks")]
    words = [str(Path(sys.executable).with_name(launcher)), *options, str(script or path)]
    environment = os.environ | settings | {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    # Apart: what a rank writes to standard error may come between another's line and its end.
    with (folder / "launcher.log").open("w+") as log, (folder / "errors.log").open("w+") as errors:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = process.wait(deadline)
        except subprocess.TimeoutExpired:
            said = _read(log) + _read(errors)
            raise TimeoutError(f"{shlex.join(words)} did not end within {deadline:g} s\n{said}") from None
        finally:
            end(process)
        text = _read(log)
        said = text + _read(errors)
    if launcher == "msrun":
        # msrun shows the ranks' logs through `tail -f`, which it kills without waiting for the last lines.
        printed = "".join(path.read_text() for path in sorted((folder / "ranks").glob("worker_*.log")))
    else:
        printed = text
    lines = [line for line in printed.splitlines() if line.startswith("rank ")]
    return Ended(code, sorted(lines, key=lambda line: line.partition(":")[0]), said)


def _read(log: TextIO) -> str:
    log.seek(0)
    return log.read()


def _split(command: str) -> tuple[dict[str, str], str, list[str], str]:
    words = shlex.split(command)
    settings = {}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        settings[name] = value
    return settings, words[0], words[1:-1], words[-1]


def free_port() -> int:
    """A TCP port of the loopback address that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills what is left: the launcher's group and its descendants, since msrun gives each rank its own session."""
    if process.poll() is not None:
        return
    descendants = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGKILL)
    for one in descendants:
        one.kill()
    process.wait()
    psutil.wait_procs(descendants, timeout=120)
