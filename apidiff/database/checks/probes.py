"""Probes: what they call, beside the API itself, is of the same framework, and each end of a call has ranks."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.checks.subject import Place, Subject
from apidiff.errors import DataError
from apidiff.model.probe import Argument, Input
from apidiff.model.probe_resolution import collective_of
from apidiff.model.vocabulary import Framework


def probes_call_their_framework(subject: Subject) -> Iterator[DataError]:
    """Partners, calls and passed functions are of the probed API's framework; each end has ranks."""
    for place, api in subject.apis():
        framework = api.name.partition(".")[0]
        for name, probe in collective_of(api).probes.items():
            at = (*place, "collective", "probes", name)
            arguments = [
                *probe.set.values(),
                *(argument for row in probe.on_rank.values() for argument in row.values()),
            ]
            if probe.partner:
                arguments += probe.partner.set.values()
                yield from _of_framework(subject, (*at, "partner"), framework, probe.partner.api)
                both = sorted(set(probe.ranks) & set(probe.partner.ranks))
                if both:
                    remedy = "Name the ranks of each end in 'ranks' and 'partner.ranks', none of them in both."
                    yield subject.error((*at, "partner"), f"probe {name!r}: rank {both[0]} makes both calls", remedy)
            for called in _called(arguments):
                yield from _of_framework(subject, (*at, "set"), framework, called)


def _of_framework(subject: Subject, at: Place, framework: str, name: str) -> Iterator[DataError]:
    other = {member.value for member in Framework} - {framework}
    if name.partition(".")[0] in other:
        yield subject.error(at, f"{name} is called by a probe of {framework}", f"Name an API of {framework}.")


def _called(arguments: list[Argument]) -> Iterator[str]:
    for argument in arguments:
        if isinstance(argument, Input):
            if argument.api:
                yield argument.api
            if argument.call:
                yield argument.call.api
                yield from _called(list(argument.call.set.values()))
            yield from _called([inner for inner in (argument.each, *(argument.list or ())) if inner is not None])
