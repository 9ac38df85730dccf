"""Judges one claim from one probe's traces: which ranks it speaks of, what errors mean, then the check of its kind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from apidiff.database.process_settings import says_unsupported
from apidiff.judge.case import LONGEST, Case, Verdict, cut, error_text, no_signature, raised, signature_fact
from apidiff.judge.claim_checks import CHECKS
from apidiff.model.claim import Claim, ClaimKind, Raises, RankSet
from apidiff.model.mapping import Api
from apidiff.model.probe import Input
from apidiff.model.probe_resolution import (
    callers,
    collective_of,
    group_ranks,
    is_partial,
    names_other_ranks,
    partners,
    resolve,
    root_rank,
)
from apidiff.model.trace import CallError, ProbeRun, RankTrace, RunRecord, SignatureDump
from apidiff.model.verdict import Evidence, EvidenceCode, Outcome, evidence

# Judged from the signature that a run recorded, not from a probe.
SIGNATURE_KINDS = frozenset({ClaimKind.PARAMETER, ClaimKind.LACKS, ClaimKind.MEMBER, ClaimKind.LACKS_MEMBER})
# A world of one rank shows only what that rank decides by itself: the structure of what is returned, and whose memory it
# is, follow from the call; values may come from other ranks.
_SHOWN_BY_ONE_RANK = frozenset({ClaimKind.RETURNS, ClaimKind.ALIASES})


def judge_claim(
    claim: Claim,
    api: Api,
    probe: str,
    run: ProbeRun | None,
    unsupported: Sequence[re.Pattern[str]],
    record: RunRecord,
    expected: Sequence[str] = (),
) -> Verdict:
    """The outcome of ``claim`` by ``run`` of ``probe``, and the facts that show it.

    ``run`` is None for claims on the signature, which are judged from ``record.signatures``. ``unsupported``: patterns of
    error messages by which the backend says that it has no kernel. ``expected``: the lines an example's docstring shows,
    for claims of kind ``prints``; these are judged at world size 3 only. ``not run`` where the claim speaks of no rank there
    (ranks outside a group that holds all) or of more than the one rank that ran, and for claims that are not judged from
    runs.
    """
    if claim.kind in SIGNATURE_KINDS:
        return _judge_signature(claim, api, record)
    if run is None or claim.kind is ClaimKind.CORRESPONDS:
        return Outcome.NOT_RUN, []
    first = _judge_run(claim, api, probe, run, unsupported, record, expected)
    if run.again is None:
        return first
    second = _judge_run(claim, api, probe, run.again, unsupported, record, expected)
    if first[0] is second[0]:
        return first
    attempts = [
        fact
        for number, (outcome, facts) in enumerate((first, second), start=1)
        for fact in (evidence(EvidenceCode.ATTEMPT, number=number, outcome=outcome.value), *facts)
    ]
    return Outcome.FLAKY, attempts


def ranks_of(selected: RankSet, api: Api, probe: str, world_size: int) -> tuple[list[int], list[int]]:
    """The ranks that ``selected`` means for a probe, and the ranks of the group that takes part (both in order).

    Where a probe leaves ranks out, every set but that of the partners is one of callers.
    """
    everyone = list(range(world_size))
    if probe not in collective_of(api).probes:  # an example, in which all take part
        return everyone, everyone
    group = group_ranks(resolve(api, probe)[0], world_size)
    calling = callers(api, probe, world_size) if is_partial(api, probe) else everyone
    root = root_rank(api, probe) or 0
    match selected:
        case RankSet.ALL | RankSet.CALLERS:
            meant = everyone
        case RankSet.ROOT:
            meant = [root]
        case RankSet.OTHERS:
            meant = [rank for rank in group if rank != root]
        case RankSet.MEMBERS:
            meant = group
        case RankSet.OUTSIDERS:
            meant = [rank for rank in everyone if rank not in group]
        case RankSet.PARTNERS:
            return partners(api, probe, world_size), group
    return [rank for rank in meant if rank in calling], group


def one_rank_shows(claim: Claim, api: Api, probe: str) -> bool:
    """Whether a run of ``probe`` in a world of one rank says anything of ``claim``.

    A sum over one rank is that rank's input, a barrier of one opens at once, and one rank disagrees with nobody: such runs
    neither show nor refute what is stated of collectives. A constant is shown by a call that no tensor or group goes into.
    """
    if probe not in collective_of(api).probes or names_other_ranks(api, probe):
        return False
    if claim.kind is ClaimKind.EQUALS:
        return not any(isinstance(value, Input) for value in resolve(api, probe)[0].values())
    return claim.kind in _SHOWN_BY_ONE_RANK


def _judge_signature(claim: Claim, api: Api, record: RunRecord) -> Verdict:
    signature = record.signature_of.get(api.name)
    if signature is None:
        return Outcome.NOT_RUN, []
    if claim.member is not None or claim.lacks_member is not None:
        return _judge_member(claim, signature)
    if signature.missing or signature.error:
        return Outcome.ERROR, [no_signature(signature, record)]
    shown = [signature_fact(signature)]
    names = {parameter.name: parameter for parameter in signature.parameters}
    if claim.lacks is not None:
        return (Outcome.REFUTED if claim.lacks.parameter in names else Outcome.HOLDS), shown
    wanted = claim.parameter
    found = names.get(wanted.name) if wanted else None
    holds = wanted is not None and found is not None
    if wanted and found:
        holds = (wanted.default is None or wanted.default == found.default) and not (wanted.required and found.default)
    return (Outcome.HOLDS if holds else Outcome.REFUTED), shown


def _judge_member(claim: Claim, signature: SignatureDump) -> Verdict:
    if signature.missing:
        return Outcome.ERROR, [evidence(EvidenceCode.SIGNATURE_ERROR, error=signature.error)]
    if signature.members is None:
        return Outcome.NOT_RUN, []
    wanted = claim.member or claim.lacks_member
    assert wanted is not None
    there = wanted.name in signature.members
    holds = there is (claim.member is not None)
    api = signature.api.rpartition(".")[2]
    members = (wanted.name if there else ", ".join(signature.members))[: LONGEST - len(f"dir({api}): ")]
    return (Outcome.HOLDS if holds else Outcome.REFUTED), [evidence(EvidenceCode.MEMBERS, api=api, members=members)]


def _judge_run(
    claim: Claim,
    api: Api,
    probe: str,
    run: ProbeRun,
    unsupported: Sequence[re.Pattern[str]],
    record: RunRecord,
    expected: Sequence[str],
) -> Verdict:
    selected = getattr(claim.body, "ranks", RankSet.ALL)
    ranks, group = ranks_of(selected, api, probe, record.world_size)
    if not ranks:
        return Outcome.NOT_RUN, []
    if run.end == "skipped":
        return Outcome.NOT_RUN, []
    case = Case(claim, api, probe, run, record, unsupported, ranks, group, expected)
    if record.world_size == 1 and not one_rank_shows(claim, api, probe):
        return Outcome.NOT_RUN, []
    if run.end == "crash":
        return _judge_crash(case)
    if claim.raises is not None:
        return _judge_raises(case)
    errors = [raised(trace) for trace in case.traces if trace.error]
    if errors:
        if _is_unsupported(case):
            return Outcome.UNSUPPORTED, cut(errors)
        prepared = any(trace.error and trace.error.stage == "prepare" for trace in case.traces)
        refuted = claim.completes is not None and not prepared
        return (Outcome.REFUTED if refuted else Outcome.ERROR), cut(errors)
    if len(case.traces) < len(ranks):
        return _silent_ranks(case)
    if claim.completes is not None:
        return Outcome.HOLDS, []
    return CHECKS[claim.kind](case)


def _judge_crash(case: Case) -> Verdict:
    """A crash whatever the claim: what the ranks left behind raise is a lost connection, if it reaches them in time."""
    answered = {trace.rank for trace in case.run.ranks}
    gone = [rank for rank in range(case.record.world_size) if rank not in answered]
    errors = [raised(trace) for trace in case.run.ranks if trace.error]
    return Outcome.CRASH, cut([*(evidence(EvidenceCode.CRASH, rank) for rank in gone), *errors])


def _judge_raises(case: Case) -> Verdict:
    body = case.claim.raises
    assert body is not None
    if _is_unsupported(case):
        return Outcome.UNSUPPORTED, cut([raised(trace) for trace in case.traces if trace.error])
    fitting: list[RankTrace] = []
    quiet: list[Evidence] = []
    for trace in case.traces:
        error = trace.error
        if error is not None and (error.stage == "prepare" or (body.type is None and _is_no_refusal(error))):
            return Outcome.ERROR, [raised(trace)]
        if error is not None and body.type in {None, error.type, *error.bases} and _is_in_time(body, trace):
            fitting.append(trace)
        else:
            quiet.append(_raised(body, trace) if error else evidence(EvidenceCode.NO_EXCEPTION, trace.rank))
    if fitting and (failing := _fails_anyway(case, fitting)):
        return Outcome.ERROR, failing
    shown = [_raised(body, trace) for trace in fitting]
    settled = bool(fitting) if body.some else bool(quiet)
    if len(case.traces) < len(case.ranks) and not settled:
        # Where every rank is to raise, one that raises while others wait for it is not the refusal a reader expects.
        outcome, missing = _silent_ranks(case)
        return outcome, cut([*missing, *shown, *quiet])
    if fitting if body.some else len(fitting) == len(case.ranks):
        return Outcome.HOLDS, cut(shown)
    return Outcome.REFUTED, cut([*quiet, *shown])


def _is_in_time(body: Raises, trace: RankTrace) -> bool:
    return body.after is None or body.within is None or body.after <= trace.seconds <= body.within


def _raised(body: Raises, trace: RankTrace) -> Evidence:
    """The fact that a rank raised, with the time where the claim speaks of it."""
    if body.within is None:
        return raised(trace)
    return evidence(EvidenceCode.RAISED_AFTER, trace.rank, seconds=f"{trace.seconds:.1f}", error=error_text(trace))


# A call that broke before or beside what it was made to show.
_BROKEN_CODE = frozenset({"NameError", "SyntaxError", "ImportError"})
_NO_SUCH_CALL = re.compile(
    r"\(\) (got an unexpected keyword argument|got multiple values for argument|takes [^()\n]{0,80} positional argument"
    r"|missing \d+ required (positional|keyword-only) argument)"
)


def _is_no_refusal(error: CallError) -> bool:
    """Whether an error says that a name is missing, or that nobody can be called like that, and not that a value is refused.

    A claim that an exception is raised, of whatever class, does not mean those; one that means them names the class.
    """
    if _BROKEN_CODE & {error.type, *error.bases}:
        return True
    return error.type == "TypeError" and bool(_NO_SUCH_CALL.search(error.message))


def _fails_anyway(case: Case, failed: list[RankTrace]) -> list[Evidence]:
    """The fact that the same call raises the same error without the fault; then the fault was not what raised it.

    Without the fault means: as the probe that this one is like, or as the plain call of the API.
    """
    collective = collective_of(case.api)
    if case.probe not in collective.probes:
        return []
    usually = collective.probes[case.probe].like or collective.plain_probe
    if usually == case.probe:
        return []
    plain = case.record.run_of.get((case.api.name, usually)) if usually else None
    usual = {(t.error.type, t.error.message) for t in plain.ranks if t.error} if plain else set()
    same = [trace for trace in failed if trace.error and (trace.error.type, trace.error.message) in usual]
    return [
        evidence(EvidenceCode.RAISED_WITHOUT_FAULT, trace.rank, error=error_text(trace), probe=repr(usually))
        for trace in same[:1]
    ]


def _silent_ranks(case: Case) -> Verdict:
    """A time-out; what the ranks at the other end raised meanwhile explains it."""
    answered = {trace.rank for trace in case.run.ranks}
    facts = [evidence(EvidenceCode.TIMEOUT, rank) for rank in case.ranks if rank not in answered]
    if case.probe in collective_of(case.api).probes and is_partial(case.api, case.probe):
        others = [trace for trace in case.run.ranks if trace.error and trace.rank not in case.ranks]
        facts += [raised(trace) for trace in others]
    return Outcome.TIMEOUT, cut(facts)


def _is_unsupported(case: Case) -> bool:
    messages = [trace.error.message for trace in case.run.ranks if trace.error]
    return any(says_unsupported(message, case.unsupported) for message in messages)
