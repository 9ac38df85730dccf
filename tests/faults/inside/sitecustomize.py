"""Gives every interpreter that has this folder on its path the modules ``torch.faults`` and ``mindspore.faults``."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from pathlib import Path

CALLS = Path(__file__).with_name("broken_calls.py")


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name in {"torch.faults", "mindspore.faults"}:
            return importlib.util.spec_from_file_location(name, CALLS)
        return None


sys.meta_path.insert(0, Finder())
