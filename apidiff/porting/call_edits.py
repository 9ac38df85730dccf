"""Writes a call of the source with a target: what its rule changes of names, order and arguments, as edits of bytes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from apidiff.messages.labels import filled
from apidiff.model.base import Text
from apidiff.model.call_facts import CallFacts, TargetFacts
from apidiff.model.rule import PLACE
from apidiff.porting.call_forms import CallForm
from apidiff.porting.call_matching import bound_by, way_taken
from apidiff.porting.code_text import CodeText, Edit, Slot
from apidiff.porting.code_tokens import NoTokens
from apidiff.porting.evaluation import indexed_name, is_harmless, is_path, literal_of
from apidiff.porting.judgement import is_left_out, takes_tuple

_FULL = re.compile(r"\bmindspore(?:\.\w+)+")


class CallEdits(NamedTuple):
    """How a call is written. ``conditions``: what has to be so, or be known; ``renames``: whether its name changes by itself."""

    edits: list[Edit]
    conditions: list[Text]
    renames: bool = True


class NotWritten(Exception):
    """A call that no rule writes. ``why``: says so to a reader."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


class _Argument(NamedTuple):
    """An argument: the source's parameter, None where nobody knows; its place; the keyword that it is written with.

    ``start``: of its value, with the parentheses around that. ``is_bare``: whether it has to have parentheses of its own
    anywhere else: ``f(a := 1)``, ``f(a for a in b)``.
    """

    parameter: str | None
    slot: Slot
    value: ast.expr
    keyword: str | None
    start: int
    is_bare: bool = False

    def around(self, before: str, after: str = "") -> list[Edit]:
        """The edits that put text around its value."""
        before, after = (f"{before}(", f"){after}") if self.is_bare else (before, after)
        end = Edit(self.slot.end, self.slot.end, after)
        return [Edit(self.start, self.start, before), *([end] if after else [])]


class CallWriter:
    """Writes one call.

    Args:
        code: the file.
        call: the call in it.
        form: what it passes.
        facts: what is known of the source.
        target: the target to write it with.
        spelled: gives the short spelling of a full name, and notes the import that it needs.
    """

    def __init__(
        self,
        code: CodeText,
        call: ast.Call,
        form: CallForm,
        facts: CallFacts,
        target: TargetFacts,
        spelled: Callable[[str], str],
    ) -> None:
        self._code, self._call, self._form = code, call, form
        self._facts, self._target, self._rule, self._spelled = facts, target, target.rule, spelled
        self._names = {name.strip("*/=") for way in target.ways for name in way}
        self._taking = [way for way in facts.ways if bound_by(form, way) is not None]
        self._open = not target.ways or any(name.startswith("**") for way in target.ways for name in way)

    def edits(self) -> CallEdits:
        """The edits. Raises NotWritten."""
        way = way_taken(self._form, self._facts.ways, self._facts.needed)
        starred = any(isinstance(arg, ast.Starred) for arg in self._call.args)
        unpacked = any(keyword.arg is None for keyword in self._call.keywords)
        rule = self._rule
        if rule.forms:
            if starred or unpacked or way is None:
                raise NotWritten(filled("porting.starred"))
            return self._by_form(way)
        if (starred or unpacked) and (rule.fill or rule.arguments or rule.values):
            raise NotWritten(filled("porting.starred"))
        for name in sorted(self._names) if starred else ():
            if takes_tuple(self._facts, self._target, name):  # new_zeros(*[2, 3]) and new_zeros(*[(2, 3)]) look alike
                raise NotWritten(filled("porting.starred_tuple", name=name, target=self._target.name))
        if not self._call.args and not self._call.keywords and not rule.fill:
            return CallEdits([], [])
        opened, arguments = self._arguments(way if not starred else None)
        return self._written(opened, arguments)

    def _arguments(self, way: Sequence[str] | None) -> tuple[int, list[_Argument]]:
        code, call = self._code, self._call
        try:
            opened, slots = code.slots(code.end(call.func), code.end(call))
        except NoTokens as error:
            raise NotWritten(filled("porting.starred")) from error
        nodes: list[ast.expr | ast.keyword] = sorted(
            [*call.args, *call.keywords], key=lambda node: (node.lineno, node.col_offset)
        )
        if len(nodes) != len(slots):
            raise NotWritten(filled("porting.starred"))
        names = _positional(way, len(call.args)) if way is not None else []
        found, number = [], 0
        for node, slot in zip(nodes, slots, strict=True):
            if isinstance(node, ast.keyword):
                start = slot.value if node.arg is not None else slot.start
                if start is None:  # its name has a letter that `tokenize` takes for none
                    raise NotWritten(filled("porting.starred"))
                found.append(_Argument(node.arg, slot, node.value, node.arg, start))
                continue
            parameter = names[number] if number < len(names) else None
            found.append(_Argument(parameter, slot, node, None, slot.start, self._is_bare(node, slot.start)))
            number += 1
        return opened, found

    def _is_bare(self, value: ast.expr, start: int) -> bool:
        """Whether an argument by position, which begins at a byte, lacks parentheses that it needs anywhere else."""
        if isinstance(value, ast.GeneratorExp):  # as the only argument it begins with those of the call
            return self._code.start(value) < start
        return isinstance(value, ast.NamedExpr) and self._code.start(value) == start

    def _written(self, opened: int, arguments: list[_Argument]) -> CallEdits:
        edits: list[Edit] = []
        conditions: list[Text] = [self._rule.condition] if self._rule.condition is not None else []
        dropped: list[int] = []
        passed: set[str] = set()
        by_keyword, position, variadic = False, 0, None
        for number, one in enumerate(arguments):
            parameter = one.parameter
            if parameter is None:  # nobody knows its parameter, or ** hands it on
                position += one.keyword is None
                continue
            if is_left_out(self._target, parameter):
                if self._code.binds(one.start, one.slot.end):
                    raise NotWritten(filled("porting.evaluated"))
                dropped.append(number)
                conditions.append(self._target.left_out[parameter])
                by_keyword = by_keyword or one.keyword is None
                continue
            name = self._target.renamed.get(parameter, parameter)
            passed.add(name)
            conditions += self._checked(parameter, one.value)
            if one.keyword is not None:
                if name not in self._names and not self._open:
                    raise NotWritten(filled("porting.lacks", name=parameter, target=self._target.name))
                if name != one.keyword:
                    # A keyword need not be written as the name that Python makes of it.
                    edits.append(Edit(one.slot.start, one.slot.name_end or one.start, name))
            else:
                if parameter != variadic and not by_keyword:
                    by_keyword = self._has_moved(name, position)
                if name not in self._names and not self._open and (by_keyword or not self._takes_at(position)):
                    raise NotWritten(filled("porting.lacks", name=parameter, target=self._target.name))
                variadic = parameter if parameter == variadic or f"*{parameter}" in _flat(self._facts.ways) else None
                if by_keyword:
                    edits += one.around(f"{name}=")
                position += 1
            edits += self._value_edits(parameter, one)
        edits += self._as_tuple(arguments)
        edits += self._code.without([one.slot for one in arguments], dropped)
        edits += self._filled(opened, arguments, dropped, passed)
        return CallEdits(_merged(edits), list(dict.fromkeys(conditions)))

    def _as_tuple(self, arguments: list[_Argument]) -> list[Edit]:
        """Parentheses around sizes that are given one by one, where the target takes them as one argument."""
        by_place = [one for one in arguments if one.keyword is None and one.parameter is not None]
        for name in dict.fromkeys(one.parameter for one in by_place):
            given = [one for one in by_place if one.parameter == name]
            if len(given) > 1 and takes_tuple(self._facts, self._target, str(name)):
                return [
                    Edit(given[0].slot.start, given[0].slot.start, "("),
                    Edit(given[-1].slot.end, given[-1].slot.end, ")"),
                ]
        return []

    def _takes_at(self, position: int) -> bool:
        """Whether the target may take at ``position`` what the source takes there, by a name that the source does not know.

        No other parameter of the source is there, and none that the rule writes. Of the ways to call the target, those are
        looked at that take what the rule writes.
        """
        fill = self._rule.fill
        known = {name.strip("*/=") for name in _flat(self._facts.ways)}
        others = {self._target.renamed.get(name, name) for name in known} - self._alike(position) | fill.keys()
        for way in self._target.ways:
            if fill.keys() <= {name.strip("*/=") for name in way}:
                if position >= len(way) or any(part[0] == "*" for part in way[: position + 1]):
                    return True
                if way[position][-1] != "=" and way[position].strip("/") not in others:
                    return True
        return False

    def _alike(self, position: int) -> set[str]:
        """What the source takes at ``position`` in the ways to call that take what is passed."""
        return {way[position].strip("/") for way in self._taking if position < len(way)}

    def _has_moved(self, name: str, position: int) -> bool:
        """Whether the target takes ``name``, and not at ``position``."""
        if name not in self._names:
            return False
        # arange(5) gives an end where other calls give a start, in both frameworks.
        alike = {name, *self._alike(position)}
        for way in self._target.ways:
            if position < len(way) and (way[position].strip("/") in alike or way[position].startswith("*")):
                return False
            if any(part.startswith("*") and not part.startswith("**") for part in way[:position]):
                return False
        return True

    def _checked(self, parameter: str, value: ast.expr) -> list[Text]:
        """What has to be so of an argument that the rule takes for a number. Raises NotWritten where it is not."""
        if parameter not in self._rule.numbers:
            return []
        literal = literal_of(value)
        if literal is ...:
            return [filled("porting.number", name=parameter)]
        if isinstance(literal, bool) or not isinstance(literal, int | float):
            raise NotWritten(filled("porting.no_number", name=parameter))
        return []

    def _value_edits(self, parameter: str, one: _Argument) -> list[Edit]:
        if parameter in self._rule.values:
            literal = literal_of(one.value)
            known = self._rule.values[parameter]
            try:
                written = repr(literal)
            except ValueError:  # an integer of more digits than Python writes
                written = ""
            if literal is ... or written not in known:
                raise NotWritten(filled("porting.value", name=parameter))
            return [Edit(one.start, one.slot.end, known[written])]
        if parameter in self._rule.arguments:
            before, _, after = self._rule.arguments[parameter].partition(f"{{{parameter}}}")
            return one.around(before, after)
        return []

    def _filled(self, opened: int, arguments: list[_Argument], dropped: list[int], passed: set[str]) -> list[Edit]:
        given = {one.parameter: one for one in arguments if one.parameter is not None}
        parts = []
        for name, text in self._rule.fill.items():
            if name in passed:
                continue
            for parameter in PLACE.findall(text):
                if parameter not in given:
                    raise NotWritten(filled("porting.value", name=parameter))
                one = given[parameter]
                self._check_copied(one, [other for number, other in enumerate(arguments) if number not in dropped])
                text = text.replace(f"{{{parameter}}}", self._code.text(one.start, one.slot.end))
            parts.append(f"{name}={text}")
        if not parts:
            return []
        if len(arguments) == 1 and isinstance(arguments[0].value, ast.GeneratorExp):
            raise NotWritten(filled("porting.starred"))
        kept = [one for number, one in enumerate(arguments) if number not in dropped]
        if not kept:
            return [Edit(opened, opened, ", ".join(parts))]
        end = kept[-1].slot.end
        return [Edit(end, end, f", {', '.join(parts)}")]

    def _check_order(self, named: Sequence[str], arguments: list[_Argument]) -> None:
        """Raise NotWritten where a form evaluates in another order what may not be, or leaves out what may do something.

        ``named``: the places of the form, in its order.
        """
        values = {str(one.parameter): one.value for one in arguments}
        if isinstance(self._call.func, ast.Attribute):
            values["self"] = self._call.func.value
        starts = {name: self._code.start(value) for name, value in values.items()}
        moved = (pair for pair in combinations(named, 2) if starts[pair[0]] > starts[pair[1]])
        left_out = (one for one in arguments if str(one.parameter) not in named)
        if not all(self._may_swap(values[first], values[second]) for first, second in moved) or not all(
            is_harmless(one.value, sizes=True) for one in left_out
        ):
            raise NotWritten(filled("porting.evaluated"))

    def _check_copied(self, one: _Argument, arguments: list[_Argument]) -> None:
        """Raise NotWritten where an argument may not be evaluated a second time behind the others.

        A size is not copied: the method that tells it may be written otherwise, and a copy would stay as it was.
        """
        later = (other.value for other in arguments if other.start > one.start)
        if not is_harmless(one.value, sizes=False) or not all(self._may_swap(one.value, other) for other in later):
            raise NotWritten(filled("porting.evaluated"))

    def _may_swap(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether two expressions give the same in either order."""
        if is_harmless(one, sizes=True) and is_harmless(other, sizes=True):
            return True
        return self._is_kept(one, other) or self._is_kept(other, one)

    def _is_kept(self, one: ast.expr, by: ast.expr) -> bool:
        """Whether ``one`` is a literal, or a path of which the code of ``by`` does not tell that it may become another."""
        if literal_of(one) is not ...:
            return True
        start, end = self._code.start(by), self._code.end(by)
        if not is_path(one) or self._code.binds(start, end):
            return False
        name = indexed_name(one)
        return name is None or re.search(rf"\b{name}\b", self._code.text(start, end)) is None

    def _by_form(self, way: Sequence[str]) -> CallEdits:
        """The call written as a form of the rule: edits of what stands between the parts that stay."""
        code, call = self._code, self._call
        _, arguments = self._arguments(way) if call.args or call.keywords else (0, [])
        order = [name.strip("*/=") for name in way]
        key = ",".join(sorted((str(one.parameter) for one in arguments), key=order.index))
        form = self._rule.forms.get(key)
        if form is None:
            raise NotWritten(filled("porting.form"))
        form = _FULL.sub(lambda found: self._spelled(found[0]), form)
        places = {}
        # Of (x.size)(0), whose parentheses end behind the name, no part is the receiver alone.
        if isinstance(call.func, ast.Attribute) and code.start(call) == code.start(call.func):
            try:
                places["self"] = code.start(call), code.dot(call.func)
            except NoTokens as error:
                raise NotWritten(filled("porting.form")) from error
        for one in arguments:
            places[str(one.parameter)] = one.start, one.slot.end
            if one.is_bare:
                form = form.replace(f"{{{one.parameter}}}", f"({{{one.parameter}}})")
        conditions = [self._rule.condition] if self._rule.condition is not None else []
        named = PLACE.findall(form)
        if any(name not in places for name in named):  # a method that is called by a name of its own
            raise NotWritten(filled("porting.form"))
        # What is written several times is evaluated as often, and an operator in it binds less than a dot behind it.
        if any(named.count(str(one.parameter)) > 1 and not is_path(one.value) for one in arguments):
            raise NotWritten(filled("porting.form"))
        self._check_order(named, arguments)
        starts = [places[name][0] for name in named]
        # An argument is written twice, or before one that stands before it, so the whole call is written anew.
        if len(set(named)) < len(named) or starts != sorted(starts):
            text = PLACE.sub(lambda found: code.text(*places[found[1]]), form)
            return CallEdits([Edit(code.start(call), code.end(call), text)], conditions, renames=False)
        edits, at = [], code.start(call)
        texts = PLACE.split(form)  # text, name, text, …
        for text, name in zip(texts[::2], [*texts[1::2], ""], strict=True):
            start, end = places.get(name, (code.end(call), code.end(call)))
            if text or start > at:
                edits.append(Edit(at, start, text))
            at = end
        return CallEdits(edits, conditions, renames=False)


def _positional(way: Sequence[str], count: int) -> list[str]:
    """The parameters to which arguments by position go."""
    found: list[str] = []
    for name in way:
        if name.startswith("**") or name.endswith("="):
            break
        if name.startswith("*"):
            return [*found, *[name[1:]] * (count - len(found))]
        found.append(name.rstrip("/"))
    return found[:count]


def _merged(edits: list[Edit]) -> list[Edit]:
    """The edits with those that put text in at one place made one, in their order."""
    inserted: dict[int, str] = {}
    for edit in edits:
        if edit.start == edit.end:
            inserted[edit.start] = inserted.get(edit.start, "") + edit.text
    kept = [edit for edit in edits if edit.start != edit.end]
    return [*kept, *(Edit(place, place, text) for place, text in inserted.items())]


def _flat(ways: Sequence[Sequence[str]]) -> set[str]:
    return {name for way in ways for name in way}
