"""Reads what a test tells of names: ``isinstance(x, torch.Tensor)``, ``torch.is_tensor(x)``, ``type(x) is np.ndarray``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from apidiff.porting.annotations import annotated_type
from apidiff.porting.bindings import joined
from apidiff.porting.calls import Calls
from apidiff.porting.torch_names import TENSOR, Value

Told = dict[str, Value]

_POSITIVE = (ast.Is, ast.Eq, ast.In)
_NEGATIVE = (ast.IsNot, ast.NotEq, ast.NotIn)
_STEPS_OF_TEXT = 16  # of a type that is named in a string, which is parsed
_MOST_PARTS = 50  # of a test with ``or``: each name that one of them tells of is looked for in all
_TELLING = {ast.Call, ast.Compare, ast.BoolOp, ast.UnaryOp}


class TypeTests(Calls):
    """Goes through tests. A name of which a test says that it is of a type that nobody knows is unknown where that holds."""

    def told(self, test: ast.expr, *, holds: bool) -> Told:
        """What names are where ``test`` holds, or where it does not, of those that it tells something new of."""
        if type(test) not in _TELLING:
            return {}
        look = self._look
        return {name: value for name, value in self._told(test, holds).items() if look(name) != value}

    def _told(self, test: ast.expr, holds: bool) -> Told:
        self.steps.take(1)  # tests stand within each other: each is gone through again for the one above
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return self._told(inner, not holds)
            case ast.BoolOp(op=op, values=values):
                parts = [self._told(one, holds) for one in values if type(one) in _TELLING]
                if isinstance(op, ast.And) is holds:  # each of them is so
                    self.steps.take(sum(map(len, parts)))
                    return {name: value for part in parts for name, value in part.items()}
                return self._any(parts, every=len(parts) == len(values))
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kind]):
                return self._of_kinds(name, _kinds(kind), holds)
            case ast.Call(func=ast.Attribute(attr="is_tensor") as func, args=[ast.Name(id=name)]):
                if self._meant(func) != "torch.is_tensor":
                    return {}
                return {name: TENSOR if holds else self._without_tensors(name)}
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="type"), args=[ast.Name(id=name)]), ops=[op], comparators=[kind]
            ):
                if isinstance(op, _POSITIVE if holds else _NEGATIVE) and _names_types(kind):
                    return self._of_kinds(name, _kinds(kind), True)
        return {}

    def _any(self, parts: Sequence[Told], *, every: bool) -> Told:
        """What names are where one of several tests is so, nobody knows which; ``every``: whether there are no others."""
        found: Told = {}
        if len(parts) > _MOST_PARTS:
            return found
        for name in dict.fromkeys(name for part in parts for name in part):
            self.steps.take(len(parts))
            values = [part[name] if name in part else self._look(name) for part in parts]
            value = values[0] if every else joined(values[0], self._look(name))
            for other in values[1:]:
                value = joined(value, other)
            found[name] = value
        return found

    def _of_kinds(self, name: str, kinds: Sequence[ast.expr], holds: bool) -> Told:
        texts = [kind.value for kind in kinds if isinstance(kind, ast.Constant) and isinstance(kind.value, str)]
        # Half the characters of a text may be names, and each is looked up.
        self.steps.take(len(kinds) + sum(_STEPS_OF_TEXT + len(text) // 2 for text in texts))
        if not holds:
            is_tensor = any(self._meant(kind) == "torch.Tensor" for kind in kinds if _is_path(kind))
            return {name: self._without_tensors(name)} if is_tensor else {}
        values = [annotated_type(kind, self._meant) for kind in kinds]
        value = values[0] if values else None
        for other in values[1:]:
            value = joined(value, other)
        return {name: value}

    def _without_tensors(self, name: str) -> Value:
        """What a name is where it is no tensor."""
        value = self._look(name)
        if value is None or TENSOR not in value:
            return value
        return "|".join(part for part in value.split("|") if part != TENSOR) or None

    def type_of_pattern(self, pattern: ast.pattern) -> Value:
        """What a subject is that a pattern with a class matches; None where nobody knows."""
        match pattern:
            case ast.MatchClass(cls=kind):
                return annotated_type(kind, self._meant)
            case ast.MatchAs(pattern=ast.pattern() as inner):
                return self.type_of_pattern(inner)
        return None


def _kinds(node: ast.expr) -> list[ast.expr]:
    return list(_each(node))


def _each(node: ast.expr) -> Iterator[ast.expr]:
    """The types that a type test names: one, several in a tuple, or several with ``|`` between them."""
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            for element in elements:
                yield from _each(element)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _each(left)
            yield from _each(right)
        case _:
            yield node


def _is_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def _names_types(node: ast.expr) -> bool:
    return all(map(_is_path, _each(node)))
