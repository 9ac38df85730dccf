"""Finds where code names the method ``forward`` of layers without a dot: in a string for `setattr`, as a key of attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from apidiff.porting.torch_names import FORWARD

_KEEP_KEYWORDS = {"dict", "update", "multiple"}  # calls that make keys, or names of attributes, of their keywords


def naming_lines(tree: ast.Module) -> Iterator[int]:
    """The lines on which a string in code is ``forward``, or a keyword that becomes one.

    Passed over is what can be no method: a string that is a statement, the text of an f-string, the values of `Literal`, and the
    ``norm`` of a Fourier transform.
    """
    waiting: list[ast.AST] = [tree]
    while waiting:
        part = waiting.pop()
        match part:
            case ast.Constant(value=str(value)) if value == FORWARD:
                yield part.lineno
            case ast.Expr(value=ast.Constant()) | ast.keyword(arg="norm", value=ast.Constant()):
                continue
            case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal")):
                continue
            case ast.JoinedStr(values=values):
                waiting += [value for value in values if not isinstance(value, ast.Constant)]
                continue
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=keywords) if (
                name in _KEEP_KEYWORDS
            ):
                yield from (keyword.lineno for keyword in keywords if keyword.arg == FORWARD)
        waiting += ast.iter_child_nodes(part)
