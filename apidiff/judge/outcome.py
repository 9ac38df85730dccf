"""Judges one claim from one probe's traces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import msgspec
import numpy as np

from apidiff.judge import oracle
from apidiff.judge.slots import array, at, show, tensors
from apidiff.judge.structure import has_structure, structure_of
from apidiff.model import (
    AliasKind,
    Api,
    Claim,
    ClaimKind,
    Formula,
    Input,
    Outcome,
    ProbeRun,
    RankSet,
    RankTrace,
    RunRecord,
    SequenceDump,
    TensorDump,
)
from apidiff.model.spec import resolve, root_rank

Verdict = tuple[Outcome, list[str]]
_EVIDENCE_LINES = 4

# The docstrings of examples show the output of this many ranks.
EXAMPLE_WORLD_SIZE = 3


@dataclass(frozen=True)
class _Case:
    """A claim with all that is needed to judge it. ``ranks``: those it speaks of; ``group``: those that take part."""

    claim: Claim
    api: Api
    probe: str
    run: ProbeRun
    record: RunRecord
    unsupported: Sequence[re.Pattern[str]]
    ranks: list[int]
    group: list[int]
    expected: Sequence[str]

    @property
    def traces(self) -> list[RankTrace]:
        return [trace for trace in self.run.ranks if trace.rank in self.ranks]


def judge_claim(
    claim: Claim,
    api: Api,
    probe: str,
    run: ProbeRun | None,
    unsupported: Sequence[re.Pattern[str]],
    record: RunRecord,
    expected: Sequence[str] = (),
) -> Verdict:
    """The outcome of ``claim`` by ``run`` of ``probe``, and the evidence: short lines that name rank and values.

    ``run`` is None for claims on the signature, which are judged from ``record.signatures``. ``unsupported``: patterns of
    error messages by which the backend says that it has no kernel. ``expected``: the lines an example's docstring shows,
    for claims of kind ``prints``; these are judged at world size 3 only. ``not run`` where the claim speaks of no rank there
    (ranks outside a group that holds all).
    """
    if claim.kind in {ClaimKind.PARAMETER, ClaimKind.LACKS}:
        return _judge_signature(claim, api, record)
    if run is None:
        return Outcome.NOT_RUN, []
    first = _judge_run(claim, api, probe, run, unsupported, record, expected)
    if run.again is None:
        return first
    second = _judge_run(claim, api, probe, run.again, unsupported, record, expected)
    if first[0] is second[0]:
        return first
    return Outcome.FLAKY, [f"1: {first[0].value}", *first[1], f"2: {second[0].value}", *second[1]]


def ranks_of(selected: RankSet, api: Api, probe: str, world_size: int) -> tuple[list[int], list[int]]:
    """The ranks that ``selected`` means for a probe, and the ranks of the group that takes part (both in order)."""
    arguments, _ = resolve(api, probe) if probe in api.probes else ({}, {})
    passed = next((value.group for value in arguments.values() if isinstance(value, Input) and value.group), None)
    everyone = list(range(world_size))
    group = [rank for rank in passed if rank < world_size] if passed else everyone
    root = root_rank(api, probe) if probe in api.probes else None
    match selected:
        case RankSet.ALL:
            return everyone, group
        case RankSet.ROOT:
            return [rank for rank in everyone if rank == (root or 0)], group
        case RankSet.OTHERS:
            return [rank for rank in group if rank != (root or 0)], group
        case RankSet.MEMBERS:
            return group, group
        case RankSet.OUTSIDERS:
            return [rank for rank in everyone if rank not in group], group


def _judge_signature(claim: Claim, api: Api, record: RunRecord) -> Verdict:
    signature = next((found for found in record.signatures if found.api == api.name), None)
    if signature is None:
        return Outcome.NOT_RUN, []
    if signature.missing or signature.error:
        return Outcome.ERROR, [signature.error or f"{api.name} is not in {record.framework} {record.framework_version}"]
    evidence = [f"{api.name.rpartition('.')[2]}{signature.text}"]
    names = {parameter.name: parameter for parameter in signature.parameters}
    if claim.lacks is not None:
        return (Outcome.REFUTED if claim.lacks.parameter in names else Outcome.HOLDS), evidence
    wanted = claim.parameter
    found = names.get(wanted.name) if wanted else None
    holds = wanted is not None and found is not None
    if wanted and found:
        holds = (wanted.default is None or wanted.default == found.default) and not (wanted.required and found.default)
    return (Outcome.HOLDS if holds else Outcome.REFUTED), evidence


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
    case = _Case(claim, api, probe, run, record, unsupported, ranks, group, expected)
    if run.end == "crash":
        return _judge_crash(case)
    if claim.raises is not None:
        return _judge_raises(case)
    errors = [f"rank {trace.rank}: {_error(trace)}" for trace in case.traces if trace.error]
    if errors:
        if _is_unsupported(case):
            return Outcome.UNSUPPORTED, _cut(errors)
        prepared = any(trace.error and trace.error.stage == "prepare" for trace in case.traces)
        refuted = claim.completes is not None and not prepared
        return (Outcome.REFUTED if refuted else Outcome.ERROR), _cut(errors)
    if len(case.traces) < len(ranks):
        return _silent_ranks(case)
    if claim.completes is not None:
        return Outcome.HOLDS, []
    return _CHECKS[claim.kind](case)


def _judge_crash(case: _Case) -> Verdict:
    """A crash whatever the claim: what the ranks left behind raise is a lost connection, if it reaches them in time."""
    answered = {trace.rank for trace in case.run.ranks}
    gone = [rank for rank in range(case.record.world_size) if rank not in answered]
    said = [f"rank {trace.rank}: {_error(trace)}" for trace in case.run.ranks if trace.error]
    return Outcome.CRASH, _cut([*(f"rank {rank}: crash" for rank in gone), *said])


def _judge_raises(case: _Case) -> Verdict:
    body = case.claim.raises
    assert body is not None
    if _is_unsupported(case):
        return Outcome.UNSUPPORTED, _cut(
            [f"rank {trace.rank}: {_error(trace)}" for trace in case.traces if trace.error]
        )
    raised, quiet = [], []
    for trace in case.traces:
        error = trace.error
        if error is not None and error.stage == "prepare":
            return Outcome.ERROR, [f"rank {trace.rank}: {_error(trace)}"]
        if error is not None and body.type in {None, error.type, *error.bases}:
            raised.append(trace)
        else:
            quiet.append(f"rank {trace.rank}: {_error(trace) if error else 'no exception'}")
    if raised and (failing := _fails_anyway(case, raised)):
        return Outcome.ERROR, failing
    lines = [f"rank {trace.rank}: {_error(trace)}" for trace in raised]
    if raised if body.some else len(raised) == len(case.ranks):
        return Outcome.HOLDS, _cut(lines)
    if len(case.traces) < len(case.ranks) and not (quiet and not body.some):
        outcome, missing = _silent_ranks(case)
        return outcome, _cut([*lines, *quiet, *missing])
    return Outcome.REFUTED, _cut([*quiet, *lines])


def _fails_anyway(case: _Case, raised: list[RankTrace]) -> list[str]:
    """Evidence that the same call raises the same error without the fault; then the fault was not what raised it."""
    probe = case.api.probes.get(case.probe)
    if probe is None or probe.like is None:
        return []
    plain = next((run for run in case.record.probes if (run.api, run.probe) == (case.api.name, probe.like)), None)
    usual = {(t.error.type, t.error.message) for t in plain.ranks if t.error} if plain else set()
    same = [trace for trace in raised if trace.error and (trace.error.type, trace.error.message) in usual]
    return [f"rank {trace.rank}: {_error(trace)} (also by probe {probe.like!r})" for trace in same[:1]]


def _silent_ranks(case: _Case) -> Verdict:
    answered = {trace.rank for trace in case.run.ranks}
    return Outcome.TIMEOUT, _cut([f"rank {rank}: timeout" for rank in case.ranks if rank not in answered])


def _judge_writes(case: _Case) -> Verdict:
    body = case.claim.writes or case.claim.keeps
    assert body is not None
    changed, same = [], []
    for trace in case.traces:
        old, new = at(trace, body.argument, before=True), at(trace, body.argument)
        if old is None or new is None:
            return Outcome.ERROR, [f"rank {trace.rank}: nothing at {body.argument}"]
        if _values(old) == _values(new):
            same.append(f"rank {trace.rank}: {body.argument} {show(old)} =")
        else:
            changed.append(f"rank {trace.rank}: {body.argument} {show(old)} → {show(new)}")
    if case.claim.keeps is not None:
        return (Outcome.REFUTED, _cut(changed)) if changed else (Outcome.HOLDS, _cut(same))
    some = case.claim.writes is not None and case.claim.writes.some
    holds = bool(changed) if some else not same
    return (Outcome.HOLDS, _cut(changed)) if holds else (Outcome.REFUTED, _cut(same))


def _values(value: object) -> object:
    """What must stay equal for an argument to be untouched: shapes, dtypes and values of all tensors, and the structure."""
    if isinstance(value, TensorDump):
        return (value.dtype, tuple(value.shape), tuple(value.values))
    if isinstance(value, SequenceDump):
        return [_values(item) for item in value.items]
    return msgspec.json.encode(value)


def _judge_returns(case: _Case) -> Verdict:
    body = case.claim.returns
    assert body is not None
    lines = [(trace.rank, structure_of(trace.returned)) for trace in case.traces]
    wrong = [t.rank for t in case.traces if not has_structure(t.returned, body.structure)]
    if wrong:
        return Outcome.REFUTED, _cut([f"rank {rank}: returned {found}" for rank, found in lines if rank in wrong])
    return Outcome.HOLDS, [f"rank {lines[0][0]}: returned {lines[0][1]}"]


def _judge_result(case: _Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    if body.formula is Formula.LENGTH_WORLD:
        return _judge_length(case)
    by_rank = {trace.rank: at(trace, body.of, before=True) for trace in case.run.ranks}
    missing = [rank for rank in case.group if not tensors(by_rank.get(rank))]
    if missing:
        return Outcome.ERROR, [f"rank {rank}: no input at {body.of}" for rank in missing]
    inputs = [
        [array(t) for t in tensors(v)] if isinstance(v, SequenceDump) else array(tensors(v)[0])
        for v in (by_rank[r] for r in case.group)
    ]
    wrong, right = [], []
    for trace in case.traces:
        if trace.rank not in case.group:
            continue
        value = at(trace, body.at)
        try:
            want = oracle.expected(body.formula, inputs, case.group.index(trace.rank))
        except oracle.NotComputable as error:
            return Outcome.ERROR, [str(error)]
        line = f"rank {trace.rank}: {body.at} {show(value)}"
        if _equal(value, want, shape_only=body.formula.value.startswith("shape-")):
            right.append(line)
        else:
            wrong.append(f"{line} ≠ {_show_expected(want, shape_only=body.formula.value.startswith('shape-'))}")
    return (Outcome.REFUTED, _cut(wrong)) if wrong else (Outcome.HOLDS, _cut(right))


def _judge_length(case: _Case) -> Verdict:
    body = case.claim.result
    assert body is not None
    lengths = {t.rank: len(v.items) if isinstance(v := at(t, body.at), SequenceDump) else None for t in case.traces}
    lines = [f"rank {rank}: len({body.at}) = {length}" for rank, length in lengths.items()]
    return (Outcome.HOLDS if set(lengths.values()) == {len(case.group)} else Outcome.REFUTED), _cut(lines)


def _equal(value: object, want: oracle.Operand, *, shape_only: bool) -> bool:
    if isinstance(want, list):
        items = value.items if isinstance(value, SequenceDump) else []
        return len(items) == len(want) and all(
            _equal(i, w, shape_only=shape_only) for i, w in zip(items, want, strict=True)
        )
    if not isinstance(value, TensorDump) or list(want.shape) != value.shape:
        return False
    return shape_only or (str(want.dtype) == value.dtype and bool(np.array_equal(array(value), want)))


def _show_expected(want: oracle.Operand, *, shape_only: bool) -> str:
    if isinstance(want, list):
        return "[" + ", ".join(_show_expected(item, shape_only=shape_only) for item in want) + "]"
    if shape_only:
        return f"shape {list(want.shape)}"
    dump = TensorDump(
        type="expected",
        dtype=str(want.dtype),
        shape=list(want.shape),
        values=want.ravel().tolist(),
        storage=0,
        object=0,
    )
    return show(dump)


def _judge_aliases(case: _Case) -> Verdict:
    body = case.claim.aliases
    assert body is not None
    wrong: list[str] = []
    right: list[str] = []
    for trace in case.traces:
        left = at(trace, body.slot)
        right_value = at(trace, body.with_, before=True)
        if left is None or right_value is None or not hasattr(left, "object") or not hasattr(right_value, "object"):
            return Outcome.ERROR, [f"rank {trace.rank}: nothing to compare at {body.slot} and {body.with_}"]
        storage = {t.storage for t in tensors(left)} & {t.storage for t in tensors(right_value)}
        same_object = left.object == right_value.object
        found = AliasKind.OBJECT if same_object else AliasKind.STORAGE if storage else AliasKind.NOTHING
        line = f"rank {trace.rank}: {body.slot}, {body.with_}: {found.value}"
        fits = found is body.share or (body.share is AliasKind.STORAGE and bool(storage))
        (right if fits else wrong).append(line)
    return (Outcome.REFUTED, _cut(wrong)) if wrong else (Outcome.HOLDS, right[:1])


def _judge_prints(case: _Case) -> Verdict:
    if case.record.world_size != EXAMPLE_WORLD_SIZE:
        return Outcome.NOT_RUN, []
    wrong = []
    for trace in case.traces:
        want = [line for line in case.expected if line.startswith(f"rank {trace.rank}: ")]
        if trace.output != want:
            pairs = zip_longest(trace.output, want, fillvalue="(no line)")
            got, wanted = next((got, wanted) for got, wanted in pairs if got != wanted)
            wrong.append(f"rank {trace.rank}: printed {got!r} ≠ {wanted!r}")
    return (Outcome.REFUTED, _cut(wrong)) if wrong else (Outcome.HOLDS, [])


def _is_unsupported(case: _Case) -> bool:
    messages = [trace.error.message for trace in case.run.ranks if trace.error]
    return any(pattern.search(message) for pattern in case.unsupported for message in messages)


def _error(trace: RankTrace) -> str:
    if trace.error is None:
        return ""
    first = next((line.strip() for line in trace.error.message.splitlines() if line.strip(" -")), "")
    return f"{trace.error.type}: {first}"[:240]


def _cut(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _EVIDENCE_LINES else [*lines[: _EVIDENCE_LINES - 1], f"… {len(lines)}"]


_CHECKS = {
    ClaimKind.WRITES: _judge_writes,
    ClaimKind.KEEPS: _judge_writes,
    ClaimKind.RETURNS: _judge_returns,
    ClaimKind.RESULT: _judge_result,
    ClaimKind.ALIASES: _judge_aliases,
    ClaimKind.PRINTS: _judge_prints,
}
