"""What calls of the source framework return, as a scan of code reads it. Written by a tool, never by hand."""

from __future__ import annotations

from typing import Annotated

import msgspec

from apidiff.model.base import DottedName, Record

# How the type of a value is written: the full name of its class, then one of these; several types stand between "|".
INSTANCE = "()"
SEQUENCE = "[]"  # after the type of its items: torch.Tensor()[]
NO_OBJECT = "!"  # a number, a string, None: nothing of the framework
_ONE = r"(!|[A-Za-z_][\w.]*\(\)(\[\])*)"
Types = Annotated[str, msgspec.Meta(pattern=rf"^({_ONE}(\|{_ONE})*)?\Z", max_length=1000)]


class ResultTypes(Record, frozen=True, kw_only=True):
    """What calls return, by full name; empty where the source says nothing that a scan follows.

    ``attributes``: the same of what is looked at and not called. ``modules``: all public ones. ``starred``: those of
    them that a star import of the module above binds. ``classes``: with their bases. ``take_tensors``: functions that take a
    tensor first, however they are called. ``aliases``: full name → the shorter public one.
    """

    version: str
    modules: list[str]
    starred: list[str]
    classes: dict[str, Annotated[list[str], msgspec.Meta(max_length=100)]]
    results: dict[str, Types]
    take_tensors: list[str]
    attributes: dict[str, Types]
    aliases: dict[str, DottedName]
