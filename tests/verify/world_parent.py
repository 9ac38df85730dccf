"""Starts ranks, says so, and waits to be killed: ``world_parent.py NAME FRAMEWORK FOLDER WHEN``.

WHEN is ``up``, or ``at-once``: before the ranks' interpreters have come to their first line.
"""

import sys
import time
from pathlib import Path

import psutil

from apidiff.store.backends import load_backends
from apidiff.verify.world import World

name, framework, folder, when = sys.argv[1:]


def tell_and_wait(*_: object) -> None:
    print(*(child.pid for child in psutil.Process().children(recursive=True)), flush=True)
    time.sleep(600)


backend = next(one for one in load_backends() if (one.name, one.framework) == (name, framework))
if when == "at-once":
    World._collect = tell_and_wait  # what waits for the ranks to come up
with World(backend, 2, Path(folder)):
    tell_and_wait()
