"""Gives each file of a scan a dotted name of its own: the folders from the top of the scan down to it, then its own name."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_OTHER = re.compile(r"[^\w-]")  # what has a meaning in paths that start in the tree, or may have one
_LONGEST = 250  # characters


class ModuleName(NamedTuple):
    """A file's dotted ``name``. ``root``: that of the folder its imports start from; ``package``: whether it is a package's."""

    name: str
    root: str
    package: bool


class ModuleNames:
    """The names of files, each of which has one of its own; those of modules and packages are what imports spell.

    The top is the innermost folder that holds all roots, which are the folders that hold a file that is in no package, or an
    outermost package.

    Args:
        files: the paths of Python files, and of others that hold code.
        given: folders that are scanned as a whole.
    """

    def __init__(self, files: Sequence[str], given: Iterable[str]) -> None:
        self._absolute: dict[str, str] = {}
        self._packages: dict[str, bool] = {}
        self._roots: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._stems: set[str] = set()
        self._folders: set[str] = set()
        for path in files:
            folder, name = self._split(path)
            self._stems.add(os.path.join(folder, os.path.splitext(name)[0]))  # noqa: PTH118, PTH122 - of thousands
        for folder in set(self._absolute.values()):
            above = folder
            while above not in self._folders:
                self._folders.add(above)
                above = os.path.dirname(above)  # noqa: PTH120 - as above
        roots = {self._root(folder) for folder in self._absolute.values()}
        roots.update(os.path.abspath(folder) for folder in given)  # noqa: PTH100 - links stay
        try:
            self._top = os.path.commonpath(roots) if roots else ""
        except ValueError:  # several drives
            self._top = ""

    def of_page(self, path: str) -> ModuleName:
        """The name of a file that no import can mean."""
        return ModuleName(f"<{path}>", self._of_folder(self._root(self._split(path)[0])), False)

    def of_module(self, path: str) -> ModuleName:
        """The name of a Python file; where several of one folder would have the same, the first that is asked for has it."""
        folder, file = self._split(path)
        stem = os.path.splitext(file)[0]  # noqa: PTH122 - as above
        root, above = self._of_folder(self._root(folder)), self._of_folder(folder)
        if file == "__init__.py" and self._is_package(folder) and above not in self._taken:
            self._taken.add(above)
            return ModuleName(above, root, True)
        beside = os.path.join(folder, stem)  # noqa: PTH118 - as above
        name = joined(above, _escaped(stem))
        if name in self._taken or (beside in self._folders and self._is_package(beside)):
            name = joined(above, _escaped(file))
        number = 1
        while name in self._taken:  # the same file by another path
            number += 1
            name = joined(above, f"{_escaped(file)}%{number}")
        self._taken.add(name)
        return ModuleName(name, root, False)

    def _split(self, path: str) -> tuple[str, str]:
        folder, name = os.path.split(path)
        if folder not in self._absolute:
            self._absolute[folder] = os.path.abspath(folder)  # noqa: PTH100 - as above
        return self._absolute[folder], name

    def _root(self, folder: str) -> str:
        """The innermost folder around what lies in ``folder`` that is no package."""
        packages = list[str]()  # not by calls of itself: there may be thousands of folders one in the other
        while folder not in self._roots and self._is_package(folder):
            packages.append(folder)
            folder = os.path.dirname(folder)  # noqa: PTH120 - as above
        root = self._roots.setdefault(folder, folder)
        self._roots.update(dict.fromkeys(packages, root))
        return root

    def _of_folder(self, folder: str) -> str:
        below = list[tuple[str, str]]()  # of the folders without a name yet, the innermost first: their own names
        above = folder
        while above not in self._names:
            outer, own = os.path.split(above)
            if above == self._top or not own:
                self._names[above] = ""
                break
            below.append((above, own))
            above = outer
        name = self._names[above]
        for inner, own in reversed(below):  # Python finds the module before a folder that is no package
            hidden = "/" if inner in self._stems and not self._is_package(inner) else ""
            name = self._names[inner] = joined(name, f"{_escaped(own)}{hidden}")
        return name

    def _is_package(self, folder: str) -> bool:
        if folder not in self._packages:
            named = bool(os.path.basename(folder))  # noqa: PTH119 - as above
            self._packages[folder] = named and os.path.isfile(os.path.join(folder, "__init__.py"))  # noqa: PTH113, PTH118
        return self._packages[folder]


def joined(above: str, name: str) -> str:
    """A dotted name below another, which is empty at the top."""
    return f"{above}.{name}" if above else name


def _escaped(name: str) -> str:
    """``name`` with what it may have beside letters as codes; one of many by a digest, for each import of a file may hold it."""
    if name.isidentifier():
        return name
    escaped = _OTHER.sub(lambda found: f"%{ord(found[0]):x}%", name)
    return escaped if len(escaped) <= _LONGEST else f"%{hashlib.sha256(os.fsencode(name)).hexdigest()}%"
