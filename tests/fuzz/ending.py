"""What is kept from one input to the next, and ends with the last. In a process of xdist nothing is called at its exit."""

from __future__ import annotations

import atexit
import contextlib

KEPT = contextlib.ExitStack()
atexit.register(KEPT.close)
