"""Goes through imports: what they bind, and which APIs they name."""

from __future__ import annotations

import ast

from apidiff.porting.bindings import NUMPY
from apidiff.porting.definitions import Definitions
from apidiff.porting.module_names import joined
from apidiff.porting.torch_names import FOREIGN, IN_TREE, Value, united
from apidiff.porting.uses import Pending, Use, place_of, refuse_long

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
            refuse_long(len(alias.name), alias)
            value = self._module_value(alias.name)
            root, dot, rest = alias.name.partition(".")
            if dot and not alias.asname and value is not None:  # what it binds is the outermost package
                value = value.removesuffix(f".{rest}")
            self._take(alias.asname or root, value)

    def _module_value(self, name: str) -> Value:
        root = name.partition(".")[0]
        if root == "torch":
            return name
        if (found := self.tree.find(self.file.root, name)) is not None:
            return f"{IN_TREE}{found}"
        if root == "mindspore" and self.names.follows_ported:
            return name
        return NUMPY if root in _NUMPY else FOREIGN

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            refuse_long(len(node.module or "") + len(alias.name), alias)
        within = self._relative(node) if node.level else None
        base = self._public(within) if within is not None else "" if node.level else node.module or ""
        if base.partition(".")[0] == "torch" and (
            within is None or self._public(self.file.module).startswith("torch.")
        ):
            self._import_from_torch(node, base)
            return
        if within is not None:
            is_known = within in self.tree or self.tree.is_below_top(self.file.root, base)
            value: Value = f"{IN_TREE}{within}" if is_known else FOREIGN
        else:
            value = self._module_value(base) if base else FOREIGN
        for alias in node.names:
            is_own = value is not None and value[0] == IN_TREE
            if alias.name == "*":
                if is_own and value is not None:
                    self._take_all(node, value[1:])
                continue
            path: Value = f"{value}.{alias.name}" if is_own else self._beside(node, within, alias.name)
            if path is not None:
                self._take(alias.asname or alias.name, path)
                self.pending.append(Pending(path, [], [place_of(alias)], "import", None))
            else:
                is_ported = value is not None and value[0] == "m"
                self._take(alias.asname or alias.name, f"{value}.{alias.name}" if is_ported else value)

    def _take_all(self, node: ast.ImportFrom, module: str) -> None:
        """Note that all names of a module of the tree are imported. What may not be run gives those that nothing else binds."""
        if self.frame is self.top:
            self.top.ever.setdefault("*", None)
        if id(node) not in self.certain:
            self.stars.setdefault(module, -1 - len(self.stars))
            return
        self.top.stars += 1
        self.stars[module] = self.top.stars
        names = self.starred.get(module, {})
        self.steps.take(len(names))
        for name, path in names.items():
            if name in self.top.before:
                self.top.rebind(name, path)

    def _import_from_torch(self, node: ast.ImportFrom, base: str) -> None:
        for alias in node.names:
            if alias.name == "*":
                names = self.names.star(base)
                self.torch_stars[base] = len(names)
                if id(node) in self.certain:  # each part of a page may begin with one
                    names = self._bound_anew(names)
                self.steps.take(len(names))
                for bound, meaning in names.items():
                    self._take(bound, meaning)
                continue
            name = self.names.attribute(base, alias.name) or f"{base}.{alias.name}"
            self._take(alias.asname or alias.name, name)
            if not self.names.is_module(name):
                self.uses.append(Use(name, place_of(alias), "import", None))

    def _bound_anew(self, names: dict[str, str]) -> dict[str, str]:
        """What a star import that every run comes by binds anew: nothing where it repeats another. That it binds all is noted."""
        if self.top.stars:  # else it is noted
            self.top.before.update(dict.fromkeys(names, self.top.stars))
        bound, imported = self.top.bound, self.imported
        if names.items() <= bound.items() and names.keys() <= imported.keys():  # found in a fourth of the time
            return {}
        return {name: value for name, value in names.items() if bound.get(name) != value or name not in imported}

    def _take(self, name: str, value: Value) -> None:
        """Bind a name that is imported."""
        top = self.top
        if self.frame is not top:
            self._set(name, self._put_off(name, value))
            return
        self.imported.setdefault(name, name not in top.ever)
        if self.is_put_off and self.names.follows_ported and _are_others(top.bound.get(name), value):
            self.rebound[name] = united(top.bound[name], value)  # a lambda before may find either
        self._set(name, united(value, self.elsewhere.get(name)))
        if top.journal is None and top.tried is None and not self.later and not self.inner:
            top.ever[name] = top.bound[name]  # every run comes by it, and no function before has found what it was

    def _put_off(self, name: str, value: Value) -> Value:
        """What an import in a function or a class binds. A lambda of the function finds what a name was, or what it is next."""
        place, before = (self.frame.path, name), self.frame.bound.get(name)
        is_found = self.is_put_off and self.frame.path not in self.classes
        if is_found and self.names.follows_ported and _are_others(before, value):
            self.put_off[place] = united(before, value)
        return united(value, self.elsewhere_inside.get(place))

    def _beside(self, node: ast.ImportFrom, within: str | None, name: str) -> Value:
        """The module that is imported by ``name`` from a folder that is no package."""
        if within is not None:
            return f"{IN_TREE}{joined(within, name)}" if joined(within, name) in self.tree else None
        found = self.tree.find(self.file.root, f"{node.module}.{name}") if node.module and not node.level else None
        return f"{IN_TREE}{found}" if found is not None else None

    def _relative(self, node: ast.ImportFrom) -> str | None:
        """What a relative import takes names from, by its name in the tree; None where that is above it."""
        file = self.file
        is_page = file.module.startswith("<")
        above = file.root if is_page else file.module if file.package else file.module.rpartition(".")[0]
        parts = above.split(".") if above else []
        keep = len(parts) - node.level + 1
        return ".".join([*parts[:keep], *([node.module] if node.module else [])]) if keep >= 0 else None

    def _public(self, name: str) -> str:
        """A name in the tree as an import spells it, which starts from the file's root; empty for that itself."""
        root = self.file.root
        return name.removeprefix(f"{root}.") if root != name else ""


def _are_others(first: Value, second: Value) -> bool:
    """Whether both are of PyTorch, and not the same."""
    return first is not None and second is not None and first != second and first[0] == second[0] == "t"
