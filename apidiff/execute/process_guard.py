"""Runs a command that ends, with its whole process group, when the process that started it does: ``tied.py PID COMMAND…``."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1


def tie(command: Sequence[str]) -> list[str]:
    """What to start, in a session of its own, so that ``command`` ends with this process even if this one is killed."""
    return [sys.executable, "-I", __file__, str(os.getpid()), *command]


def main() -> int:
    """The command's exit code; 128 + n where signal n ended it."""
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(os.getpgrp(), signal.SIGKILL))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(sys.argv[1]):  # it ended while this interpreter was starting
        return 1
    code = subprocess.call(sys.argv[2:])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
