"""Finds what stands at a place of a syntax tree: the call that ends there, an annotation, the statement that it belongs to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from apidiff.porting.code_text import CodeText

_INDENT = re.compile(rb"[ \t\f]*")
_WRITTEN = re.compile("(# apidiff [^:：]*: [^:：]*)[:：]")


class CodeAnchors:
    """Looks places of one file up."""

    def __init__(self, code: CodeText) -> None:
        self._code = code
        self._calls: dict[int, ast.Call] = {}
        self._attributes: dict[int, ast.Attribute] = {}
        annotations: list[ast.expr] = []
        types: list[ast.AST] = []
        bases: set[str] = set()
        named: list[tuple[str, ast.expr]] = []  # Base = nn.Linear
        partial: dict[int, ast.Call] = {}
        for node in ast.walk(code.tree):
            types += _types(node)
            if isinstance(node, ast.ClassDef):
                bases |= {base.id for base in node.bases if isinstance(base, ast.Name)}
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named.append((node.targets[0].id, node.value))
            if isinstance(node, ast.Call) and node.args and _last_name(node.func) == "partial":
                partial[code.end(node.args[0])] = node
            if isinstance(node, ast.Call):
                self._calls[code.end(node.func)] = node
            elif isinstance(node, ast.Attribute):
                self._attributes[code.end(node)] = node
            elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
                annotations.append(node.annotation)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
                annotations.append(node.returns)
        self._annotated = {
            code.start(part)
            for annotation in annotations
            for part in ast.walk(annotation)
            if isinstance(part, ast.Name | ast.Attribute)
        }
        types += [value for name, value in named if name in bases and isinstance(value, ast.Name | ast.Attribute)]
        self._types = {code.end(part) for part in _walk_once(types) if isinstance(part, ast.Name | ast.Attribute)}
        self._partial = partial
        self._anchors: dict[int, int] = {}
        self._found: dict[int, int] = {}  # for lines that were asked for: many may hang together
        self._anchor_all(code.tree)

    def call_at(self, end: int) -> ast.Call | None:
        """The call whose function ends at a byte."""
        return self._calls.get(end)

    def attribute_at(self, end: int) -> ast.Attribute | None:
        """The attribute whose name ends at a byte."""
        return self._attributes.get(end)

    def is_annotation(self, start: int) -> bool:
        """Whether a name that begins at a byte stands in an annotation."""
        return start in self._annotated

    def is_type(self, start: int, end: int) -> bool:
        """Whether a name between two bytes is named as a type alone: no objects are made of it there."""
        return start in self._annotated or end in self._types

    def partial_at(self, end: int) -> ast.Call | None:
        """The call of `functools.partial` whose first argument ends at a byte."""
        return self._partial.get(end)

    def anchor(self, line: int) -> int:
        """The line of the statement that ``line`` belongs to: a comment above it is a line of its own."""
        passed = []
        while line not in self._found:
            place = self._anchors.get(line, line)
            passed += [line, place]
            # Not looked at again for each line of a statement: the line above may be as long as the file.
            if place not in self._found and (place == 1 or not self._goes_on(place - 1)):
                self._found[place] = place
            line = place if place in self._found else place - 1
        self._found.update(dict.fromkeys(passed, self._found[line]))
        return self._found[line]

    def _goes_on(self, line: int) -> bool:
        """Whether a line may end with a backslash that hands on to the next, above which no comment can stand then."""
        text = self._code.data[self._code.line_start(line) : self._code.line_end(line)].rstrip(b"\r\n")
        return text.endswith(b"\\") and not text.lstrip().startswith(b"#")

    def indent(self, line: int) -> str:
        """The white space that a line begins with."""
        indent = _INDENT.match(self._code.data, self._code.line_start(line))
        return indent[0].decode() if indent else ""

    def has_comment(self, line: int, start: str) -> bool:
        """Whether one of the comments right above ``line`` begins with ``start``, as ported code has it, and a colon."""
        first = self._comments.get(line - 1, {}).get(start)
        return first is not None and first < line

    @cached_property
    def _comments(self) -> dict[int, dict[str, int]]:
        """Lines that are comments: how those of ported code begin that stand in one go with it, each with its first line."""
        code = self._code
        found: dict[int, dict[str, int]] = {}
        for line in range(1, code.line_count + 1):
            text = code.text(code.line_start(line), code.line_end(line)).strip()
            if text.startswith("#"):
                found[line] = found.get(line - 1, {})
                if written := _WRITTEN.match(text):
                    found[line].setdefault(written[1], line)
        return found

    def _anchor_all(self, node: ast.AST) -> None:
        for child in _statements(node):
            for mark in getattr(child, "decorator_list", []):
                for within in range(mark.lineno, (mark.end_lineno or mark.lineno) + 1):
                    self._anchors[within] = mark.lineno
            # Behind another statement what follows the first line may stand in a string, and belongs to what that line does.
            first = child.lineno if self._code.is_first(child) else self._anchors.get(child.lineno, child.lineno)
            for line in self._own_lines(child):
                self._anchors[line] = first
            self._anchor_all(child)

    def _lines(self, statement: ast.stmt | ast.ExceptHandler) -> range:
        """The lines that belong to a statement and what stands in it."""
        first = statement.lineno if self._code.is_first(statement) else statement.lineno + 1
        return range(first, (statement.end_lineno or statement.lineno) + 1)

    def _own_lines(self, statement: ast.stmt | ast.ExceptHandler) -> Iterator[int]:
        """The same without those of the statements in it: each `elif` reaches to the end of all that follow it."""
        lines = self._lines(statement)
        begin = lines.start
        for inner in map(self._lines, _statements(statement)):
            yield from range(begin, inner.start)
            begin = max(begin, inner.stop)
        yield from range(begin, lines.stop)


def _types(node: ast.AST) -> list[ast.AST]:
    """The parts of a node that name types: bases, what objects and types are compared with, keys, what stands in brackets."""
    match node:
        case ast.ClassDef(bases=bases):
            return list(bases)
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "super" | "cast"), args=args):
            return list(args)
        case ast.Compare():
            return [node]
        case ast.Dict(keys=keys):
            return [key for key in keys if key is not None]
        case ast.Subscript(slice=inner):
            return [inner]
        case ast.BinOp(op=ast.BitOr()):
            return [node]
        case ast.Attribute(value=value):  # nn.Linear.forward
            return [value]
        case ast.ExceptHandler(type=ast.expr() as kind) | ast.MatchClass(cls=kind):
            return [kind]
    return []


def _walk_once(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """What stands within nodes, each once: types stand within types, as in ``a | b | c``."""
    seen: set[ast.AST] = set()
    left = list(nodes)
    while left:
        node = left.pop()
        if node not in seen:
            seen.add(node)
            left.extend(ast.iter_child_nodes(node))
            yield node


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _statements(node: ast.AST) -> Iterator[ast.stmt | ast.ExceptHandler]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            yield child
        elif isinstance(child, ast.match_case):
            yield from _statements(child)
