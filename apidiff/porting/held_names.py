"""Tells references that are written as the path of their API from variables that hold it."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from apidiff.porting.code_text import CodeText
from apidiff.porting.name_chains import is_dotted
from apidiff.porting.name_scopes import Binding, By, Found, NameScopes, Scope, first_name
from apidiff.porting.used_names import torch_imports

_DEEPEST = 50  # names that are bound to each other


class _Origin(Enum):
    """Where what a name is bound to comes from: always from PyTorch, always from elsewhere, or from either."""

    TORCH = "torch"
    OTHER = "other"
    EITHER = "either"


class EitherUse(NamedTuple):
    """A use of a name that may be something of PyTorch. ``api``: what the import of it on ``line`` names."""

    node: ast.Name
    api: str
    line: int


class HeldNames:
    """What the names of one file are bound by.

    A variable that holds an API, such as a parameter with a class as its default, may hold another when the code runs. So may
    a name that is imported from PyTorch in one branch and bound to something else in another, or that two star imports may bind.
    """

    def __init__(self, code: CodeText) -> None:
        self._code, self._scopes = code, NameScopes(code)
        self._origins: dict[tuple[Scope, str], _Origin | None] = {}  # by the scope that binds a name
        # By the scope where a path is bound, what binds the name it begins with: scopes may lie in dozens of others.
        self._firsts: dict[tuple[Scope, str], Found | None] = {}

    def holds(self, text: str, place: int, api: str, *, imported: bool = False) -> bool:
        """Whether ``text`` at a byte is a variable, or an attribute of an object, that holds ``api``, and no path to it.

        ``api`` is no member of a class that ``text`` looks up on an object. ``imported``: whether nothing but imports leads to it
        from what ``text`` names in another file.
        """
        names = re.findall(r"\w+", unicodedata.normalize("NFKC", text))  # as Python reads them
        if not names:
            return False
        found = self._scopes.find(names[0], place)
        same = imported or names[-1] == api.rpartition(".")[2]
        if found is None:
            return self._scopes.is_unsure or (
                self._scopes.has_star and not same
            )  # a name that another file gives to it
        if self._at(found, names[0], place) is _Origin.EITHER:
            return True
        kinds = {one.by for one in found.scope.bound[names[0]]}
        if By.TORCH in kinds:
            return False
        if By.IMPORT in kinds:
            return not same
        return bool(kinds & {By.PARAMETER, By.VALUE}) or len(names) == 1 or not same

    def is_variable(self, node: ast.expr, api: str) -> bool:
        """Whether a name, or one with attributes behind it, is a variable that holds ``api``, as `holds` tells."""
        start = self._code.start(node)
        return self.holds(self._code.text(start, self._code.end(node)), start, api)

    def is_either(self, name: str, place: int) -> bool:
        """Whether a name at a byte may be something of PyTorch, and another thing as well."""
        found = self._scopes.find(name, place)
        return self._scopes.is_unsure if found is None else self._at(found, name, place) is _Origin.EITHER

    def is_from_star(self, name: str, place: int) -> bool:
        """Whether none but a star import may bind a name at a byte."""
        return self._scopes.find(name, place) is None

    def is_imported(self, name: str, place: int) -> bool:
        """Whether a name at a byte is bound by an import of PyTorch, which stays where it may be another thing."""
        found = self._scopes.find(name, place)
        if found is None:
            return self._scopes.is_unsure
        return any(one.by is By.TORCH for one in found.scope.bound[name])

    def is_taken(self, name: str, place: int) -> bool:
        """Whether nothing but imports from elsewhere than PyTorch binds a name at a byte."""
        found = self._scopes.find(name, place)
        return found is None or {one.by for one in found.scope.bound[name]} == {By.IMPORT}

    def is_either_base(self, base: ast.expr) -> bool:
        """Whether the base of a class is named by an import of PyTorch, which stays since the name may be another thing."""
        first, place = first_name(base), self._code.start(base)
        return first is not None and self.is_either(first, place) and self.is_imported(first, place)

    @cached_property
    def either_lines(self) -> dict[str, int]:
        """The names of `either_uses`, each with the line of its import."""
        return {use.node.id: use.line for use in self.either_uses}

    @cached_property
    def either_uses(self) -> list[EitherUse]:
        """The uses of names that imports of PyTorch bind, and something else as well, in their order."""
        imports: dict[str, tuple[str, int]] = {}
        names: list[ast.Name] = []
        for node in ast.walk(self._code.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names.append(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                imports.update((name, (api, node.lineno)) for name, api in _imported(node))
        found = []
        for node in sorted((node for node in names if node.id in imports), key=self._code.start):
            place = self._code.start(node)
            if self.is_either(node.id, place) and self.is_imported(node.id, place):
                found.append(EitherUse(node, *imports[node.id]))
        return found

    def _at(self, found: Found, name: str, place: int | None, depth: int = 0) -> _Origin | None:
        """Where what a name is bound to comes from, as far as a byte if one is given; None if only from the name itself."""
        origins: set[_Origin | None] = set()
        others: set[By] = set()
        for one, since in found.scope.bound[name].items():
            origin = self._of_binding(one, found.scope, depth)
            if origin is _Origin.TORCH or place is None or found.is_later or since <= place:
                origins.add(origin)
                if origin is _Origin.OTHER:
                    others.add(one.by)
        around = found.scope.outer if found.scope.is_class and name not in found.scope.sure else None
        if around is not None and (outer := around.find(name)) is not None:
            origins.add(self._anywhere(outer.scope, name, depth + 1))
        origins.discard(None)
        if len(origins) > 1 or (By.IMPORT in others and len(others) > 1):
            return _Origin.EITHER
        return next(iter(origins), None)

    def _of_binding(self, one: Binding, scope: Scope, depth: int) -> _Origin | None:
        if one.first is None:
            return _Origin.TORCH if one.by is By.TORCH else _Origin.OTHER
        key = scope, one.first
        if key not in self._firsts:
            self._firsts[key] = scope.find(one.first)
        found = self._firsts[key]
        if found is None or depth > _DEEPEST:
            return _Origin.OTHER
        return self._anywhere(found.scope, one.first, depth + 1)

    def _anywhere(self, scope: Scope, name: str, depth: int) -> _Origin | None:
        """Where what a scope binds a name to comes from, wherever it does."""
        key = scope, name
        if key not in self._origins:
            self._origins[key] = None  # while it is looked for
            self._origins[key] = self._at(Found(scope, True), name, None, depth)
        return self._origins[key]


def either_base_lines(text: str, tree: ast.Module, divided: Mapping[tuple[int, int], str]) -> frozenset[int]:
    """The lines of bases that stay: for which `HeldNames.is_either_base` holds, or that may be one API or another.

    ``tree``: what ``text`` parses to. ``divided``: by the line and column at which it ends, as ast counts them, each path that
    leads to several APIs, with the first of these.
    """
    if not divided and all(one.top and one.statement.names[0].name != "*" for one in torch_imports(tree.body)):
        return frozenset()  # as in most files: names are not looked through for that
    code = CodeText(text, tree)
    held = HeldNames(code)
    bases = [base for node in ast.walk(code.tree) if isinstance(node, ast.ClassDef) for base in node.bases]
    found = {base.lineno for base in bases if held.is_either_base(base)}
    for base in bases if divided else ():
        for part in ast.walk(base):
            if not isinstance(part, ast.Name | ast.Attribute):
                continue
            api = divided.get((part.end_lineno or part.lineno, part.end_col_offset or part.col_offset))
            if api is not None and not (
                is_dotted(part) and held.is_variable(part, api)
            ):  # which is written where it is bound
                found.add(base.lineno)
    return frozenset(found)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import binds to something of PyTorch, each with what that is."""
    module = node.module if isinstance(node, ast.ImportFrom) and not node.level else None
    for alias in node.names:
        full = f"{module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
        if full.partition(".")[0] != "torch":
            continue
        if alias.asname is None and isinstance(node, ast.Import):
            full = "torch"
        yield alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else full), full
