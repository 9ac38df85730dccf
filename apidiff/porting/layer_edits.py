"""Edits the structure of layers: ``forward``, which a call runs, is ``construct`` in MindSpore."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from apidiff.porting.code_text import CodeText, Edit
from apidiff.porting.torch_names import FORWARD
from apidiff.porting.tree_scan import Layer, ScannedFile

_CONSTRUCT = "construct"
_DEFINITION = re.compile(rb"(?:async[\s\\]+)?def[\s\\]+")  # lines may go on behind a backslash
_FIRST, _LAST = re.compile(r"\w+"), re.compile(r"\w+\Z")
_WIDEST = 4 * len(FORWARD)  # bytes: `unicodedata.normalize` makes plain letters of wider ones

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class LayerEdit(NamedTuple):
    """An edit with its line. ``condition``: the message that says on which condition it is right, None for none."""

    edit: Edit
    line: int
    condition: str | None = None


class BaseEdit(NamedTuple):
    """A base of a class of the file, with the name of that. ``stays``: whether the class has to keep it."""

    base: ast.expr
    name: str
    stays: bool


class _Class(NamedTuple):
    """A class of the file that is a layer, or may be one, with the names and functions of its scope, not those within."""

    node: ast.ClassDef
    layer: Layer
    functions: list[_Function]
    names: list[ast.Name]
    imports: list[int]  # lines of imports in it that bind `forward`

    @property
    def defines(self) -> bool:
        """Whether it defines the method."""
        stored = any(isinstance(name.ctx, ast.Store) for name in self.names)
        return stored or any(one.name == FORWARD for one in self.functions)


class LayerEdits:
    """Renames the method ``forward`` of layers, and what calls it on ``self``, on ``super()`` and on layers that are known.

    A class that keeps a base of PyTorch is still one of its layers, and keeps the method. Of several classes by one name, which
    the same code may call, all are renamed, or all keep their bases.

    Args:
        code: the file.
        scanned: what it names.
        is_kept: whether the base of a class names something of PyTorch still.
        is_ported: whether a class of PyTorch is written with one of MindSpore where another file inherits from it.
        is_ignored: whether a comment on a line tells to leave the method.
    """

    def __init__(
        self,
        code: CodeText,
        scanned: ScannedFile,
        is_kept: Callable[[ast.expr], bool],
        is_ported: Callable[[str], bool],
        is_ignored: Callable[[int], bool],
    ) -> None:
        self._code, self._is_ignored = code, is_ignored
        self._classes: dict[str, list[_Class]] = {}
        for node, path in _classes(code.tree, ""):
            if (layer := scanned.layers.get(path)) is not None:
                self._classes.setdefault(path, []).append(_scope_of(node, layer))
        self._staying = {
            path: any(is_kept(base) for one in found for base in one.node.bases)
            or any(one.layer.stays or not all(map(is_ported, one.layer.torch)) for one in found)
            or (len(found) > 1 and _is_defined(found) and not all(map(self._can_rename, found)))
            for path, found in self._classes.items()
        }
        ordered = list(self._bases_first())
        for path in ordered:
            self._staying[path] = self._staying[path] or any(map(self._stays, self._bases(path)))
        self._renaming = dict.fromkeys(ordered, False)
        # What defines the method asks no base, and may inherit from what inherits from it.
        for path in sorted(ordered, key=lambda path: not _is_defined(self._classes[path])):
            self._renaming[path] = self._renames(path)

    def all(self) -> Iterator[LayerEdit]:
        """The edits within classes: of definitions, and of what is looked up on ``self`` and ``super()``."""
        for path, found in self._classes.items():
            for one in found:
                yield from self._of_class(path, one)

    def imports(self) -> Iterator[int]:
        """The lines of imports that bind the method in layers of MindSpore, which look for another one."""
        for path, found in self._classes.items():
            for one in found if not self._stays(path) else ():
                if one.layer.certain or one.layer.mixin:
                    yield from one.imports

    def bases_with_methods(self) -> Iterator[BaseEdit]:
        """The bases that are right with their methods only: of classes by one name of which one stays, or may be no layer."""
        for path, found in self._classes.items():
            stays = len(found) > 1 and self._stays(path)
            if stays or any(one.layer.divided for one in found):
                for one in found:
                    yield from (BaseEdit(base, one.node.name, stays) for base in one.node.bases)

    def at(self, end: int, line: int, path: str | None) -> LayerEdit | None:
        """The edit of the name that ends at a byte; ``path``: of the class that it is looked up on, where that is in the file."""
        if path is not None and path in self._classes and not self.renames(path):
            return None
        edit = construct_before(self._code, end)
        return None if edit is None else LayerEdit(edit, line, None if path is None else self.condition(path))

    def renames(self, path: str) -> bool:
        """Whether the method of a class is renamed, where that defines it or another class of the file does."""
        return self._renaming[path]

    def _bases(self, path: str) -> list[str]:
        """The classes of the file that a class names as its bases."""
        layer = self._classes[path][0].layer  # of all classes by the name
        return [base for base in layer.bases if base in self._classes]

    def _bases_first(self) -> Iterator[str]:
        """Each class behind its bases, however many stand in a line; of classes that are their own bases one is the first."""
        begun, done = set[str](), set[str]()
        waiting = [*reversed(self._classes)]
        while waiting:
            path = waiting[-1]
            if path not in begun:
                begun.add(path)
                waiting += [base for base in reversed(self._bases(path)) if base not in begun]
                continue
            waiting.pop()
            if path not in done:
                done.add(path)
                yield path

    def _renames(self, path: str) -> bool:
        if self._stays(path):
            return False
        found = self._classes[path]
        if _is_defined(found):
            return all(self._can_rename(one) for one in found)
        return all(map(self._inherits_renamed, found))

    def _inherits_renamed(self, one: _Class) -> bool:
        """Whether the method that a class inherits is renamed."""
        return not one.layer.keeps and all(self.renames(base) for base in one.layer.bases if base in self._classes)

    def _can_rename(self, one: _Class) -> bool:
        """Whether all definitions in a class can be renamed."""
        methods = [function for function in one.functions if function.name == FORWARD]
        taken = any(function.name == _CONSTRUCT for function in one.functions)
        ignored = any(
            map(self._is_ignored, [method.lineno for method in methods] + [name.lineno for name in one.names])
        )
        return not (one.imports or taken or ignored) and (one.layer.certain or all(map(_is_method, methods)))

    def _stays(self, path: str) -> bool:
        """Whether a class is one of PyTorch still: it, or a class that it inherits from, names one that stays."""
        return self._staying[path]

    def condition(self, path: str) -> str | None:
        """The message that says on which condition the method of a class is one of a layer; None for none."""
        if path not in self._classes:
            return None
        layer = self._classes[path][0].layer  # of all classes by the name
        if layer.certain and layer.sure:
            return None
        return "porting.forward_mixin" if layer.mixin or layer.certain else "porting.forward"

    def _of_class(self, path: str, one: _Class) -> Iterator[LayerEdit]:
        code, condition = self._code, self.condition(path)
        own = self.renames(path)
        inherited = not self._stays(path) and self._inherits_renamed(one)
        if condition is not None and not one.defines and not one.layer.mixin:
            return  # nothing tells that it is a layer
        if own and one.defines:
            for function in one.functions:
                begun = _DEFINITION.match(code.data, code.start(function))
                if function.name == FORWARD and begun is not None:
                    yield from _edits(_name_at(code, begun.end()), function.lineno, condition)
            for name in one.names:
                yield from _edits(_name_at(code, code.start(name)), name.lineno, condition)
        for function in one.functions:
            for part, is_super in _own_attributes(function):
                if inherited if is_super else own:
                    line = part.end_lineno or part.lineno
                    yield from _edits(construct_before(code, code.end(part)), line, condition)


def layer_bases(tree: ast.Module, layers: Mapping[str, Layer]) -> Iterator[ast.expr]:
    """The bases of the classes of a file that are layers, or may be."""
    for node, path in _classes(tree, ""):
        if path in layers:
            yield from node.bases


def _edits(edit: Edit | None, line: int, condition: str | None) -> Iterator[LayerEdit]:
    if edit is not None:
        yield LayerEdit(edit, line, condition)


def _is_defined(found: Iterable[_Class]) -> bool:
    """Whether one of several classes by the same name binds the method."""
    return any(one.defines or one.imports for one in found)


def _classes(node: ast.AST, path: str) -> Iterator[tuple[ast.ClassDef, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield child, f"{path}{child.name}"
            yield from _classes(child, f"{path}{child.name}.")
        elif isinstance(child, _Function):
            yield from _classes(child, f"{path}{child.name}.")
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _classes(child, path)


def _scope_of(node: ast.ClassDef, layer: Layer) -> _Class:
    """What stands in the scope of a class: functions with their decorators and defaults, but not their bodies."""
    functions, names, imports = list[_Function](), list[ast.Name](), list[int]()
    waiting: list[ast.AST] = [*node.body]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Function):
            functions.append(part)
            values = [*part.args.defaults, *part.args.kw_defaults]
            waiting += [*part.decorator_list, *(value for value in values if value is not None)]
        elif isinstance(part, ast.ClassDef | ast.Lambda):
            waiting += part.decorator_list if isinstance(part, ast.ClassDef) else part.args.defaults
        elif isinstance(part, ast.Import | ast.ImportFrom):
            imports += [alias.lineno for alias in part.names if (alias.asname or alias.name) == FORWARD]
        else:
            if isinstance(part, ast.Name) and part.id == FORWARD:
                names.append(part)
            waiting += ast.iter_child_nodes(part)
    functions.sort(key=lambda one: one.lineno)
    names.sort(key=lambda one: (one.lineno, one.col_offset))
    return _Class(node, layer, functions, names, imports)


def _is_method(node: _Function) -> bool:
    """Whether a function takes ``self``, as the method of a layer does."""
    return bool(node.args.args) and node.args.args[0].arg == "self" and not _is_static(node)


def _is_static(node: _Function) -> bool:
    return any(
        isinstance(mark, ast.Name) and mark.id in {"staticmethod", "classmethod"} for mark in node.decorator_list
    )


def _own_attributes(function: _Function) -> list[tuple[ast.Attribute, bool]]:
    """Where a method looks ``forward`` up on ``self``, or on ``super()``: then True."""
    found = list[tuple[ast.Attribute, bool]]()
    is_bound = False  # whether the function gives `self` another value
    waiting: list[tuple[ast.AST, bool]] = [(part, _is_method(function)) for part in function.body]
    while waiting:
        part, is_self = waiting.pop()
        if isinstance(part, ast.ClassDef):  # of whose methods `self` is another; they are looked through with it
            values = [*part.decorator_list, *part.bases, *(keyword.value for keyword in part.keywords)]
            waiting += [(value, is_self) for value in values]
            continue
        if isinstance(part, _Function | ast.Lambda):
            is_self = is_self and "self" not in _parameters(part.args)
        if isinstance(part, ast.Name) and part.id == "self" and isinstance(part.ctx, ast.Store):
            is_bound = True
        if isinstance(part, ast.Attribute) and part.attr == FORWARD:
            if isinstance(part.value, ast.Name) and part.value.id == "self" and is_self:
                found.append((part, False))
            elif is_super(part.value):
                found.append((part, True))
        waiting += [(child, is_self) for child in ast.iter_child_nodes(part)]
    return [(part, of_super) for part, of_super in found if of_super or not is_bound]


def _parameters(given: ast.arguments) -> Sequence[str]:
    extra = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra)]


def is_super(node: ast.expr) -> bool:
    """Whether an expression calls `super`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _name_at(code: CodeText, start: int) -> Edit | None:
    """The edit of the name that begins at a byte, where it is ``forward``, in whichever letters."""
    found = _FIRST.match(code.data[start : start + _WIDEST + 1].decode(errors="ignore"))
    if found is None or unicodedata.normalize("NFKC", found[0]) != FORWARD:
        return None
    return Edit(start, start + len(found[0].encode()), _CONSTRUCT)


def construct_before(code: CodeText, end: int) -> Edit | None:
    """The edit of the name that ends before a byte, where it is ``forward``, in whichever letters."""
    found = _LAST.search(code.data[max(0, end - _WIDEST - 1) : end].decode(errors="ignore"))
    if found is None or unicodedata.normalize("NFKC", found[0]) != FORWARD:
        return None
    return Edit(end - len(found[0].encode()), end, _CONSTRUCT)
