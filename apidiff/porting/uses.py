"""Places in code that name an API, as a walk through its syntax notes them. Names longer or more than code has are refused."""

from __future__ import annotations

import ast

import msgspec

from apidiff.porting.torch_names import Value

Place = tuple[int, int, int, int]  # line, column, end line, end column as ast counts them: bytes from 0
# Characters of a dotted name as it is written, or of what definitions within each other are called; the longest of torch has 90.
# Each name under a long one is kept with it in front.
LONGEST_NAME = 1_000


class NotFollowed(Exception):
    """What takes too long to follow, and no code has. ``code``: of the problem; ``most``: what is followed; ``place``: where."""

    def __init__(self, code: str, most: int, place: Place) -> None:
        super().__init__(code, most, place)
        self.code, self.most, self.place = code, most, place


class Argument(msgspec.Struct, frozen=True, gc=False):
    """An argument as it is written, with what its value is known to be."""

    node: ast.expr
    value: Value


class Passed(msgspec.Struct, frozen=True, gc=False):
    """What a call passes. ``open``: more may come from ``*`` or ``**``."""

    args: list[Argument]
    keywords: dict[str, Argument]
    open: bool


class Use(msgspec.Struct, frozen=True, gc=False):
    """A place that names an API. ``role``: call, name or import. ``possible``: a method of something unknown.

    ``unbound``: a member that is looked up on its class. ``divided``: what stands there may be another API as well.
    """

    name: str
    place: Place
    role: str
    passed: Passed | None
    possible: bool = False
    unbound: bool = False
    divided: bool = False


class Pending(msgspec.Struct, frozen=True, gc=False):
    """A place whose meaning another file decides: ``value`` followed by ``names``; ``places``: to the end of each part."""

    value: str
    names: list[str]
    places: list[Place]
    role: str
    passed: Passed | None


def refuse_long(length: int, node: ast.alias | ast.expr | ast.stmt) -> None:
    """Raise NotFollowed where the name that stands at ``node`` is too long."""
    if length > LONGEST_NAME:
        raise NotFollowed("long_name", LONGEST_NAME, place_of(node))


def place_of(node: ast.alias | ast.expr | ast.stmt) -> Place:
    """Return the place of a node, from the parentheses around what it begins with."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def attribute_place(node: ast.Attribute) -> Place:
    """The name of the attribute alone, as long as Python takes it for: it may be written in other letters."""
    line, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return line, max(0, column - len(node.attr.encode())), line, column
