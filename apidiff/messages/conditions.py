"""Says under which conditions a claim's probes observe it, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from apidiff.derive.argument_changes import ArgumentChange, Change
from apidiff.derive.probe_conditions import (
    Callers,
    Condition,
    Disagree,
    Either,
    Executed,
    Happens,
    OthersPassToo,
    OwnGroup,
    Passes,
    Started,
    Switched,
    With,
    Without,
    WorldSizes,
)
from apidiff.messages.labels import filled, joined
from apidiff.model.base import Text


def conditions_text(conditions: Sequence[Condition], root: str) -> Text | None:
    """The conditions as the beginning of a sentence, None where there is none; ``root``: the parameter of the root rank.

    What the same ranks pass is said once: ``for an empty `a` and an empty `b```.
    """
    if not conditions:
        return None
    after = isinstance(conditions[-1], Switched)
    return filled("condition.after" if after else "condition.when", conditions=_text(conditions, root))


def _text(conditions: Sequence[Condition], root: str) -> Text:
    groups = [list(group) for _, group in groupby(conditions, key=_who)]
    text = _group_text(groups[0], root)
    for number, (before, group) in enumerate(pairwise(groups), start=2):
        if _ends_with_number(before[-1]) or isinstance(group[0], Either):
            key = "condition.last_after_number" if number == len(groups) else "condition.next_after_number"
        else:
            key = "condition.last" if number == len(groups) else "condition.next"
        text = filled(key, before=text, condition=_group_text(group, root))
    return text


def _who(condition: Condition) -> object:
    """What conditions share that are told in one: who passes something, or that something is set or left out."""
    match condition:
        case Passes(who=who):
            return Passes, who
        case OthersPassToo() | With() | Without():
            return type(condition)
    return condition


def _ends_with_number(condition: Condition) -> bool:
    """Whether "and" behind the English words of a condition could be read as part of it: ``ranks 0, 1 and …``."""
    match condition:
        case Callers(partner=str()) | OwnGroup(ranks=[_, *_], by_name=False) | Disagree() | Either():
            return True
        case Passes(change=change):
            return change.change in _END_WITH_NUMBERS
    return False


_END_WITH_NUMBERS = {Change.DTYPE, Change.DTYPE_OF_ELEMENTS, Change.MIXED_DTYPES, Change.LENGTH}


def _group_text(group: list[Condition], root: str) -> Text:
    """One condition, or several of a kind as one."""
    match group[0]:
        case With():
            return filled("condition.with", settings=_listed([_change(condition) for condition in group]))
        case Without():
            return filled("condition.without", names=_listed([_change(condition) for condition in group]))
        case Either(branches=branches):
            return joined("condition.or", [_text(branch, root) for branch in branches])
    changes = _change(group[0])
    for before, condition in pairwise(group):
        key = "condition.change_after_number" if _ends_with_number(before) else "condition.change"
        changes = filled(key, before=changes, change=_change(condition))
    match group[0]:
        case Passes(who="everyone"):
            return filled("condition.everyone_passes", changes=changes)
        case Passes(who="others"):
            return filled("condition.others_pass", root=root, changes=changes)
        case Passes(who="partner"):
            return filled("condition.partner_passes", changes=changes)
        case Passes(who=rank):
            return filled("condition.rank_passes", rank=rank, changes=changes)
        case OthersPassToo():
            return filled("condition.others_pass_too", root=root, changes=changes)
    return changes


def _listed(parts: list[Text]) -> Text:
    """Several things of a kind: ``a``, ``a and b``, ``a, b and c``."""
    if len(parts) == 1:
        return parts[0]
    return filled("condition.listed", before=joined("site.comma", parts[:-1]), last=parts[-1])


def _change(condition: Condition) -> Text:
    """What a condition says beside who passes it."""
    match condition:
        case Passes(name=name, who=who, change=change):
            return _passed_text(name, change, unlike_others=isinstance(who, int))
        case OthersPassToo(name=name):
            return _argument(name)
        case Disagree():
            return _disagreement_text(condition)
        case Callers():
            return _callers_text(condition)
        case Without(name=name):
            return filled("condition.argument_left_out", name=name)
        case With(name=name, code=code):
            return filled("passed.code", name=name, code=code)
        case OwnGroup(name=name, by_name=True):
            return filled("condition.group_by_name", name=name)
        case OwnGroup(name=name, ranks=[], timeout=float(seconds)):
            return filled("condition.group_with_timeout", name=name, seconds=f"{seconds:g}")
        case OwnGroup(ranks=[_, *_] as ranks):
            return filled("condition.group_of", ranks=_numbers(ranks))
        case OwnGroup(name=name):
            return filled("condition.group_given", name=name)
        case Executed(lines=lines):
            return filled(
                "condition.executed", lines=_listed([filled("condition.value", value=line) for line in lines])
            )
        case Started(variable=variable, value=value):
            return filled("condition.started", variable=variable, value=value)
        case Switched(value=value):
            return filled("condition.switched", value=str(value))
        case WorldSizes(sizes=sizes):
            return filled("condition.world_sizes", sizes=_any_of(sizes))
        case Happens(situation=situation):
            return filled(f"condition.situation.{situation.value}")
    raise TypeError(f"no words for {type(condition).__name__}")


def _passed_text(name: str, change: ArgumentChange, *, unlike_others: bool) -> Text:
    kind, detail = change.change, change.detail
    match kind:
        case Change.CODE:
            return filled("passed.code", name=name, code=detail)
        case Change.DTYPE | Change.DTYPE_OF_ELEMENTS:
            return filled(f"passed.{kind.value}", name=name, dtype=detail)
        case Change.VIEW | Change.VIEW_OF_ELEMENTS:
            return filled(f"passed.{kind.value}", argument=_argument(name), layout=filled(f"layout.{detail}"))
        case Change.LENGTH:
            return filled("passed.length", argument=_argument(name), length=detail)
        case Change.SHAPE | Change.SHAPE_OF_ELEMENTS if unlike_others:
            return filled(
                f"passed_unlike_others.{kind.value}", argument=_argument(name), shape=detail, usual=change.usual
            )
        case Change.SHAPE | Change.SHAPE_OF_ELEMENTS:
            return filled(f"passed.{kind.value}", argument=_argument(name), shape=detail)
        case Change.MIXED_DTYPES:
            return filled("passed.mixed_dtypes", argument=_argument(name), dtypes=detail)
        case Change.TENSOR | Change.TENSORS:
            return filled(f"passed.{kind.value}", name=name, shape=detail)
        case Change.UNEQUAL_SHAPES:
            return filled("passed.unequal_shapes", argument=_argument(name), shapes=detail)
    return filled(f"passed.{kind.value}", name=name, argument=_argument(name))


def _disagreement_text(condition: Disagree) -> Text:
    if not condition.values:
        return filled("condition.own_values", argument=_argument(condition.name))
    if len(set(condition.values)) == 1 and not condition.in_shape:
        code = filled("passed.code", name=condition.name, code=condition.values[0])
        return filled("condition.some_pass", ranks=_ranks_text(condition.ranks), code=code)
    key = "condition.unlike_shapes" if condition.in_shape else "condition.unlike"
    values = _listed([filled("condition.value", value=value) for value in condition.values])
    return filled(key, ranks=_ranks_text(condition.ranks), name=condition.name, values=values)


def _argument(name: str) -> Text:
    """The argument ``name``, in English with the article that fits it."""
    return filled("condition.an_argument" if name[0] in "aeiou" else "condition.an_argument_consonant", name=name)


def _callers_text(condition: Callers) -> Text:
    ranks, partners = condition.ranks, condition.partners
    if condition.partner is None:
        return filled("condition.only_one" if len(ranks) == 1 else "condition.only_some", ranks=_ranks_text(ranks))
    calls = "condition.one_calls" if len(partners) == 1 else "condition.some_call"
    answer = filled(calls, ranks=_ranks_text(partners), api=condition.partner)
    if not ranks:
        return filled("condition.while", answer=answer)
    makes = "condition.one_makes_the_call" if len(ranks) == 1 else "condition.some_make_the_call"
    return filled(makes, ranks=_ranks_text(ranks), answer=answer)


def _ranks_text(ranks: Sequence[int]) -> Text:
    """The numbers of ranks: ``rank 0``, ``ranks 0, 1 and 2``."""
    if len(ranks) == 1:
        return filled("condition.rank", rank=ranks[0])
    return filled("condition.ranks", ranks=_numbers(ranks[:-1]), last=ranks[-1])


def _any_of(sizes: Sequence[int]) -> Text:
    """``3``, ``3 or 4``, ``2, 3 or 4``."""
    first = joined("site.comma", map(str, sizes[:-1]))
    return joined("condition.or_number", [first, str(sizes[-1])] if len(sizes) > 1 else [str(sizes[0])])


def _numbers(ranks: Sequence[int]) -> Text:
    return joined("site.comma", map(str, ranks))
