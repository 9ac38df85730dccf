"""The public members of a class: what can be asked of the class itself, of the framework's own."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import griffe

from apidiff.model.python_tree import python_tree
from apidiff.signatures.modules import Modules, NotReadable, Overloads, first_seen, path_of, refuse_marked, told_path

_KEPT = 2**14  # classes


def members(cls: griffe.Class, modules: Modules) -> tuple[list[str], str | None]:
    """Sorted names, with those inherited from the framework's classes, and why more may be inherited (None: that is all).

    A metaclass counts: ``group.WORLD`` is a property of one.
    Attributes that only the constructor sets are left out, as are members of classes of the standard library.
    Raises NotReadable where too many classes lie above it.
    """
    names: set[str] = set()
    whys: list[str] = []
    _collect(cls, modules, names, whys, {})
    return sorted(names), "; ".join(whys) or None


def _collect(cls: griffe.Class, modules: Modules, names: set[str], whys: list[str], seen: dict[str, int]) -> None:
    """Adds what ``cls`` and the classes above it have, except those ``seen``, to which each is added."""
    if not first_seen(cls, seen):
        return
    names.update(_own(cls))
    try:
        refuse_marked(cls)
    except NotReadable as error:
        whys.append(str(error))
        return
    above: griffe.Object | Overloads
    for path in (*map(path_of, cls.bases), *_metaclass(cls)):
        if _of_the_library(path):
            continue
        try:
            above = modules.find(path)
        except NotReadable:
            whys.append(f"inherits from {told_path(path)}, which neither source nor stub tells")
            continue
        if isinstance(above, griffe.Class):
            _collect(above, modules, names, whys, seen)


@lru_cache(_KEPT)
def _own(cls: griffe.Class) -> list[str]:
    """The public members that stand in the class itself. Many may be below it, for each of which they are asked."""
    overloaded = [name for name, ways in cls.overloads.items() if ways and not name.startswith("_")]
    return [name for name, member in cls.members.items() if _shown(name, member, cls)] + overloaded


def _shown(name: str, member: griffe.Object | griffe.Alias, cls: griffe.Class) -> bool:
    if name.startswith("_"):
        return False
    if not isinstance(member, griffe.Attribute) or "property" in member.labels:
        return True
    # griffe takes `self.x = …` in the constructor for the same as `x = …` or `x: int` in the class.
    return name in _written(cls).attributes


def _of_the_library(path: str) -> bool:
    """Whether a base is a built-in or comes from the standard library ('pybind11_object' has no public members either)."""
    top, _, rest = path.removeprefix("builtins.").partition(".")
    return top in sys.stdlib_module_names if rest else hasattr(builtins, top)


def _metaclass(cls: griffe.Class) -> list[str]:
    """The path of the metaclass, if there is one; griffe leaves the keywords of a class statement out."""
    name = _written(cls).metaclass
    if name is None or cls.parent is None:
        return []
    try:
        return [cls.parent.resolve(name)]
    except griffe.NameResolutionError:  # a built-in, or from a star import
        return [name]


@dataclass(frozen=True)
class _Written:
    """What stands in a class statement: its metaclass, if that is a plain name, and the attributes set in its body."""

    metaclass: str | None
    attributes: frozenset[str]


@lru_cache(_KEPT)
def _written(cls: griffe.Class) -> _Written:
    file = cls.filepath
    classes = _classes(file) if isinstance(file, Path) and file.is_file() else {}
    return classes.get((cls.name, cls.lineno), _Written(None, frozenset()))


@lru_cache(maxsize=64)
def _classes(file: Path) -> dict[tuple[str, int | None], _Written]:
    """The classes of ``file`` by name and line: the line of the statement and that of each decorator."""
    tree = python_tree(file.read_text(encoding="utf-8-sig", errors="replace"))
    classes: dict[tuple[str, int | None], _Written] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            named = [
                keyword.value
                for keyword in node.keywords
                if keyword.arg == "metaclass" and isinstance(keyword.value, ast.Name)
            ]
            written = _Written(named[0].id if named else None, frozenset(_attributes(node.body)))
            for line in (node.lineno, *(decorator.lineno for decorator in node.decorator_list)):
                classes[node.name, line] = written
    return classes


def _attributes(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _attributes([*node.body, *node.orelse])
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))
