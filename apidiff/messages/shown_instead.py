"""Says what a call did where runs do not bear a claim out, in place of the claim."""

from __future__ import annotations

from apidiff.derive.probe_conditions import conditions
from apidiff.derive.verdicts_by_run import telling_observation
from apidiff.messages.conditions import conditions_text
from apidiff.messages.labels import filled, spaced
from apidiff.messages.phrases import place_text, ranks_text, result_text
from apidiff.model.base import Text
from apidiff.model.claim import Claim, Completes, Keeps, KeepsRest, Raises, RankSet, Result, Returns, Writes
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import collective_of
from apidiff.model.verdict import Evidence, EvidenceCode
from apidiff.model.views import ClaimEntry

_ENDED_OTHERWISE = {"timeout", "crash", "unsupported", "error"}


def shown_instead(claim: Claim, api: Api, entry: ClaimEntry) -> Text | None:
    """The clause, under the claim's conditions, that says what happened; None where runs do not agree on one thing.

    Args:
        claim: One that runs do not bear out.
        api: The API that it is about.
        entry: What runs say of it.
    """
    if api.collective is None or len({row.outcome for row in entry.summary}) != 1:
        return None
    clause = _clause(claim, api, entry)
    if clause is None:
        return None
    under = conditions_text(conditions(claim, api), collective_of(api).root or "root")
    return spaced(filled("sentence.under", condition=under, clause=clause) if under else clause)


def _clause(claim: Claim, api: Api, entry: ClaimEntry) -> Text | None:
    outcome = entry.summary[0].outcome
    if outcome in _ENDED_OTHERWISE:
        return filled(f"clause.ended.{outcome}") if claim.probes else None
    facts = [fact for row in entry.summary if (seen := telling_observation(entry, row)) for fact in seen.facts]
    root = collective_of(api).root or "root"
    match claim.body:
        case Completes():
            return _raised(facts)
        case Raises():
            if all(fact.code is EvidenceCode.NO_EXCEPTION for fact in facts):
                return filled("clause.raises_nothing")
            return _raised([fact for fact in facts if fact.code is not EvidenceCode.NO_EXCEPTION])
        case Keeps(argument=argument, ranks=ranks):
            return _on(ranks, root, filled("clause.writes", argument=argument))
        case Writes(argument=argument, ranks=ranks):
            return _on(ranks, root, filled("clause.keeps", argument=argument))
        case KeepsRest(argument=argument):
            return filled("clause.writes_rest", argument=argument)
        case Returns(structure=structure):
            returned = {fact.values["value"] for fact in facts if fact.code is EvidenceCode.RETURNED}
            if len(returned) != 1:
                return None
            return filled("clause.returns_other", structure=structure, returned=returned.pop())
        case Result(ranks=ranks) as result:
            clause = filled("clause.result_not", place=place_text(result.at), result=result_text(result, root))
            if ranks is RankSet.ALL:
                return clause
            return filled("sentence.of_ranks", ranks=ranks_text(ranks, root), clause=clause)
    return None


def _on(ranks: RankSet, root: str, clause: Text) -> Text:
    """Of all ranks nothing is said: what is not so on every rank may be so on some."""
    if ranks is RankSet.ALL:
        return clause
    return filled("sentence.on_ranks", clause=clause, ranks=ranks_text(ranks, root))


def _raised(facts: list[Evidence]) -> Text | None:
    """That an exception is raised: of which type, where all are of one."""
    if not facts or any(fact.code is not EvidenceCode.RAISED for fact in facts):
        return None
    types = {fact.values["error"].partition(":")[0] for fact in facts}
    return filled("clause.raises", type=types.pop()) if len(types) == 1 else filled("clause.raises_any")
