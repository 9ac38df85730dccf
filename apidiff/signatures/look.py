"""Run as a script in a process of its own: imports a framework and says what its objects show.

Argument: the framework, which has to be importable. Standard input: a JSON list of dotted names. Standard output: one line,
``LOOK`` and JSON: name → ``kind`` ('function', 'class', 'enum', 'constant', 'absent'), ``signature`` (parameters as ``inspect``
has them, None where it has none), ``doc`` (the docstring of what is called, where pybind11 writes signatures) and ``members``.
It imports nothing of this project.
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
        shown = _find(name)
    except (ImportError, AttributeError):
        return {"kind": "absent"}
    if not isinstance(shown, type):
        kind = "function" if callable(shown) else "constant"
        return {"kind": kind, "signature": _signature(shown), "doc": shown.__doc__ if kind == "function" else None}
    if issubclass(shown, enum.Enum) or _values(shown):
        return {"kind": "enum", "members": sorted(getattr(shown, "__members__", {}))}
    compiled = type(shown).__name__ == "pybind11_type"
    doc = getattr(shown.__init__, "__doc__", None) if compiled else None
    members = sorted(name for name in set(dir(shown)) - _inherited(shown) if not name.startswith("_"))
    return {"kind": "class", "signature": None if compiled else _signature(shown), "doc": doc, "members": members}


def _find(name: str) -> Any:
    """The object of a dotted name: of a module, or of a class in one. Raises ImportError or AttributeError."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except ModuleNotFoundError:
        above, _, holder = module.rpartition(".")
        return getattr(getattr(importlib.import_module(above), holder), last)


def _values(cls: type) -> list[str]:
    """The values of a pybind11 enumeration; none for any other class."""
    values = getattr(cls, "__members__", None)
    return list(values) if isinstance(values, dict) and type(cls).__name__ == "pybind11_type" else []


def _inherited(cls: type) -> set[str]:
    """The members that come from built-in classes."""
    return {name for base in cls.__mro__ if base.__module__ == "builtins" for name in vars(base)}


def _signature(called: object) -> list[list[str | None]] | None:
    try:
        signature = inspect.signature(called)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return [
        [
            parameter.name,
            parameter.kind.description,
            None if parameter.default is parameter.empty else repr(parameter.default),
            None if parameter.annotation is parameter.empty else inspect.formatannotation(parameter.annotation),
        ]
        for parameter in signature.parameters.values()
    ]


if __name__ == "__main__":
    # A framework that cannot be imported has nothing to show: every name would seem to be missing from it.
    for framework in sys.argv[1:]:
        importlib.import_module(framework)
    # What a framework prints while it is imported must not stand in the line that is read.
    shown = {name: look(name) for name in json.load(sys.stdin)}
    sys.stdout.write(f"\nLOOK{json.dumps(shown)}\n")
