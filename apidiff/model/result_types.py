"""What calls of the source framework return, as a scan of code reads it. Written by a tool, never by hand."""

from __future__ import annotations

from apidiff.model.base import Record

# How the type of a value is written: the full name of its class, then one of these; several types stand between "|".
INSTANCE = "()"
SEQUENCE = "[]"  # after the type of its items: torch.Tensor()[]
NO_OBJECT = "!"  # a number, a string, None: nothing of the framework


class ResultTypes(Record, frozen=True, kw_only=True):
    """What calls return, by full name; empty where the source says nothing that a scan follows.

    ``attributes``: the same of what is looked at and not called. ``modules``: all public ones. ``classes``: with their bases.
    ``take_tensors``: functions that take a tensor first, however they are called. ``aliases``: full name → the shorter
    public one.
    """

    version: str
    modules: list[str]
    classes: dict[str, list[str]]
    results: dict[str, str]
    take_tensors: list[str]
    attributes: dict[str, str]
    aliases: dict[str, str]
