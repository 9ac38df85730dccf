"""Two lists of parameters side by side, by the criteria of upstream's table.

The criteria: the same number and order, the same names, defaults and types. The exceptions that the table makes are rules
here, each a function that says which one it is. Types that are not known, and defaults that are no literals and not written
alike, decide nothing: a pair with such a part is neither consistent nor shown to be otherwise by it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apidiff.judge.typenames import Relation, relation, type_names


@dataclass(frozen=True)
class Given:
    """A parameter of one side. ``defaults``: all texts known of its default; empty where it is required."""

    name: str
    defaults: tuple[str, ...] = ()
    type: str | None = None
    keyword_only: bool = False
    variadic: bool = False


@dataclass(frozen=True)
class Comparison:
    """Two signatures side by side, in neutral notation. ``undecided``: the parts that nothing decides."""

    differences: list[str]
    undecided: list[str]


def side_by_side(
    source: Sequence[Given], target: Sequence[Given], excused: Iterable[str] = (), *, overloaded: bool = False
) -> Comparison:
    """What tells the parameters of two signatures apart, by the table's criteria and exceptions."""
    if variadic := [f"{one.name}: *" for one in (*source, *target) if one.variadic]:
        return Comparison([], variadic)
    left = [one for one in source if not lacks_general(one, target, excused)]
    right = [one for one in target if not adds_default(one, source, target)]
    given, wanted = {one.name: one for one in right}, {one.name for one in left}
    differences = [f"- {one.name}" for one in left if one.name not in given]
    differences += [f"+ {one.name}" for one in right if one.name not in wanted]
    orders = [one.name for one in left if one.name in given], [one.name for one in right if one.name in wanted]
    if orders[0] != orders[1]:
        differences.append(f"order: {', '.join(orders[0])} ≠ {', '.join(orders[1])}")
    undecided: list[str] = []
    for one in left:
        if (twin := given.get(one.name)) is not None:
            _defaults(one, twin, differences, undecided, overloaded=overloaded)
            _types(one, twin, differences, undecided)
    return Comparison(differences, undecided)


def lacks_general(parameter: Given, target: Sequence[Given], excused: Iterable[str]) -> bool:
    """Exception 2: MindSpore may lack what the table lists as general parameters of torch (``out``, ``device``, …)."""
    return parameter.name in set(excused) and all(one.name != parameter.name for one in target)


def adds_default(parameter: Given, source: Sequence[Given], target: Sequence[Given]) -> bool:
    """Exception 3: MindSpore may have more parameters if the call without them does the same.

    They have a default, and stand behind those that both have, or are given by keyword only: else they shift the others.
    """
    shared = {one.name for one in source}
    if parameter.name in shared or not parameter.defaults:
        return False
    behind = list(target)[list(target).index(parameter) :]
    return parameter.keyword_only or not any(one.name in shared and not one.keyword_only for one in behind)


def stands_for_overload(source: Given, target: Given, *, overloaded: bool) -> bool:
    """Exception 4: where torch has overloads, None may stand in MindSpore for what one of them lacks and another requires."""
    return overloaded and not source.defaults and "None" in target.defaults


def _defaults(source: Given, target: Given, differences: list[str], undecided: list[str], *, overloaded: bool) -> None:
    if stands_for_overload(source, target, overloaded=overloaded):
        return
    texts = [next(iter(one.defaults), "required") for one in (source, target)]
    line = f"{source.name}: {texts[0]} ≠ {texts[1]}"
    if not source.defaults or not target.defaults:
        if source.defaults or target.defaults:
            differences.append(line)
        return
    if set(source.defaults) & set(target.defaults):
        return
    left, right = (_literals(one.defaults) for one in (source, target))
    if left is None or right is None:
        undecided.append(f"{source.name}: {texts[0]} ? {texts[1]}")
    elif left != right:
        differences.append(line)


def _literals(texts: Iterable[str]) -> tuple[str, object] | None:
    """The value that one of the texts is a literal of, with its type (True is not 1); None where none is one."""
    for text in texts:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            continue
        if value is not ...:  # a stub's way to say that there is a default
            return type(value).__name__, value
    return None


def _types(source: Given, target: Given, differences: list[str], undecided: list[str]) -> None:
    """Exception 1, a narrower range of dtypes, shows in no signature: tensors are tensors here."""
    found = relation(source.type, target.type)
    if found is Relation.DISJOINT:
        differences.append(f"{source.name}: {_shown(source.type)} ≠ {_shown(target.type)}")
    elif found is Relation.UNKNOWN:
        undecided.append(f"{source.name}: {_shown(source.type)} ? {_shown(target.type)}")


def _shown(text: str | None) -> str:
    return " | ".join(sorted(type_names(text) or {text or "—"}))
