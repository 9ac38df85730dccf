"""Gives every interpreter that has this folder on its path the modules ``torch.faults`` and ``mindspore.faults``.

Where APIDIFF_STARTS is set, a call of it is made when a single process starts, and the calls of its adapter are made for torch's.
Signals that tests were started to ignore, by nohup or in the background, do here what they do elsewhere.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
from pathlib import Path

CALLS = Path(__file__).with_name("broken_calls.py")
ADAPTER = Path(__file__).with_name("broken_adapter.py")


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name in {"torch.faults", "mindspore.faults"}:
            return importlib.util.spec_from_file_location(name, CALLS)
        if name == "apidiff.execute.single.torch_adapter" and "APIDIFF_STARTS" in os.environ:
            return importlib.util.spec_from_file_location(name, ADAPTER)
        return None


sys.meta_path.insert(0, Finder())
for number, usual in (
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGINT, signal.default_int_handler),
):
    signal.signal(number, usual)
