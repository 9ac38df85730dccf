"""Follows names from file to file of a scanned tree: re-exports, classes and functions that another file defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from apidiff.model.result_types import INSTANCE, SEQUENCE
from apidiff.porting.bindings import ClassFacts, ModuleFacts
from apidiff.porting.finding_codes import keeps_out
from apidiff.porting.star_imports import StarImports
from apidiff.porting.torch_names import (
    FOREIGN,
    FORWARD,
    IN_TREE,
    ITEM,
    MODULE,
    MOST_ABOVE,
    TorchNames,
    Value,
    either,
    sequence_of,
)

_DEEPEST = 60
_MOST_BELOW = 1_000  # packages that are looked through for a submodule
_KEPT = 2**16  # members of classes, and names that star imports give


class Line(NamedTuple):
    """What a class inherits from, through others of the tree too. ``torch``: classes of PyTorch.

    ``unknown``: whether nobody knows one; ``unsure``: whether a name stands for several, of which not all are layers.
    """

    torch: list[str]
    unknown: bool
    unsure: bool


class TreeLinks:
    """Resolves paths that start at a module of the tree.

    ``modules``: what each file tells, by dotted name; ``ignored``: the lines of each that comments tell to pass over;
    ``either_bases``: those of bases that stay, since they may be of PyTorch or another thing.
    """

    def __init__(
        self,
        names: TorchNames,
        modules: Mapping[str, ModuleFacts],
        ignored: Mapping[str, Mapping[int, Set[str]]] | None = None,
        either_bases: Mapping[str, Set[int]] | None = None,
    ) -> None:
        self.names, self.modules, self._ignored = names, dict(modules), ignored or {}
        self._either_bases = either_bases or {}
        self._classes: dict[str, ClassFacts] = {}
        self._returns: dict[str, str] = {}
        for facts in modules.values():
            self._classes |= facts.classes
            self._returns |= facts.returns
        for name in modules if any("." in name for name in modules) else ():
            while not name.startswith("<") and (name := name.rpartition(".")[0]) and name not in self.modules:
                self.modules[name] = ModuleFacts(name, {}, [], {}, {})  # a folder that is no package
        self._known: dict[str, Value] = {}
        self._lines: dict[str, Line] = {}
        self._keeping_method: dict[str, bool] = {}
        self._active: set[str] = set()
        self._orders: dict[str, list[str]] = {}
        self._ordering = 0  # classes whose order is being found, one for the other
        self._above: dict[str, list[tuple[str, str]]] = {}
        self._members: dict[tuple[str, str, bool], Value] = {}
        self._givers: dict[tuple[str, str], str | None] = {}  # by module and name, of those that star imports may give

    def resolve(self, path: Value) -> Value:
        """Return what ``path`` is: a value of PyTorch, a definition of the tree, or None."""
        if path is None or (IN_TREE not in path):
            return path
        if "|" in path:
            return either(path, self.resolve)
        if path in self._known:
            return self._known[path]
        if path in self._active or len(self._active) > _DEEPEST:
            return None  # defined by itself
        self._active.add(path)
        try:
            self._known[path] = value = self._resolve(path)
        except RecursionError:  # hundreds of classes, each of which inherits from the next
            if len(self._active) > 1:
                raise
            return None
        finally:
            self._active.discard(path)
        return value

    def _resolve(self, path: str) -> Value:
        if path[0] != IN_TREE:
            return path
        if path.endswith(INSTANCE):
            called = self.resolve(path[: -len(INSTANCE)])
            if called is not None and self.names.returns_self(called):  # net.to(device) is net
                owner = self.resolve(path.rpartition(".")[0])
                return owner if owner is not None and owner.endswith(INSTANCE) else self.call(called)
            return self.call(called)
        if path.endswith(SEQUENCE):
            item = self.resolve(path[: -len(SEQUENCE)])
            return sequence_of(item) if item else None
        if path[1:] in self.modules or path in self._classes:
            return path
        head, _, last = path.rpartition(".")
        if not head:
            return None
        if last == ITEM:
            value = self.resolve(head)
            return either(value, self.item) if value else None
        owner = self.resolve(head)
        return either(owner, lambda part: self.attribute(part, last)) if owner else None

    def item(self, value: str) -> Value:
        """An item of ``value``."""
        if value[0] == IN_TREE:
            return value[: -len(SEQUENCE)] if value.endswith(SEQUENCE) else None
        return self.names.item(value)

    def attribute(self, owner: str, name: str) -> Value:
        """The value of an attribute of a module, a class or an instance."""
        if owner[0] != IN_TREE:
            return self.names.attribute(owner, name)
        if owner.endswith(SEQUENCE):
            return None
        instance = owner.endswith(INSTANCE)
        of_class = owner[: -len(INSTANCE)] if instance else owner
        if of_class in self._classes:
            if instance and name == "__class__":
                return of_class
            key = of_class, name, instance
            if key not in self._members:
                if len(self._members) >= _KEPT:
                    self._members.clear()
                self._members[key] = None  # while it is looked for: a class may be its own base
                self._members[key] = self._member(of_class, name, instance=instance)
            return self._members[key]
        facts = self.modules.get(owner[1:])
        return self._of_module(facts, name) if facts is not None else None

    def _of_module(self, facts: ModuleFacts, name: str) -> Value:
        path = f"{IN_TREE}{facts.name}.{name}"
        if (giver := self._giver(facts, name)) is not None:
            return self._bound_in(giver, name)
        if path[1:] in self.modules:
            return path
        if name in self._submodules:  # which a package may have imported, or its user
            below = (f"{star}.{name}" for star in facts.stars[:_MOST_BELOW])
            return next((f"{IN_TREE}{one}" for one in below if one in self.modules), None)
        return None

    def _bound_in(self, module: str, name: str) -> Value:
        """What a module itself binds a name to."""
        path, bound = f"{IN_TREE}{module}.{name}", self.modules[module].names.get(name)
        return either(bound, lambda part: part if part == path else self.resolve(part)) if bound is not None else None

    def _giver(self, facts: ModuleFacts, name: str) -> str | None:
        """The module that binds what a name is in one, be it that module or one of those that its star imports lead to."""
        is_own = name in facts.names or name in facts.others
        if name not in facts.early and (is_own or not facts.stars):
            return facts.name if is_own else None
        key = facts.name, name
        if key not in self._givers:
            if len(self._givers) >= _KEPT:
                self._givers.clear()
            found = self._stars.giver(facts.name, name)
            self._givers[key] = found[1] if found is not None else None
        return self._givers[key]

    @cached_property
    def _submodules(self) -> set[str]:
        return {name.rpartition(".")[2] for name in self.modules}

    @cached_property
    def _stars(self) -> StarImports:
        modules = self.modules.items()
        stars = {name: [star for star in facts.stars if star in self.modules] for name, facts in modules if facts.stars}
        bound = ((name, module) for module, facts in modules for name in chain(facts.names, facts.others))
        early = {name: facts.early for name, facts in modules if facts.early}
        exported = {name: facts.exported for name, facts in modules if facts.exported is not None}
        return StarImports(stars, bound, early, exported)

    @cached_property
    def _several(self) -> set[str]:
        """The names that modules of the tree bind to several things: others are what they are, whichever of them gives it."""
        first, several = dict[str, Value](), set[str]()
        for facts in self.modules.values():
            for name, value in facts.names.items():
                if first.setdefault(name, value) != value or value[0] == IN_TREE:
                    several.add(name)
            several.update(facts.others)
        return several

    def starred(self, module: str) -> dict[str, dict[str, str]]:
        """Names that a module binds and a later star import binds to what is another thing: their paths, by what that names."""
        found: dict[str, dict[str, str]] = {}
        for name in self.modules[module].early:
            star, giver = (name in self._several and self._stars.giver(module, name)) or (None, module)
            if star is not None and self._bound_in(giver, name) != self._bound_in(module, name):
                found.setdefault(star, {})[name] = f"{IN_TREE}{giver}.{name}"
        return found

    def _member(self, of_class: str, name: str, *, instance: bool) -> Value:
        for one in self._looked_through(of_class):
            facts = self._classes.get(one)
            if facts is None:
                value = either(one, lambda part: self.attribute(f"{part}{INSTANCE}" if instance else part, name))
            elif name in facts.attributes:
                return self.resolve(facts.attributes[name])
            else:
                value = f"{one}.{name}" if name in facts.methods else None
            if value is not None:
                return value
        return None

    def _looked_through(self, of_class: str) -> list[str]:
        """A class, then what it inherits from, in the order in which a member is looked for; what is one of several is one.

        Each class comes before all that it inherits from, as in Python; what nobody knows stands behind each that inherits from
        such. Cut where those are more than any class has: each name would be looked for in all of them.
        """
        if of_class not in self._orders:
            self._orders[of_class] = [of_class]  # while its bases are looked for: they may be members of it
            begun, done = dict[tuple[str, str], None](), dict[tuple[str, str], None]()
            waiting = [(of_class, "")]
            self._ordering += 1
            while waiting and len(begun) <= MOST_ABOVE:
                if (one := waiting[-1]) in begun:
                    done[waiting.pop()] = None
                    continue
                begun[one] = None
                waiting += [base for base in self._directly_above(one[0]) if base not in begun]
            self._ordering -= 1
            ordered = begun if waiting else reversed(done)
            self._orders[of_class] = [path for path, _ in ordered]
        return self._orders[of_class]

    def _directly_above(self, path: str) -> list[tuple[str, str]]:
        """The bases of a class, each with that class where nobody knows it. Thousands of classes may be below the same ones."""
        if path in self._above:
            return self._above[path]
        names = self._classes[path].bases if path in self._classes else ()
        found = [(base, path if base == FOREIGN else "") for name in names if (base := self.resolve(name))]
        if self._ordering == 1:  # else a base may be a member of a class whose own are not found yet
            self._above[path] = found
        return found

    def is_cut(self, value: str) -> bool:
        """Whether ``value`` is an object of a class that inherits from more than is looked through."""
        of_class = value.removesuffix(INSTANCE)
        return of_class != value and of_class in self._classes and len(self._looked_through(of_class)) > MOST_ABOVE

    def is_imported(self, path: str) -> bool:
        """Whether nothing but imports leads from a path of the tree to what it is: no file binds a name on the way to a value."""
        for _ in range(_DEEPEST):
            if "|" in path or path[:1] != IN_TREE:
                return path[:1] == "t" and "|" not in path
            above, dot, name = path.rpartition(".")
            if not dot:
                return False
            owner = self.resolve(above)
            if owner is None or owner[0] != IN_TREE:  # a member of what the path before is
                path = above
                continue
            facts = self.modules.get(owner[1:])
            if facts is None:
                return False
            if name in facts.names and self._giver(facts, name) == facts.name:
                if name not in facts.imported:
                    return False
                path = facts.names[name]
            else:
                giver = self._giver(facts, name)
                path = f"{IN_TREE}{giver}.{name}" if giver not in {None, facts.name} else ""
        return False

    def is_layer(self, path: str) -> bool | None:
        """Whether a class is a ``torch.nn.Module``, None for no layer and for what is no class of the tree.

        False where it may be one: a base class is not known, another class has its name, or only classes that inherit from it
        are layers.
        """
        if path not in self._classes:
            return None
        layer = self._is_layer(path)
        return layer if layer is not None or path not in self.mixins else False

    def _is_layer(self, path: str) -> bool | None:
        line = self.line(path)
        if any(map(self.names.is_layer, line.torch)):
            return not line.unsure
        return False if line.unknown else None

    @cached_property
    def mixins(self) -> set[str]:
        """The classes of the tree that are no layers, of those from which layers inherit that do not stay as they are."""
        above = dict.fromkeys(path for path in self._classes if self._is_layer(path) and not self.keeps_base(path))
        waiting = list(above)
        while waiting:
            found = [base for base in self.bases(waiting.pop()) if base not in above]
            above.update(dict.fromkeys(found))
            waiting += found
        return {path for path in above if self._is_layer(path) is None}

    def line(self, path: str) -> Line:
        """What a class of the tree inherits from."""
        lines, begun = self._lines, set[str]()
        waiting = [] if path in lines else [path]
        while waiting:  # bases first, however many stand in a line
            one = waiting[-1]
            missing = [base for base in self.bases(one) if base not in lines and base not in begun]
            begun.add(one)
            if one not in lines and missing:
                waiting += missing
                continue
            if one not in lines:
                lines[one] = self._of_bases(one)
            waiting.pop()
        return lines[path]

    def _of_bases(self, path: str) -> Line:
        """What a class inherits from; that of its bases in the tree is known, but for one that is its own base."""
        facts = self._classes[path]
        torch, unknown, unsure = dict[str, None](), False, False
        kinds: set[bool] = set()  # whether each definition is a layer
        for bases in facts.definitions:
            own: set[str] = set()
            found = [(self.resolve(base) or FOREIGN).split("|") for base in bases]
            unsure = unsure or any(len(parts) > 1 for parts in found)
            for part in chain.from_iterable(found):
                if part in self._lines:
                    own.update(self._lines[part].torch)
                    unknown, unsure = unknown or self._lines[part].unknown, unsure or self._lines[part].unsure
                elif part[0] == FOREIGN or (part[0] == IN_TREE and part not in self._classes):
                    unknown = True
                elif part[0] != IN_TREE:
                    own.add(part)
            torch.update(dict.fromkeys(sorted(own)))
            if not any(parts == [path] for parts in found):  # else it inherits from the one before
                kinds.add(any(map(self.names.is_layer, own)))
        if len(torch) > MOST_ABOVE:  # each class below would keep all of them
            torch, unknown = {}, True
        return Line(list(torch), unknown, unsure or len(kinds) > 1)

    def keeps_method(self, path: str) -> bool:
        """Whether a class keeps the method ``forward`` that it defines: a comment says so, or it has a `construct`."""
        if path not in self._keeping_method:  # each call of it asks, and many classes may have its name
            facts = self._classes[path]
            kept = facts.constructs or self._is_ignored(path, facts.forward, [f"{MODULE}.{FORWARD}"])
            self._keeping_method[path] = kept
        return self._keeping_method[path]

    def keeps_base(self, path: str) -> bool:
        """Whether a class, or one of the tree that it inherits from, keeps its bases.

        A comment says so, a base may be of PyTorch or another thing, or the method of one of several by its name stays, and
        they with it.
        """
        return path in self._keeping

    @cached_property
    def _keeping(self) -> set[str]:
        """The classes that keep their bases: those that do by themselves, and all that inherit from them."""
        heirs: dict[str, list[str]] = {}
        found = set[str]()
        for path, facts in self._classes.items():
            for base in self.bases(path):
                heirs.setdefault(base, []).append(path)
            stays = len(facts.definitions) > 1 and self.keeps_method(path)
            stays = stays or not self._either_bases.get(self._module_of(path), frozenset()).isdisjoint(facts.head)
            if stays or self._is_ignored(path, facts.head, self.line(path).torch):
                found.add(path)
        waiting = list(found)
        while waiting:
            more = [heir for heir in heirs.get(waiting.pop(), []) if heir not in found]
            found.update(more)
            waiting += more
        return found

    def _is_ignored(self, path: str, lines: Sequence[int], names: Sequence[str]) -> bool:
        """Whether a comment on one of the lines of a class's file keeps one of the APIs out."""
        ignored = self._ignored.get(self._module_of(path), {})
        return any(keeps_out(ignored[line], name) for line in lines if line in ignored for name in names)

    def _module_of(self, path: str) -> str:
        """The module in which a class of the tree stands."""
        parts = path[1:].split(".")
        modules = (".".join(parts[:size]) for size in range(len(parts) - 1, 0, -1))
        return next((one for one in modules if one in self.modules), "")

    def is_class(self, path: str) -> bool:
        """Whether a path names a class of the tree."""
        return path in self._classes

    def definer(self, path: str, method: str) -> str:
        """The class of the tree that defines a method of a class of it; that itself where none is known to."""
        try:
            found = self.attribute(f"{path}{INSTANCE}", method)
        except RecursionError:  # hundreds of classes, each of which inherits from the next
            found = None
        definer = found.rpartition(".")[0] if found is not None else path
        return definer if self.is_class(definer) else path

    def bases(self, path: str) -> list[str]:
        """The classes of the tree that a class of it names as its bases."""
        found = [part for base in self._classes[path].bases for part in (self.resolve(base) or "").split("|")]
        return [part for part in found if part in self._classes and part != path]

    def call(self, value: Value) -> Value:
        """What a call of ``value`` returns."""
        if value is None:
            return None
        if "|" in value:
            return either(value, self.call)
        if value[0] != IN_TREE:
            return self.names.call(value)
        if value in self._classes:
            return f"{value}{INSTANCE}"
        if value.endswith(INSTANCE):
            called = self.attribute(value, "__call__")
            if called is None or not is_of_tree(called):  # PyTorch's, which calls the other
                called = self.attribute(value, FORWARD) or called
            return self.call(called) if called is not None and not called.endswith(INSTANCE) else None
        return self.resolve(self._returns.get(value))


def is_of_tree(value: Value) -> bool:
    """Whether ``value`` is defined in the tree, and so is nothing of PyTorch."""
    return value is not None and value[0] == IN_TREE
