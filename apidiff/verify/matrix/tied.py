"""``tied.py COMMAND…``: runs a command that ends, with its whole process group, when the process that started this one does."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys

VARIABLE = "APIDIFF_PARENT"
_PR_SET_PDEATHSIG = 1


def main() -> int:
    """The command's exit code; 128 + n where signal n ended it."""
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(os.getpgrp(), signal.SIGKILL))
    parent = int(os.environ.pop(VARIABLE))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended while this interpreter was starting
        return 1
    code = subprocess.call(sys.argv[1:])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
