"""Says of a call, by what is written in it, whether a condition of a difference holds: it does, it cannot, or nobody can tell.

The conditions are data (`apidiff.model.condition.Condition`), and so is a call: what it passes for each parameter of the source,
written as in `apidiff.model.call_facts.Form`. Whoever looks at code decides with `standing` or `standing_of_any`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from apidiff.derive.argument_changes import Change
from apidiff.derive.plain_call_conditions import Property, SampleCondition
from apidiff.derive.probe_conditions import Condition as ClaimCondition
from apidiff.derive.probe_conditions import Either, OwnGroup, Passes, With, Without, conditions
from apidiff.derive.sample_conditions import Atom, Description, Trait
from apidiff.model.claim import Claim
from apidiff.model.condition import Condition
from apidiff.model.literals import literal
from apidiff.model.mapping import Api

ON_SOME_INPUTS = Condition(test="input", name="")
"""That a difference is met on some inputs, and nothing is known that tells on which."""

_UNKNOWN, _TENSOR, _LITERAL, _NAMED = "?", "tensor", "=", ":"
_SEQUENCES = {"tuple", "list", "several"}
_DEFAULTS = {"False", "None", "0"}  # what a parameter that is left out may be
_OF_TRAITS = {
    Trait.ARGUMENT: "passed",
    Trait.VALUE: "is",
    Trait.TUPLE: "sequence",
    Trait.NEGATIVE: "negative",
    Trait.NUMBER: "number",
    Trait.TENSOR: "tensor",
    Trait.ZERO: "is",
}
_OF_PROPERTIES = {
    Property.TUPLE: "sequence",
    Property.LIST: "sequence",
    Property.NUMBER: "number",
    Property.TENSOR: "tensor",
    Property.VALUE: "is",
    Property.GIVEN: "passed",
    Property.LEFT_OUT: "omitted",
}


class Standing(Enum):
    """What the text of a call says of a condition."""

    HOLDS = "holds"
    CANNOT_HOLD = "cannot hold"
    UNKNOWN = "unknown"


def standing_of_any(
    alternatives: Sequence[Sequence[Condition]], call: Mapping[str, str], *, known: frozenset[str], more: bool
) -> Standing:
    """Say whether one of several ``alternatives`` holds of a call, each of conditions that all have to hold.

    Without alternatives it holds of any call. The rest is as of `standing`.
    """
    if not alternatives:
        return Standing.HOLDS
    return _any(
        _all(standing(condition, call, known=known, more=more) for condition in branch) for branch in alternatives
    )


def standing(condition: Condition, call: Mapping[str, str], *, known: frozenset[str], more: bool) -> Standing:
    """Say whether ``condition`` holds of a call.

    Args:
        condition: what is asked of one parameter, or of the tensors, of which no text tells.
        call: what the call passes, by parameter of the source: ``=`` and a Python literal, ``:`` and the full name of an API,
            ``tensor``, ``tuple``, ``list``, ``several`` for arguments given one by one, or ``?`` where nobody knows,
            with what its name says of it: ``?device``.
        known: the parameters of the source; of others the text of a call tells nothing.
        more: whether the call may pass what is not written: ``**options``.

    Returns:
        Whether it holds. CANNOT_HOLD is certain; where a value comes from elsewhere it is UNKNOWN.
    """
    if condition.test == "input" or condition.name not in known:
        return Standing.UNKNOWN
    passed = call.get(condition.name)
    if condition.test == "omitted":
        if passed is None:
            return Standing.UNKNOWN if more else Standing.HOLDS
        return Standing.UNKNOWN if passed.startswith(_UNKNOWN) else Standing.CANNOT_HOLD
    if passed is None:
        default = condition.test == "is" and condition.code in _DEFAULTS
        return Standing.UNKNOWN if more or default else Standing.CANNOT_HOLD
    if condition.test == "passed":
        return Standing.HOLDS
    if passed.startswith(_UNKNOWN):
        return Standing.UNKNOWN
    return _is(passed, condition.code) if condition.test == "is" else _is_kind(passed, condition.test)


def _is(passed: str, code: str) -> Standing:
    """Whether an argument is what ``code`` says: a literal, or the name of a dtype or another API."""
    is_name = code.replace(".", "").isidentifier()
    if passed.startswith(_NAMED):
        return _certain(passed.endswith(f".{code.rpartition('.')[2]}")) if is_name else Standing.UNKNOWN
    if not passed.startswith(_LITERAL):
        return Standing.UNKNOWN
    try:
        return _certain(bool(literal(passed[1:]) == literal(code)))
    except ValueError:
        return Standing.CANNOT_HOLD if is_name and "." in code else Standing.UNKNOWN  # an expression may have any value


def _is_kind(passed: str, kind: str) -> Standing:
    """Whether an argument is of a kind: ``sequence``, ``number``, ``negative`` (a number) or ``tensor``."""
    if passed.startswith(_LITERAL):
        try:
            value = literal(passed[1:])
        except ValueError:
            return Standing.UNKNOWN
        is_number = isinstance(value, int | float | complex) and not isinstance(value, bool)
        is_negative = isinstance(value, int | float) and is_number and value < 0
        kinds = {"sequence": isinstance(value, tuple | list), "number": is_number, "negative": is_negative}
        return _certain(kinds.get(kind, False))
    if passed.startswith(_NAMED):
        return Standing.CANNOT_HOLD
    return _certain((kind == "sequence" and passed in _SEQUENCES) or (kind == "tensor" and passed == _TENSOR))


def _certain(holds: bool) -> Standing:
    return Standing.HOLDS if holds else Standing.CANNOT_HOLD


def _all(standings: Iterable[Standing]) -> Standing:
    found = set(standings)
    if Standing.CANNOT_HOLD in found:
        return Standing.CANNOT_HOLD
    return Standing.UNKNOWN if Standing.UNKNOWN in found else Standing.HOLDS


def _any(standings: Iterable[Standing]) -> Standing:
    found = set(standings)
    if Standing.HOLDS in found:
        return Standing.HOLDS
    return Standing.UNKNOWN if Standing.UNKNOWN in found else Standing.CANNOT_HOLD


def of_description(description: Description, *, certain: bool = True) -> list[list[Condition]]:
    """Write a description of samples as conditions of calls: alternatives; none where it is of all samples.

    What no text of a call tells, say that an input is empty, is a condition too, so that the whole is not taken for certain.
    Where it is not ``certain``, any other call may be one of some inputs too.
    """
    if any(not part for part in description):
        return []
    told = [[_of_atom(atom) for atom in part] for part in description]
    return told if told and certain else [*told, [ON_SOME_INPUTS]]


def _of_atom(atom: Atom) -> Condition:
    if (test := _OF_TRAITS.get(atom.trait)) is not None:
        return Condition(test=test, name=atom.parameter, code=atom.values[0] if test == "is" else "")
    told = " ".join(atom.values)
    return Condition(test="input", name="", code=f"{atom.trait.value} {told}".rstrip())


def of_sample_conditions(
    found: Sequence[SampleCondition], *, everywhere: bool, certain: bool = True
) -> list[list[Condition]]:
    """Write what samples that differ have in common as conditions of calls. ``everywhere``: all samples differ.

    Where it is not ``certain``, any other call may be one of some inputs too.
    """
    if everywhere:
        return []
    told = [[_of_property(condition)] for condition in found]
    return told if told and certain else [*told, [ON_SOME_INPUTS]]


def _of_property(condition: SampleCondition) -> Condition:
    if (test := _OF_PROPERTIES.get(condition.property)) is not None:
        return Condition(test=test, name=condition.argument, code=condition.value if test == "is" else "")
    return Condition(test="input", name="", code=f"{condition.property.value} {condition.value}".rstrip())


def of_claims(cited: Sequence[tuple[Claim, Api]], side: Api, names: Mapping[str, str]) -> list[list[Condition]]:
    """Write what a call must be like to be one that the claims about ``side`` are about; nothing where any call is.

    ``names``: parameter of the target → that of the source.
    """
    every: list[list[Condition]] = []
    for claim, api in cited:
        if api is not side:
            continue
        for branch in _branches(conditions(claim, api)):
            told = [condition for part in branch if (condition := _of_claim_condition(part)) is not None]
            if side.name.startswith("mindspore."):
                told = [Condition(test=one.test, name=names.get(one.name, one.name), code=one.code) for one in told]
            if not told:
                return []
            if told not in every:
                every.append(told)
    return every


def _branches(found: Sequence[ClaimCondition]) -> list[list[ClaimCondition]]:
    shared: list[ClaimCondition] = [condition for condition in found if not isinstance(condition, Either)]
    either = [branch for condition in found if isinstance(condition, Either) for branch in condition.branches]
    return [[*shared, *branch] for branch in either] or [shared]


def _of_claim_condition(condition: ClaimCondition) -> Condition | None:
    """What of a condition the text of a call can tell."""
    match condition:
        case With(name=name, code=code):
            return Condition(test="is", name=name, code=code)
        case Without(name=name):
            return Condition(test="omitted", name=name)
        case OwnGroup(name=name):
            return Condition(test="passed", name=name)
        case Passes(name=name, change=change) if change.change is Change.CODE:
            return Condition(test="is", name=name, code=change.detail)
    return None
