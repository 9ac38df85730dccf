"""Ties a process, and all that it starts, to the one that started it."""

from __future__ import annotations

import os
import select
import signal


def end_with_parent(requests: int, answers: int) -> None:
    """Has the whole process group killed once the other end of the pipe ``requests`` is closed, however that came about.

    A process that is forked here waits for that; it keeps open nothing else, ``answers`` least of all, whose end tells the
    parent of this one's. To be called first, before there are threads. What a rank starts is in its group and ends with it;
    the signal that the kernel sends at a parent's death would reach the rank alone.
    """
    if os.fork():
        return
    for fd in (0, 1, 2, answers):
        os.close(fd)
    waiting = select.poll()
    waiting.register(requests, 0)  # of no event but the hang-up, which is always told
    waiting.poll()
    os.killpg(0, signal.SIGKILL)
