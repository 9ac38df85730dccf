"""How long commands take: by the clock on the wall and in processor time."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_DEADLINE_S = 3600


class Spent(NamedTuple):
    """Seconds of commands: on the wall, and of all processors in them and everything they started."""

    wall: float
    processor: float


def run_timed(commands: Sequence[Sequence[str]], folder: Path) -> Spent:
    """Run ``commands`` at once in ``folder``, whose package they import. Ends the measure where one of them fails."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        started = [
            subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
            for command in commands
        ]
        codes = [process.wait(_DEADLINE_S) for process in started]
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if any(codes):
            log.seek(0)
            raise SystemExit(f"bench: {commands} failed:\n{log.read()}")
    return Spent(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
