"""Finds claims that a broken implementation would satisfy too, by judging traces in which the effect is not what it should be.

The traces are made from the probes' inputs, so that a claim is looked at before anybody has run it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

import msgspec
import numpy as np

from apidiff.database.checks.subject import Subject
from apidiff.errors import DataError
from apidiff.judge import oracle
from apidiff.judge.case import Case, input_of, source_of
from apidiff.judge.made_traces import recorded, untouched_run, with_value
from apidiff.judge.outcome import judge_claim, ranks_of
from apidiff.judge.recorded_values import Operand, at, in_buffer, plain, tensors
from apidiff.model.claim import CANONICAL, AliasKind, Claim, ClaimKind, Formula, RankSet, Result
from apidiff.model.mapping import Api
from apidiff.model.probe import Input
from apidiff.model.probe_resolution import collective_of, partner, resolve, root_rank
from apidiff.model.trace import (
    CallError,
    ObjectDump,
    ProbeRun,
    RankTrace,
    RunRecord,
    ScalarDump,
    SequenceDump,
    TensorDump,
    Value,
)
from apidiff.model.verdict import Outcome


class Fault(Enum):
    """What a broken implementation does; the value says it in a sentence that begins with "an implementation that …"."""

    NOTHING_HAPPENS = "does nothing"
    DOUBLED = "does it twice"
    CHANGED = "writes what it should only read"
    BEYOND = "writes beyond the part that is passed"
    IN_A_COPY = "fills a copy of the part that is passed"
    OTHER_RANK = "gives each rank what belongs to the next"
    OTHER_ROOT = "takes it from another rank"
    ROOT_IN_GROUP = "counts the root within the group"
    WHOLE_WORLD = "ignores the group"
    REVERSED = "puts the ranks in another order"
    ONE_RANK = "copies the input of one rank"
    RETURNS_OTHER = "returns something else"
    NO_EXCEPTION = "raises nothing"
    OTHER_TIME = "raises at another time"
    BROKEN_CODE = "raises since a name is missing in it"
    EXCEPTION = "raises"


REDUCTIONS = {Formula.SUM, Formula.MAX, Formula.MIN, Formula.PRODUCT, Formula.AVERAGE}
_ORDERED = {Formula.GATHERED, Formula.CONCATENATED, Formula.STACKED}
_BY_RANK = {
    *(
        Formula.REDUCED_SLOT,
        Formula.REDUCED_CHUNK,
        Formula.EXCHANGED,
        Formula.EXCHANGED_CHUNKS,
        Formula.EXCHANGED_PARTS,
    ),
    *(Formula.SCATTERED, Formula.SCATTERED_CHUNK, Formula.RANK, Formula.SENT),
}
_FROM_ROOT = {Formula.FROM_ROOT, Formula.SCATTERED, Formula.SCATTERED_CHUNK}
# Shapes say nothing of values, and that the input is there again is what the last says.
_OWN = {Formula.INPUT, Formula.SHAPE_SAME}
# What stands where a broken implementation cannot even compute something.
_NOTHING = ScalarDump(value=None)
_LATE_S = 3600.0
_LOOKED_AT = 3  # ranks, where a probe does not say how many
# Values of the traces that are made of a record: of each probe of a claim, each rank may take those of another. It has a sixth.
_MOST_VALUES = 3_000_000
_MOST_VALUES_OF_ALL = 15_000_000  # of all records, which may have their probes from one profile; they have a third
_OF_A_PROBE = 100  # values that to judge a claim by a probe takes as long as, however few that passes


def unnoticed(claim: Claim, api: Api) -> list[Fault]:
    """The faults with which every probe of the claim would still show that it holds; none where it has no probe."""
    probes = collective_of(api).probes
    known = [probe for probe in claim.probes if probe in probes and probe != CANONICAL]
    cases = [case for probe in known if (case := _case(claim, api, probe))]
    return [fault for fault in _faults(claim, api, cases) if _passes(cases, fault)]


def _passes(cases: Sequence[_MadeCase], fault: Fault) -> bool:
    """Whether an implementation with the fault, in one of the ways in which it can have it, passes all probes."""
    runs = [(case, list(_broken_runs(case, fault))) for case in cases]
    ways = max((len(broken) for _, broken in runs), default=0)
    return any(
        all(_outcome(case, broken[way]) is Outcome.HOLDS for case, broken in runs if way < len(broken))
        for way in range(ways)
    )


class _MadeCase(NamedTuple):
    """A claim with the traces of one probe in which nothing happened, and what its result should be on each rank."""

    case: Case
    right: dict[int, Value] | None


def _case(claim: Claim, api: Api, probe: str) -> _MadeCase | None:
    """The case of a claim and a probe of it; None where it speaks of no rank of that."""
    run = untouched_run(api, probe, world_size_of(api, probe))
    ranks, group = ranks_of(getattr(claim.body, "ranks", RankSet.ALL), api, probe, len(run.ranks))
    if not ranks:
        return None
    case = Case(claim, api, probe, run, _record(run), (), ranks, group, ())
    return _MadeCase(case, _right_results(case, claim.result, group) if claim.result else None)


class JudgedValues:
    """How many values the claims of several records have been judged by."""

    values = 0


def claims_are_telling(subject: Subject, judged: JudgedValues | None = None) -> Iterator[DataError]:
    """Every claim fails by some probe where its effect is missing, doubled, on the wrong rank, or made from the wrong inputs.

    ``judged``: counts what this takes for the records before, and this one.
    """
    judged = judged or JudgedValues()
    values, remedy = 0, "Write smaller tensors, fewer ranks or fewer probes."
    for place, api in subject.apis():
        own = sum(_values(api, probe) for claim in api.claims for probe in claim.probes)
        values += own
        if values > _MOST_VALUES:
            found = f"up to {api.name} the claims are judged by {values} values of all ranks, where {_MOST_VALUES} are the most"
            yield subject.error((*place, "claims"), found, remedy)
            return
        if judged.values > _MOST_VALUES_OF_ALL:  # which is told
            return
        judged.values += own
        if judged.values > _MOST_VALUES_OF_ALL:
            found = f"up to {api.name} the claims of all records are judged by more than {_MOST_VALUES_OF_ALL} values"
            yield subject.error((*place, "claims"), found, remedy)
            return
        for index, claim in enumerate(api.claims):
            for fault in unnoticed(claim, api):
                found = f"claim {claim.id!r} would hold of an implementation that {fault.value}: probes {claim.probes}"
                remedy = "Add a probe under which such an implementation shows something else."
                yield subject.error((*place, "claims", index), found, remedy)


def _values(api: Api, probe: str) -> int:
    """How many values the traces of a probe have together, where each rank may have those of each other."""
    if probe not in collective_of(api).probes:
        return 0
    given, overrides = resolve(api, probe)
    other = partner(api, probe)
    rows = [given, *overrides.values(), *([other.set] if other else [])]
    values = sum(one.values if isinstance(one, Input) else 1 for row in rows for one in row.values())
    return max(_OF_A_PROBE, world_size_of(api, probe) ** 2 * values)


def _outcome(made: _MadeCase, run: ProbeRun) -> Outcome:
    case = made.case
    return judge_claim(case.claim, case.api, case.probe, run, (), _record(run))[0]


def _faults(claim: Claim, api: Api, cases: list[_MadeCase]) -> Iterator[Fault]:
    match claim.kind:
        case ClaimKind.RESULT:
            assert claim.result is not None
            yield from _faults_of_result(claim.result, api, cases)
        case ClaimKind.WRITES:
            yield Fault.NOTHING_HAPPENS
        case ClaimKind.KEEPS:
            yield Fault.CHANGED
        case ClaimKind.KEEPS_REST:
            yield Fault.BEYOND
        case ClaimKind.RETURNS | ClaimKind.EQUALS | ClaimKind.ALIASES:
            yield Fault.RETURNS_OTHER
        case ClaimKind.RAISES:
            yield Fault.NO_EXCEPTION
            if claim.raises and claim.raises.type is None:
                yield Fault.BROKEN_CODE
            if claim.raises and claim.raises.within is not None:
                yield Fault.OTHER_TIME
        case ClaimKind.COMPLETES:
            yield Fault.EXCEPTION


def _faults_of_result(body: Result, api: Api, cases: list[_MadeCase]) -> Iterator[Fault]:
    formula = body.formula
    at_root_alone = formula is Formula.FROM_ROOT and body.ranks is RankSet.ROOT
    keeps_length = formula is Formula.LENGTH_WORLD and not body.at.startswith("return")
    if formula not in _OWN and not at_root_alone and not keeps_length:
        yield Fault.NOTHING_HAPPENS
    if formula is not Formula.ZEROS:
        yield Fault.DOUBLED
    if formula in REDUCTIONS:
        yield Fault.ONE_RANK
    if formula in _ORDERED:
        yield Fault.REVERSED
    if len(body.among) > 1 or (formula in _BY_RANK and body.ranks is not RankSet.ROOT):
        yield Fault.OTHER_RANK
    if formula in _FROM_ROOT:
        yield Fault.OTHER_ROOT
    if cases and all(_fills_view(body, case.run) for case, _ in cases):
        yield Fault.IN_A_COPY
    smaller = bool(body.among) or all(len(case.group) < len(case.run.ranks) for case, _ in cases)
    if smaller and formula not in _OWN | {Formula.SENT, Formula.FROM_ROOT}:
        yield Fault.WHOLE_WORLD
    if smaller and formula in _FROM_ROOT and collective_of(api).root:
        yield Fault.ROOT_IN_GROUP


def _fills_view(body: Result, run: ProbeRun) -> bool:
    """Whether the result is to stand in a tensor that shares the memory of a larger one."""
    parts = [tensor for trace in run.ranks for tensor in tensors(at(trace, body.at))]
    return bool(parts) and all(in_buffer(part) is not None for part in parts)


def world_size_of(api: Api, probe: str) -> int:
    """With how many ranks a probe is looked at: three, or as it says."""
    sizes = collective_of(api).probes[probe].world_sizes
    return _LOOKED_AT if not sizes or _LOOKED_AT in sizes else max(sizes)


def broken_runs(claim: Claim, api: Api, probe: str, fault: Fault) -> Iterator[ProbeRun]:
    """The runs of implementations with ``fault``: one for each way to have it, in the same order whatever the probe.

    There are none where the claim speaks of no rank of the probe, or where nothing could be otherwise.
    """
    if case := _case(claim, api, probe):
        yield from _broken_runs(case, fault)


def _broken_runs(made: _MadeCase, fault: Fault) -> Iterator[ProbeRun]:
    case, right = made
    if case.claim.result is None:
        yield _replaced(case.run, case.ranks, lambda trace: _broken(case.claim, trace, fault))
    elif right:
        for results in _broken_results(case, case.claim.result, right, fault):
            yield _with_results(case, case.claim.result, results)


def right_run(claim: Claim, api: Api, probe: str) -> ProbeRun | None:
    """The run in which a claim on a result holds; None where the oracle computes none."""
    made = _case(claim, api, probe)
    if made is None or made.right is None or claim.result is None:
        return None
    return _with_results(made.case, claim.result, made.right)


def _broken(claim: Claim, trace: RankTrace, fault: Fault) -> RankTrace:
    """The trace of one rank, where it follows from no formula what it should be."""
    body = claim.body
    match fault:
        case Fault.CHANGED:
            value = at(trace, body.argument)  # type: ignore[attr-defined]
            return trace if value is None else with_value(trace, body.argument, _twice(value))  # type: ignore[attr-defined]
        case Fault.BEYOND:
            whole = at(trace, body.argument)  # type: ignore[attr-defined]
            return trace if whole is None else with_value(trace, body.argument, _beyond(whole))  # type: ignore[attr-defined]
        case Fault.RETURNS_OTHER if claim.equals:
            return with_value(trace, claim.equals.at, ScalarDump(value="something else"))
        case Fault.RETURNS_OTHER if claim.aliases and claim.aliases.share is AliasKind.NOTHING:
            shared = at(trace, claim.aliases.with_, before=True)
            return trace if shared is None else with_value(trace, claim.aliases.slot, shared)
        case Fault.RETURNS_OTHER:
            slot = claim.aliases.slot if claim.aliases else "return"
            return with_value(trace, slot, ObjectDump(type="SomethingElse", object=99))
        case Fault.EXCEPTION:
            error = CallError(stage="call", type="RuntimeError", bases=["Exception"], message="broken")
            return msgspec.structs.replace(trace, error=error)
        case Fault.OTHER_TIME:
            error = CallError(stage="call", type=claim.raises.type or "RuntimeError", message="late")  # type: ignore[union-attr]
            return msgspec.structs.replace(trace, error=error, seconds=_LATE_S)
        case Fault.BROKEN_CODE:
            error = CallError(stage="call", type="NameError", bases=["Exception"], message="name 'it' is not defined")
            return msgspec.structs.replace(trace, error=error)
    return trace


def _broken_results(case: Case, body: Result, right: dict[int, Value], fault: Fault) -> Iterator[dict[int, Value]]:
    """What stands on each rank of the claim where the fault is; one for each way in which that can be."""
    members = [rank for rank in case.ranks if rank in right]
    match fault:
        case Fault.NOTHING_HAPPENS:
            yield _untouched(case, body, members)
        case Fault.DOUBLED:
            shape_only = body.formula.value.startswith("shape-")
            yield {rank: _twice(right[rank], shape_only=shape_only) for rank in members}
        case Fault.IN_A_COPY:
            kept = _untouched(case, body, members)
            yield {rank: _in_a_copy(right[rank], kept[rank]) for rank in members}
        case Fault.REVERSED:
            if reordered := _results(case, body, case.group[::-1]):
                yield reordered
        case Fault.OTHER_RANK if len(members) > 1:
            following = dict(zip(members, [*members[1:], *members[:1]], strict=True))
            yield {rank: right[following[rank]] for rank in members}
        case Fault.ONE_RANK:
            for source in case.group:
                value = at(case.run.ranks[source], body.of or "", before=True)
                if value is not None:
                    yield dict.fromkeys(members, value)
        case Fault.OTHER_ROOT:
            root = root_rank(case.api, case.probe) or 0
            for other in case.group:
                if other != root:
                    yield _results(case, body, case.group, root=other) or dict.fromkeys(members, _NOTHING)
        case Fault.ROOT_IN_GROUP:
            place = root_rank(case.api, case.probe) or 0
            named = case.group[place] if place < len(case.group) else None
            wrong = _results(case, body, case.group, root=named) if named is not None else None
            yield wrong or dict.fromkeys(members, _NOTHING)
        case Fault.WHOLE_WORLD:
            yield _results(case, body, list(range(len(case.run.ranks)))) or dict.fromkeys(members, _NOTHING)


def _untouched(case: Case, body: Result, members: list[int]) -> dict[int, Value]:
    """What stood there before; where it is returned, the rank's own input, as if it was alone."""
    found = {}
    for rank in members:
        trace = case.run.ranks[rank]
        kept = at(trace, body.at, before=True) if not body.at.startswith("return") else None
        own = at(trace, body.of, before=True) if body.of else None
        found[rank] = kept or own or _NOTHING
    return found


def _right_results(case: Case, body: Result, group: list[int]) -> dict[int, Value] | None:
    """What the formula gives on each rank of the group, or of all the groups that a probe's code makes."""
    parts = [_results(case, body, ranks) for ranks in body.among or [group]]
    return {rank: value for part in parts if part for rank, value in part.items()} if all(parts) else None


def _results(case: Case, body: Result, group: list[int], root: int | None = None) -> dict[int, Value] | None:
    """What the formula gives on each rank of ``group`` that the claim speaks of; None where it cannot be computed."""
    before = [at(trace, body.of, before=True) if body.of else None for trace in case.run.ranks]
    inputs = [input_of(body, case.run.ranks[rank]) for rank in group]
    dtypes = {tensor.dtype for value in before for tensor in tensors(value)}
    found: dict[int, Value] = {}
    for rank in case.ranks:
        if rank not in group:
            continue
        place = group.index(rank)
        source = source_of(case, body.formula, rank, body.at)
        if source is None:
            return None
        named = case.group[source] if root is None else root
        source = group.index(named) if named in group else 0
        if body.formula is Formula.LENGTH_WORLD:
            found[rank] = recorded([None] * len(group))
            continue
        try:
            found[rank] = _of_dtype(dtypes, recorded(oracle.expected(body.formula, inputs, place, source)))
        except oracle.NotComputable:
            return None
    return found


def _of_dtype(dtypes: set[str], value: Value) -> Value:
    """``value``, in bfloat16 if that is what the inputs are: NumPy computes it as float32."""
    if dtypes != {"bfloat16"}:
        return value
    if isinstance(value, SequenceDump):
        return msgspec.structs.replace(value, items=[_of_dtype(dtypes, item) for item in value.items])
    return msgspec.structs.replace(value, dtype="bfloat16") if isinstance(value, TensorDump) else value


def _with_results(case: Case, body: Result, results: dict[int, Value]) -> ProbeRun:
    return _replaced(case.run, list(results), lambda trace: with_value(trace, body.at, results[trace.rank]))


def _replaced(run: ProbeRun, ranks: list[int], made: Callable[[RankTrace], RankTrace]) -> ProbeRun:
    return msgspec.structs.replace(run, ranks=[made(trace) if trace.rank in ranks else trace for trace in run.ranks])


def _beyond(value: Value) -> Value:
    """The tensors with other numbers around them in the larger one."""
    if isinstance(value, SequenceDump):
        return msgspec.structs.replace(value, items=[_beyond(item) for item in value.items])
    if isinstance(value, ObjectDump):
        return msgspec.structs.replace(value, tensors={name: _beyond(held) for name, held in value.tensors.items()})
    if not isinstance(value, TensorDump) or value.buffer is None:
        return value
    inside = set(value.buffer.places)
    numbers = [number if place in inside else 0 for place, number in enumerate(value.buffer.values)]
    return msgspec.structs.replace(value, buffer=msgspec.structs.replace(value.buffer, values=numbers))


def _in_a_copy(value: Value, kept: Value) -> Value:
    """The values, with the larger tensor as it was."""
    if isinstance(value, SequenceDump) and isinstance(kept, SequenceDump):
        parts = zip(value.items, kept.items, strict=False)
        return msgspec.structs.replace(value, items=[_in_a_copy(part, before) for part, before in parts])
    if isinstance(value, TensorDump) and isinstance(kept, TensorDump):
        return msgspec.structs.replace(value, buffer=kept.buffer)
    return value


def _twice(value: Value, *, shape_only: bool = False) -> Value:
    """Numbers doubled, and lists of anything else twice as long; ``shape_only``: tensors twice as long."""
    numbers = plain(value)
    if shape_only and isinstance(numbers, np.ndarray):
        return recorded(np.concatenate([numbers, numbers]))
    return recorded(_doubled(numbers))


def _doubled(value: Operand) -> Operand:
    if isinstance(value, np.ndarray):
        if value.dtype == bool:
            return ~value
        return np.add(value, value, dtype=value.dtype)
    if isinstance(value, list):
        return [_doubled(item) for item in value] if _numeric(value) else [*value, *value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "something else"
    return value * 2


def _numeric(values: list[Operand]) -> bool:
    return bool(values) and all(isinstance(value, np.ndarray) for value in values)


def _record(run: ProbeRun) -> RunRecord:
    """A record of nothing but ``run``."""
    return RunRecord(
        schema=1,
        suite_version="0",
        framework=run.api.partition(".")[0],
        framework_version="0",
        backend="made",
        device="cpu",
        world_size=len(run.ranks),
        date="",
        os="",
        python="",
        machine="",
        cores=0,
        packages={},
        probes=[run],
    )
