"""Marks the definitions of which griffe leaves a part out: it logs what it cannot express, such as deep defaults, and goes on."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import griffe

_OURS, _MARK = "apidiff", "unexpressed"


@contextmanager
def marking() -> Iterator[griffe.Extensions]:
    """The extensions for one visit of griffe that mark definitions. What it logs meanwhile is told nowhere else."""
    log = logging.getLogger("griffe")
    propagate, marks = log.propagate, _Marks()
    log.addHandler(marks.logged)
    log.propagate = False
    try:
        yield griffe.load_extensions(marks, _WithoutInner())
    finally:
        log.propagate = propagate
        log.removeHandler(marks.logged)


def is_marked(documented: griffe.Object) -> bool:
    """Whether a part of a definition, such as a default or a base, was left out."""
    return _MARK in documented.extra.get(_OURS, {})


class _Logged(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


class _Marks(griffe.Extension):
    """Marks each definition between whose beginning and end something was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.logged = _Logged()

    def on_node(self, **_: Any) -> None:
        self.logged.records.clear()  # of what stands before it

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if self.logged.records:  # which are kept: an assignment may define several names
            obj.extra[_OURS][_MARK] = True


class _WithoutInner(griffe.Extension):
    """Takes the decorators off functions in a constructor, which nobody asks for: griffe fails on an overload there."""

    def on_function_node(self, *, node: Any, agent: Any, **_: Any) -> None:
        if agent.current.is_function:
            node.decorator_list = []
