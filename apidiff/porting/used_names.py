"""Gathers once what a file imports and which of its names are used where, for all the edits that may be made in it."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from apidiff.porting.asked_names import ALL
from apidiff.porting.code_text import CodeText
from apidiff.porting.string_names import named_in_strings

DECORATED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# What binds a name that no `ast.Name` is: patterns, and parameters of types, which Python has from 3.12 on.
_BINDING: tuple[type[ast.AST], ...] = (
    ast.MatchAs,
    ast.MatchStar,
    ast.MatchMapping,
    *(getattr(ast, name) for name in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(ast, name)),
)


class TorchImport(NamedTuple):
    """An import of PyTorch. ``removable``: whether taking it out leaves the meaning of what is around it."""

    statement: ast.Import | ast.ImportFrom
    top: bool
    block: Sequence[ast.stmt]
    removable: bool


class UsedNames:
    """The names of one file: those that it imports, and where they are used.

    ``imports``: those of PyTorch. ``every_import``: all, each with the module, class or function whose names it binds, and
    whether it stands in its body itself. ``stored``: what is bound otherwise than by an import.

    Args:
        code: the file.
        needed: names that code elsewhere takes from it, `ALL` for every one.
        kept: lines whose comment says to pass over what is there: their imports stay.
    """

    def __init__(self, code: CodeText, *, needed: Collection[str] = (), kept: Collection[int] = ()) -> None:
        self.code = code
        self.imports = [
            one._replace(
                removable=one.removable and not _is_on(one.statement, kept) and _comments_can_move(code, one.statement)
            )
            for one in torch_imports(code.tree.body)
        ]
        self.every_import = list(_scoped_imports(code.tree))
        self.stored: set[str] = set()
        bound = {bound_name(one.statement, alias) for one in self.imports for alias in one.statement.names}
        loads: list[tuple[int, str]] = []
        needed = set(needed)  # otherwise than as names that are looked up
        for node in ast.walk(code.tree):
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    self.stored.add(node.id)
                    needed.add(node.id)
                elif node.id in bound:
                    loads.append((code.start(node), node.id))
            elif isinstance(node, ast.Global | ast.Nonlocal):
                needed.update(node.names)
            elif isinstance(node, ast.arg):
                self.stored.add(node.arg)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
                self.stored.add(node.name or "")
            elif isinstance(node, _BINDING):
                name = node.rest if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
                self.stored.add(name or "")
                needed.add(name or "")
        self._loads = sorted(loads)
        self._counts = Counter(name for _, name in loads)
        self._candidates = set() if ALL in needed else bound - needed

    def unused(self, covered: Iterable[tuple[int, int]], more: Collection[str]) -> tuple[set[str], set[str]]:
        """What is imported of PyTorch and not needed without some ranges of bytes, and which of it those ranges use.

        ``covered``: ranges that do not overlap; ``more``: names that are needed besides.
        """
        gone: Counter[str] = Counter()
        for start, end in covered:
            first, last = bisect_left(self._loads, (start, "")), bisect_left(self._loads, (end, ""))
            gone.update(name for _, name in self._loads[first:last])
        free = {name for name in self._candidates if name not in more and self._counts[name] == gone[name]}
        if free:
            free -= self._in_strings
        return free, {name for name in free if gone[name]}

    @cached_property
    def _in_strings(self) -> set[str]:
        return named_in_strings(self.code.tree, self._candidates)


def begins_line(code: CodeText, statement: ast.stmt) -> bool:
    """Whether a statement is the first of its line, and that line goes on with none above."""
    line_start = code.line_start(statement.lineno)
    continued = code.data[max(0, line_start - 3) : line_start].rstrip(b"\r\n").endswith(b"\\")
    return not continued and code.is_first(statement)


def _comments_can_move(code: CodeText, statement: ast.stmt) -> bool:
    """Whether comments within a statement can be written above it, if there are any."""
    is_plain = b"#" not in code.data[code.start(statement) : code.end(statement)]
    return is_plain or begins_line(code, statement)


def _is_on(statement: ast.stmt, lines: Collection[int]) -> bool:
    return bool(lines) and any(
        line in lines for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    )


def bound_name(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The name that an import binds."""
    if alias.asname:
        return alias.asname
    return alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0]


def torch_imports(
    body: Sequence[ast.stmt], *, top: bool = True, removable: bool = True, of_class: bool = False
) -> Iterator[TorchImport]:
    """The imports of PyTorch in statements, and in those within them."""
    for statement in body:
        if isinstance(statement, ast.Import):
            if any(alias.name.partition(".")[0] == "torch" for alias in statement.names):
                yield TorchImport(statement, top, body, removable and not of_class)
        elif isinstance(statement, ast.ImportFrom):
            if not statement.level and (statement.module or "").partition(".")[0] == "torch":
                yield TorchImport(statement, top, body, removable and not of_class)
        else:
            within = removable and not isinstance(statement, ast.Try | ast.TryStar)
            # What a class imports are attributes of it.
            own = isinstance(statement, ast.ClassDef) or (of_class and not isinstance(statement, DECORATED))
            for _, value in ast.iter_fields(statement):
                if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    yield from torch_imports(value, top=False, removable=within, of_class=own)
                elif isinstance(value, list) and value and isinstance(value[0], ast.ExceptHandler | ast.match_case):
                    for part in value:
                        yield from torch_imports(part.body, top=False, removable=within, of_class=own)


def _scoped_imports(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.AST, bool]]:
    """All imports with the module, class or function whose names they bind, and whether they stand in its body themselves."""
    waiting: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while waiting:
        node, scope = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, scope, node is scope
            elif not isinstance(child, ast.expr):  # those hold no statements
                waiting.append((child, child if isinstance(child, DECORATED) else scope))
