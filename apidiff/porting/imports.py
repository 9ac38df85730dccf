"""Goes through imports: what they bind, and which APIs they name."""

from __future__ import annotations

import ast

from apidiff.porting.bindings import NUMPY
from apidiff.porting.definitions import Definitions
from apidiff.porting.torch_names import FOREIGN, IN_TREE, Value
from apidiff.porting.uses import Pending, Use, place_of

_NUMPY = {
    "numpy",
    "np",
    "scipy",
    "math",
    "os",
    "re",
    "json",
    "sys",
    "collections",
    "itertools",
    "pathlib",
    "random",
    "time",
}


class Imports(Definitions):
    """Goes through imports."""

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            name = alias.name if alias.asname else root
            self._set(alias.asname or root, self._module_value(name))

    def _module_value(self, name: str) -> Value:
        root = name.partition(".")[0]
        if root == "torch":
            return name
        if name in self.tree or root in self.tree:
            return f"{IN_TREE}{name}"
        if root == "mindspore" and self.names.follows_ported:
            return name
        return NUMPY if root in _NUMPY else FOREIGN

    def _import_from(self, node: ast.ImportFrom) -> None:
        base = self._base(node)
        if base == "torch" or base.startswith("torch."):
            for alias in node.names:
                if alias.name == "*":
                    for bound, meaning in self.names.star(base).items():
                        self._set(bound, meaning)
                    continue
                name = self.names.attribute(base, alias.name) or f"{base}.{alias.name}"
                self._set(alias.asname or alias.name, name)
                if not self.names.is_module(name):
                    self.uses.append(Use(name, place_of(alias), "import", None))
            return
        value = self._module_value(base) if base else FOREIGN
        within = value is not None and value[0] == IN_TREE
        for alias in node.names:
            if alias.name == "*":
                if within:
                    self.stars.append(base)
                    if self.frame is self.top:
                        self.frame.ever.setdefault("*", None)
                continue
            path = f"{value}.{alias.name}"
            named = within or (value is not None and value[0] == "m")
            self._set(alias.asname or alias.name, path if named else value)
            if within:
                self.pending.append(Pending(path, [], [place_of(alias)], "import", None))

    def _base(self, node: ast.ImportFrom) -> str:
        """The full name of the module that names are imported from; empty where it is above the tree."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        keep = len(parts) - node.level + self.package
        if keep < 0 or (keep == 0 and not node.module):
            return ""
        return ".".join([*parts[:keep], *([node.module] if node.module else [])])
