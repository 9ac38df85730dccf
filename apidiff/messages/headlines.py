"""Writes the headline of a difference: the fact in at most ten words, made from the claims it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from apidiff.derive.argument_changes import Change
from apidiff.derive.condition_check import Told
from apidiff.derive.plain_call_conditions import SampleCondition
from apidiff.derive.probe_conditions import (
    Callers,
    Condition,
    Disagree,
    Either,
    Happens,
    OthersPassToo,
    OwnGroup,
    Passes,
    Switched,
    With,
    Without,
    conditions,
)
from apidiff.derive.reach import Cited, newest_outcomes, newest_rows
from apidiff.derive.verdicts_by_run import deciding
from apidiff.messages.labels import LABELS, capitalised, filled, joined, spaced
from apidiff.model.agreement import Facet
from apidiff.model.base import Text
from apidiff.model.claim import ClaimKind, RankSet
from apidiff.model.mapping import Difference
from apidiff.model.verdict import Evidence, EvidenceCode, Outcome
from apidiff.model.views import ParameterEntry
from apidiff.model.vocabulary import DifferenceKind, Relation

_WORDS, _LONGEST, _CHARACTERS = 10, 90, 40  # of a headline: English words and characters, Chinese characters
_LONGEST_CODE = 32
_STATE = "state."  # begins the slots of what an object holds: weights that an optimiser steps, running means
_LONGEST_VALUE = 20
_NAMED = re.compile(r"`|[A-Z]\S*[A-Z0-9]|PyTorch|MindSpore|Ascend")  # first words that keep their capital
_ITEM = re.compile(r"return\[(\d+)\]")
UNKNOWN_GROUP = "'nowhere'"  # the name of no group, in probes
SUBJECTS = {
    Change.EMPTY: "empty",
    Change.EMPTY_ELEMENTS: "empty",
    Change.EMPTY_LIST: "empty_list",
    Change.STRIDED: "strided",
    Change.STRIDED_ELEMENTS: "strided",
    Change.VIEW: "strided",
    Change.VIEW_OF_ELEMENTS: "strided",
    Change.UNEQUAL_SHAPES: "uneven",
    Change.MIXED_DTYPES: "mixed",
    Change.LENGTH: "length",
    Change.SHAPE: "shape",
    Change.SHAPE_OF_ELEMENTS: "shape",
}
# What ranks disagree in where one of them passes something else.
MISMATCHES = {
    **dict.fromkeys((Change.SHAPE, Change.SHAPE_OF_ELEMENTS, Change.UNEQUAL_SHAPES), "uneven_ranks"),
    **dict.fromkeys((Change.DTYPE, Change.DTYPE_OF_ELEMENTS, Change.MIXED_DTYPES), "mixed_ranks"),
}
# What documents alone say of results where the target has no kernel; that it has none is a difference of its own.
_UNSEEN = {
    DifferenceKind.IN_PLACE,
    DifferenceKind.RETURN_VALUE,
    DifferenceKind.RESULT_LAYOUT,
    DifferenceKind.DOCUMENTATION,
}
# How a call ends, the worst first.
EFFECTS = ("crash", "timeout", "unsupported", "raise", "error", "other_result", "silent", "works")


def difference_headline(difference: Difference, cited: Sequence[Cited]) -> Text:
    """The headline that a person gave, or one made of what runs show of the target, or of the source where none is cited."""
    if difference.headline:
        return difference.headline
    source = [cited_claim for cited_claim in cited if cited_claim.entry.side == "source"]
    target = [cited_claim for cited_claim in cited if cited_claim.entry.side == "target"]
    if difference.kind is DifferenceKind.BACKEND_SUPPORT and target:
        effect = _worst(target)
        return spaced(filled(f"headline.device.{effect}", devices=_shown_on(target, effect)))
    if named := _of_signatures(target):
        return named
    if difference.kind is DifferenceKind.CALL_STYLE:
        return filled("headline.call_style")
    if told := _of_results(source, target):
        return told
    shown = target or source
    effect = _worst(shown)
    if target and difference.kind is DifferenceKind.RESULT_LAYOUT and effect == "works":
        return filled("headline.result_layout")
    if difference.kind is DifferenceKind.DOCUMENTATION and effect in {"other_result", "silent"}:
        effect = "undocumented"
    if effect == "raise" and "silent" in _effects(shown):
        effect = "sometimes"
    if effect == "unsupported" and target and difference.kind in _UNSEEN and not _odd_subject(shown):
        return filled(f"headline.unseen.{difference.kind.value}")
    if effect == "unsupported" and not _odd_subject(shown):
        return spaced(filled("headline.device.unsupported", devices=_shown_on(shown, effect)))
    text = filled(f"headline.effect.{effect}", subject=_subject(shown), devices=_shown_on(shown, effect))
    return spaced(text if target else filled("headline.in_torch", text=text))


def row_headline(row: ParameterEntry, what: str) -> Text:
    """The headline that a person gave, or one made of the first relation that says something."""
    if row.headline:
        return row.headline
    source, target = row.source or "", row.target or row.source or ""
    if row.note and list(row.relations) == [Relation.MEANING_DIFFERS.value] and (said := note_split(row.note)[0]):
        return spaced(filled("headline.parameter.meaning", target=target, said=said))
    order = [Relation.ONLY_IN_SOURCE, Relation.ONLY_IN_TARGET, Relation.RENAMED, Relation.MEANING_DIFFERS]
    order += [Relation.DEFAULT_DIFFERS, Relation.TYPE_DIFFERS]
    relation = next((relation for relation in order if relation.value in row.relations), Relation.TYPE_DIFFERS)
    defaults = row.source_default, row.target_default
    fact = relation.value
    if Relation.DEFAULT_DIFFERS.value in row.relations and defaults[1] is None:
        fact = "required"
    elif relation is Relation.DEFAULT_DIFFERS and defaults[0] is None:
        fact = "optional"
    names = {"source": source, "target": target, "before": defaults[0] or "", "after": defaults[1] or ""}
    if what == "member":
        return spaced(filled(f"headline.member.{fact}", **names))
    return spaced(filled(f"headline.parameter.{fact}", **names))


def left_of_note(row: ParameterEntry) -> Text | None:
    """What a row's note says beyond its headline."""
    if row.note is None or row.headline or list(row.relations) != [Relation.MEANING_DIFFERS.value]:
        return row.note
    return note_split(row.note)[1]


def note_split(note: Text) -> tuple[Text | None, Text | None]:
    """The first sentence of a note on what a parameter means, as a headline has it, and what is left of the note.

    The first is None where it is too long, in either language.
    """
    heads, rests = [], []
    for text, end in ((note.en, ". "), (note.zh, "。")):
        head, stop, rest = text.partition(end)
        heads.append(head.rstrip(".。；"))
        rests.append(rest.strip() if stop else "")
    if ":" in heads[0] or len(heads[0].split()) > _WORDS - 1 or len(heads[0]) > _LONGEST:
        return None, note
    if len(heads[1]) > _CHARACTERS or bool(rests[0]) != bool(rests[1]):
        return None, note
    said = Text(en=heads[0] if _NAMED.match(heads[0]) else heads[0][:1].lower() + heads[0][1:], zh=heads[1])
    return said, Text(en=rests[0], zh=rests[1]) if rests[0] else None


def lacking_headline(kind: str, names: Sequence[str]) -> Text:
    """That parameters, or members, are not there."""
    return spaced(filled(f"headline.lacking.{kind}", names=joined("site.comma", [f"`{name}`" for name in names])))


def sample_fact(fact: Evidence, *, alike: bool = False) -> Text:
    """What ``fact`` says the target does with a sample, as a part of a headline.

    ``alike``: whether all samples that differ so have the same on each side, so that it can be named.
    """
    values = fact.values
    if alike and fact.code is EvidenceCode.SIDES_DIFFER and (named := _sides_named(fact)) is not None:
        return named
    if alike and fact.code is EvidenceCode.ERRORS_DIFFER:
        source, target = (values[side].partition(":")[0] for side in ("source", "target"))
        if source != target and max(len(source), len(target)) <= _LONGEST_VALUE and " " not in source + target:
            return filled("headline.sample.raises", source=source, target=target)
    if fact.code is EvidenceCode.SHARING_DIFFERS and another_object(fact):
        return filled("headline.another_object", argument=values["other"])
    if fact.code is EvidenceCode.SHARING_DIFFERS:
        return filled(f"headline.sharing.{values['target']}", argument=values["other"])
    if is_plain_tuple(fact):
        return filled("headline.sample.plain_tuple")
    argument = (values.get("slots") or values.get("slot") or "").partition(", ")[0].removeprefix(_STATE)
    return filled(f"headline.sample.{fact.code.value}", argument=argument)


def _sides_named(fact: Evidence) -> Text | None:
    """What is returned instead of what, a dtype or a plain value; of a shape only that it is another one."""
    slot, source, target = (fact.values[key] for key in ("slot", "source", "target"))
    if slot == "return" and _of_shapes(fact):
        return filled("headline.sample.shapes_differ")
    if max(len(source), len(target)) > _LONGEST_VALUE or " " in source + target:
        return None
    if slot == "return":
        return filled("headline.sample.returns", source=source, target=target)
    if (item := _ITEM.fullmatch(slot)) is not None:
        return filled("headline.sample.returns_item", item=item[1], source=source, target=target)
    return None


def _of_shapes(fact: Evidence) -> bool:
    """Whether what differs are shapes, ``(2, 3)``."""
    return all(fact.values.get(side, "").startswith("(") for side in ("source", "target"))


_OF_VALUES = {EvidenceCode.SIDES_DIFFER, EvidenceCode.VALUES_DIFFER}


def refused_argument_headline(fact: Evidence) -> Text | None:
    """What the target's signature refuses, which it does whatever else a call is like; None where it is something else."""
    values = fact.values
    if fact.code is not EvidenceCode.TARGET_REFUSES:
        return None
    if (name := values.get("keyword")) is not None:
        return _lacking("headline.lacking.parameter", [name])
    if (name := values.get("missing")) is not None:
        return spaced(filled("headline.parameter.required", target=name))
    return filled("headline.fewer_positional") if "positional" in values else None


def most_apart(facts: Iterable[Evidence]) -> Evidence:
    """The fact whose values are furthest apart, those that tell no per cent before all; the first where one is not of values."""
    listed = list(facts)
    if any(fact.code is not EvidenceCode.VALUES_DIFFER for fact in listed):
        return listed[0]
    return max(listed, key=lambda fact: float(fact.values.get("percent", "inf")))


def facet_fact(fact: Evidence, facet: Facet | None, *, alike: bool = False) -> Text:
    """What ``fact`` says of ``facet``. Of gradients, dtypes and shapes the evidence alone does not say that it is of these."""
    if facet in {Facet.GRADIENT, Facet.VALUE} and (percent := fact.values.get("percent")) is not None:
        near = "headline.near.gradient" if facet is Facet.GRADIENT else "headline.near.value"
        return filled(near, percent=percent)
    if facet is Facet.GRADIENT and fact.code in _OF_VALUES:
        return filled("headline.facet.gradient_shape" if _of_shapes(fact) else "headline.facet.gradient")
    if facet is Facet.GRADIENT and fact.code is EvidenceCode.NOT_CALLED:
        differentiable = fact.values["side"] == "PyTorch"
        return filled(f"headline.facet.{'differentiable' if differentiable else 'not_differentiable'}")
    if facet in {Facet.DTYPE, Facet.SHAPE} and fact.code in _OF_VALUES and not (alike and _sides_named(fact)):
        return filled(f"headline.facet.{facet.value}")
    return sample_fact(fact, alike=alike)


_ON_CONDITIONS = {
    Told.RULE: ("headline.on_condition",),
    Told.SEEN: ("headline.seen_with", "headline.seen_short"),
    Told.SOME_INPUTS: ("headline.some_with", "headline.some_short"),
}


def sample_headline(
    fact: Evidence,
    device: str,
    *,
    everywhere: bool,
    when: Sequence[SampleCondition] = (),
    told: Told = Told.RULE,
    call: str = "",
    alike: bool = False,
    facet: Facet | None = None,
) -> Text:
    """What ``fact`` says of samples on ``device``. ``everywhere``: whether all samples show it.

    Where some do, ``when`` they do is told, or a ``call`` that does, as far as a headline has room. ``told``: what ``when``
    is worth. ``alike``: see `sample_fact`. ``facet``: the one that differs.
    """
    if (refused := refused_argument_headline(fact)) is not None:
        return refused
    text = facet_fact(fact, facet, alike=alike)
    if everywhere:
        return spaced(filled("headline.on_all", devices=on_devices([device]), text=text))
    devices = LABELS[f"device.{device}"]
    keys = _ON_CONDITIONS[told] if when else ()
    ways = [filled(key, devices=devices, when=condition_words(when), text=text) for key in keys]
    ways += [filled("headline.some_short", when=condition_words(when[:2]), text=text)] if len(when) > 2 else []
    ways += [filled("headline.on_call", devices=devices, call=call, text=text)] if call and "\n" not in call else []
    short = (spaced(headline) for headline in ways)
    return next(
        (capitalised(headline) for headline in short if is_short(headline)),
        spaced(filled("headline.on_some", devices=devices, text=text)),
    )


def is_short(headline: Text) -> bool:
    """Whether a line has room for it in both languages. In Chinese a piece of code counts for less than its characters."""
    room = _CHARACTERS + 12 * headline.zh.count("`")
    return len(headline.en.split()) <= _WORDS and len(headline.en) <= _LONGEST and len(headline.zh) <= room


def condition_words(conditions: Iterable[SampleCondition]) -> Text:
    """The conditions that a call meets one of: "bool, bfloat16 or a tuple as `dim`"."""
    words = [
        filled(f"headline.when.{one.property.value}", argument=one.argument, value=one.value) for one in conditions
    ]
    return joined("headline.when.or", [*([joined("site.comma", words[:-1])] if words[:-1] else []), *words[-1:]])


def is_plain_tuple(fact: Evidence) -> bool:
    """Whether the target returns the items of a named tuple in one without names: ``sort(Tensor, Tensor)``."""
    if fact.code is not EvidenceCode.STRUCTURES_DIFFER:
        return False
    name, opened, items = fact.values["source"].partition("(")
    return bool(name and opened) and fact.values["target"] == opened + items


def another_object(fact: Evidence) -> bool:
    """Whether both sides return the memory of an argument, one of them as the argument itself."""
    return {fact.values["source"], fact.values["target"]} == {"object", "storage"}


def on_devices(devices: Iterable[str]) -> Text:
    """Devices as part of a sentence, each once: the CPU, Ascend."""
    return joined("site.comma", [LABELS[f"on_device.{device}"] for device in dict.fromkeys(devices)])


def _of_signatures(target: Sequence[Cited]) -> Text | None:
    """That parameters or members are not there, or what one defaults to."""
    lacking = [cited_claim.claim.lacks.parameter for cited_claim in target if cited_claim.claim.lacks]
    if lacking and not any(cited_claim.claim.probes for cited_claim in target):
        return _lacking("headline.lacking.parameter", lacking)
    members = [cited_claim.claim.lacks_member.name for cited_claim in target if cited_claim.claim.lacks_member]
    if members:
        return _lacking("headline.lacking.member", members)
    told = [
        cited_claim.claim.parameter
        for cited_claim in target
        if cited_claim.claim.parameter and cited_claim.claim.parameter.default is not None
    ]
    if told and all(cited_claim.claim.kind is ClaimKind.PARAMETER for cited_claim in target):
        return spaced(filled("headline.parameter.default", source=told[0].name, after=told[0].default or ""))
    return None


def _lacking(key: str, names: Sequence[str]) -> Text:
    return spaced(filled(key, names=joined("site.comma", [f"`{name}`" for name in names[:4]])))


def _of_results(source: Sequence[Cited], target: Sequence[Cited]) -> Text | None:
    """What is returned instead of what, or that a result is returned and not written."""
    returned = {
        cited_claim.entry.side: cited_claim.claim.returns.structure
        for cited_claim in (*target, *source)
        if cited_claim.claim.returns
    }
    written = next((cited_claim.claim.writes.argument for cited_claim in source if cited_claim.claim.writes), None)
    kept = any(cited_claim.claim.keeps or cited_claim.claim.returns for cited_claim in target)
    if written and kept:
        return spaced(filled("headline.result_returned", argument=written))
    if len(returned) == 2 and returned["source"] != returned["target"]:
        return spaced(filled("headline.returns", source=returned["source"], target=returned["target"]))
    equal = next((cited_claim.claim.equals for cited_claim in target if cited_claim.claim.equals), None)
    if equal is not None and _worst(target) == "works":
        return spaced(filled("headline.equals", subject=_subject(target), value=equal.written))
    return None


def _effects(shown: Sequence[Cited]) -> set[str]:
    return {
        _effect(cited_claim, outcome)
        for cited_claim in shown
        for outcome in newest_outcomes(cited_claim.entry) or {"not run"}
    }


def _worst(shown: Sequence[Cited]) -> str:
    effects = _effects(shown)
    return next((effect for effect in EFFECTS if effect in effects), "unknown")


def _shown_on(shown: Sequence[Cited], effect: str) -> Text:
    """The devices on which the newest version that was run showed ``effect``."""
    rows = [(cited_claim, row) for cited_claim in shown for row in newest_rows(cited_claim.entry)]
    return on_devices(row.device for cited_claim, row in rows if _effect(cited_claim, row.outcome) == effect)


def _effect(cited_claim: Cited, outcome: str) -> str:
    kind = cited_claim.claim.kind
    if outcome in {"timeout", "crash", "unsupported", "error"}:
        return outcome
    if outcome == "holds":
        return "raise" if kind is ClaimKind.RAISES else "works"
    if outcome == "refuted":
        if kind is ClaimKind.COMPLETES:
            return "raise"
        if kind is ClaimKind.RAISES:
            return "raise" if _raised_otherwise(cited_claim) else "silent"
        return "other_result"
    return "unknown"


def _raised_otherwise(cited_claim: Cited) -> bool:
    """Whether what refutes that an exception is raised is another exception."""
    refuted = [seen for seen in deciding(cited_claim.entry) if seen.outcome is Outcome.REFUTED]
    return any(fact.code is EvidenceCode.RAISED for seen in refuted for fact in seen.facts)


def _odd_subject(shown: Sequence[Cited]) -> bool:
    """Whether a headline would speak of tensors of some form, and not of calls as such."""
    told = [condition for cited_claim in shown for condition in conditions(cited_claim.claim, cited_claim.api)]
    return any(isinstance(condition, Passes | Disagree) for condition in told)


def _subject(shown: Sequence[Cited]) -> Text:
    """Whose calls, or which calls, a headline speaks of."""
    if any(getattr(cited_claim.claim.body, "ranks", None) is RankSet.OUTSIDERS for cited_claim in shown):
        return filled("headline.subject.outsiders")
    for cited_claim in shown:
        for condition in conditions(cited_claim.claim, cited_claim.api):
            if (subject := _of_condition(condition)) is not None:
                return subject
    return filled("headline.subject.calls")


def _of_condition(condition: Condition) -> Text | None:
    match condition:
        case Passes(who=who, change=change):
            if isinstance(who, int):
                return filled(f"headline.subject.{MISMATCHES.get(change.change, 'mismatched')}")
            if change.change in SUBJECTS:
                return filled(f"headline.subject.{SUBJECTS[change.change]}")
            if change.change in {Change.DTYPE, Change.DTYPE_OF_ELEMENTS} and change.detail:
                return filled("headline.subject.dtype", dtype=change.detail)
            return filled("headline.subject.unusual")
        case Disagree(in_shape=True):
            return filled("headline.subject.uneven_ranks")
        case OthersPassToo(name=name):
            return filled("headline.subject.others", name=name)
        case Callers(partner=None):
            return filled("headline.subject.missing")
        case Without(name=name):
            return filled("headline.subject.without", name=name)
        case With(name=name, code=code):
            if name == "group" and code == UNKNOWN_GROUP:
                return filled("headline.subject.unknown_group")
            short = f"{name}={code}"
            if len(short) > _LONGEST_CODE or " " in short:
                return filled("headline.subject.some", name=name)
            return filled("headline.subject.with", code=short)
        case OwnGroup(by_name=True):
            return filled("headline.subject.group_name")
        case Switched():
            return filled("headline.subject.switched")
        case Happens():
            return filled(f"headline.subject.{condition.situation.value}")
        case Either(branches=branches):
            return next((text for part in branches[0] if (text := _of_condition(part))), None)
    return None
