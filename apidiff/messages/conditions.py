"""Says under which conditions a claim's probes observe it, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from apidiff.derive.conditions import (
    Callers,
    Change,
    Condition,
    Disagree,
    OthersPassToo,
    OwnGroup,
    Passes,
    Switched,
    With,
    Without,
)
from apidiff.messages.labels import filled, joined
from apidiff.model.base import Text


def conditions_text(conditions: Sequence[Condition], root: str) -> Text | None:
    """The conditions as the beginning of a sentence, None where there is none; ``root``: the parameter of the root rank.

    What the same ranks pass is said once: ``for an empty `a` and an empty `b```.
    """
    groups = [list(group) for _, group in groupby(conditions, key=_who)]
    if not groups:
        return None
    text = _group_text(groups[0], root)
    for number, (before, group) in enumerate(pairwise(groups), start=2):
        if _ends_with_number(before[-1]):
            key = "condition.last_after_number" if number == len(groups) else "condition.next_after_number"
        else:
            key = "condition.last" if number == len(groups) else "condition.next"
        text = filled(key, before=text, condition=_group_text(group, root))
    return filled("condition.after" if isinstance(conditions[-1], Switched) else "condition.when", conditions=text)


def _who(condition: Condition) -> object:
    """What conditions share that are told in one: who passes something; nothing else is told with another."""
    match condition:
        case Passes(who=who):
            return Passes, who
        case Disagree() | OthersPassToo():
            return type(condition)
    return condition


def _ends_with_number(condition: Condition) -> bool:
    """Whether "and" behind the English words of a condition could be read as part of it: ``ranks 0, 1 and …``."""
    match condition:
        case Callers(partner=str()) | OwnGroup(ranks=[_, *_], by_name=False):
            return True
        case Passes(change=change):
            return change in {Change.DTYPE, Change.DTYPE_OF_ELEMENTS, Change.LENGTH}
    return False


def _group_text(group: list[Condition], root: str) -> Text:
    """One condition, or several of the same ranks as one."""
    changes = _change(group[0])
    for before, condition in pairwise(group):
        key = "condition.change_after_number" if _ends_with_number(before) else "condition.change"
        changes = filled(key, before=changes, change=_change(condition))
    match group[0]:
        case Passes(who="everyone"):
            return filled("condition.everyone_passes", changes=changes)
        case Passes(who="others"):
            return filled("condition.others_pass", root=root, changes=changes)
        case Passes(who=rank):
            return filled("condition.rank_passes", rank=rank, changes=changes)
        case OthersPassToo():
            return filled("condition.others_pass_too", root=root, changes=changes)
        case Disagree():
            return filled("condition.ranks_pass", changes=changes)
    return changes


def _change(condition: Condition) -> Text:
    """What a condition says beside who passes it."""
    match condition:
        case Passes(name=name, change=change, detail=detail):
            return _passed_text(name, change, detail)
        case OthersPassToo(name=name):
            return _argument(name)
        case Disagree(name=name, in_shape=in_shape):
            return filled("condition.unlike_shapes" if in_shape else "condition.unlike", name=name)
        case Callers():
            return _callers_text(condition)
        case Without(name=name):
            return filled("condition.without", name=name)
        case With(name=name, code=code):
            return filled("condition.with", name=name, code=code)
        case OwnGroup(name=name, by_name=True):
            return filled("condition.group_by_name", name=name)
        case OwnGroup(ranks=[_, *_] as ranks):
            return filled("condition.group_of", ranks=joined("site.comma", map(str, ranks)))
        case OwnGroup(name=name):
            return filled("condition.group_given", name=name)
        case Switched(value=value):
            return filled("condition.switched", value=str(value))


def _passed_text(name: str, change: Change, detail: str) -> Text:
    match change:
        case Change.CODE:
            return filled("passed.code", name=name, code=detail)
        case Change.DTYPE | Change.DTYPE_OF_ELEMENTS:
            return filled(f"passed.{change.value}", name=name, dtype=detail)
        case Change.LENGTH:
            return filled("passed.length", argument=_argument(name), length=detail)
        case (
            Change.EMPTY_LIST
            | Change.OTHER_FORM
            | Change.TENSORS
            | Change.EMPTY
            | Change.STRIDED
            | Change.STRIDED_ELEMENTS
        ):
            return filled(f"passed.{change.value}", name=name)
    return filled(f"passed.{change.value}", argument=_argument(name))


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
    return filled("condition.ranks", ranks=joined("site.comma", map(str, ranks[:-1])), last=ranks[-1])
