"""Narrows an answer to records that a reader trusts."""

from __future__ import annotations

from enum import Enum

import msgspec

from apidiff.database.paths import DATA
from apidiff.derive.statements import contradicted
from apidiff.derive.verdicts_by_run import Known, deciding
from apidiff.lookup.answer import Answer, AnsweredClaim
from apidiff.messages.verdict_text import summarise
from apidiff.messages.version_changes import change_entries, dispute_entries
from apidiff.model.trust import OWN, Trust


class Trusted(Enum):
    """Whose records an answer tells: only this project's, those that somebody known vouches for, or all."""

    PROJECT = "project"
    SIGNED = "signed"
    ALL = "all"


def records_are_signed() -> bool:
    """Whether a signature lies beside any record, so that others may decide than those that this project lists."""
    return next((DATA / "runs").glob("*/*.minisig"), None) is not None


def with_trusted(answer: Answer, trusted: Trusted, known: Known) -> Answer:
    """The answer without what other records say; headlines and badges never rest on unsigned ones.

    ``known``: the versions of each framework. Where the records that are left disagree or changed is derived anew: a
    record that is left out hides nothing that others show.
    """
    if trusted is Trusted.ALL:
        return answer
    return msgspec.structs.replace(answer, claims=[_claim(claim, trusted, known) for claim in answer.claims])


def _claim(claim: AnsweredClaim, trusted: Trusted, known: Known) -> AnsweredClaim:
    kept = OWN | {Trust.SIGNED} if trusted is Trusted.SIGNED else OWN
    observed = [seen for seen in claim.observed if seen.trust in kept]
    decide = [seen for seen in deciding(claim) if seen.trust in kept]
    summary = claim.summary if trusted is Trusted.SIGNED else summarise(decide)
    return msgspec.structs.replace(
        claim,
        observed=observed,
        unsigned=[],
        summary=summary,
        aside=claim.aside if trusted is Trusted.SIGNED else [],
        contradicted=contradicted(summary, [stated.speaks_of for stated in claim.stated]),
        changes=change_entries(decide, known),
        disputes=dispute_entries(observed),
        # These rest on no unsigned record, and take a signed one.
        confirmations=claim.confirmations if trusted is Trusted.SIGNED else [],
    )
