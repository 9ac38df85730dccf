"""Finds which module of the scanned tree an import means, as Python does with the folders that are likely on its path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from apidiff.porting.module_names import joined
from apidiff.porting.source_files import SourceFile

UNSURE = "?"  # before the name of a module that several files of the tree may be
_SOURCES = "src"  # a folder whose modules are imported from beside it
_MOST_HOLDERS = 200  # folders that are searched for what one name means


class TreeModules:
    """The modules of the tree, by the names that their files have there."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self._files = {file.module for file in files if not file.module.startswith("<")}
        self._names: set[str] = set()
        self._tops: set[str] = set()  # modules and packages that lie in no package
        self._holders: dict[str, dict[str, None]] = {}  # name → the folders that hold such a module or package
        self._firsts: set[str] = set()
        for module in self._files:
            while module and module not in self._names:
                self._names.add(module)
                module = module.rpartition(".")[0]
        for file in files:
            if file.module in self._files:
                first = file.module[len(file.root) + 1 if file.root else 0 :].partition(".")[0]
                self._tops.add(joined(file.root, first))
                self._holders.setdefault(first, {})[file.root] = None
        self._firsts.update(self._holders, *(root.split(".") for root in {file.root for file in files}))
        self._around: dict[str, list[str]] = {}
        self._known: dict[tuple[str, str], str | None] = {}

    def __contains__(self, module: str) -> bool:
        """Whether a name of the tree is that of a file, or of a folder around one."""
        return module in self._names

    def is_below_top(self, root: str, name: str) -> bool:
        """Whether a folder holds a module or a package that ``name`` starts with."""
        return joined(root, name.partition(".")[0]) in self._tops

    def find(self, root: str, name: str) -> str | None:
        """The name in the tree of what a file imports as ``name``; None where that is of another library.

        The folder ``root`` that the file's imports start from goes before those around it and their ``src``, and these before
        all others. A name that `UNSURE` precedes is that of several: it leads nowhere.
        """
        if name.partition(".")[0] not in self._firsts:
            return None
        key = root, name
        if key not in self._known:
            self._known[key] = self._find(root, name)
        return self._known[key]

    def _find(self, root: str, name: str) -> str | None:
        if self.is_below_top(root, name):
            return joined(root, name)
        around = self._folders_around(root)
        found = [one for one in around if self.is_below_top(one, name)]
        if not found:  # folders that are no packages, of which nothing else may be called so
            own = joined(root, name)
            if "." in name and own in self._files:
                return own
            found = [one for one in around if "." in name and joined(one, name) in self._files]
        held: Collection[str] = found or self._holders.get(name.partition(".")[0], {})
        if 1 < len(held) <= _MOST_HOLDERS:
            held = [one for one in held if joined(one, name) in self._names] or held
        if len(held) > 1:
            return f"{UNSURE}{name}"
        return next((joined(one, name) for one in held), None)

    def _folders_around(self, root: str) -> list[str]:
        if root not in self._around:
            folders = [root]
            while folders[-1]:
                folders.append(folders[-1].rpartition(".")[0])
            self._around[root] = [*folders[1:], *(joined(one, _SOURCES) for one in folders)]
        return self._around[root]


class Candidates:
    """The modules of the tree that names that `TreeModules.find` gives may mean, among ``modules``."""

    def __init__(self, modules: Iterable[str]) -> None:
        self._modules: dict[str, list[str]] = {}  # by the last part of their names
        for one in modules:
            self._modules.setdefault(one.rpartition(".")[2], []).append(one)

    def meant(self, module: str) -> list[str] | None:
        """The modules that a name may mean; None where they are too many to look at each."""
        if not module.startswith(UNSURE):
            return [module]
        first, _, rest = module[1:].partition(".")
        found = self._modules.get(first, [])
        return [joined(one, rest) if rest else one for one in found] if len(found) <= _MOST_HOLDERS else None
