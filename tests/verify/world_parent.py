"""Starts ranks, says so, and waits to be killed: ``world_parent.py NAME FRAMEWORK FOLDER``."""

import sys
import time
from pathlib import Path

import psutil

from apidiff.store.backends import load_backends
from apidiff.verify.world import World

name, framework, folder = sys.argv[1:]
backend = next(one for one in load_backends() if (one.name, one.framework) == (name, framework))
with World(backend, 2, Path(folder)):
    print(*(child.pid for child in psutil.Process().children(recursive=True)), flush=True)
    time.sleep(600)
