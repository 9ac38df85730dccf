"""Follows names through a framework's modules, reading each module with griffe when it is first needed.

A compiled module is read from the type stub beside it, where there is one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import griffe

from apidiff.database.regular_files import read_regular
from apidiff.errors import typed
from apidiff.model.python_tree import NO_PYTHON, python_tree
from apidiff.signatures.refused_names import LONGEST_NAME, refused_name
from apidiff.signatures.unexpressed import is_marked, marking

_MOST_SOURCE = 4 * 2**20  # bytes of a file: the largest of torch and MindSpore has a third of that
# Words, signs and ends of lines, of a file and of all that one extraction reads: three times what torch and MindSpore take.
_MOST_TOKENS, _MOST_TOKENS_OF_ALL = 1_000_000, 8_000_000
_TOKEN = re.compile(r"\w+|[^\w\s]|[\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_MOST_LOOKS = 10_000_000  # at neighbours of assignments in a file: MindSpore's largest takes an eighth of that
_MOST_TAKEN = 2_000_000  # names by star imports and lists in one extraction: MindSpore's modules take 14,100
_MOST_ABOVE = 200  # bases of a class and of those above it: the most in torch and MindSpore are 11
LONGEST_WAY = 100  # imports and renamings that a name is followed through
# griffe follows `__all__ += …` and not the same written as a call.
_EXTENDED = re.compile(r"^__all__\.extend\((?P<more>[^()]+)\)$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Overloads:
    """A function of which only the overloads are written down, not the implementation; equal to itself, as definitions are."""

    ways: list[griffe.Function]


# Makes the list of a module's names: asks for those of others by their paths, and is sent them.
_Listing = Generator[str, dict[str, None], list[str]]
Found = griffe.Function | griffe.Class | griffe.Attribute | griffe.Module | Overloads


class NotReadable(Exception):
    """A name whose definition neither the Python source nor a stub holds; the message says why."""


class Absent(NotReadable):
    """A name that the module does not have."""


class _CutShort(NotReadable):
    """A name that may be readable when it is reached through fewer others."""


class Modules:
    """The modules below ``root``, read on demand: a package of thousands of files is asked for a few dozen names."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, griffe.Module | None] = {}
        self._unread: dict[
            str, str
        ] = {}  # why a module cannot be read, so that this is not tried for each of its names
        self._found: dict[str, Found] = {}
        self._missed: dict[str, tuple[type[NotReadable], str]] = {}
        self._public: dict[str, dict[str, None]] = {}  # names are looked for in them
        self._stars: dict[str, dict[str, tuple[int, str]]] = {}
        self._unlisted: dict[str, str] = {}  # modules that take too many names; each of these may be read
        self._taken = 0  # names that modules took from others so far
        self._compiled_in: dict[Path, set[str]] = {}
        self._tokens = 0  # of all files so far

    def module(self, path: str) -> griffe.Module | None:
        """The module ``path`` (dotted): its source, or its stub where it is compiled; None where there is neither.

        Raises NotReadable where its file cannot be parsed.
        """
        if path in self._unread:
            raise NotReadable(self._unread[path])
        if path not in self._read:
            file = self._file(path) or (self._stub(path) if self._compiled(path) else None)
            parent, _, name = path.rpartition(".")
            try:
                self._read[path] = None if file is None else self._visit(name, file, parent)
            except NotReadable as error:
                self._unread[path] = str(error)
                raise
        return self._read[path]

    @property
    def unread(self) -> dict[str, str]:
        """The modules so far whose files are there and cannot be read, or not all that they take, each with the reason."""
        return self._unlisted | self._unread

    def public(self, path: str) -> list[str]:
        """The public names of module ``path``, sorted: its ``__all__``, else what it defines or imports of its package.

        Names with an underscore in front are not public, nor are modules and what comes from other packages, nor what is no
        name. Modules that import each other with a star add nothing to each other.
        Raises NotReadable where there is no such module.
        """
        return list(self._all_of(path))

    def _all_of(self, path: str) -> dict[str, None]:
        """As ``public``, made once. No recursion: modules may take names from each other in a chain of any length."""
        waiting: list[tuple[str, _Listing]] = []  # each for the names of the next
        try:
            names = self._listed(path, waiting)
            while waiting:
                current, listing = waiting[-1]
                try:
                    asked = next(listing) if names is None else listing.send(names)
                except StopIteration as done:
                    waiting.pop()
                    names = self._public[current] = {name: None for name in done.value if name.isidentifier()}
                except NotReadable as error:
                    waiting.pop()
                    del self._public[current]
                    self._unlisted[current] = str(error)
                    if not waiting:
                        raise
                    names = {}
                else:
                    try:
                        names = self._listed(asked, waiting)
                    except NotReadable:
                        names = {}
        finally:
            for left, _ in waiting:  # what is half made would pass for a module without names
                self._public.pop(left, None)
        return self._public[path]

    def _listed(self, path: str, waiting: list[tuple[str, _Listing]]) -> dict[str, None] | None:
        """The public names of a module where they are known; None where making them was begun, as the last of ``waiting``."""
        if path in self._unlisted:
            raise NotReadable(self._unlisted[path])
        if path not in self._public:
            module = self.module(path)
            if module is None:
                raise Absent(f"there is no module {told_path(path)}")
            self._public[path] = {}  # for those that import it while it is read
            waiting.append((path, self._names(module, path)))
            return None
        return self._public[path]

    def _names(self, module: griffe.Module, path: str) -> _Listing:
        if module.exports is not None and not _computed(module):
            return sorted((yield from self._exports(module)))
        top = path.partition(".")[0]
        names: set[str] = set()
        for name, member in module.members.items():
            if isinstance(member, griffe.Alias):
                if member.wildcard:
                    taken = yield member.wildcard
                    self._count_taken(len(taken), module)
                    names.update(taken)
                elif member.target_path.partition(".")[0] == top and self._file(member.target_path) is None:
                    names.add(name)
            elif not member.is_module:
                names.add(name)
        return sorted(name for name in names if not name.startswith("_"))

    def find(self, path: str) -> Found:
        """What the dotted ``path`` names, followed through imports, star imports and plain renamings (``a = b``).

        Raises NotReadable for what is compiled and in no stub or comes from another package, Absent for what isn't there.
        """
        return self._find(path, [])

    def _find(self, path: str, way: list[str]) -> Found:
        """As ``find``, for a ``path`` that is reached by the ``way``; each is looked for once, however many ways lead to it."""
        if path in self._missed:
            kind, why = self._missed[path]
            raise kind(why)
        if path not in self._found:
            if path in way:
                raise _CutShort(f"its imports lead in a circle ({' → '.join(map(told_path, [*way, path]))})")
            if len(way) == LONGEST_WAY:
                raise _CutShort(f"its imports lead through more than {LONGEST_WAY} others")
            try:
                self._found[path] = self._look(path, [*way, path])
            except _CutShort:
                raise
            except NotReadable as error:
                self._missed[path] = type(error), str(error)
                raise
        return self._found[path]

    def _look(self, path: str, way: list[str]) -> Found:
        parent, _, name = path.rpartition(".")
        # `from .rendezvous import rendezvous` in a package: the function hides the module of that name.
        package = self._read_module(parent) if parent else None
        if package is not None and self._hides(package, name):
            return self._member(package, name, way)
        if (module := self._read_module(path)) is not None:
            return module
        if not parent:
            raise NotReadable(f"{told_path(path)} is not part of the package")
        holder = package or self._find(parent, way)
        if isinstance(holder, griffe.Module):
            return self._member(holder, name, way)
        member = self._of_class(holder, name, way, {}) if isinstance(holder, griffe.Class) else None
        if member is None:
            raise Absent(f"{told_path(parent)} has no {told_path(name)} in its source")
        return member

    def _of_class(self, holder: griffe.Class, name: str, way: list[str], seen: dict[str, int]) -> Found | None:
        """The member ``name`` of a class, or of the first of its bases that has it; None where none does.

        ``seen``: as in ``first_seen``. Raises NotReadable where it may be in a base that cannot be read.
        """
        if not first_seen(holder, seen):
            return None
        member = holder.members.get(name)
        if isinstance(member, griffe.Function | griffe.Class | griffe.Attribute):
            return member
        if ways := holder.overloads.get(name):
            return Overloads(list(ways))
        refuse_marked(holder)
        for base in holder.bases:
            path = path_of(base)
            if "." not in path:  # a built-in class
                continue
            above = self._find(path, way)
            inherited = self._of_class(above, name, way, seen) if isinstance(above, griffe.Class) else None
            if inherited is not None:
                return inherited
        return None

    def _read_module(self, path: str) -> griffe.Module | None:
        """As ``module``; raises NotReadable for a compiled module without a stub."""
        module = self.module(path)
        if module is None and (compiled := self._compiled(path)) and self._stub(compiled) is None:
            raise NotReadable(f"defined in the compiled module {compiled}")
        return module

    def _hides(self, package: griffe.Module, name: str) -> bool:
        member = package.members.get(name)
        return (
            isinstance(member, griffe.Alias)
            and not member.wildcard
            and member.target_path.startswith(f"{package.path}.{name}.")
        )

    def _member(self, module: griffe.Module, name: str, way: list[str]) -> Found:
        # Later lines win, as they do at run time: a star import below a definition replaces it.
        target: str | None = None
        line = -1
        direct = module.members.get(name)
        if direct is not None:
            line = (direct.alias_lineno if isinstance(direct, griffe.Alias) else direct.lineno) or 0
            target = direct.target_path if isinstance(direct, griffe.Alias) else None
        at, taken = self._stars_of(module).get(name, (-1, ""))
        if at >= line and taken:
            target = f"{taken}.{name}"
        if target is not None:
            return self._find(target, way)
        if isinstance(direct, griffe.Function | griffe.Class | griffe.Module):
            return direct
        if isinstance(direct, griffe.Attribute):
            return self._renamed(direct, way)
        if ways := module.overloads.get(name):
            return Overloads(ways)
        if is_stub(module):
            raise NotReadable(f"defined in the compiled module {module.path}, whose stub does not have it")
        raise Absent(f"{module.path} has no {told_path(name)} in its source")

    def _stars_of(self, module: griffe.Module) -> dict[str, tuple[int, str]]:
        """The names that a module takes by star imports: the line of the last that has it, and the module that it takes from.

        Raises NotReadable where there are too many.
        """
        if module.path not in self._stars:
            taken: dict[str, tuple[int, str]] = {}
            for one in module.members.values():
                if isinstance(one, griffe.Alias) and one.wildcard:
                    line = one.alias_lineno or 0
                    names = self._star(one.wildcard)
                    self._count_taken(len(names), module)
                    taken |= {name: (line, one.wildcard) for name in names if taken.get(name, (0, ""))[0] <= line}
            self._stars[module.path] = taken
        return self._stars[module.path]

    def _count_taken(self, names: int, module: griffe.Module) -> None:
        self._taken += names
        if self._taken > _MOST_TAKEN:
            raise NotReadable(f"{module.path} and modules before it take more than {_MOST_TAKEN} names from others")

    def _renamed(self, attribute: griffe.Attribute, way: list[str]) -> Found:
        value = attribute.value
        if isinstance(value, griffe.ExprName | griffe.ExprAttribute) and "." in value.canonical_path:
            return self._find(value.canonical_path, way)
        return attribute

    def _star(self, path: str) -> dict[str, None]:
        try:
            return self._all_of(path)
        except NotReadable:
            return {}

    def _exports(self, module: griffe.Module) -> Generator[str, dict[str, None], dict[str, None]]:
        names = {export: None for export in module.exports or [] if isinstance(export, str)}
        added = {path_of(export): None for export in module.exports or [] if not isinstance(export, str)}
        for path in (one.removesuffix(".__all__") for one in added):  # of other modules, added to this one's
            with suppress(NotReadable):  # which `unread` tells
                # A package that imports a module of its own by its full name: griffe then tells the last part alone.
                path = path if self.module(path) else f"{module.path}.{path}"
            taken = yield path
            self._count_taken(len(taken), module)
            names |= taken
        return names

    def _file(self, path: str) -> Path | None:
        return self._with_suffix(path, ".py")

    def _stub(self, path: str) -> Path | None:
        return self._with_suffix(path, ".pyi")

    def _with_suffix(self, path: str, suffix: str) -> Path | None:
        if not _may_be_module(path):
            return None
        place = self._root.joinpath(*path.split("."))
        files = (place / f"__init__{suffix}", place.with_suffix(suffix))
        return next((file for file in files if file.is_file()), None)

    def _compiled(self, path: str) -> str | None:
        """``path``, or the module above it, that is a compiled one; None where there is none."""
        if not _may_be_module(path):
            return None
        parts = path.split(".")
        for count in range(2, len(parts) + 1):
            place = self._root.joinpath(*parts[:count])
            if place.name in self._compiled_below(place.parent):
                return ".".join(parts[:count])
        return None

    def _compiled_below(self, folder: Path) -> set[str]:
        """The names of the compiled modules in ``folder``, which is listed once."""
        if folder not in self._compiled_in:
            files = folder.iterdir() if folder.is_dir() else ()
            self._compiled_in[folder] = {
                file.name.partition(".")[0] for file in files if file.suffix in {".so", ".pyd"}
            }
        return self._compiled_in[folder]

    def _visit(self, name: str, file: Path, parent: str) -> griffe.Module:
        place = file.relative_to(self._root)
        content = read_regular(file, _MOST_SOURCE + 1)
        if len(content) > _MOST_SOURCE:
            raise NotReadable(f"{place} is larger than {_MOST_SOURCE // 2**20} MiB")
        text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
        tokens = sum(1 for _ in islice(_TOKEN.finditer(text), _MOST_TOKENS + 1))
        self._tokens += tokens
        if tokens > _MOST_TOKENS:
            raise NotReadable(f"{place} has more than {_MOST_TOKENS} words, signs and ends of lines")
        if self._tokens > _MOST_TOKENS_OF_ALL:
            raise NotReadable(
                f"{place} and what was read before it have more than {_MOST_TOKENS_OF_ALL} words, signs and ends of lines"
            )
        code = _EXTENDED.sub(r"__all__ += \g<more>", text)
        try:
            tree = python_tree(text)
            if code != text:
                try:
                    tree = python_tree(code)
                except SyntaxError:  # of what stands alone in brackets only: a generator
                    code = text
            if (refused := refused_name(tree)) is not None:
                line, found = refused
                raise NotReadable(f"{place}, line {line}, {found}")
            if _looks(tree) > _MOST_LOOKS:
                raise NotReadable(f"{place} has too many assignments, one beside the other")
            read = _without_fallbacks(code, tree)
            above = self._package(parent)
            try:
                with marking() as extensions:
                    return griffe.visit(name, filepath=file, code=read, extensions=extensions, parent=above)
            except NO_PYTHON:
                raise
            except Exception as error:  # of strangers' code griffe raises whatever comes up
                raise NotReadable(f"{place} holds what griffe cannot read ({type(error).__name__})") from error
        except SyntaxError as error:
            raise NotReadable(f"{place} cannot be parsed: {error.msg}") from error
        except (ValueError, RecursionError, MemoryError) as error:  # of a zero byte, of deep nesting
            why = str(error) or "it is nested too deeply, or memory ran out"
            raise NotReadable(f"{place} cannot be parsed: {why}") from error

    def _package(self, path: str) -> griffe.Module | None:
        """An empty stand-in for a package, so that griffe can work out relative imports below it."""
        if not path:
            return None
        parent, _, name = path.rpartition(".")
        file = self._root.joinpath(*path.split("."), "__init__.py")
        return griffe.Module(name, filepath=file, parent=self._package(parent))


def _may_be_module(path: str) -> bool:
    """Whether a file is looked for by the dotted ``path``, which a stranger's ``__all__`` or import may have named."""
    return len(path) <= LONGEST_NAME and path.isascii() and all(part.isidentifier() for part in path.split("."))


def first_seen(cls: griffe.Class, seen: dict[str, int]) -> bool:
    """Whether ``cls`` is not yet among the classes ``seen`` on a walk upwards, to which it is added with its count of bases.

    Raises NotReadable where the walk is too long.
    """
    if cls.path in seen:
        return False
    seen[cls.path] = len(cls.bases)
    if sum(seen.values()) > _MOST_ABOVE:
        raise NotReadable(f"it and the classes above it have more than {_MOST_ABOVE} bases")
    return True


def refuse_marked(documented: griffe.Object) -> None:
    """Raise NotReadable for a definition of which griffe left a part out: a default, which would be required then, a base."""
    if is_marked(documented):
        place = f"the definition of {told_path(documented.path)} on line {documented.lineno}"
        raise NotReadable(f"{place} holds an expression that griffe cannot read, such as one that is nested too deeply")


def told_path(path: str) -> str:
    """The dotted ``path`` of a name for a message; what else a stranger wrote in its place, as any expression, in quotes."""
    return path if _may_be_module(path) else typed(path)


def is_stub(documented: griffe.Object) -> bool:
    """Whether ``documented`` stands in a type stub."""
    return isinstance(documented.filepath, Path) and documented.filepath.suffix == ".pyi"


def path_of(expression: griffe.Expr | str) -> str:
    """The dotted path of what an expression names; its text where that is no name, of which griffe fails on a call."""
    try:
        return expression if isinstance(expression, str) else expression.canonical_path
    except AttributeError:
        return str(expression)


def _looks(tree: ast.Module) -> int:
    """How many nodes griffe looks at for the docstrings of assignments: for each, the nodes beside it."""
    beside = (list(ast.iter_child_nodes(node)) for node in ast.walk(tree))
    return sum(len(nodes) * sum(isinstance(node, ast.Assign | ast.AnnAssign) for node in nodes) for nodes in beside)


def _without_fallbacks(code: str, tree: ast.Module) -> str:
    """Blanks the ``else`` of each top-level ``if is_available():`` in ``code``, parsed as ``tree``; lines keep their numbers.

    There stand-ins are defined, an empty ``class Store`` for one: read line by line, the stand-in would win.
    """
    lines = code.split("\n")  # as Python counts them: `splitlines` ends a line at a form feed too
    for node in tree.body:
        if not isinstance(node, ast.If) or not node.orelse or not _asks_availability(node.test):
            continue
        end = node.orelse[-1].end_lineno or node.orelse[-1].lineno
        # From behind the body: the `else:` itself is no node.
        start = node.body[-1].end_lineno or node.body[-1].lineno
        for number in range(start, end):
            lines[number] = ""
    return "\n".join(lines)


def _asks_availability(test: ast.expr) -> bool:
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "is_available"


def _computed(module: griffe.Module) -> bool:
    """Whether ``__all__`` is made of all names that are there: ``[name for name in dir() if name[0] != "_"]``."""
    names = module.members.get("__all__")
    return isinstance(names, griffe.Attribute) and isinstance(names.value, griffe.ExprListComp)
