"""Rules: how a call of the source is written with the target."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec

from apidiff.model import literals
from apidiff.model.base import DottedName, NonEmpty, Record, Slug, Text
from apidiff.model.sample import Arguments, SampleArgument, SampleCall, SampleForm

PLACE = re.compile(r"\{(\w+)\}")
"""The place of a source's argument in what a rule writes."""


class Rule(Record, frozen=True, kw_only=True):
    """How a call is rewritten.

    ``keywords``: parameter of the source → the target's name of it, where the two differ. ``fill``: parameter of the target →
    what is written where the call passes nothing for it: a literal, or ``{name}`` for the argument of the source's parameter.
    What is given by position stays in its position.
    """

    keywords: dict[str, str] = {}
    fill: dict[str, str] = {}

    def source_name(self, keyword: str) -> str:
        """The source's name of the target's parameter ``keyword``."""
        return next((source for source, target in self.keywords.items() if target == keyword), keyword)


class WritingRule(Record, frozen=True, kw_only=True):
    """What signatures do not tell of how a call of the source is written with a target.

    ``keywords``: parameter of the source → the target's name of it. ``fill``: parameter of the target → the code that is written
    where the call passes nothing for it; ``{name}`` stands for the argument of the source's parameter. ``values``: parameter of
    the source → literal → what is written for it. ``arguments``: parameter of the source → the code around its argument.
    ``numbers``: parameters of the source that the rule takes for numbers. ``forms``: the parameters that a call passes, between
    commas → the code that takes its place, with ``{self}`` for what a method is called on and ``{name}`` for an argument.
    ``condition``: what is to be known of every call. ``samples``: those whose lines of code are what the rule writes; no other
    one says anything of it.
    """

    keywords: dict[NonEmpty, NonEmpty] = {}
    fill: dict[NonEmpty, NonEmpty] = {}
    values: dict[NonEmpty, dict[NonEmpty, NonEmpty]] = {}
    arguments: dict[NonEmpty, NonEmpty] = {}
    numbers: list[NonEmpty] = []
    forms: dict[str, NonEmpty] = {}
    condition: Text | None = None
    samples: list[Slug] = []


# What is known of the calls of each API holds the section of the guide about it, and each target all that is left out.
Guides = Annotated[dict[NonEmpty, Slug], msgspec.Meta(max_length=500)]
_MOST_LEFT_OUT = 4_000  # characters; the most is an eighth of that


class WritingRules(Record, frozen=True, kw_only=True):
    """How code is ported beyond names and keywords.

    ``left_out``: parameters of the source that a port leaves out, each with what is to be known then. ``targets``: source →
    target → its rule. ``guides``: names of sources, ``*`` for any part → the section of the guide that tells what to do instead.
    ``stand_ins``: classes of the source without a target → the class that annotations and ``isinstance`` name instead.
    """

    left_out: dict[NonEmpty, Text] = {}
    targets: dict[DottedName, dict[DottedName, WritingRule]] = {}
    guides: Guides = {}
    stand_ins: dict[DottedName, DottedName] = {}

    def __post_init__(self) -> None:
        length = sum(len(name) + len(text.en) + len(text.zh) for name, text in self.left_out.items())
        if length > _MOST_LEFT_OUT:
            raise ValueError(f"`left_out` has {length} characters, where {_MOST_LEFT_OUT} are the most")


def rewrite(call: SampleCall, rule: Rule, api: str) -> SampleCall:
    """``call``, which is of the source, as a call of the target ``api``.

    What a module is constructed with is rewritten, and not what it is called with: parameters are those of its constructor.
    """
    if call.form is SampleForm.MODULE or call.constructor != Arguments():
        return msgspec.structs.replace(call, api=api, constructor=_rewritten(call.constructor, rule))
    return msgspec.structs.replace(call, api=api, given=_rewritten(call.given, rule))


def _rewritten(arguments: Arguments, rule: Rule) -> Arguments:
    args, kwargs = (
        {rule.keywords.get(name, name): value for name, value in given.items()}
        for given in (arguments.args, arguments.kwargs)
    )
    given = {**arguments.args, **arguments.kwargs}
    for name, text in rule.fill.items():
        place = PLACE.fullmatch(text)
        if name not in args and name not in kwargs and (place is None or place[1] in given):
            kwargs[name] = given[place[1]] if place else literal(text)
    return Arguments(args=args, kwargs=kwargs)


def literal(text: str) -> SampleArgument:
    """The argument that ``text`` writes as a literal. Raises ValueError where it is none that a sample can hold."""
    value = literals.literal(text)
    if not isinstance(value, str | int | float | None):
        raise ValueError(f"{text[:40]!r} is no number, text, truth value or None")
    return value


def refuse_other_fill(fill: Mapping[str, str]) -> None:
    """Raises ValueError where ``fill`` writes out what is neither a literal nor the place of an argument."""
    for name, text in fill.items():
        if PLACE.fullmatch(text):
            continue
        try:
            literal(text)
        except ValueError as error:
            remedy = "Write a literal, such as '1' or '\"pad\"', or a parameter of the source in braces."
            raise ValueError(f"`fill` for {name!r}: {error}. {remedy}") from error
