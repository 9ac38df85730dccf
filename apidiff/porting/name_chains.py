"""Follows names and the attributes behind them, ``a.b.c``, to the API that they name."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Mapping

import msgspec

from apidiff.model.result_types import INSTANCE
from apidiff.porting.bindings import NUMPY, ClassFacts, Frame, ModuleFrame, Steps
from apidiff.porting.source_files import SourceFile
from apidiff.porting.torch_names import FORWARD, IN_TREE, LONGEST_PATH, MODULE, TorchNames, Value, united
from apidiff.porting.tree_modules import TreeModules
from apidiff.porting.uses import LONGEST_NAME, Passed, Pending, Use, attribute_place, place_of, refuse_long

_MOST_CHOICES = 5  # of one chain: each attribute that may be several things multiplies what is followed
_MOST_FOLLOWED = 64  # things that the attributes of one chain may be, all together


class NameChains:
    """What a walk through a file knows, and how it looks names up. `Expressions` goes through what stands before a dot."""

    def __init__(
        self,
        file: SourceFile,
        names: TorchNames,
        tree: TreeModules,
        *,
        assume: bool,
        starred: Mapping[str, Mapping[str, str]],
        steps: Steps,
    ) -> None:
        self.names, self.file, self.tree = names, file, tree
        self.customary = names.customary | {"torch": "torch"} if assume else {}
        self.path = f"{IN_TREE}{file.module}"
        self.steps = steps
        self.top = ModuleFrame(self.path, steps)
        self.frame: Frame = self.top
        self.uses: list[Use] = []
        self.pending: list[Pending] = []
        self.stars: dict[str, int] = {}  # modules of the tree, with the place of the last star import of each
        self.torch_stars: dict[str, int] = {}  # modules of PyTorch, with how many names a star import of each binds
        self.starred = starred
        self.certain: set[int] = set()  # statements that every run of the module comes by
        self.imported: dict[str, bool] = {}  # names that the module imports, and whether nothing else binds them
        self.classes: dict[str, ClassFacts] = {}
        self.returns: dict[str, Value] = {}
        self.rebound: dict[str, Value] = {}
        self.elsewhere: dict[str, Value] = {}  # what else names of the module may be, when it is gone through again
        self.is_put_off = False  # whether a lambda or a generator stands before, which may find what names are next
        self.put_off: dict[tuple[str, str], Value] = {}  # what it may find names of a function to be, by that
        self.elsewhere_inside: dict[tuple[str, str], Value] = {}  # the same, when the module is gone through again
        self.globals: set[str] = set()
        self.enclosing: dict[tuple[str, str], Frame] = {}  # of nonlocal names, by the function that declares them
        self.mixed: set[tuple[str, str]] = set()  # names that hold now an object, now NumPy's, by what they belong to
        self.later: deque[Callable[[], None]] = deque()
        self.inner: deque[Callable[[], None]] = deque()
        self.methods = names.tensor_methods
        self.telling = names.methods
        self.parameters: dict[str, list[str]] = {}  # of the functions of this file that say no types, by path
        self.with_parameters: set[str] = set()  # the last names of these paths
        self.given: dict[str, dict[str, Value]] = {}  # what calls before have passed for them
        self.left: list[dict[str, Value]] = []  # what each `break` and `continue` of the loop at hand finds changed
        self.resumed: list[dict[str, Value]] = []  # the same of each `continue`
        self.named: dict[str, Value] = {}  # what `:=` has bound in the comprehension at hand
        # By the node of a loop: the names that it binds to another thing than it finds, with what they may be then.
        self.otherwise: dict[int, dict[str, Value]] = {}
        self._deep = 0  # loops around the one at hand
        self.paired: tuple[ast.Call, str, Passed] | None = None  # the last call of `enumerate` or `zip`
        self.parts: dict[ast.expr, Value] | None = None  # what those of the value are that an assignment takes apart
        self._chosen = 0  # attributes of one chain, before the one at hand, that may be several things
        self._followed = 0  # things that the attributes of that chain may be
        self.ended: set[str] = set()  # paths of functions that have been gone through
        self.local: set[str] = set()  # paths of functions and classes that this file defines

    def expr(self, node: ast.expr) -> Value:
        """Go through an expression; return what its value may be."""
        raise NotImplementedError

    def _silent(self, node: ast.expr) -> Value:
        """What an expression that has been gone through, or will be, may be; it is not told again."""
        uses, pending = len(self.uses), len(self.pending)
        value = self.expr(node)
        del self.uses[uses:], self.pending[pending:]
        return value

    def _meant(self, node: ast.expr) -> Value:
        """What a name, or one with attributes behind it, means in an annotation or a test; None for another expression.

        Tests stand within each other there: each level would be gone through again for the one above.
        """
        if isinstance(node, ast.Name):
            return self.names.source(self._look(node.id))
        return self.names.source(self._silent(node)) if is_dotted(node) else None

    def _look(self, name: str) -> Value:
        """What a name is bound to: here as things stand, in the scopes around as they may be when this is called."""
        bound = self.frame.bound
        if name in bound:
            return bound[name]
        frame = self.frame.outer
        while frame is not None:
            if name in frame.ever:
                return frame.ever[name]
            frame = frame.outer
        if self.customary and name in self.customary:
            return self.customary[name]
        if self.stars and "*" in self.top.ever:
            return f"{self.path}.{name}" if len(name) <= LONGEST_NAME else None
        return None

    def _chain(self, node: ast.Attribute, passed: Passed | None = None) -> Value:
        """A name or another expression with the attributes that follow it, ``a.b.c``; ``passed`` where it is called."""
        steps = [node]
        base = node.value
        while type(base) is ast.Attribute:
            steps.insert(0, base)
            base = base.value
        refuse_long(sum([len(step.attr) + 1 for step in steps]), node)
        value = self._look(base.id) if type(base) is ast.Name else self.expr(base)
        if value is None:
            self._tell_possible(steps, passed)
        elif value[0] not in "!~":
            return self._follow(value, base, steps, "name" if passed is None else "call", passed)
        return value

    def _follow(
        self, value: str, base: ast.expr, steps: list[ast.Attribute], role: str, passed: Passed | None
    ) -> Value:
        """Return what ``value`` with the attributes of ``steps`` is; note the API that it names."""
        if "|" in value:
            return self._follow_each(value, base, steps, role, passed)
        count, at = len(steps), 0
        while value[0] == IN_TREE:
            found = self._own(value, steps[at].attr) if at < count and value.endswith(INSTANCE) else None
            if found and at + 1 == count and passed is not None and self.names.returns_self(found):
                self._tell(found, base, steps, count, role, passed, unbound=False)
                return f"{value}.{steps[at].attr}"
            if found is None:
                self._leave(value, base, steps[at:], steps[:at], role, passed)
                return ".".join([value, *(step.attr for step in steps[at:])]) if len(value) < LONGEST_PATH else None
            at += 1
            if not found:
                self._tell_possible(steps, passed)
                return None
            value = found
            if "|" in value:
                return self._follow_each(value, base, steps[at:], role, passed) if at < count else value
        if value == f"{MODULE}{INSTANCE}" and self._forward_end(steps) == at + 1:
            role, passed = (role, passed) if at + 1 == count else ("name", None)
            self._tell(f"{MODULE}.{FORWARD}", base, steps, at + 1, role, passed, unbound=False)
            return None
        rest = (steps[at].attr,) if at + 1 == count else tuple([step.attr for step in steps[at:]])
        way = self.names.follow(value, rest, passed is not None)
        if way.api is not None:
            end = at + way.end
            if end == count:
                self._tell(way.api, base, steps, end, role, passed, unbound=way.of_class)
            else:
                self._tell(way.api, base, steps, end, "name", None, unbound=way.of_class)
        elif way.value is None and way.is_lost:
            self._tell_possible(steps, passed)
        elif way.value is not None and "|" in way.value and at + way.end < count:
            return self._follow_each(way.value, base, steps[at + way.end :], role, passed)
        return way.value

    def _tell_possible(self, steps: list[ast.Attribute], passed: Passed | None) -> None:
        """Note a call of what may be a method of a tensor; where code is ported, `forward` of what may be a layer."""
        if end := self._forward_end(steps):
            role, given = ("name", None) if passed is None or end < len(steps) else ("call", passed)
            self.uses.append(Use(f"{MODULE}.{FORWARD}", attribute_place(steps[end - 1]), role, given, True))
            return
        if passed is not None and steps and steps[-1].attr in self.methods:
            self.uses.append(Use(f"torch.Tensor.{steps[-1].attr}", attribute_place(steps[-1]), "call", passed, True))

    def _is_forward(self, steps: list[ast.Attribute]) -> bool:
        """Whether one of several attributes is the method of layers that a port renames."""
        return self._forward_end(steps) > 0

    def _forward_end(self, steps: list[ast.Attribute]) -> int:
        """How many attributes lead to the method of layers that a port renames, with that; 0 where none does."""
        if not self.names.follows_ported:
            return 0
        return next((end for end, step in enumerate(steps, start=1) if step.attr == FORWARD), 0)

    def _follow_each(
        self, value: str, base: ast.expr, steps: list[ast.Attribute], role: str, passed: Passed | None
    ) -> Value:
        """Follow each that ``value`` may be; the first that names an API is told.

        Where one is an object of the tree, its class may have a method by that name: other files tell. Where code is ported, they
        tell what several paths of the tree lead to, too, and whether another API is named is noted.
        """
        value, steps = self._stepped(value, steps)
        self._followed = self._followed if self._chosen else 0
        if self._chosen >= _MOST_CHOICES or self._followed >= _MOST_FOLLOWED:
            return None
        self._chosen += 1
        uses, pending = len(self.uses), len(self.pending)
        result: Value = None
        several = 0  # paths that other files decide
        for part in value.split("|"):
            self._followed += 1
            told, left = len(self.uses) > uses, len(self.pending) > pending
            kept = len(self.uses), len(self.pending)
            if part[0] not in "!~":
                result = united(result, self._follow(part, base, steps, role, passed))
            elif part == NUMPY:
                result = united(result, part)
            several += len(self.pending) > kept[1]
            if told or left:
                del self.uses[kept[0] :], self.pending[kept[1] :]
        is_open = several > 1 and self.names.follows_ported and _are_paths(value)
        if self._is_forward(steps) or (steps and passed is not None and _may_be_either(value)) or is_open:
            del self.uses[uses:], self.pending[pending:]  # all that it may be has to be looked at
            self._await(value, base, steps, [], role, passed)
        certain = [use for use in self.uses[uses:] if not use.possible]
        if certain and len(self.uses) - uses > 1:
            self.uses[uses:] = certain[:1]
        if certain and self.names.follows_ported and self._are_several(value, steps, passed):
            self.uses[uses:] = [msgspec.structs.replace(use, divided=True) for use in self.uses[uses:]]
        self._chosen -= 1
        return result

    def _are_several(self, value: str, steps: list[ast.Attribute], passed: Passed | None) -> bool:
        """Whether the paths that ``value`` may be lead to several APIs of PyTorch."""
        names = tuple([step.attr for step in steps])
        meant = {self.names.meant(part, names, is_called=passed is not None) for part in value.split("|")}
        return len(meant - {None}) > 1

    def _stepped(self, value: str, steps: list[ast.Attribute]) -> tuple[str, list[ast.Attribute]]:
        """Take the steps that lead all that ``value`` may be on to attributes of this file: all at once, not one by one."""
        while len(steps) > 1 and "|" in value:
            following: Value = None
            for part in value.split("|"):
                found = self._own(part, steps[0].attr) if part[0] == IN_TREE and part.endswith(INSTANCE) else None
                if not found:
                    return value, steps
                following = united(following, found)
            if following is None:
                return value, steps
            value, steps = following, steps[1:]
        return value, steps

    def _own(self, value: str, name: str) -> str | None:
        """The attribute of an instance of a class of this file: its value, empty where unknown, None where others decide."""
        facts = self.classes.get(value[: -len(INSTANCE)])
        if facts is None:
            return None
        if name == "__class__":
            return value[: -len(INSTANCE)]
        if name in facts.attributes:
            return facts.attributes[name] or ""
        if name in facts.methods:
            return None
        for base in facts.bases:
            if base[0] == IN_TREE:
                return None
            if base[0] == "t" and (found := self.names.attribute(f"{base}{INSTANCE}", name)) is not None:
                return found
        return ""

    def _leave(
        self,
        value: str,
        base: ast.expr,
        steps: list[ast.Attribute],
        before: list[ast.Attribute],
        role: str,
        passed: Passed | None,
    ) -> None:
        """Note a path that another file, or the rest of this one, decides, where it can lead to an API."""
        if not steps and (value[-1] in ")]#" or value in self.local):
            return
        if not (end := self._forward_end(steps)):
            if value in self.local and (passed is None or value not in self.classes):
                return
            if value[-1] in ")]#" and (passed is None or steps[-1].attr not in self.telling):
                return
        elif end < len(steps) and (value in self.local or value[-1] in ")]#"):  # not `forward` of a package
            steps, role, passed = steps[:end], "name", None
        self._await(value, base, steps, before, role, passed)

    def _await(
        self,
        value: str,
        base: ast.expr,
        steps: list[ast.Attribute],
        before: list[ast.Attribute],
        role: str,
        passed: Passed | None,
    ) -> None:
        """Leave a path to other files."""
        start = before[-1] if before else base
        plain = type(base) is ast.Name
        places = [place_of(start), *(place_of(step) if plain else attribute_place(step) for step in steps)]
        self.pending.append(Pending(value, [step.attr for step in steps], places, role, passed))

    def _tell(
        self,
        api: str,
        base: ast.expr,
        steps: list[ast.Attribute],
        end: int,
        role: str,
        passed: Passed | None,
        *,
        unbound: bool,
    ) -> None:
        if api[0] == "m":  # of MindSpore: understood, and not told
            return
        last = steps[end - 1] if end else base
        plain = type(base) is ast.Name
        place = place_of(last) if plain or not end else attribute_place(steps[end - 1])
        self.uses.append(Use(api, place, role, passed, unbound=unbound))


def is_dotted(node: ast.expr) -> bool:
    """Whether an expression is a name with attributes behind it, or none: ``a.b.c``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _are_paths(value: str) -> bool:
    """Whether a value may be several things, none of which is an object."""
    return all(part[-1] not in ")]#" for part in value.split("|"))


def _may_be_either(value: str) -> bool:
    """Whether a value may be an object of PyTorch, and one of the tree."""
    kinds = {part[0] for part in value.split("|") if part[-1] in ")#"}
    return IN_TREE in kinds and "t" in kinds
