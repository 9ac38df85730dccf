"""Tells references that are written as the path of their API from variables that hold it."""

from __future__ import annotations

import ast
import re
import unicodedata

from apidiff.porting.code_text import CodeText

_TORCH = "torch"


class HeldNames:
    """What the names of one file are bound by.

    A variable that holds an API, such as a parameter with a class as its default, may hold another when the code runs.
    """

    def __init__(self, code: CodeText) -> None:
        self._of_torch: set[str] = set()
        self._imported: set[str] = set()
        self._parameters: set[str] = set()
        self._bound: set[str] = set()
        for node in ast.walk(code.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._note_import(node)
            elif isinstance(node, ast.arg):
                self._parameters.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._bound.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._bound.add(node.name)

    def _note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = (node.module or "") if isinstance(node, ast.ImportFrom) and not node.level else None
        for alias in node.names:
            name = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0])
            origin = alias.name if isinstance(node, ast.Import) else module
            is_torch = origin is not None and origin.partition(".")[0] == _TORCH
            (self._of_torch if is_torch else self._imported).add(name)

    def holds(self, text: str, api: str) -> bool:
        """Whether ``text`` is a variable, or an attribute of an object, that holds ``api``, and no path to it.

        ``api`` is no member of a class that ``text`` looks up on an object.
        """
        names = re.findall(r"\w+", unicodedata.normalize("NFKC", text))  # as Python reads them
        if not names or names[0] in self._of_torch:
            return False
        same = names[-1] == api.rpartition(".")[2]
        if names[0] in self._imported:
            return not same  # a name that another file gives to it
        if names[0] in self._parameters:
            return True
        return names[0] in self._bound and (len(names) == 1 or not same)
