"""Narrows an answer to records that a reader trusts."""

from __future__ import annotations

from enum import Enum

import msgspec

from apidiff.derive.statements import contradicted
from apidiff.lookup.answer import Answer, AnsweredClaim
from apidiff.messages.verdict_text import summarise
from apidiff.model.trust import Trust
from apidiff.model.views import VerdictChange


class Trusted(Enum):
    """Whose records an answer tells: only this project's, those that somebody known vouches for, or all."""

    PROJECT = "project"
    SIGNED = "signed"
    ALL = "all"


def with_trusted(answer: Answer, trusted: Trusted) -> Answer:
    """The answer without what other records say; headlines and badges never rest on unsigned ones."""
    if trusted is Trusted.ALL:
        return answer
    return msgspec.structs.replace(answer, claims=[_claim(claim, trusted) for claim in answer.claims])


def _claim(claim: AnsweredClaim, trusted: Trusted) -> AnsweredClaim:
    kept = {Trust.ATTESTED, Trust.PROJECT} | ({Trust.SIGNED} if trusted is Trusted.SIGNED else set())
    observed = [seen for seen in claim.observed if seen.trust in kept]
    runs = {seen.run for seen in observed}
    summary = claim.summary if len(observed) == len(claim.observed) else summarise(observed)
    return msgspec.structs.replace(
        claim,
        observed=observed,
        unsigned=[],
        summary=summary,
        contradicted=contradicted(summary, [stated.speaks_of for stated in claim.stated]),
        changes=[change for change in claim.changes if _runs(change) <= runs],
        disputes=[dispute for dispute in claim.disputes if dispute.outcomes.keys() <= runs],
        confirmations=[confirmed for confirmed in claim.confirmations if set(confirmed.runs) <= runs],
    )


def _runs(change: VerdictChange) -> set[str]:
    return {run for span in change.spans for runs in span.runs.values() for run in runs}
