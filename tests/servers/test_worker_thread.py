"""The thread of the language server: calls one after another, and no call keeps the process from ending."""

from __future__ import annotations

import subprocess
import sys
from threading import Event

import pytest

from apidiff.servers.worker_thread import WorkerThread

LONG = """
import threading, time
from apidiff.servers.worker_thread import WorkerThread
begun = threading.Event()
WorkerThread("long").submit(lambda: (begun.set(), time.sleep(600)))
begun.wait()
"""


def test_calls_are_answered_in_their_order_and_cancelled_ones_left_out() -> None:
    worker, go, called = WorkerThread("test"), Event(), list[int]()
    first = worker.submit(go.wait)
    cancelled, last = worker.submit(called.append, 1), worker.submit(called.append, 2)
    failing = worker.submit(int, "no number")
    assert cancelled.cancel()
    go.set()
    assert (first.result(60), last.result(60), called) == (True, None, [2])
    with pytest.raises(ValueError, match="no number"):
        failing.result(60)


def test_a_process_ends_whatever_is_being_called() -> None:
    assert subprocess.run([sys.executable, "-c", LONG], timeout=300, check=False).returncode == 0
