"""Ties a child process to the one that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

VARIABLE = "APIDIFF_PARENT"
_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Has the kernel kill this process when the one named by ``APIDIFF_PARENT`` ends, or ends it if that has happened."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have ended while this interpreter was starting; the kernel then has nothing left to tell of.
    if os.getppid() != int(os.environ[VARIABLE]):
        os._exit(1)
