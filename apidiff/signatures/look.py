"""Run as a script in a process of its own: imports a framework and says what its objects show.

Standard input: a JSON list of dotted names. Standard output: one line, ``LOOK`` and JSON: name → ``kind`` ('function', 'class',
'enum', 'constant', 'absent'), ``signature`` (parameters as ``inspect`` has them, None where it has none), ``doc`` (the
docstring of what is called, where pybind11 writes signatures) and ``members``. It imports nothing of this project.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import sys
from typing import Any


def look(name: str) -> dict[str, Any]:
    """What the object ``name`` shows."""
    try:
        found = _find(name)
    except (ImportError, AttributeError):
        return {"kind": "absent"}
    if not isinstance(found, type):
        kind = "function" if callable(found) else "constant"
        return {"kind": kind, "signature": _signature(found), "doc": found.__doc__ if kind == "function" else None}
    if issubclass(found, enum.Enum) or _values(found):
        return {"kind": "enum", "members": sorted(getattr(found, "__members__", {}))}
    compiled = type(found).__name__ == "pybind11_type"
    doc = getattr(found.__init__, "__doc__", None) if compiled else None
    members = sorted(name for name in set(dir(found)) - _inherited(found) if not name.startswith("_"))
    return {"kind": "class", "signature": None if compiled else _signature(found), "doc": doc, "members": members}


def _find(name: str) -> Any:
    """The object of a dotted name: of a module, or of a class in one. Raises ImportError or AttributeError."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except ModuleNotFoundError:
        above, _, holder = module.rpartition(".")
        return getattr(getattr(importlib.import_module(above), holder), last)


def _values(found: type) -> list[str]:
    """The values of a pybind11 enumeration; none for any other class."""
    values = getattr(found, "__members__", None)
    return list(values) if isinstance(values, dict) and type(found).__name__ == "pybind11_type" else []


def _inherited(found: type) -> set[str]:
    """The members that come from built-in classes."""
    return {name for base in found.__mro__ if base.__module__ == "builtins" for name in vars(base)}


def _signature(found: object) -> list[list[str | None]] | None:
    try:
        signature = inspect.signature(found)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return [
        [
            one.name,
            one.kind.description,
            None if one.default is one.empty else repr(one.default),
            None if one.annotation is one.empty else inspect.formatannotation(one.annotation),
        ]
        for one in signature.parameters.values()
    ]


if __name__ == "__main__":
    # What a framework prints while it is imported must not stand in the line that is read.
    found = {name: look(name) for name in json.load(sys.stdin)}
    sys.stdout.write(f"\nLOOK{json.dumps(found)}\n")
