"""Claims: each can be observed, or says why not, and speaks of what its probes pass."""

from __future__ import annotations

import re
from collections.abc import Iterator

from apidiff.database.checks.subject import Place, Subject
from apidiff.errors import DataError
from apidiff.model.claim import Claim, ClaimKind, Formula, RankSet
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import SpecError, collective_of, partner, resolve

# Judged from the signatures that a run records, or from an example's own run.
_FREE = {ClaimKind.PARAMETER, ClaimKind.LACKS, ClaimKind.MEMBER, ClaimKind.LACKS_MEMBER, ClaimKind.PRINTS}
_SLOTS = ("argument", "at", "of", "slot", "with_")
_MOST_PASSED, _MOST_OF_ONE = 10_000, 1_000  # of a record and of a claim: the most is a tenth
_NAME_END = re.compile(r"[\[.]")


def claims_are_observable(subject: Subject) -> Iterator[DataError]:
    """Every claim has probes that exist and take its arguments, or says why it has none; IDs are unique in an API."""
    if (broken := next(probes_lead_somewhere(subject), None)) is not None:
        yield broken
        return
    yield from claims_name_probes(subject)
    yield from claims_stay_few(subject)
    for place, api in subject.apis():
        seen: set[str] = set()
        for index, claim in enumerate(api.claims):
            at = (*place, "claims", index)
            if claim.id in seen:
                yield subject.error((*at, "id"), f"claim {claim.id!r} stands twice in {api.name}", "Rename one.")
            seen.add(claim.id)
            yield from _observable(subject, at, api, claim)


def probes_lead_somewhere(subject: Subject) -> Iterator[DataError]:
    """Each probe that is like another is, step by step, like one that is like none."""
    for place, api in subject.apis():
        for name in collective_of(api).probes:
            try:
                resolve(api, name)
            except SpecError as error:
                remedy = "Name a probe of the same API in 'like'."
                yield subject.error((*place, "collective", "probes", name), str(error), remedy)


def claims_name_probes(subject: Subject) -> Iterator[DataError]:
    """Each probe that a claim names is one of its API."""
    for place, api in subject.apis():
        probes = collective_of(api).probes
        for index, claim in enumerate(api.claims):
            for probe in claim.probes:
                if probe not in probes:
                    found = f"claim {claim.id!r} names probe {probe!r}"
                    remedy = f"{api.name} has: {', '.join(probes) or 'none'}."
                    yield subject.error((*place, "claims", index, "probes"), found, remedy)


def claims_stay_few(subject: Subject) -> Iterator[DataError]:
    """A sentence can be written of each claim: it tells what its probes pass, each in its own way."""
    passed = 0
    for place, api in subject.apis():
        sizes = {name: _size(api, name) for name in collective_of(api).probes}
        for index, claim in enumerate(api.claims):
            own = sum(sizes.get(probe, 0) for probe in claim.probes)
            passed += own
            if own > _MOST_OF_ONE or passed > _MOST_PASSED:
                of_one = f"the probes of claim {claim.id!r} pass {own} arguments, where {_MOST_OF_ONE} are the most"
                of_all = (
                    f"with those of claim {claim.id!r} the probes of claims pass more than {_MOST_PASSED} arguments"
                )
                found = of_one if own > _MOST_OF_ONE else of_all
                remedy = "Let claims name fewer probes, or probes pass fewer arguments."
                yield subject.error((*place, "claims", index), found, remedy)
                return


def _size(api: Api, probe: str) -> int:
    given, overrides = resolve(api, probe)
    return len(given) + sum(map(len, overrides.values()))


def _observable(subject: Subject, at: Place, api: Api, claim: Claim) -> Iterator[DataError]:
    if claim.kind is ClaimKind.CORRESPONDS:
        return  # made from upstream's table on loading
    if claim.kind not in _FREE and not claim.probes and claim.reason is None:
        remedy = "Add 'probes', or 'reason' to say why it cannot be observed."
        yield subject.error(at, f"claim {claim.id!r} has no probe", remedy)
    if claim.reason is not None and not claim.probes and claim.when is None:
        remedy = (
            "Add 'when', written as a probe is: the sentence takes its conditions from there; `{}` for the plain call."
        )
        yield subject.error(at, f"claim {claim.id!r} has no probe and does not say which call it speaks of", remedy)
    if claim.when is not None and claim.probes:
        yield subject.error((*at, "when"), f"claim {claim.id!r} has probes and 'when'", "Remove one of the two.")
    if claim.result and claim.result.among and claim.result.formula is not Formula.SUM:
        found = f"claim {claim.id!r}: no sentence tells {claim.result.formula.value} among groups"
        yield subject.error(at, found, "Leave 'among' out, or claim a sum.")
    for probe in claim.probes:
        if probe in collective_of(api).probes:
            yield from _slots_fit(subject, at, api, claim, probe)


def _slots_fit(subject: Subject, at: Place, api: Api, claim: Claim, probe: str) -> Iterator[DataError]:
    """Each slot is an argument of the call that the claim's ranks make: the probe's, or its partner's."""
    arguments, overrides = resolve(api, probe)
    mine = {*arguments, *(name for row in overrides.values() for name in row)}
    here = (f"probe {probe!r}", mine)
    other = partner(api, probe)
    there = (f"the partner of probe {probe!r}", set(other.set)) if other else here
    at_partner = getattr(claim.body, "ranks", None) is RankSet.PARTNERS
    if at_partner and other is None:
        found = f"claim {claim.id!r} speaks of the other end, and probe {probe!r} has no partner"
        yield subject.error(at, found, "Give the probe a 'partner', or name other ranks.")
        return
    sent = getattr(claim.body, "formula", None) is Formula.SENT
    for field in _SLOTS:
        slot = getattr(claim.body, field, None)
        name = _NAME_END.split(slot)[0] if slot else None
        call, passed = there if at_partner != (sent and field == "of") else here
        if name is not None and name != "return" and name not in passed:
            found = f"claim {claim.id!r} speaks of {slot!r}, which {call} does not pass"
            yield subject.error(at, found, f"Passed are: {', '.join(sorted(passed)) or 'none'}.")
