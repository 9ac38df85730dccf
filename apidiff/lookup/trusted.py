"""Narrows an answer to records that a reader trusts."""

from __future__ import annotations

from enum import Enum

import msgspec

from apidiff.lookup.answer import Answer, AnsweredClaim
from apidiff.messages.version_changes import dispute_entries
from apidiff.model.trust import OWN, Trust


class Trusted(Enum):
    """Whose records an answer tells: only this project's, those that somebody known vouches for, or all."""

    PROJECT = "project"
    SIGNED = "signed"
    ALL = "all"


def with_trusted(answer: Answer, trusted: Trusted) -> Answer:
    """The answer without what other records say, beside the verdicts: these rest on this project's own alone.

    Where the records that are left disagree is derived anew: one that is left out hides nothing that others show.
    """
    if trusted is Trusted.ALL:
        return answer
    told = msgspec.structs.replace(answer, claims=[_claim(claim, trusted) for claim in answer.claims])
    if trusted is Trusted.SIGNED:
        return told
    agreements = [msgspec.structs.replace(entry, disputes=[]) for entry in answer.agreements]
    return msgspec.structs.replace(told, agreements=agreements, aside=[])


def _claim(claim: AnsweredClaim, trusted: Trusted) -> AnsweredClaim:
    kept = OWN | {Trust.SIGNED} if trusted is Trusted.SIGNED else OWN
    observed = [seen for seen in claim.observed if seen.trust in kept]
    signed = trusted is Trusted.SIGNED
    return msgspec.structs.replace(
        claim,
        observed=observed,
        unsigned=[],
        aside=claim.aside if signed else [],
        disputes=dispute_entries(observed),
        # These rest on no unsigned record, and take a signed one.
        confirmations=claim.confirmations if signed else [],
    )
