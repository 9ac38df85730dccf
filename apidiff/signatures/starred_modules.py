"""Tells which modules below a package a star import from it binds, by the source of its ``__init__.py``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence


def starred_modules(package: str, statements: Sequence[ast.stmt], modules: Iterable[str]) -> list[str]:
    """The modules below ``package``, of ``modules``, that ``from package import *`` binds.

    Python binds what ``__all__`` names, and where a package has none, each module that its ``__init__.py`` imports. What other
    files import first, or an ``__all__`` is put together from, is not known.
    """
    listed: set[str] = set()
    imported: set[str] = set()
    has_list = False
    for statement in _at_top(statements):
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AugAssign(target=ast.Name(id="__all__")):
                has_list = True
                listed.update(_texts(statement.value))
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                has_list = True
                listed.update(_texts(value))
            case ast.ImportFrom() | ast.Import():
                imported.update(_modules_imported(package, statement))
    bound = {f"{package}.{name}" for name in (listed if has_list else imported)}
    return sorted(bound.intersection(modules))


def _at_top(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and those in branches, which bind names of the module too."""
    for statement in statements:
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for _, value in ast.iter_fields(statement):
            if isinstance(value, list):
                parts = (part.body if isinstance(part, ast.ExceptHandler) else [part] for part in value)
                yield from _at_top(one for part in parts for one in part if isinstance(one, ast.stmt))


def _texts(value: ast.expr) -> Iterator[str]:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _modules_imported(package: str, statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The names of modules below ``package`` that an import in it binds: those of which it takes something too."""
    if isinstance(statement, ast.Import):
        paths = [alias.name for alias in statement.names]
    else:
        parts = package.split(".")
        base = parts[: len(parts) - statement.level + 1] if statement.level else []
        source = ".".join([*base, *([statement.module] if statement.module else [])])
        if source == package:
            yield from (alias.name for alias in statement.names if alias.asname in {None, alias.name})
            return
        paths = [source]
    for path in paths:
        if path.startswith(f"{package}."):
            yield path.removeprefix(f"{package}.").partition(".")[0]
