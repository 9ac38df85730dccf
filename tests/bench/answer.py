"""A lookup as a command against starting Python and doing nothing, and in a process that stays against 5 ms."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import apidiff
from tests.bench.measure import Measure

_TIMES = 31
_LIMIT = 6.0
_STAYING_S = 0.005
_API = "torch.distributed.all_reduce"  # one of the two largest entries


def measure_lookup() -> list[Measure]:
    """Two ratios, of medians: of the command, and of a lookup in a process that stays."""
    return [_command(), _staying()]


def _command() -> Measure:
    """Runs of both alternate, so that both meet the same load."""
    # Without compiled files every run would compile the package anew; they are written by the first one, not timed.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    nothing = [sys.executable, "-c", "pass"]
    command = Path(sys.executable).with_name("apidiff")
    lookup = [str(command), "lookup", _API, "--mindspore", "2.10", "--json"]
    for _ in range(2):
        _seconds(lookup, environment)
    times: dict[int, list[float]] = {0: [], 1: []}
    for _ in range(_TIMES):
        for number, arguments in enumerate((lookup, nothing)):
            times[number].append(_seconds(arguments, environment))
    return Measure(
        f"apidiff lookup --json (median of {_TIMES})",
        "python3 -c pass",
        statistics.median(times[0]),
        statistics.median(times[1]),
        _LIMIT,
    )


def _staying() -> Measure:
    known = apidiff.load()
    times = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        known.lookup(_API, mindspore="2.10")
        times.append(time.perf_counter() - start)
    return Measure(
        f"lookup in a process that stays (median of {_TIMES})", "5 ms", statistics.median(times), _STAYING_S, 1.0
    )


def _seconds(arguments: Sequence[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True, env=environment, timeout=60)
    return time.perf_counter() - start
