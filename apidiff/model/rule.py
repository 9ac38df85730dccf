"""Rules: how a call of the source is written with the target."""

from __future__ import annotations

import msgspec

from apidiff.model.base import Record
from apidiff.model.sample import Arguments, SampleCall


class Rule(Record, frozen=True, kw_only=True):
    """How a call is rewritten. ``keywords``: parameter of the source → the target's name of it, where the two differ.

    What is given by position stays in its position.
    """

    keywords: dict[str, str] = {}

    def source_name(self, keyword: str) -> str:
        """The source's name of the target's parameter ``keyword``."""
        return next((source for source, target in self.keywords.items() if target == keyword), keyword)


def rewrite(call: SampleCall, rule: Rule, api: str) -> SampleCall:
    """``call``, which is of the source, as a call of the target ``api``.

    What a module is constructed with is renamed, and not what it is called with: parameters are those of its constructor.
    """
    if call.constructor != Arguments():
        return msgspec.structs.replace(call, api=api, constructor=_renamed(call.constructor, rule))
    return msgspec.structs.replace(call, api=api, given=_renamed(call.given, rule))


def _renamed(arguments: Arguments, rule: Rule) -> Arguments:
    args, kwargs = (
        {rule.keywords.get(name, name): value for name, value in given.items()}
        for given in (arguments.args, arguments.kwargs)
    )
    return Arguments(args=args, kwargs=kwargs)
